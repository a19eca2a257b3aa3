"""Curves of many runs side by side, read in the background and updated as the runs grow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.run import manifest
from evolve.run.append_only import LOG
from evolve.run.files import Stamp
from game.number_text import value_text
from gui.background import Background, Trouble

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evolve.report.many_runs import Group, ManyRuns
    from evolve.report.overview import RunOverview

LOOK_SECONDS = 1.0
Values = list[float | None]


@dataclass(frozen=True)
class RunCurve:
    """The curve of one run, or the mean curve of several."""

    name: str
    count: int
    values: Values
    low: Values | None = None
    high: Values | None = None
    sparse: bool = False

    @property
    def newest(self) -> int:
        ends: Sequence[float | None] = self.low or self.values
        last = len(self.values) - 1
        return next((at for at in range(last, -1, -1) if self.values[at] is not None or ends[at] is not None), -1)

    def at(self, generation: int) -> tuple[float | None, float | None, float | None]:
        rows = (self.values, self.low or (), self.high or ())
        value, low, high = (row[generation] if 0 <= generation < len(row) else None for row in rows)
        return value, low, high


@dataclass(frozen=True)
class ColumnCurves:
    """All curves of a column of the logs, and the configuration values in which the runs differ.

    Attributes:
        differences: configuration keys, each with one value per curve as text.
    """

    column: str = ""
    unit: str = ""
    grouped: bool = False
    lines: tuple[RunCurve, ...] = ()
    differences: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class _Read:
    runs: dict[Path, RunOverview | str] = field(default_factory=dict)
    many: ManyRuns | None = None
    columns: tuple[str, ...] = ()


class Comparing:
    """A comparison of runs by one column of their logs.

    Attributes:
        lines: the curves; they follow a new choice of column or grouping once computed.
    """

    def __init__(self, runs: dict[str, Path], background: Background) -> None:
        self.runs = runs
        self.lines = ColumnCurves()
        self.column = ""
        self.grouped = False
        self._background = background
        self._changed = False
        self._read = _Read()
        self._look_at = -math.inf
        self._files = {path: Stamp(path / LOG, path / manifest.NAME) for path in runs.values()}
        self._failed = ""

    @property
    def columns(self) -> tuple[str, ...]:
        return self._read.columns

    @property
    def busy(self) -> bool:
        return self._background.wants(self)

    @property
    def read(self) -> bool:
        return bool(self._read.runs)

    @property
    def troubles(self) -> list[str]:
        """The reasons why runs are left out, and other errors."""
        left_out = [run for run in self._read.runs.values() if isinstance(run, str)]
        return [*([self._failed] if self._failed else []), *left_out]

    @property
    def groups(self) -> bool:
        many = self._read.many
        return many is not None and any(len(group.runs) > 1 for group in many.groups)

    def show(self, column: str, *, grouped: bool) -> None:
        self.column, self.grouped = column, grouped
        if self._read.many is not None:
            runs = [run for run in self._read.runs.values() if not isinstance(run, str)]
            work = partial(make_curves, runs, self._read.many, column, grouped)
            self._background.ask(self, "curves", work, self._receive)

    def step(self, now: float) -> bool:
        self._background.deliver()
        changed, self._changed = self._changed, False
        if now >= self._look_at and not self._background.wants(self, "runs"):
            self._look_at = now + LOOK_SECONDS
            grown = {path for path, files in self._files.items() if files.refresh()}
            if grown:
                work = partial(_read_runs, self.runs, self._read.runs, grown)
                self._background.ask(self, "runs", work, self._receive)
        return changed

    def _receive(self, answer: _Read | ColumnCurves | Trouble) -> None:
        self._changed = True
        if isinstance(answer, Trouble):
            self._failed = answer.text
        elif isinstance(answer, ColumnCurves):
            self.lines = answer
        else:
            self._take(answer)

    def _take(self, read: _Read) -> None:
        first, self._read = self._read.many is None, read
        if read.many is None:
            self.lines = ColumnCurves()
        else:
            column = self.column if self.column in read.columns else read.many.columns[0]
            self.show(column, grouped=self.groups if first else self.grouped)

    def close(self) -> None:
        self._background.cancel(self)


def _read_runs(named: dict[str, Path], known: dict[Path, RunOverview | str], grown: set[Path]) -> _Read:
    from evolve.report.many_runs import columns_of, group_runs
    from evolve.report.overview import read_run
    from evolve.run.folder import Run
    from game.errors import InputError

    read = dict(known)
    for name, path in named.items():
        if path in grown:
            try:
                read[path] = read_run(Run(path), name)
            except (InputError, OSError) as error:
                read[path] = str(error)
    runs = [run for run in read.values() if not isinstance(run, str)]
    if not runs:
        return _Read(read)
    columns = [name for name in columns_of(runs) if not name.endswith(("_low", "_high"))]
    many = group_runs(runs)
    return _Read(read, many, tuple(dict.fromkeys((*many.columns, *columns))))


def make_curves(runs: Sequence[RunOverview], many: ManyRuns, column: str, grouped: bool) -> ColumnCurves:
    from evolve.report.many_runs import UNITS, differing

    if grouped:
        lines = tuple(_group_line(group, column) for group in many.groups)
        differences = many.differences
    else:
        lines = tuple(_run_line(run, run.name, column) for run in runs)
        values = [{"seed": run.config.seed} | run.values for run in runs]
        differences = differing(values, [run.idle for run in runs])
    rows = tuple((name, tuple(_value_text(name, value) for value in row)) for name, row in differences.items())
    return ColumnCurves(column, UNITS.get(column, ""), grouped, lines, rows)


def _run_line(run: RunOverview, name: str, column: str) -> RunCurve:
    history = run.history
    interval = history.interval(column)
    if interval is None:
        values = _plain(history.numbers[column]) if column in history.numbers else []
        return RunCurve(name, 1, values, sparse=_is_sparse(values))
    value, low, high = map(_plain, interval)
    return RunCurve(name, 1, value, low, high, _is_sparse(value))


def _group_line(group: Group, column: str) -> RunCurve:
    if len(group.runs) == 1:
        return _run_line(group.runs[0], group.name, column)
    band = group.band(column)
    if band is None:
        return RunCurve(group.name, len(group.runs), [])
    length = int(band.generations[-1]) + 1
    rows: list[Values] = []
    for row in (band.mean, band.low, band.high):
        values: Values = [None] * length
        for at, value in zip(band.generations.tolist(), row.tolist(), strict=True):
            values[at] = value
        rows.append(values)
    mean, low, high = rows
    return RunCurve(group.name, len(group.runs), mean, low, high, _is_sparse(mean))


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
