"""The individuals of one file as a table: read without their weights, searched, sorted, filtered.

A row's weights are read when the row is visible or chosen; a column's weights are read once, piece by piece, when the
table is sorted or filtered by it.
"""

from __future__ import annotations

import contextlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from evolve.run.columns import FACT_COLUMNS, read_numbers, split_row
from evolve.run.row_index import PIECE, Head, RowIndex
from gui.individuals import query
from gui.individuals.columns import MARKS, Value, added_to_files, column_of, value_of
from gui.individuals.query import Query

KEPT_ROWS = 96
"""Number of rows whose numbers are cached: more than fit on a screen."""

KEPT_SHEETS = 4
MOST_WEIGHTS = 20_000
"""The weights of networks with at most this many are columns of the table; more are not worth searching."""

ROWS_AT_ONCE = 500
"""Rows that are searched or sorted between two steps."""


class Sheet:
    """The individuals of a file as a table.

    Attributes:
        heads: its individuals without weights.
        rows: the visible individuals in order; indices into `heads.heads`.
    """

    def __init__(self, path: Path, checksums: tuple[str, ...] = ()) -> None:
        self.path = path
        self.heads = RowIndex(path, checksums)
        self.rows: list[int] = []
        self.arranged: tuple[object, ...] = ()
        self.reads = 0
        self._marks: dict[str, tuple[bool, str]] = {}
        self._text, self._query = "", Query()
        self._sorted: tuple[str, bool] = ("", False)
        self._values: dict[str, list[Value]] = {}
        self._lines: OrderedDict[int, list[str]] = OrderedDict()
        self._at: dict[str, int] = {}
        self._row_at: dict[int, int] = {}
        self._columns: list[str] = []
        self._only: Callable[[Head], bool] | None = None
        self._work: Iterator[None] | None = self._begin()

    # What there is ------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        return self._work is not None

    @property
    def damage(self) -> str:
        return self.heads.damage

    def holds(self, checksums: tuple[str, ...]) -> bool:
        """Return whether the file is unchanged since it was read, and would be judged in the same way."""
        return self.heads.judgement.holds(self.path, checksums) if self.heads.complete else not self.heads.stale

    @property
    def count(self) -> int:
        return len(self.heads.heads)

    @property
    def share(self) -> float | None:
        """The share of the file that has been read; None once it has been read completely."""
        return None if self.heads.complete else self.heads.share

    @property
    def columns(self) -> list[str]:
        """All columns: facts, then columns that the list adds, then numbers."""
        header = self.heads.header
        hidden = header.in_order if self._is_wide else 0
        added = added_to_files()
        if len(self._columns) != len(header.names) - hidden + len(added):
            names = list(islice(header.places, len(header.names) - hidden))
            facts = [name for name in names if name in FACT_COLUMNS]
            self._columns = [*facts, *added, *names[len(facts) :]]
        return self._columns

    def row_of(self, name: str) -> int:
        """Return the visible row of an individual; -1 if it has none."""
        number = self._at.get(name, -1)
        return self._row_at.get(number, -1) if number >= 0 else -1

    def head(self, row: int) -> Head:
        """Return the individual of a visible row."""
        return self.heads.heads[self.rows[row]]

    def find(self, name: str) -> Head | None:
        number = self._at.get(name, -1)
        return self.heads.heads[number] if number >= 0 else None

    def cell(self, row: int, column: str) -> Value:
        return self._value(self.rows[row], column)

    def weights(self, name: str) -> tuple[float, ...]:
        """Read the weights of an individual; empty if they were not kept or the file has changed."""
        number = self._at.get(name, -1)
        if number < 0 or not self.heads.weights:
            return ()
        count, first = self.heads.weights, self.heads.header.places["w0"]
        if self._is_wide:
            with contextlib.suppress(ValueError):
                return tuple(read_numbers(self._line(number).rstrip(b"\r\n").split(b",", first)[-1], count))
        fields = self._fields(number)
        return tuple(map(float, fields[first : first + count])) if len(fields) > first else ()

    @property
    def _is_wide(self) -> bool:
        return self.heads.header.in_order > MOST_WEIGHTS

    # What is visible ----------------------------------------------------------------------------------------------

    @property
    def search(self) -> str:
        return self._text

    @search.setter
    def search(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self._arrange_anew()

    @property
    def trouble(self) -> str:
        return self._query.trouble

    @property
    def sorted_by(self) -> tuple[str, bool]:
        """The column by which the table is sorted, empty for the order of the file, and whether it descends."""
        return self._sorted

    def sort(self, column: str, *, descending: bool = False) -> None:
        if (column, descending) != self._sorted:
            self._sorted = (column, descending)
            self._arrange_anew()

    def mark(self, marks: dict[str, tuple[bool, str]]) -> None:
        if marks != self._marks:
            self._marks = marks
            if self._sorted[0] in MARKS or not self._query.empty:
                self._arrange_anew()

    def choose_from(self, only: Callable[[Head], bool] | None) -> None:
        if only != self._only:
            self._only = only
            self._arrange_anew()

    def _arrange_anew(self) -> None:
        if self.heads.complete:
            self._work = self._arrange()

    # The work -----------------------------------------------------------------------------------------------------

    def step(self, seconds: float) -> bool:
        """Work for about `seconds`; return whether something may have changed."""
        if self._work is None:
            return False
        end = time.perf_counter() + seconds
        for _ in self._work:
            if time.perf_counter() >= end:
                return True
        self._work = None
        return True

    def _begin(self) -> Iterator[None]:
        while self.heads.step():
            yield
        # In a hall of fame a name may occur twice; it refers to the first occurrence.
        for number, head in reversed(list(enumerate(self.heads.heads))):
            self._at[head.name] = number
        yield from self._arrange()

    def _arrange(self) -> Iterator[None]:
        self._query = query.read(self._text, self.columns) if self.heads.heads else Query()
        column, descending = self._sorted
        needed = [column, *(condition.column for condition in self._query.conditions)]
        yield from self._scan([name for name in dict.fromkeys(needed) if self._in_file(name)])
        fitting: list[tuple[Value, int]] = []
        count = len(self.heads.heads)
        for start in range(0, count, ROWS_AT_ONCE):
            numbers: Sequence[int] = range(start, min(start + ROWS_AT_ONCE, count))
            if self._only is not None:
                numbers = [n for n in numbers if self._only(self.heads.heads[n])]
            numbers = [n for n in numbers if self._query.misses(partial(self._value, n), partial(self._texts, n)) == 0]
            fitting += [(self._value(n, column) if column else None, n) for n in numbers]
            yield
        self.rows, self.arranged = query.in_order(fitting, descending=descending), (self._text, self._sorted)
        self._row_at = {number: row for row, number in enumerate(self.rows)}

    def _texts(self, number: int) -> tuple[str]:
        head = self.heads.heads[number]
        star, note = self._marks.get(head.name, (False, ""))
        values = " ".join(map(str, (head.rank or "", *(head.results or ()))))
        kinds = f"generation {'champion' if head.rank == 1 else ''} {'star' if star else ''}"
        return (f"{head.name} {head.origin} {' '.join(head.parents)} {values} {kinds} {note}".lower(),)

    def _in_file(self, column: str) -> bool:
        return column in self.heads.header.places and column not in FACT_COLUMNS and column not in self._values

    def _scan(self, columns: Sequence[str]) -> Iterator[None]:
        if not columns:
            return
        values: dict[str, list[Value]] = {column: [] for column in columns}
        held, places = 0, self.heads.header.places
        last = max(places[column] for column in columns)
        try:
            with self.heads.open() as file:
                for start in self.heads.starts:
                    file.seek(start)
                    line = file.readline()
                    fields = split_row(line, last)
                    for column in columns:
                        at = places[column]
                        values[column].append(_read_value(fields[at], column) if at < len(fields) else None)
                    held += len(line)
                    if held >= PIECE:
                        held = 0
                        yield
        except OSError:
            values = {column: [None] * len(self.heads.heads) for column in columns}
        self._values |= values

    # One value ----------------------------------------------------------------------------------------------------

    def _value(self, number: int, column: str) -> Value:
        head = self.heads.heads[number]
        if column in MARKS:
            star, note = self._marks.get(head.name, (False, ""))
            return note or None if column == "note" else float(star)
        if column in self._values:
            return self._values[column][number]
        if column in FACT_COLUMNS or column_of(column).of_file:
            return value_of(head, column)
        at = self.heads.header.places.get(column)
        fields = self._fields(number) if at is not None else []
        return _read_value(fields[at], column) if at is not None and at < len(fields) else None

    def _fields(self, number: int) -> list[str]:
        """Return the fields of a row, in a wide file without the weights; empty if the file has changed."""
        if number in self._lines:
            self._lines.move_to_end(number)
            return self._lines[number]
        line = self._line(number)
        last = self.heads.header.places["w0"] - 1 if self._is_wide else -1
        fields = self._lines[number] = split_row(line, last) if line else []
        while len(self._lines) > KEPT_ROWS:
            self._lines.popitem(last=False)
        return fields

    def _line(self, number: int) -> bytes:
        if self.heads.stale:
            return b""
        try:
            with self.heads.open() as file:
                file.seek(self.heads.starts[number])
                line: bytes = file.readline()
        except OSError:
            return b""
        self.reads += 1
        return line


class Sheets:
    """The most recently opened sheets, up to `KEPT_SHEETS`."""

    def __init__(self) -> None:
        self._kept: dict[Path, Sheet] = {}

    def open(self, path: Path, checksums: tuple[str, ...]) -> Sheet:
        """Return the sheet of a file; a new one if the file or its permitted checksums have changed."""
        sheet = self._kept.pop(path, None)
        if sheet is None or not sheet.holds(checksums):
            sheet = Sheet(path, checksums)
        self._kept[path] = sheet
        while len(self._kept) > KEPT_SHEETS:
            self._kept.pop(next(iter(self._kept)))
        return sheet

    def __len__(self) -> int:
        return len(self._kept)

    def forget(self, path: Path) -> None:
        """Read a file again the next time it is opened."""
        self._kept.pop(path, None)


def _read_value(text: str, column: str) -> Value:
    return text if column_of(column).text else query.number_of(text)
