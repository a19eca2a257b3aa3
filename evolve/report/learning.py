"""What the log of a run in which one network learns tells, as its method shows it. Plain Python."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.config.model import Config
from evolve.config.toml import read_toml
from evolve.kinds.methods.method import Curve, Method
from evolve.run.files import CONFIG
from evolve.run.log import History
from game.errors import InputError

Columns = Callable[[str], Sequence[float]]
"""Numbers of a column of the log by generation, NaN where there is none; nothing for a column that is not there."""

MethodKind = type[Method]
"""A method with any values."""

SHARES = {"won": "wins", "drawn": "draws", "lost": "losses"}
"""Columns that are not in the log: shares of its games."""


@dataclass(frozen=True)
class Line:
    """One line of a curve.

    Attributes:
        column: of the log.
        name: what it shows.
        values: by generation, in percent if the curve is, NaN where there is none; of one at least it is known.
    """

    column: str
    name: str
    values: Sequence[float]

    @property
    def last(self) -> int:
        """The newest generation with a value."""
        return max(at for at, value in enumerate(self.values) if math.isfinite(value))


@dataclass(frozen=True)
class DrawnCurve:
    """A curve with its numbers.

    Attributes:
        title: what it shows.
        percent: values are percentages.
        lines: those that are known.
        short: of the first line, where there is little room.
    """

    title: str
    percent: bool
    lines: tuple[Line, ...]
    short: str = ""

    @property
    def moves(self) -> bool:
        """Whether there are several values of a line, so that there is something to draw."""
        return any(sum(map(math.isfinite, line.values)) > 1 for line in self.lines)

    def write(self, value: float) -> str:
        """A value as text; a dash if there is none."""
        if not math.isfinite(value):
            return "-"
        if self.percent:
            return f"{value:.1f} %"
        return f"{value:.3f}" if 0.01 <= abs(value) < 1000 else f"{value:.4g}"

    def write_all(self, generation: int) -> str:
        """All values of a generation, with their names if there are several; empty if there are none."""
        known = [line for line in self.lines if math.isfinite(line.values[generation])]
        if len(self.lines) == 1:
            return self.write(known[0].values[generation]) if known else ""
        return ", ".join(f"{line.name} {self.write(line.values[generation])}" for line in known)


def draw_curves(method: type[Method], columns: Columns) -> list[DrawnCurve]:
    """The curves of a method of which something is known."""
    found = []
    for curve in method.all_curves():
        lines = tuple(_lines(curve, columns))
        if lines:
            found.append(DrawnCurve(curve.title, curve.percent, lines, curve.short or lines[0].name))
    return found


def without_repeats(curves: Sequence[DrawnCurve]) -> list[DrawnCurve]:
    """Those whose first line is not that of one before."""
    return list({curve.lines[0].column: curve for curve in reversed(curves)}.values())[::-1]


def _lines(curve: Curve, columns: Columns) -> Iterator[Line]:
    for column, name in curve.lines:
        values = _share(SHARES[column], columns) if column in SHARES else columns(column)
        if curve.percent:
            values = [100 * value for value in values]
        if any(map(math.isfinite, values)):
            yield Line(column, name, values)


def _share(column: str, columns: Columns) -> list[float]:
    pairs = zip(columns(column), columns("games"), strict=True)
    return [some / games if games else math.nan for some, games in pairs]


def alike(curves: Sequence[DrawnCurve]) -> list[list[DrawnCurve]]:
    """Curves in groups of neighbours whose lines have the same names: such a group is a table of a generation."""

    def names(curve: DrawnCurve) -> tuple[str, ...]:
        return tuple(line.name for line in curve.lines)

    return [list(group) for _, group in itertools.groupby(curves, names)]


@dataclass(frozen=True)
class Course:
    """How a network has learnt.

    Attributes:
        history: the log.
        curves: of the method.
    """

    history: History
    curves: list[DrawnCurve]

    @classmethod
    def of(cls, config: Config, history: History) -> Course | None:
        """That of a run; None where a population evolves."""
        if not config.learns:
            return None
        numbers = {name: column.tolist() for name, column in history.numbers.items()}
        return cls(history, draw_curves(type(config.learning.method), lambda name: numbers.get(name, [])))


def method_of(path: Path) -> tuple[bool, MethodKind | None]:
    """Whether the configuration of a run can be read, and how its network learns; None where a population evolves.

    A method that this program does not know shows the loss alone.
    """
    try:
        learning = read_toml(path / CONFIG).get("learning")
    except (InputError, OSError):
        return False, None
    name = learning.get("method") if isinstance(learning, dict) else None
    return True, None if name is None else Method.kinds.get(str(name), Method)
