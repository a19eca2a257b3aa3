"""Lists that are searched as one types: the base of such dialogs, the palette of all commands, and the card of help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from gui.events import key_text
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import CONTROL, EDGE, GAP, ROOM, SMALL
from gui.model.lines import Piece
from gui.screens.dialogs.dialog import Popup
from gui.screens.screen import Screen
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.board import BoardMarks, BoardWidget
from gui.widgets.button import button
from gui.widgets.field import Field
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from gui.app import App

PAGE = 10
KEY, MOST_KEYS = 24, 8
"""Height of a row of the keys, and their number on the card; the palette has all."""

HELP = (
    "Click a piece and the square it goes to, or drag it. Whoever cannot move has lost; a position that comes for the "
    "third time is a draw.\nTab and Enter press the buttons, Esc goes back."
)
RULES = (
    ("Men move one square forward.", {22: Piece(1, False)}, BoardMarks(selected=22, targets=(17, 18))),
    ("You must jump, and jump on.",
     {22: Piece(1, False), 18: Piece(0, False), 11: Piece(0, False)}, BoardMarks(selected=22, targets=(15, 8))),
    ("A man at the far edge becomes a king, which also moves back.", {15: Piece(1, True)},
     BoardMarks(selected=15, targets=(10, 11, 18, 19))),
)  # fmt: skip
"""Sentences with pieces and marks that show them."""


class Picker(Popup):
    """A field and a list of what matches its words; one row is selected while one types."""

    verb, none = "Choose", "Nothing matches."
    """The name of what Enter does, and the reason why it cannot."""

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.words, self.row = "", 0
        self.ui.focus = "words"

    @property
    def matches(self) -> Sequence[Any]:
        raise NotImplementedError

    def accept(self, match: Any) -> None:
        """Act on the selected match, once the dialog is closed."""
        raise NotImplementedError

    def take(self) -> None:
        if chosen := self.matches[self.row : self.row + 1]:
            self.app.back()
            self.accept(chosen[0])

    def has_words(self, text: str) -> bool:
        return all(word in text.lower() for word in self.words.lower().split())

    def commands(self) -> Sequence[Command]:
        matches = bool(self.matches)

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
        self.row = min(max(self.row + step, 0), max(len(self.matches) - 1, 0))

    def search(self, words: str) -> None:
        self.words, self.row = words, 0

    def select(self, row: int) -> None:
        self.row = row

    def activate(self, row: int) -> None:
        self.row = row
        self.take()

    def card(
        self, size: Size, look: Look, wide: float, high: float, low: int, ghost: str
    ) -> tuple[list[Widget], Rect, Rect]:
        """Return a card of this size at most, and the places of the list and of what is below it, `low` pixels high."""
        px = look.px
        card = Rect(0, 0, *size).centre_within(min(px(wide), size[0] - px(24)), min(px(high), size[1] - px(24)))
        head, field, body, foot = card.inset(px(EDGE)).rows(px(32), px(CONTROL), None, low, gap=px(GAP))
        widgets: list[Widget] = [
            Panel(key="card", rect=card, radius=12),
            *self.head(head, look),
            Field(key="words", rect=field, value=self.words, change=self.search, enter=self.take, icon="search",
                  ghost=ghost, clipboard=self.app.services.clipboard),
        ]  # fmt: skip
        return widgets, body, foot

    def table(
        self, rect: Rect, columns: Sequence[Column], cells: Callable[[int], Sequence[str | Cell]], **more: Any
    ) -> Table:
        count = len(self.matches)
        return Table(key="matches", rect=rect, columns=columns, count=count, cells=cells, arranged=self.words,
                     selected=self.row if count else -1, select=self.select, activate=self.activate,
                     **{"empty": self.none} | more)  # fmt: skip


class Palette(Picker):
    """All commands by name, with their keys, also those of other screens that make sense before one is there."""

    title = "Commands"
    verb, none = "Do it", "No command matches."

    def __init__(self, app: App, below: Screen) -> None:
        super().__init__(app)
        self._below, self._others = below, list[Screen]()

    @property
    def pace(self) -> float:
        return min((screen.pace for screen in self._others), default=0.0)

    def tick(self, now: float, dt: float) -> bool:
        """Let the other screens read what their commands depend on; they are made after the first picture."""
        if not self._others:
            self._others = [self.app.screens.new_session(self.app), self.app.screens.chooser(self.app)]
            self.to_close += [screen.on_close for screen in self._others]
            return True
        return any([screen.tick(now, dt) for screen in self._others])

    @property
    def matches(self) -> list[Command]:
        """The commands that contain all words; first those whose names do, the disabled ones last."""
        every = [*self._below.commands(), *self.app.commands()]
        others = [(screen, command) for screen in self._others for command in screen.from_elsewhere()]
        beyond = [replace(command, run=partial(self._beyond, screen, command)) for screen, command in others]
        for more in (self.app.stack[0].commands(), beyond):
            names = {command.name for command in every}
            every += [command for command in more if command.name not in names]
        results = [each for each in every if self.has_words(f"{each.name} {each.about}")]
        return sorted(results, key=lambda each: (not self.has_words(each.name), not each.enabled))

    def accept(self, match: Command) -> None:
        match.run() if match.enabled else self.app.say(match.reason, "warning")

    def _beyond(self, screen: Screen, command: Command) -> None:
        self.app.open(screen)
        command.run()

    def view(self, size: Size, look: Look) -> list[Widget]:
        px, theme, matches = look.px, look.theme, self.matches
        widgets, body, _ = self.card(size, look, 760, 560, 0, "What do you want to do?")

        def cells(row: int) -> Sequence[Cell]:
            command, colour = matches[row], None if matches[row].enabled else theme.muted
            keys = "   ".join(dict.fromkeys(map(key_text, command.keys[:2])))
            about = [Cell(command.about, theme.muted)] if wide else []
            return [Cell(command.name, colour, command.icon, bold=command.enabled), *about, Cell(keys, theme.muted)]

        wide = body.w >= px(520)
        about = [Column("What it does")] if wide else []
        columns = (Column("Name", 230 if wide else None), *about, Column("Key", 120, "right"))
        return [*widgets, self.table(body, columns, cells, headed=False, framed=False)]


class HelpCard(Popup):
    """The rules in pictures, and the keys of the screen below that one needs."""

    title = "Help"

    def __init__(self, app: App, below: Screen) -> None:
        super().__init__(app)
        known = by_id(command for command in (*below.commands(), *app.commands()) if command.keys)
        needed = {name: known[name] for name in below.needed if name in known}
        self._rows = list((needed | known).values())[:MOST_KEYS]

    def _find_commands(self) -> None:
        self.app.back()
        self.app.global_commands.palette()

    def view(self, size: Size, look: Look) -> list[Widget]:
        px, wide = look.px, min(look.px(760), size[0] - look.px(24))
        third = (wide - 4 * px(EDGE)) // 3
        side = min(third, max(size[1] // 5, size[1] - px(368)))  # room for the keys is first
        heights = [px(32), side, max(look.tall(text, third) for text, _, _ in RULES),
                   look.tall(HELP, wide - 2 * px(EDGE))]  # fmt: skip
        room = size[1] - px(24) - sum(heights) - px(CONTROL) - 2 * px(EDGE) - 5 * px(GAP)
        count = min(-(-len(self._rows) // 2), room // px(KEY))
        card = Rect(0, 0, *size).centre_within(wide, size[1] - px(24) - room + count * px(KEY))
        head, boards, captions, text, keys, foot = card.inset(px(EDGE)).rows(*heights, None, px(CONTROL), gap=px(GAP))
        widgets: list[Widget] = [
            Panel(key="card", rect=card, radius=12),
            *self.head(head, look),
            Label(key="help", rect=text, text=HELP, colour=look.theme.muted, wrap=True),
        ]
        thirds = [row.columns(None, None, None, gap=px(EDGE)) for row in (boards, captions)]
        for number, (board, caption, (rule, pieces, marks)) in enumerate(zip(*thirds, RULES, strict=True)):
            widgets += [
                BoardWidget(key=f"board{number}", rect=board.centre_within(side, side), pieces=pieces, marks=marks,
                            numbers=False, enabled=False),
                Label(key=f"rule{number}", rect=caption, text=rule, wrap=True),
            ]  # fmt: skip
        places = [place for column in keys.columns(None, None, gap=px(EDGE)) for place in column.rows(*[None] * count)]
        beside = max(look.wide(command.key, SMALL) for command in self._rows) + px(2 * ROOM)
        for command, place in zip(self._rows, places, strict=False):
            cap, name = place.columns(beside, None)
            widgets.append(Label(key=f"keys.{command.id}", rect=cap, text="", shortcut=command.key))
            widgets.append(
                Label(key=f"name.{command.id}", rect=name, text=command.name, hint=command.about, may_cut=True)
            )
        every = by_id(self.app.commands())["commands"]
        return [*widgets, button(every, "all", foot, run=self._find_commands, text="All commands and keys")]
