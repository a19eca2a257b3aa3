"""The games of a PDN file, as a list with a search."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

from game.errors import InputError
from game.number_text import count_text
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import Theme
from gui.model.game import GameModel
from gui.model.game_search import found_by
from gui.model.kept_game import day_text
from gui.model.pdn import GameEntry, PdnIndex
from gui.screens.play.game_files import save_game, show_loaded
from gui.widgets.base import Command
from gui.widgets.table import NONE, Cell, ListColumn, Table, without_entry

if TYPE_CHECKING:
    from gui.screens.play.games import GamesScreen

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


class FileList:
    """The games of a PDN file, one of which is chosen; a single game opens at once.

    Attributes:
        words: what is searched for.
    """

    searched = "Search names, events, results, openings, first moves"
    hint = "Words, results, openings or first moves: kelso, ballot 46, 11-15 23-19"
    filters: Sequence[str] = ()
    narrowed, least = 0, 840
    """No parts, and the width of the list without which names and openings have no room."""
    goes_on, flipped, none = False, False, ""

    def __init__(self, screen: GamesScreen, index: PdnIndex) -> None:
        self._screen, self._app, self.index = screen, screen.app, index
        screen.to_close.append(index.close)
        self.title, self.file = f"Games of {index.path.name}", str(index.path)
        self.words, self._row, self._alone = "", 0, True
        self._model = lru_cache(1)(self._read)
        self._empty, self._looked = without_entry(RECORDED_COLUMNS, ()), 0

    @property
    def count(self) -> int:
        return len(self.index.rows)

    @property
    def row(self) -> int:
        return min(self._row, self.count - 1)

    @property
    def model(self) -> GameModel | None:
        """The chosen game and its visible position; None if it cannot be read."""
        rows = self.index.rows[self._row : self._row + 1]
        return self._model(rows[0]) if rows else None

    @property
    def busy(self) -> bool:
        return not self.index.complete

    @property
    def counted(self) -> tuple[str, float | None, str]:
        """The number of games, the share that is read while they are being read, and what is wrong."""
        count = count_text(len(self.index.entries), "game")
        count = f"{self.count:,} of {count}" if self.words else count
        return count, None if self.index.complete else self.index.share, self.index.trouble

    def step(self, now: float) -> bool:
        """Read games for a moment; return whether something changed."""
        index = self.index
        if index.complete:
            return False
        chosen = index.rows[self._row] if 0 < self._row < self.count else -1
        index.step(INDEX_SECONDS)
        if chosen >= 0 and index.rows[self._row] != chosen:  # others came before it
            self._row = index.rows.index(chosen)
        if index.complete and len(index.entries) == 1 and self._alone:
            self._alone = False
            entry = index.entries[0]
            if entry.sound or entry.plies or any((entry.black, entry.white, entry.event, entry.date)):
                self.show()
            else:
                self._app.back()
                why = index.first_fault
                reason = f": line {why.line}: {why.message}" if why is not None else "."
                self._app.say(f"There is no game in {index.path.name}{reason}", "warning")
        return True

    def find(self, words: str, narrowed: int) -> None:
        self.words, self._row = words, 0
        self.index.search = words

    def _read(self, number: int) -> GameModel | None:
        with contextlib.suppress(InputError):
            model = self.index.load(number).model
            model.go_to(len(model.plies))
            return model
        return None

    def select(self, row: int) -> None:
        self._row = row

    def near(self, step: int) -> int | None:
        """Return the row below or above the chosen one; that one itself for 0."""
        return self._row + step if 0 <= self._row + step < self.count else None

    def show(self) -> None:
        try:
            loaded = self.index.load(self.index.rows[self._row])
        except InputError as error:
            self._app.say(str(error), "warning")
        else:
            alone = self.index.complete and len(self.index.entries) == 1
            show_loaded(self._app, loaded, None if alone else self._screen, source=None if alone else self._screen)

    def save(self) -> None:
        if self.model is not None:
            save_game(self._app, self.model)

    def commands(self) -> list[Command]:
        return []

    def table(self, rect: Rect, look: Look) -> Table:
        """Return the columns for which there is room; those that are empty so far are narrow, or hidden."""
        index, theme = self.index, look.theme
        if self._empty:
            self._empty = without_entry(self._empty, index.entries[self._looked :])
        self._looked = len(index.entries)

        def opening(entry: GameEntry, theme: Theme) -> Cell:
            return Cell(found_by(entry.opening.title, entry.opening.names, self.words) or NONE)

        columns = [
            replace(each, cell=opening) if each.title == "Opening" else each
            for each in RECORDED_COLUMNS
            if rect.w >= look.px(each.room) and (each not in self._empty or each.title in KEPT)
        ]
        return Table(
            key="games", rect=rect, columns=columns, count=self.count, selected=self.row, select=self.select,
            cells=lambda row: [column.cell(index.entries[index.rows[row]], theme) for column in columns],
            activate=lambda row: self.show(),
            empty="" if not index.complete else index.trouble or "No game matches. Search for fewer words.",
        )  # fmt: skip

    def facts(self, listed: set[str]) -> tuple[str, list[str]]:
        """Return the players of the chosen game, and what columns with other titles than these say about it."""
        if not self.count:
            return "", []
        entry = self.index.entries[self.index.rows[self._row]]
        every = {"Result": WON.get(entry.result, entry.result), "Opening": entry.opening.title, "Event": entry.event,
                 "Date": _known_part(entry.date)}  # fmt: skip
        known = [fact for title, fact in every.items() if fact and title not in listed]
        return f"{entry.black or NONE} against {entry.white or NONE}", known
