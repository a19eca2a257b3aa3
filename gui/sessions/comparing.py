"""Curves of many runs, read in the background and read again while they grow. No pygame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.run import manifest
from evolve.run.append_only import LOG
from evolve.run.files import Signature, signature
from game.number_text import value_text
from gui.individuals.background import Background, Trouble

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evolve.report.many_runs import Group, ManyRuns
    from evolve.report.overview import RunOverview

LOOK_SECONDS = 1.0
Values = list[float | None]
Signatures = tuple[Signature | None, Signature | None]


@dataclass(frozen=True)
class Line:
    """A curve of one run, or of the mean of several.

    Attributes:
        name: of the run or of the setting.
        count: runs of which it is the mean; 1 of a run.
        values: by generation; None where there is none.
        low, high: a band around them; None if there is none.
        sparse: whether there are generations without a value between others.
    """

    name: str
    count: int
    values: Values
    low: Values | None = None
    high: Values | None = None
    sparse: bool = False

    @property
    def newest(self) -> int:
        """The last generation with a value, or with a lower end of one; -1 if there is none."""
        ends: Sequence[float | None] = self.low or self.values
        last = len(self.values) - 1
        return next((at for at in range(last, -1, -1) if self.values[at] is not None or ends[at] is not None), -1)

    def at(self, generation: int) -> tuple[float | None, float | None, float | None]:
        """Value, lower and upper end at a generation."""
        rows = (self.values, self.low or (), self.high or ())
        value, low, high = (row[generation] if 0 <= generation < len(row) else None for row in rows)
        return value, low, high


@dataclass(frozen=True)
class Lines:
    """All curves of a column, and what differs between what they are of.

    Attributes:
        column: of the logs.
        unit: of its values; empty if they have none.
        grouped: whether they are means over seeds.
        lines: one for each run or setting.
        differences: for each dotted name the values, one for each line, as text.
    """

    column: str = ""
    unit: str = ""
    grouped: bool = False
    lines: tuple[Line, ...] = ()
    differences: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class _Read:
    """What a look at the runs has found.

    Attributes:
        runs: by folder, as they were with these signatures; in words why there is none.
        many: those that could be read, in groups.
        columns: of their logs.
    """

    runs: dict[Path, tuple[Signatures, RunOverview | str]] = field(default_factory=dict)
    many: ManyRuns | None = None
    columns: tuple[str, ...] = ()


class Comparing:
    """Runs of which a column of the log is shown.

    Args:
        runs: folders by the names under which they are shown.

    Attributes:
        lines: the curves; of the column and grouping that were asked for as soon as they are made.
        column: that is wanted; empty until runs were read.
        grouped: whether means over seeds are wanted.
    """

    def __init__(self, runs: dict[str, Path]) -> None:
        self.runs = runs
        self.lines = Lines()
        self.column = ""
        self.grouped = False
        self._background = Background()
        self._read = _Read()
        self._look_at = -math.inf
        self._failed = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """What can be shown."""
        return self._read.columns

    @property
    def busy(self) -> bool:
        """Whether something is still being read."""
        return self._background.busy

    @property
    def read(self) -> bool:
        """Whether the runs have been read once."""
        return bool(self._read.runs)

    @property
    def troubles(self) -> list[str]:
        """Why runs are left out, and what went wrong besides."""
        left_out = [found for _, found in self._read.runs.values() if isinstance(found, str)]
        return [*([self._failed] if self._failed else []), *left_out]

    @property
    def groups(self) -> bool:
        """Whether any runs differ only in their seed."""
        many = self._read.many
        return many is not None and any(len(group.runs) > 1 for group in many.groups)

    def show(self, column: str, *, grouped: bool) -> None:
        """Make the curves of another column, or group them otherwise."""
        self.column, self.grouped = column, grouped
        if self._read.many is not None:
            runs = [run for _, run in self._read.runs.values() if not isinstance(run, str)]
            self._background.ask("lines", partial(make_lines, runs, self._read.many, column, grouped))

    def step(self, now: float) -> bool:
        """See what is new, once a second at most; returns whether what is shown has changed."""
        changed = False
        for key, answer in self._background.poll():
            changed = True
            if isinstance(answer, Trouble):
                self._failed = answer.text
            elif key == "lines":
                self.lines = answer
            else:
                self._take(answer)
        if now >= self._look_at and not self._background.wants("runs"):
            self._look_at = now + LOOK_SECONDS
            seen = {path: _signatures(path) for path in self.runs.values()}
            if any(path not in self._read.runs or self._read.runs[path][0] != sign for path, sign in seen.items()):
                self._background.ask("runs", partial(_read_runs, dict(self.runs), self._read.runs))
        return changed

    def _take(self, read: _Read) -> None:
        first, self._read = self._read.many is None, read
        if read.many is None:
            self.lines = Lines()
        else:
            column = self.column if self.column in read.columns else read.many.columns[0]
            self.show(column, grouped=self.groups if first else self.grouped)

    def close(self) -> None:
        """Nothing is read any more."""
        self._background.close()


def _signatures(path: Path) -> Signatures:
    return signature(path / LOG), signature(path / manifest.NAME)


def _read_runs(named: dict[str, Path], known: dict[Path, tuple[Signatures, RunOverview | str]]) -> _Read:
    """Read the runs that have changed."""
    from evolve.report.many_runs import columns_of, group_runs
    from evolve.report.overview import read_run
    from evolve.run.folder import Run
    from game.errors import InputError

    found: dict[Path, tuple[Signatures, RunOverview | str]] = {}
    for name, path in named.items():
        now = _signatures(path)
        if path in known and known[path][0] == now:
            found[path] = known[path]
            continue
        try:
            found[path] = now, read_run(Run(path), name)
        except (InputError, OSError) as error:
            found[path] = now, str(error)
    runs = [run for _, run in found.values() if not isinstance(run, str)]
    if not runs:
        return _Read(found)
    columns = [name for name in columns_of(runs) if not name.endswith(("_low", "_high"))]
    many = group_runs(runs)
    return _Read(found, many, tuple(dict.fromkeys((*many.columns, *columns))))


def make_lines(runs: Sequence[RunOverview], many: ManyRuns, column: str, grouped: bool) -> Lines:
    """The curves of a column: one for each setting, or for each run."""
    from evolve.report.many_runs import UNITS, differing

    if grouped:
        lines = tuple(_group_line(group, column) for group in many.groups)
        differences = many.differences
    else:
        lines = tuple(_run_line(run, run.name, column) for run in runs)
        values = [{"seed": run.config.seed} | run.values for run in runs]
        differences = differing(values, [run.idle for run in runs])
    rows = tuple((name, tuple(_value_text(name, value) for value in row)) for name, row in differences.items())
    return Lines(column, UNITS.get(column, ""), grouped, lines, rows)


def _run_line(run: RunOverview, name: str, column: str) -> Line:
    history = run.history
    interval = history.interval(column)
    if interval is None:
        values = _plain(history.numbers[column]) if column in history.numbers else []
        return Line(name, 1, values, sparse=_is_sparse(values))
    value, low, high = map(_plain, interval)
    return Line(name, 1, value, low, high, _is_sparse(value))


def _group_line(group: Group, column: str) -> Line:
    if len(group.runs) == 1:
        return _run_line(group.runs[0], group.name, column)
    band = group.band(column)
    if band is None:
        return Line(group.name, len(group.runs), [])
    length = int(band.generations[-1]) + 1
    rows: list[Values] = []
    for row in (band.mean, band.low, band.high):
        values: Values = [None] * length
        for at, value in zip(band.generations.tolist(), row.tolist(), strict=True):
            values[at] = value
        rows.append(values)
    mean, low, high = rows
    return Line(group.name, len(group.runs), mean, low, high, _is_sparse(mean))


def _plain(values: NDArray[Any]) -> Values:
    return [value if math.isfinite(value) else None for value in values.tolist()]


def _is_sparse(values: Values) -> bool:
    known = [at for at, value in enumerate(values) if value is not None]
    return bool(known) and known[-1] - known[0] + 1 > len(known)


def _value_text(name: str, value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool) or name == "seed" or not isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return value_text(value)
