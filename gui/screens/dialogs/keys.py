"""All keys of a screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gui.geometry import Rect, Size
from gui.look.canvas import Canvas, Look
from gui.look.theme import BODY, CONTROL, EDGE, GAP, ROOM, TITLE
from gui.screens.screen import Screen
from gui.widgets.base import Label, Panel, Widget
from gui.widgets.button import button
from gui.widgets.commands import Command, key_text
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from gui.app import App

WIDGETS = (
    ("Tab   Shift+Tab", "Go on", "To the next or the previous part of the screen"),
    ("Enter   Space", "Press", "The button, the row or the square that the keyboard is on"),
    ("Arrow keys", "Move", "Within a list, a slider, a row of choices, the board"),
)


HEADING_WIDTH = 400
"""Pixels of the design for the heading of a group of keys."""


class Keys(Screen):
    """The keys of the screen below, and those that count everywhere."""

    title = "Keys"
    overlay = True

    def __init__(self, app: App, below: Screen) -> None:
        super().__init__(app)
        self._rows: list[tuple[str, str, str]] = []
        groups: dict[str, list[Command]] = {}
        for command in below.commands():
            groups.setdefault(command.group or below.title, []).append(command)
        for command in app.commands():
            groups.setdefault(command.group, []).append(command)
        for group, commands in groups.items():
            self._rows.append((group, "", ""))
            for command in commands:
                keys = "   ".join(dict.fromkeys(key_text(key) for key in command.keys))
                self._rows.append((keys, command.name, command.about))
        self._rows.append(("The keyboard on the screen", "", ""))
        self._rows += WIDGETS
        self.ui.focus = "keys"
        self._first = 1

    def commands(self) -> Sequence[Command]:
        """Nothing but closing."""
        return (Command(id="close", name="Close", keys=("return", "?", "f1"), run=self.app.back, icon="close"),)

    def view(self, size: Size, look: Look) -> list[Widget]:
        """A list over the screen below."""
        px = look.px
        card = Rect(0, 0, *size).centre_within(min(px(860), size[0] - px(24)), min(px(620), size[1] - px(24)))
        head, body = card.inset(px(EDGE), px(ROOM)).rows(px(CONTROL), None, gap=px(GAP))
        title, close = head.columns(None, head.h)
        rows = [row for row in self._rows if row[1]]
        keys, names = (max(look.fonts.size(row[at], px(BODY), True)[0] for row in rows) / look.scale for at in (0, 1))
        return [
            Panel(key="card", rect=card, radius=12),
            Label(key="head", rect=title, text="Keys", size=TITLE, bold=True),
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
                columns=(
                    Column("Key", min(round(keys) + 24, 280)),
                    Column("Name", min(round(names) + 24, 220)),
                    Column("What it does"),
                ),
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

    def _cells(self, row: int) -> tuple[Cell, Cell, Cell]:
        keys, name, about = self._rows[row]
        theme = self.app.look.theme
        if not name:  # a heading goes on over the columns behind it

            def draw(canvas: Canvas, at: Rect) -> None:
                place = Rect(at.x, at.y, canvas.px(HEADING_WIDTH), at.h)
                canvas.text(keys, place, theme.accent, bold=True)

            return Cell(""), Cell(keys, draw=draw), Cell("")
        return Cell(keys, bold=True), Cell(name), Cell(about, theme.muted)
