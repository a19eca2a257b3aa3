"""Dialogs above a screen: questions, menus of commands, a line of text, and errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gui.events import Event, Press
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import APART, CONTROL, EDGE, GAP, ROOM, TITLE
from gui.screens.screen import Screen
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.button import ButtonKind, Toggle, button
from gui.widgets.field import Field

if TYPE_CHECKING:
    from gui.app import App


def card_of(
    size: Size, look: Look, title: str, text: str, rows: Sequence[float], icon: str = ""
) -> tuple[list[Widget], list[Rect]]:
    """Return a card in the middle of the window with a title and a text, and the places of further rows below it.

    Args:
        rows: their heights in pixels of the design.
    """
    px = look.px
    wide = min(px(460), size[0] - px(24))
    heights = [px(CONTROL), look.tall(text, wide - 2 * px(APART)) + px(GAP), *map(px, rows)]
    tall = sum(heights) + (len(heights) - 1) * px(GAP) + 2 * px(EDGE)
    card = Rect(0, 0, *size).centre_within(wide, min(tall, size[1] - px(20)))
    head, below, *places = card.inset(px(APART), px(EDGE)).rows(heights[0], None, *heights[2:], gap=px(GAP))
    widgets: list[Widget] = [
        Panel(key="card", rect=card, radius=12),
        Label(key="head", rect=head, text=title, size=TITLE, bold=True, icon=icon, may_cut=True,
              colour=look.theme.danger if icon else None),
        Label(key="text", rect=below, text=text, wrap=True, may_cut=True),
    ]  # fmt: skip
    return widgets, places


class Dialog(Screen):
    """A text and one to three answers; Esc gives the answer bound to it, or just closes the dialog.

    Args:
        answers: label, key and action of each; the first is the main one.
    """

    overlay = True

    def __init__(
        self,
        app: App,
        title: str,
        text: str,
        answers: Sequence[tuple[str, str, Callable[[], object]]],
        kind: ButtonKind = "main",
    ) -> None:
        super().__init__(app)
        self.title = title
        self._text = text
        self._answers = answers
        self._kind = kind

    def commands(self) -> Sequence[Command]:
        return tuple(
            Command(id=f"answer{number}", name=name, keys=(key,), run=partial(self._answer, run))
            for number, (name, key, run) in enumerate(self._answers)
        )

    def _answer(self, run: Callable[[], object]) -> None:
        self.app.back()
        run()

    icon = ""

    def view(self, size: Size, look: Look) -> list[Widget]:
        widgets, (row,) = card_of(size, look, self.title, self._text, (CONTROL,), self.icon)
        commands = self.commands()
        for command, place in zip(commands, row.columns(*[None] * len(commands), gap=look.px(GAP)), strict=True):
            safe: ButtonKind = "main" if self._kind == "danger" and command is commands[-1] else "plain"
            kind = self._kind if command is commands[0] else safe
            widgets.append(button(command, command.id, place, kind=kind))
        return widgets


LEAST_ROW, COLUMN = 32, 250
"""Minimum distance of the buttons of a menu, otherwise they stand in two columns; and width of a column of a menu with
groups."""


class Popup(Screen):
    """A card above a screen that asks nothing: a click beside it closes it."""

    overlay = True

    def handle(self, event: Event) -> bool:
        beside = isinstance(event, Press) and not self.ui.hover
        if beside:
            self.app.back()
        return beside

    def head(self, rect: Rect, look: Look) -> list[Widget]:
        """Return the title and, in the corner of the card, the button that closes it."""
        title, corner = rect.columns(None, look.px(CONTROL), gap=look.px(GAP))
        place, back = corner.rows(min(look.px(CONTROL), rect.h), None)[0], by_id(self.app.commands())["back"]
        return [
            Label(key="head", rect=title, text=self.title, size=TITLE, bold=True, may_cut=True),
            button(back, "close", place, kind="quiet", icon_only=True, icon="close"),
        ]


class Menu(Popup):
    """Commands as a list of buttons above a screen; each keeps its key.

    Args:
        groups: whether the commands have headings, by their groups.
    """

    def __init__(
        self, app: App, title: str, commands: Callable[[], Sequence[Command]], *, groups: bool = False
    ) -> None:
        super().__init__(app)
        self.title = title
        self._commands = commands
        self._groups = groups

    def commands(self) -> Sequence[Command]:
        return tuple(replace(command, run=partial(self._close, command.run)) for command in self._commands())

    def _close(self, run: Callable[[], object]) -> None:
        self.app.back()
        run()

    def view(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        columns = self._columns(size, look)
        lines = max(map(len, columns))
        tall, wide = px(CONTROL) + lines * px(CONTROL + GAP) + 2 * px(ROOM), px(COLUMN if self._groups else 340)
        card = Rect(0, 0, *size).centre_within(min(wide * len(columns), size[0] - px(20)), min(tall, size[1] - px(10)))
        inner = card.inset(px(EDGE), px(ROOM))
        head, body = inner.rows(px(CONTROL), None, gap=px(GAP))
        widgets: list[Widget] = [Panel(key="card", rect=card, radius=12), *self.head(head, look)]
        for column, place in zip(columns, body.columns(*[None] * len(columns), gap=px(GAP)), strict=True):
            for each, at in zip(column, place.rows(*[None] * lines, gap=px(GAP)), strict=False):
                if isinstance(each, Command) and each.chosen is not None and self._groups:
                    widgets.append(Toggle(key=f"menu.{each.id}", rect=at.inset(px(GAP), 0), text=each.name,
                                          on=each.chosen, run=each.run, hint=each.hint))  # fmt: skip
                elif isinstance(each, Command):
                    kind: ButtonKind = "danger" if each.icon == "delete" else "plain"
                    widgets.append(button(each, f"menu.{each.id}", at, align="left", listed=True, kind=kind))
                else:
                    widgets.append(Label(key=f"group.{each}", rect=at, text=each, bold=True, colour=look.theme.muted))
        return widgets

    def _columns(self, size: Size, look: Look) -> list[list[Command | str]]:
        commands = self.commands()
        if not self._groups:
            beside = 2 if look.px(60) + len(commands) * look.px(LEAST_ROW) > size[1] else 1
            lines = -(-len(commands) // beside) or 1
            return [list(commands[at : at + lines]) for at in range(0, len(commands), lines)] or [[]]
        names = dict.fromkeys(command.group for command in commands)
        groups: list[list[Command | str]] = [[name, *(c for c in commands if c.group == name)] for name in names]
        columns, most = list[list[Command | str]](), max(map(len, groups), default=0) + 1
        for group in groups:  # one below the other while a column is about as long as the longest group
            if columns and len(columns[-1]) + len(group) <= most:
                columns[-1] += group
            else:
                columns.append(group)
        if size[0] < look.px(COLUMN) * len(columns) * 3 // 4:
            columns = [[each for column in columns for each in column]]
        return columns


class Prompt(Screen):
    """A question that is answered with a line of text.

    Args:
        done: called with the entered text; returns an error message, or an empty string to close the dialog.
    """

    overlay = True

    def __init__(
        self,
        app: App,
        title: str,
        text: str,
        done: Callable[[str], str],
        *,
        ghost: str = "",
        value: str = "",
        take: str = "OK",
    ) -> None:
        super().__init__(app)
        self.title = title
        self._text = text
        self._done = done
        self._ghost = ghost
        self._value = value
        self._take = take
        self._wrong = ""
        self.ui.focus = "line"

    def commands(self) -> Sequence[Command]:
        return (
            Command(id="take", name=self._take, keys=("return",), run=self._enter),
            Command(id="cancel", name="Cancel", keys=("escape",), run=self.app.back),
        )  # fmt: skip

    def _enter(self) -> None:
        self._wrong = self._done(self._value)
        if not self._wrong and self.app.screen is self:
            self.app.back()

    def _change(self, value: str) -> None:
        self._value, self._wrong = value, ""

    def view(self, size: Size, look: Look) -> list[Widget]:
        widgets, (field, wrong, row) = card_of(size, look, self.title, self._text, (CONTROL, CONTROL, CONTROL))
        first, second = row.columns(None, None, gap=look.px(GAP))
        take, cancel = self.commands()
        return [
            *widgets,
            Field(
                key="line", rect=field, value=self._value, change=self._change, enter=self._enter, ghost=self._ghost,
                wrong=bool(self._wrong), clipboard=self.app.services.clipboard,
            ),
            Label(key="wrong", rect=wrong, text=self._wrong, wrap=True, colour=look.theme.danger, may_cut=True),
            button(take, "take", first, kind="main"),
            button(cancel, "cancel", second),
        ]  # fmt: skip


class FaultDialog(Dialog):
    """A report that a screen failed, and what to do next."""

    overlay = False
    icon = "warning"

    def __init__(self, app: App, screen: Screen, error: Exception, saved: bool) -> None:
        self._screen = screen
        kept = " Your game has been saved." if saved else ""
        what = " ".join(str(error).split())[:300]
        text = (
            f"The screen “{screen.title}” failed because of a fault of the program: {type(error).__name__}"
            f"{': ' + what if what else ''}. The log has the details.{kept}"
        )
        answers = (("Open again", "return", self._again), ("Home", "escape", self._home))
        super().__init__(app, "Something went wrong", text, answers)

    def _answer(self, run: Callable[[], object]) -> None:
        run()

    def _again(self) -> None:
        self._screen.broken = False
        self.app.back()

    def _home(self) -> None:
        for screen in self.app.stack:
            screen.broken = False
        self.app.go_home()
