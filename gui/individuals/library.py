"""Individuals of many files, as a list that is searched and sorted; read in small steps, only as far as it is needed.

`step` does a little of the work and returns; rows appear while it goes on. Files that change are read again. A file
that is damaged is a row that says so, and nothing else suffers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from gui.individuals import query
from gui.individuals.damages import Damages
from gui.individuals.query import Query, Value
from gui.individuals.rows import COLUMNS, TEXTS, Row, Scope, View
from gui.individuals.runs import RunInfo, Runs
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
        self._walker = Walker(folder, list(files), list(externals))
        self._clock = clock
        self._scope = Scope()
        self._text, self._query = "", Query()
        self._column, self._descending = "", False
        self._natural: list[Row] = []
        self._look_at = 0.0
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
    def trouble(self) -> str:
        """What of the search cannot be understood; empty if all can."""
        return self._query.trouble

    @property
    def sorted_by(self) -> tuple[str, bool]:
        """Column, and whether it descends; no column for the natural order: newest first, best first."""
        return self._column, self._descending

    def sort(self, column: str, *, descending: bool = False) -> None:
        """Order the rows by one of `columns`; anything else means the natural order."""
        self._column, self._descending = (column, descending) if column in COLUMNS else ("", False)
        self._publish()

    @property
    def files(self) -> list[Path]:
        """CSV files that were dropped or opened, newest first."""
        return list(self._walker.files)

    @property
    def lying_files(self) -> list[Path]:
        """CSV files that lie in the folder of runs, as far as somebody has looked; not those of `files`."""
        return [path for path in self._walker.lying if path not in self._walker.files]

    def add_file(self, path: Path) -> None:
        """Take a CSV file into the list."""
        path = path.absolute()
        self._walker.files[:] = [path, *(known for known in self._walker.files if known != path)]
        self._begin(first=True)

    def remove_file(self, path: Path) -> None:
        """Leave a file out of the list."""
        self._walker.files[:] = [known for known in self._walker.files if known != path.absolute()]
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
    def runs(self) -> list[RunInfo]:
        """The runs that are there, newest first."""
        return self._walker.infos

    @property
    def folder(self) -> Runs:
        """The folder of runs."""
        return self._walker.runs

    @property
    def damages(self) -> Damages:
        """What was found wrong with files."""
        return self._walker.damages

    @property
    def folder_trouble(self) -> str:
        """Why the folder of runs shows nothing; empty if all is well."""
        return self._walker.runs.trouble

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

    def step(self, now: float, seconds: float) -> bool:
        """Work for so many seconds, a little more at most; True if `rows` or `runs` may have changed.

        Args:
            now: seconds of a clock that does not go back.
            seconds: how long to work.
        """
        if self._walker.loading():
            return False
        end = self._clock() + seconds
        if self._pass is None:
            if now < self._look_at:
                return False
            self._look_at = now + LOOK_EVERY
            if not self._walker.changed():
                return False
            self._begin(first=False)
        present = self._pass
        assert present is not None
        while True:
            rows = next(present.pieces, None)
            room = MOST_ROWS - len(present.found)
            present.found += islice((row for row in rows or () if self._fits(row)), room)
            done = rows is None or len(present.found) >= MOST_ROWS
            if done or self._clock() >= end:
                break
        if done:
            self._pass, self._look_at = None, now + LOOK_EVERY
        # Not every few rows: showing them costs as much as finding them.
        if not done and not (present.first and len(present.found) > _GROWTH * len(self._natural)):
            return False
        self._natural = list(present.found)
        self._publish()
        if done and self._walker.found_damage:
            self._begin(first=False)  # rows that came before it was found are to tell of it
        return True

    def _fits(self, row: Row) -> bool:
        return self._query.empty or self._query.fits(row.value, lambda: row.text)

    def _begin(self, *, first: bool) -> None:
        everybody = self._scope.view is View.ALL or (self._scope.view is View.START and not self._query.empty)
        self._pass = _Pass(self._walker.walk(self._scope, everybody=everybody), first)
        if first:
            self._natural = []

    def _publish(self) -> None:
        valued = ((row.value(self._column) if self._column else None, row) for row in self._natural)
        self.rows = query.in_order(valued, descending=self._descending)
