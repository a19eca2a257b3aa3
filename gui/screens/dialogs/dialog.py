"""Questions and messages above a screen, and menus of commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import APART, BODY, CONTROL, EDGE, GAP, ROOM, TITLE
from gui.screens.screen import Screen
from gui.widgets.base import Label, Panel, Widget
from gui.widgets.button import ButtonKind, button
from gui.widgets.commands import Command
from gui.widgets.field import Field

if TYPE_CHECKING:
    from gui.app import App


class Dialog(Screen):
    """A text and one to three answers; Esc closes it, and means the answer that has this key, if one has.

    Args:
        app: the window.
        title, text: what it is about.
        answers: (label, key, action); the first is the main one.
        kind: how the main answer looks.
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
        """The answers."""
        return tuple(
            Command(id=f"answer{number}", name=name, keys=(key,), run=partial(self._answer, run))
            for number, (name, key, run) in enumerate(self._answers)
        )

    def _answer(self, run: Callable[[], object]) -> None:
        self.app.back()
        run()

    def view(self, size: Size, look: Look) -> list[Widget]:
        """A card as high as its text."""
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


class Menu(Screen):
    """Commands as a list of buttons above a screen; each still has its key."""

    overlay = True

    def __init__(self, app: App, title: str, commands: Callable[[], Sequence[Command]]) -> None:
        super().__init__(app)
        self.title = title
        self._commands = commands

    def commands(self) -> Sequence[Command]:
        """Return the commands of the list; each closes it."""
        return tuple(replace(command, run=partial(self._close, command.run)) for command in self._commands())

    def _close(self, run: Callable[[], object]) -> None:
        self.app.back()
        run()

    def view(self, size: Size, look: Look) -> list[Widget]:
        """A card with one button under another."""
        px = look.px
        commands = self.commands()
        tall = px(60) + len(commands) * px(42) + px(14)
        card = Rect(0, 0, *size).centre_within(min(px(340), size[0] - px(20)), min(tall, size[1] - px(10)))
        inner = card.inset(px(EDGE), px(ROOM))
        head, body = inner.rows(px(CONTROL), None, gap=px(GAP))
        widgets: list[Widget] = [
            Panel(key="card", rect=card, radius=12),
            Label(key="head", rect=head, text=self.title, size=TITLE, bold=True),
        ]
        for command, place in zip(commands, body.rows(*[None] * len(commands), gap=px(GAP)), strict=True):
            widgets.append(button(command, f"menu.{command.id}", place, align="left"))
        return widgets


class Prompt(Screen):
    """Asks for one line of text.

    Args:
        check: given the text, what is wrong with it; empty if nothing is.
        done: given the text that was taken.
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
        """Take it, or not."""
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
        """A card with a field."""
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
                key="line",
                rect=field,
                value=self._value,
                change=self._change,
                enter=self._enter,
                ghost=self._ghost,
                wrong=bool(self._wrong),
                clipboard=self.app.services.clipboard,
            ),
            Label(key="wrong", rect=wrong, text=self._wrong, wrap=True, colour=look.theme.danger, may_cut=True),
            button(take, "take", first, kind="main"),
            button(cancel, "cancel", second),
        ]
