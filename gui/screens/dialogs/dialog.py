"""Dialogs above a screen: questions, menus of commands, a line of text, the list of keys, and errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gui.geometry import Rect, Size
from gui.key_table import MEANINGS, key_text
from gui.look.canvas import Canvas, Look
from gui.look.theme import APART, BODY, CONTROL, EDGE, GAP, HEADING, ROOM, TITLE
from gui.screens.screen import Screen
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.button import ButtonKind, button
from gui.widgets.field import Field
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from gui.app import App


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

    def view(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        wide = min(px(460), size[0] - px(24))
        lines = look.fonts.wrap(self._text, wide - px(48), px(BODY))
        tall = px(CONTROL) + px(8) + len(lines) * look.fonts.height(px(BODY)) + px(22) + px(CONTROL) + px(44)
        card = Rect(0, 0, *size).centre_within(wide, tall)
        inner = card.inset(px(APART), px(EDGE))
        head, text, row = inner.rows(px(CONTROL), None, px(CONTROL), gap=px(GAP))
        widgets: list[Widget] = [
            Panel(key="card", rect=card, radius=12),
            Label(key="head", rect=head, text=self.title, size=TITLE, bold=True, may_cut=True),
            Label(key="text", rect=text, text=self._text, wrap=True, may_cut=True),
        ]
        commands = self.commands()
        for command, place in zip(commands, row.columns(*[None] * len(commands), gap=px(GAP)), strict=True):
            kind = self._kind if command is commands[0] else "plain"
            widgets.append(button(command, command.id, place, kind=kind))
        return widgets


LEAST_ROW = 32
"""Minimum distance of the buttons of a menu, in pixels of the design; otherwise they stand in two columns."""


class Menu(Screen):
    """Commands as a list of buttons above a screen; each keeps its key."""

    overlay = True

    def __init__(self, app: App, title: str, commands: Callable[[], Sequence[Command]]) -> None:
        super().__init__(app)
        self.title = title
        self._commands = commands

    def commands(self) -> Sequence[Command]:
        return tuple(replace(command, run=partial(self._close, command.run)) for command in self._commands())

    def _close(self, run: Callable[[], object]) -> None:
        self.app.back()
        run()

    def view(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        commands = self.commands()
        beside = 2 if px(60) + len(commands) * px(LEAST_ROW) > size[1] else 1
        lines = -(-len(commands) // beside)
        tall = px(60) + lines * px(42) + px(14)
        card = Rect(0, 0, *size).centre_within(min(px(340 * beside), size[0] - px(20)), min(tall, size[1] - px(10)))
        inner = card.inset(px(EDGE), px(ROOM))
        head, body = inner.rows(px(CONTROL), None, gap=px(GAP))
        widgets: list[Widget] = [
            Panel(key="card", rect=card, radius=12),
            Label(key="head", rect=head, text=self.title, size=TITLE, bold=True),
        ]
        columns = [place.rows(*[None] * lines, gap=px(GAP)) for place in body.columns(*[None] * beside, gap=px(GAP))]
        places = [place for column in columns for place in column]
        for command, place in zip(commands, places, strict=False):
            widgets.append(button(command, f"menu.{command.id}", place, align="left"))
        return widgets


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
        px = look.px
        wide = min(px(460), size[0] - px(24))
        lines = look.fonts.wrap(self._text, wide - px(48), px(BODY))
        text_high = len(lines) * look.fonts.height(px(BODY)) + px(4)
        card = Rect(0, 0, *size).centre_within(
            wide, px(CONTROL) + text_high + px(CONTROL) + px(44) + px(CONTROL) + px(CONTROL) + 4 * px(8)
        )
        inner = card.inset(px(APART), px(EDGE))
        head, text, field, wrong, row = inner.rows(px(CONTROL), text_high, px(CONTROL), None, px(CONTROL), gap=px(GAP))
        first, second = row.columns(None, None, gap=px(GAP))
        take, cancel = self.commands()
        return [
            Panel(key="card", rect=card, radius=12),
            Label(key="head", rect=head, text=self.title, size=TITLE, bold=True),
            Label(key="text", rect=text, text=self._text, wrap=True),
            Field(
                key="line", rect=field, value=self._value, change=self._change, enter=self._enter, ghost=self._ghost,
                wrong=bool(self._wrong), clipboard=self.app.services.clipboard,
            ),
            Label(key="wrong", rect=wrong, text=self._wrong, wrap=True, colour=look.theme.danger, may_cut=True),
            button(take, "take", first, kind="main"),
            button(cancel, "cancel", second),
        ]  # fmt: skip


WIDGETS = (
    ("Tab   Shift+Tab", "Next part", "Move the focus to the next or previous part of the screen"),
    ("Enter   Space", "Press", "Press the focused button, row or square"),
    ("Arrow keys", "Move", "Move within a list, a slider, a row of choices or the board"),
)
"""Keys that work in all widgets."""

HEADING_WIDTH = 400
"""Width of the heading of a group of keys, in pixels of the design."""


def _text_of(keys: Sequence[str]) -> str:
    return "   ".join(dict.fromkeys(key_text(key) for key in keys))


class Keys(Screen):
    """The keys of the screen below, the keys that work everywhere, and what the others mean on other screens."""

    title = "Keys"
    overlay = True

    def __init__(self, app: App, below: Screen) -> None:
        super().__init__(app)
        self._rows: list[tuple[str, str, str]] = []
        groups: dict[str, list[Command]] = {}
        chosen = app.services.keys.keys()
        here = {key for command in (*below.commands(), *app.commands()) for key in command.keys}
        here |= {key for keys in app.services.keys.values() for key in keys}
        for command in below.commands():
            groups.setdefault(command.group or below.title, []).append(command)
        for command in app.commands():
            groups.setdefault(command.group, []).append(command)
        for group, commands in groups.items():
            self._rows.append((group, "", ""))
            for command in commands:
                self._rows.append((_text_of(command.keys), command.name, command.about))
        self._rows.append(("Moving around the screen", "", ""))
        self._rows += WIDGETS
        self._rows.append(("On other screens", "", ""))
        self._rows += [
            (_text_of(each.keys.split()), "", each.text)
            for each in MEANINGS
            if not here & set(each.keys.split()) and not chosen & set(each.commands.split())
        ]
        self.ui.focus = "keys"
        self._first = 1

    def commands(self) -> Sequence[Command]:
        return (Command(id="close", name="Close", keys=("return", "?", "f1"), run=self.app.back, icon="close"),)

    def view(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        card = Rect(0, 0, *size).centre_within(min(px(860), size[0] - px(24)), min(px(620), size[1] - px(24)))
        head, body = card.inset(px(EDGE), px(ROOM)).rows(px(CONTROL), None, gap=px(GAP))
        title, close = head.columns(None, head.h)
        rows = [row for row in self._rows if any(row[1:])]
        keys, names = (max(look.fonts.size(row[at], px(BODY), True)[0] for row in rows) / look.scale for at in (0, 1))
        return [
            Panel(key="card", rect=card, radius=12),
            Label(key="head", rect=title, text="Keys", size=TITLE, bold=True),
            button(self.commands()[0], "close", close, kind="quiet", icon_only=True),
            Table(
                key="keys", rect=body, count=len(self._rows), cells=self._cells, selected=self._first,
                columns=(
                    Column("Key", min(round(keys) + 24, 280)), Column("Name", min(round(names) + 24, 220)),
                    Column("What it does"),
                ),
                select=self._select, headed=False, framed=False,
            ),
        ]  # fmt: skip

    def _select(self, row: int) -> None:
        self._first = row

    def _cells(self, row: int) -> tuple[Cell, Cell, Cell]:
        keys, name, about = self._rows[row]
        theme = self.app.look.theme
        if not (name or about):  # a heading spans the columns to its right

            def draw(canvas: Canvas, at: Rect) -> None:
                place = Rect(at.x, at.y, canvas.px(HEADING_WIDTH), at.h)
                canvas.text(keys, place, theme.accent, bold=True)

            return Cell(""), Cell(keys, draw=draw), Cell("")
        return Cell(keys, bold=True), Cell(name), Cell(about, theme.muted)


class FaultDialog(Screen):
    """A report that a screen failed, and what to do next."""

    title = "Something went wrong"

    def __init__(self, app: App, screen: Screen, error: Exception, saved: bool) -> None:
        super().__init__(app)
        self._screen = screen
        kept = " Your game has been saved." if saved else ""
        what = " ".join(str(error).split())[:300]
        self._text = (
            f"The screen “{screen.title}” failed because of a fault of the program: {type(error).__name__}"
            f"{': ' + what if what else ''}. The log has the details.{kept}"
        )

    def commands(self) -> Sequence[Command]:
        return (
            Command(id="again", name="Open again", keys=("return",), run=self._again, about="Open the screen again"),
            Command(id="home", name="Home", keys=("escape",), run=self._home, about="Go to the first screen",
                    icon="home"),
        )  # fmt: skip

    def _again(self) -> None:
        self._screen.broken = False
        self.app.back()

    def _home(self) -> None:
        for screen in self.app.stack:
            screen.broken = False
        self.app.go_home()

    def view(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        card = Rect(0, 0, *size).centre_within(min(px(560), size[0] - px(20)), min(px(300), size[1] - px(20)))
        inner = card.inset(px(APART), px(APART))
        head, text, row = inner.rows(px(CONTROL), None, px(CONTROL), gap=px(GAP))
        again, home = row.columns(None, None, gap=px(GAP))
        commands = by_id(self.commands())
        return [
            Panel(key="card", rect=card),
            Label(key="head", rect=head, text=self.title, size=HEADING, bold=True, icon="warning",
                  colour=look.theme.danger),
            Label(key="text", rect=text, text=self._text, wrap=True, may_cut=True),
            button(commands["again"], "again", again, kind="main"),
            button(commands["home"], "home", home),
        ]  # fmt: skip
