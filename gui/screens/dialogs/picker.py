"""Lists that are searched as one types: the base of such dialogs, and the palette of all commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gui.events import key_text
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import CONTROL, EDGE, GAP, SMALL, TITLE
from gui.screens.screen import Screen
from gui.widgets.base import Command, Label, Panel, Widget
from gui.widgets.field import Field
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from gui.app import App

PAGE = 10
WIDGETS = "The key Tab moves to the next part of a screen, Enter presses it, and arrow keys move within it."


class Picker(Screen):
    """A field and a list of what matches its words; one row is selected while one types."""

    overlay = True
    verb, none = "Choose", "Nothing matches."
    """The name of what Enter does, and the reason why it cannot."""

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.words, self.row = "", 0
        self.ui.focus = "words"

    @property
    def count(self) -> int:
        """Number of rows that match the words."""
        raise NotImplementedError

    def take(self) -> None:
        """Act on the selected row."""
        raise NotImplementedError

    def commands(self) -> Sequence[Command]:
        matches = bool(self.count)

        def move(name: str, key: str, step: int) -> Command:
            return Command(id=name.lower().replace(" ", "-"), name=name, keys=(key,), run=lambda: self._step(step),
                           enabled=matches, why=self.none)  # fmt: skip

        return [
            Command(id="take", name=self.verb, keys=("return",), run=self.take, icon="check", enabled=matches,
                    why=self.none),
            Command(id="cancel", name="Cancel", keys=("escape",), run=self.app.back),
            move("Next", "down", 1),
            move("Previous", "up", -1),
            move("Page down", "pagedown", PAGE),
            move("Page up", "pageup", -PAGE),
        ]  # fmt: skip

    def _step(self, step: int) -> None:
        self.row = min(max(self.row + step, 0), max(self.count - 1, 0))

    def search(self, words: str) -> None:
        self.words, self.row = words, 0

    def select(self, row: int) -> None:
        self.row = row

    def activate(self, row: int) -> None:
        self.row = row
        self.take()

    def field(self, rect: Rect, ghost: str) -> Field:
        return Field(
            key="words", rect=rect, value=self.words, change=self.search, enter=self.take, icon="search", ghost=ghost,
            clipboard=self.app.services.clipboard,
        )  # fmt: skip


class Palette(Picker):
    """All commands by name, with their keys: those of the screen below, of all screens, and of the first screen."""

    title = "Commands"
    verb, none = "Do it", "No command matches."

    def __init__(self, app: App, below: Screen) -> None:
        super().__init__(app)
        self._below = below

    @property
    def matches(self) -> list[Command]:
        """The commands that contain all words; first those whose names do."""
        here = [*self._below.commands(), *self.app.commands()]
        ids, words = {command.id for command in here}, self.words.lower().split()
        every = [*here, *(command for command in self.app.stack[0].commands() if command.id not in ids)]
        found = [each for each in every if all(word in f"{each.name} {each.about}".lower() for word in words)]
        return sorted(found, key=lambda each: not all(word in each.name.lower() for word in words))

    @property
    def count(self) -> int:
        return len(self.matches)

    def take(self) -> None:
        matches = self.matches
        if self.row < len(matches):
            command = matches[self.row]
            self.app.back()
            command.run() if command.enabled else self.app.say(command.reason, "warning")

    def view(self, size: Size, look: Look) -> list[Widget]:
        px, theme, matches = look.px, look.theme, self.matches
        card = Rect(0, 0, *size).centre_within(min(px(760), size[0] - px(24)), min(px(560), size[1] - px(24)))
        lines = len(look.fonts.wrap(WIDGETS, card.w - 2 * px(EDGE), px(SMALL)))
        head, field, body, foot = card.inset(px(EDGE), px(EDGE)).rows(
            px(32), px(CONTROL), None, lines * look.fonts.height(px(SMALL)), gap=px(GAP)
        )

        def cells(row: int) -> Sequence[Cell]:
            command, colour = matches[row], None if matches[row].enabled else theme.muted
            keys = "   ".join(dict.fromkeys(map(key_text, command.keys[:2])))
            about = [Cell(command.about, theme.muted)] if wide else []
            return [Cell(command.name, colour, command.icon, bold=command.enabled), *about, Cell(keys, theme.muted)]

        wide = body.w >= px(520)
        return [
            Panel(key="card", rect=card, radius=12),
            Label(key="head", rect=head, text=self.title, size=TITLE, bold=True),
            self.field(field, "What do you want to do?"),
            Table(
                key="commands", rect=body, count=len(matches), cells=cells, arranged=self.words, headed=False,
                columns=(Column("Name", 230 if wide else None), *([Column("What it does")] if wide else []),
                         Column("Key", 120, "right")),
                selected=self.row if matches else -1, select=self.select, activate=self.activate, framed=False,
                empty=self.none,
            ),
            Label(key="widgets", rect=foot, text=WIDGETS, size=SMALL, colour=theme.muted, wrap=True),
        ]  # fmt: skip
