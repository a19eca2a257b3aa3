"""The list of the games of a PDN file, with its columns."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING

from game.errors import InputError
from game.number_text import count_text
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, ROOM, Theme
from gui.model.game import GameModel
from gui.model.game_search import found_by
from gui.model.kept_game import day_text
from gui.model.pdn import GameEntry, PdnIndex
from gui.screens.entries import Entry, entries, first_commands, with_added
from gui.screens.play.game_files import show_loaded
from gui.screens.play.game_lists import ENDS, LOW_PANE, PANE, game_pane
from gui.screens.play.game_parts import step_commands
from gui.screens.play.play import Play
from gui.screens.screen import IDLE, Screen, below_header, count_or_progress, with_pane
from gui.widgets.base import Command, Panel, Widget, by_id
from gui.widgets.button import button_row
from gui.widgets.table import NONE, Cell, ListColumn, Table, without_entry

if TYPE_CHECKING:
    from gui.app import App

KEPT = ("Black", "White", "Opening")
"""Columns that stay, with dashes, even if no game has an entry."""


def _known_part(date: str) -> str:
    """Return a date of PDN as people write it, without what it leaves open: ``1982`` for ``1982.??.??``."""
    known = date.partition(".??")[0].replace("????", "")
    with contextlib.suppress(ValueError):
        return day_text(datetime.strptime(known, "%Y.%m.%d"))
    return known


WON = {"1-0": "Black won", "0-1": "White won", "1/2-1/2": "Draw"}
"""Results of files in words, as in the list of all games."""

RECORDED_COLUMNS: tuple[ListColumn[GameEntry], ...] = (
    ListColumn("No.", 70, "right", cell=lambda entry, theme: Cell(
        str(entry.number), None if entry.sound else theme.warning, "" if entry.sound else "warning")),
    ListColumn("Black", cell=lambda entry, theme: Cell(entry.black or NONE), entry=attrgetter("black")),
    ListColumn("White", cell=lambda entry, theme: Cell(entry.white or NONE), entry=attrgetter("white")),
    ListColumn("Result", 92, cell=lambda entry, theme: Cell(WON.get(entry.result, entry.result))),
    ListColumn("Moves", 74, "right", cell=lambda entry, theme: Cell(str((entry.plies + 1) // 2))),
    ListColumn("Opening", cell=lambda entry, theme: Cell(entry.opening.title or NONE),
               entry=attrgetter("opening.title")),
    ListColumn("Event", cell=lambda entry, theme: Cell(entry.event), entry=attrgetter("event"), room=900),
    ListColumn("Date", 110, room=1100, cell=lambda entry, theme: Cell(_known_part(entry.date)),
               entry=lambda entry: _known_part(entry.date)),
)  # fmt: skip
"""Columns of the games of a PDN file; events and dates are hidden if no game has one."""


INDEX_SECONDS = 0.008


class GamesScreen(Screen):
    """The games of a PDN file, with a search; a single game opens at once."""

    def __init__(self, app: App, index: PdnIndex) -> None:
        super().__init__(app)
        self.index = index
        self.to_close.append(index.close)
        self.title = f"Games of {index.path.name}"
        self._row = 0
        self._search = ""
        self.ui.focus = "games"
        self._alone = True
        self._model = lru_cache(1)(self._read)
        self._empty, self._looked = without_entry(RECORDED_COLUMNS, ()), 0
        self._entries: list[Entry] = entries("games", self)

    @property
    def file(self) -> str:
        return str(self.index.path)

    def commands(self) -> Sequence[Command]:
        own = [
            Command(id="open", name="Open", keys=("return",), run=self._open, about="Show the game", icon="play",
                    enabled=bool(self.index.rows), why="There is no game in the list."),
            Command(id="review-all", name="Review all", keys=("w",), run=partial(self._open, review=True),
                    about="Review the games of the list, from the chosen one on",
                    icon="review", enabled=bool(self.index.rows), why="There is no game in the list."),
            *step_commands(self._chosen, self._go_to, ENDS),
            self.search_command(),
        ]  # fmt: skip
        return with_added(own, self._entries)

    def _open(self, *, review: bool = False) -> None:
        if 0 <= self._row < len(self.index.rows):
            try:
                loaded = self.index.load(self.index.rows[self._row])
            except InputError as error:
                self.app.say(str(error), "warning")
                return
            alone = self.index.complete and len(self.index.entries) == 1
            show_loaded(self.app, loaded, None if alone else self, source=None if alone else self)
            if review and isinstance(self.app.screen, Play):
                self.app.screen.open_review()

    def has(self, step: int) -> bool:
        """Return whether the list has a game this many rows below the open one."""
        return 0 <= self._row + step < len(self.index.rows)

    def turn(self, step: int, *, review: bool = False) -> None:
        """Show the game this many rows below the open one in its place, or its review."""
        if self.has(step):
            self._row += step
            self._open(review=review)

    @property
    def place(self) -> str:
        of_all = f" of {len(self.index.rows):,}" if self.index.complete else ""  # while a game is open, none is read
        return f"game {self._row + 1:,}{of_all}"

    def _select(self, row: int) -> None:
        self._row = row

    def _find(self, text: str) -> None:
        self._search, self._row = text, 0
        self.index.search = text

    def escape(self) -> bool:
        if not self._search:
            return False
        self._find("")
        self.ui.focus = "games"
        return True

    @property
    def pace(self) -> float:
        return IDLE if self.index.complete else 1 / 30

    def tick(self, now: float, dt: float) -> bool:
        if self.index.complete:
            return False
        chosen = self.index.rows[self._row] if 0 < self._row < len(self.index.rows) else -1
        self.index.step(INDEX_SECONDS)
        if chosen >= 0 and self.index.rows[self._row] != chosen:  # others came before it
            self._row = self.index.rows.index(chosen)
        if self.index.complete and len(self.index.entries) == 1 and self._alone:
            self._alone = False
            entry = self.index.entries[0]
            if entry.sound or entry.plies or any((entry.black, entry.white, entry.event, entry.date)):
                self._open()
            else:
                self.app.back()
                why = self.index.first_fault
                reason = f": line {why.line}: {why.message}" if why is not None else "."
                self.app.say(f"There is no game in {self.index.path.name}{reason}", "warning")
        return True

    def _columns(self, width: int, look: Look) -> list[ListColumn[GameEntry]]:
        """Return the columns for which there is room; those that are empty so far are narrow, or hidden."""
        if self._empty:
            self._empty = without_entry(self._empty, self.index.entries[self._looked :])
        self._looked = len(self.index.entries)
        columns = [each for each in RECORDED_COLUMNS if each not in self._empty or each.title in KEPT]
        columns = [replace(each, cell=self._opening) if each.title == "Opening" else each for each in columns]
        return [each for each in columns if width >= look.px(each.room)]

    def _opening(self, entry: GameEntry, theme: Theme) -> Cell:
        return Cell(found_by(entry.opening.title, entry.opening.names, self._search) or NONE)

    def _read(self, number: int) -> GameModel | None:
        with contextlib.suppress(InputError):
            model = self.index.load(number).model
            model.go_to(len(model.plies))
            return model
        return None

    def _preview(self, number: int, pane: Rect, look: Look) -> list[Widget]:
        entry, model = self.index.entries[number], self._model(number)
        facts = (entry.result, entry.opening.title, entry.event, _known_part(entry.date))
        players = f"{entry.black or NONE} against {entry.white or NONE}"
        widgets, _ = game_pane(model, players, facts, pane.inset(look.px(ROOM)), look, self._go_to)
        return [Panel(key="pane", rect=pane), *widgets]

    def _go_to(self, cursor: int) -> None:
        model = self._chosen
        if model is not None:
            model.go_to(cursor)

    @property
    def _chosen(self) -> GameModel | None:
        rows = self.index.rows[self._row : self._row + 1]
        return self._model(rows[0]) if rows else None

    def view(self, size: Size, look: Look) -> list[Widget]:
        px, index, theme, area = look.px, self.index, look.theme, below_header(size, look)
        top, body, low = area.rows(px(CONTROL), None, px(CONTROL), gap=px(GAP))
        left, pane = with_pane(body, look, PANE, LOW_PANE)
        chosen = index.rows[self._row : self._row + 1]
        if not chosen or (left.w < px(840) and area.w >= area.h):  # or else names and openings have no room
            left, chosen = body, []
        columns = self._columns(left.w, look)
        commands = by_id(self.commands())
        names = [*(command.id for command in first_commands(self._entries)), "review-all", "open"]
        note, *places = low.columns(None, *[px(140)] * len(names), gap=px(GAP))
        count = count_text(len(index.entries), "game")
        count = f"{len(index.rows):,} of {count}" if self._search else count
        return [
            *self.header(size, look),
            self.search_field(
                top, self._search, self._find, "Search names, events, results, openings, first moves",
                enter=self._open, below="games",
                hint="Words, results, openings or first moves: kelso, ballot 46, 11-15 23-19",
            ),
            Table(
                key="games", rect=left, columns=columns, count=len(index.rows),
                cells=lambda row: [column.cell(index.entries[index.rows[row]], theme) for column in columns],
                selected=min(self._row, len(index.rows) - 1), select=self._select,
                activate=lambda row: self.turn(row - self._row),
                empty="" if not index.complete else index.trouble or "No game matches. Search for fewer words.",
            ),
            *(widget for number in chosen for widget in self._preview(number, pane, look)),
            *button_row(commands, names, places, main="open"),
            count_or_progress(note, look, count, None if index.complete else index.share, index.trouble),
        ]  # fmt: skip
