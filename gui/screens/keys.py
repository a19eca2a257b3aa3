"""All keys of a screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gui.geometry import Rect, Size
from gui.look.canvas import BODY, Look
from gui.screens.screen import Screen
from gui.widgets.base import Label, Panel, Widget
from gui.widgets.button import button
from gui.widgets.commands import Command, key_text
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from gui.app import App

WIDGETS = (
    ("Tab  Shift+Tab", "Lead the keyboard to the next or the previous part of the screen"),
    ("Enter  Space", "Press the button, take the row, touch the square that the keyboard is on"),
    ("Arrow keys", "Move within a list, a slider, a row of choices or the board that the keyboard is on"),
)


class Keys(Screen):
    """The keys of the screen below, and those that count everywhere."""

    title = "Keys"
    overlay = True

    def __init__(self, app: App, below: Screen) -> None:
        super().__init__(app)
        self._rows: list[tuple[str, str, bool]] = []
        groups: dict[str, list[Command]] = {}
        for command in below.commands():
            groups.setdefault(command.group or below.title, []).append(command)
        for command in app.everywhere.commands():
            groups.setdefault(command.group, []).append(command)
        for group, commands in groups.items():
            self._rows.append((group, "", True))
            for command in commands:
                keys = "   ".join(dict.fromkeys(key_text(key) for key in command.keys))
                self._rows.append((keys, command.about or command.name, False))
        self._rows.append(("The keyboard on the screen", "", True))
        self._rows += [(keys, text, False) for keys, text in WIDGETS]
        self.ui.focus = "keys"
        self._first = 0

    def commands(self) -> Sequence[Command]:
        """Nothing but closing."""
        return (Command("Close", ("return", "?", "f1"), self.app.back, icon="close"),)

    def view(self, size: Size, look: Look) -> list[Widget]:
        """A list over the screen below."""
        px = look.px
        card = Rect(0, 0, *size).centred(min(px(760), size[0] - px(24)), min(px(620), size[1] - px(24)))
        head, body = card.inset(px(18), px(14)).rows(px(36), None, gap=px(8))
        title, close = head.columns(None, head.h)
        wide = max(look.fonts.size(keys, px(BODY), True)[0] for keys, _, _ in self._rows) / look.scale
        return [
            Panel(key="card", rect=card, radius=12),
            Label(key="head", rect=title, text="Keys", size=18, bold=True),
            button(
                self.commands()[0],
                "close",
                close,
                kind="quiet",
                icon_only=True,
            ),
            Table(
                key="keys",
                rect=body,
                columns=(Column("Key", min(round(wide) + 24, 300)), Column("What it does")),
                count=len(self._rows),
                cells=self._cells,
                selected=self._first,
                select=self._select,
                headed=False,
                framed=False,
            ),
        ]

    def _select(self, row: int) -> None:
        self._first = row

    def _cells(self, row: int) -> tuple[Cell, Cell]:
        keys, text, head = self._rows[row]
        return Cell(keys, bold=True, colour=self.app.look.theme.accent if head else None), Cell(text)
