"""Individuals of many files, as a list that is searched and sorted; read in small steps, only as far as it is needed.

`step` does a little of the work and returns; rows appear while it goes on. Files that change are read again. A file
that is damaged is a row that says so, and nothing else suffers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from gui.individuals import query
from gui.individuals.damages import Damages
from gui.individuals.query import Query, Value
from gui.individuals.rows import COLUMNS, TEXTS, Row
from gui.individuals.sources import Scope, Source, Sources, View
from gui.individuals.walk import Pieces, Walker

LOOK_EVERY = 1.0
"""Seconds between looks at the disk for what has changed."""

MOST_ROWS = 250_000
_GROWTH = 1.3
_COLUMNS = list(COLUMNS)


@dataclass
class _Pass:
    """One way through a scope; the rows of a first one are shown while they come."""

    pieces: Pieces
    first: bool
    found: list[Row] = field(default_factory=list)


class Library:
    """Everybody whom one can play or look at.

    Attributes:
        rows: what the list shows now; at most `MOST_ROWS`.
        arranged: of which scope, by which search and order they are.
        sources: runs and files, as they were at the last look.
    """

    def __init__(
        self,
        folder: Path,
        files: Sequence[Path] = (),
        externals: Sequence[str] = (),
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Prepare a list; nothing is read before the first step.

        Args:
            folder: of runs.
            files: CSV files to begin with, newest first.
            externals: commands of external programs.
            clock: measures how long a step works.
        """
        self.rows: list[Row] = []
        self.arranged: tuple[object, ...] = ()
        self.sources = Sources(folder, files)
        self._walker = Walker(self.sources, list(externals))
        self._clock = clock
        self._scope = Scope()
        self._text, self._query = "", Query()
        self._playable = False
        self._column, self._descending = "", False
        self._natural: list[Row] = []
        self._look_at = 0.0
        self._look: Iterator[None] | None = None
        self._pass: _Pass | None = None
        self._begin(first=True)

    # What is asked for --------------------------------------------------------------------------------------------

    @property
    def scope(self) -> Scope:
        """What the list is of. A search from the start looks at everybody."""
        return self._scope

    @scope.setter
    def scope(self, scope: Scope) -> None:
        self._scope = scope
        self._begin(first=True)

    @property
    def search(self) -> str:
        """Words and conditions that rows must have."""
        return self._text

    @search.setter
    def search(self, text: str) -> None:
        self._text, before = text, self._query
        self._query = query.read(text, COLUMNS, TEXTS)
        if self._query != before:
            self._begin(first=True)

    @property
    def only_playable(self) -> bool:
        """Whether those who cannot be played are left out."""
        return self._playable

    @only_playable.setter
    def only_playable(self, only: bool) -> None:
        if only != self._playable:
            self._playable = only
            self._begin(first=True)

    @property
    def trouble(self) -> str:
        """What of the search cannot be understood; empty if all can."""
        return self._query.trouble

    @property
    def sorted_by(self) -> tuple[str, bool]:
        """Column, and whether it descends; no column for the usual order: by rating, unrated players last."""
        return self._column, self._descending

    def sort(self, column: str, *, descending: bool = False) -> None:
        """Order the rows by one of `columns`; anything else means the usual order, the best first."""
        self._column, self._descending = (column, descending) if column in COLUMNS else ("", False)
        self._publish()

    @property
    def files(self) -> list[Path]:
        """CSV files that were dropped or opened, newest first."""
        return list(self.sources.files)

    def add_file(self, path: Path) -> None:
        """Take a CSV file into the list."""
        path = path.absolute()
        self.sources.files[:] = [path, *(known for known in self.sources.files if known != path)]
        self._begin(first=True)

    def remove_file(self, path: Path) -> None:
        """Leave a file out of the list."""
        self.sources.files[:] = [known for known in self.sources.files if known != path.absolute()]
        self._begin(first=True)

    @property
    def externals(self) -> list[str]:
        """Commands of external programs."""
        return list(self._walker.externals)

    def add_external(self, command: str) -> None:
        """Take an external program into the list."""
        if command not in self._walker.externals:
            self._walker.externals.append(command)
            self._begin(first=True)

    # What is known ------------------------------------------------------------------------------------------------

    @property
    def runs(self) -> list[Source]:
        """The runs that are there and not archived, newest first."""
        return self.sources.runs

    @property
    def damages(self) -> Damages:
        """What was found wrong with files."""
        return self._walker.damages

    @property
    def folder_trouble(self) -> str:
        """Why the folder of runs shows nothing; empty if all is well."""
        return self.sources.trouble

    @property
    def busy(self) -> bool:
        """Whether rows are still being found."""
        return self._pass is not None

    @property
    def columns(self) -> list[str]:
        """What it can be searched and sorted by."""
        return _COLUMNS

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._natural)

    def cell(self, row: int, column: str) -> Value:
        """The value of a shown row in a column."""
        return self.rows[row].value(column)

    def find(self, player: str) -> Row | None:
        """The row with this player name, among those that the list shows."""
        return next((row for row in self.rows if row.player == player), None)

    @property
    def recommended(self) -> Row | None:
        """Whom to offer to somebody who has not chosen: the first that can be played of what the list shows."""
        return next((row for row in self.rows if row.player), None)

    # The work -----------------------------------------------------------------------------------------------------

    def look_soon(self) -> None:
        """Look at the disk at the next step."""
        self._look_at = 0.0

    def step(self, now: float, seconds: float, *, walk: bool = True) -> bool:
        """Work for so many seconds, a little more at most; True if `rows` or `runs` may have changed.

        Args:
            now: seconds of a clock that does not go back.
            seconds: how long to work.
            walk: whether rows are wanted, too.
        """
        if self._walker.loading():
            return False
        end = self._clock() + seconds
        before = self._found()
        if self._look_on(now, end) and walk and self._pass is None and self._walker.changed():
            self._begin(first=False)
        changed = before != self._found()
        return (walk and self.sources.looks > 0 and self._walk_on(end)) or changed

    def _found(self) -> tuple[object, ...]:
        """What the last look at the disk has found."""
        sources = self.sources
        return sources.runs, sources.archived, sources.lying, sources.trouble

    def _look_on(self, now: float, end: float) -> bool:
        """Look at the disk, if it is time; whether that has come to an end."""
        if self._look is None and now >= self._look_at:
            self._look = self.sources.look()
        for _ in self._look or ():
            if not self.sources.looks and self._clock() >= end:  # later ones read only what has changed
                return False
        if self._look is None:
            return False
        self._look, self._look_at = None, now + LOOK_EVERY
        return True

    def _walk_on(self, end: float) -> bool:
        if self._pass is None:
            return False
        present = self._pass
        while True:
            rows = next(present.pieces, None)
            room = MOST_ROWS - len(present.found)
            present.found += islice((row for row in rows or () if self._fits(row)), room)
            done = rows is None or len(present.found) >= MOST_ROWS
            if done or self._clock() >= end:
                break
        if done:
            self._pass = None
        # Not every few rows: showing them costs as much as finding them.
        if not done and not (present.first and len(present.found) > _GROWTH * len(self._natural)):
            return False
        self._natural = list(present.found)
        self._publish()
        if done and self._walker.found_damage:
            self._begin(first=False)  # rows that came before it was found are to tell of it
        return True

    def _fits(self, row: Row) -> bool:
        playable = bool(row.player) or not self._playable
        return playable and (self._query.empty or self._query.fits(row.value, lambda: row.text))

    def _begin(self, *, first: bool) -> None:
        everybody = self._scope.view is View.ALL or (self._scope.view is View.START and not self._query.empty)
        self._pass = _Pass(self._walker.walk(self._scope, everybody=everybody), first)
        if first:
            self._natural = []

    def _publish(self) -> None:
        column, descending = self.sorted_by if self._column else ("rating", True)
        self.rows = query.in_order(((row.value(column), row) for row in self._natural), descending=descending)
        self.arranged = self._scope, self._text, self.sorted_by
