"""The curves of a learning method, with values from the log of a run. This does not load numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from evolve.kinds.methods import LogCurve, beside
from game.errors import capital
from game.number_text import count_text

Columns = Callable[[str], Sequence[float]]
"""A function that returns a column of the log by generation, with NaN for missing values; empty without the column."""

SHARES = {"won": "wins", "drawn": "draws", "lost": "losses", "length": "plies"}
"""Curves that the log does not have, and the columns that are divided by the number of games to get them."""


@dataclass(frozen=True)
class CurveLine:
    """One line of a curve.

    Attributes:
        values: the values by generation, NaN for missing ones; at least one is known. They are percentages if
            `DrawnCurve.percent` is true.
        interval: lower and upper ends of the 95 % intervals, in percent; empty if the log has none.
        counts: numbers of positions and games on which each value is based; empty without intervals.
    """

    column: str
    name: str
    values: Sequence[float]
    interval: tuple[Sequence[float], ...] = ()
    counts: tuple[Sequence[float], ...] = ()

    def sure(self, generation: int) -> bool:
        return bool(self.interval) and all(math.isfinite(ends[generation]) for ends in self.interval)

    def rests_on(self, generation: int) -> str:
        positions, games = (int(column[generation]) for column in self.counts)
        return f"{count_text(positions, 'position')} of {count_text(games, 'game')}"


@dataclass(frozen=True)
class DrawnCurve:
    title: str
    percent: bool
    lines: tuple[CurveLine, ...]
    short: str = ""

    @property
    def heading(self) -> str:
        return f"{capital(self.title)}{' in %' if self.percent else ''}"

    @property
    def moves(self) -> bool:
        """True if a line has several values, so that it can be drawn."""
        return any(sum(map(math.isfinite, line.values)) > 1 for line in self.lines)

    @cached_property
    def whole(self) -> bool:
        """True if all values are whole numbers."""
        return all(value % 1 == 0 for line in self.lines for value in line.values if math.isfinite(value))

    def write(self, value: float) -> str:
        if not math.isfinite(value):
            return "-"
        if self.percent:
            return f"{value:.1f} %"
        if self.whole:
            return f"{value:,.0f}"
        return f"{value:.3f}" if 0.01 <= abs(value) < 1000 else f"{value:.4g}"

    def write_sure(self, line: CurveLine, generation: int) -> str:
        text = self.write(line.values[generation])
        if not line.sure(generation):
            return text
        low, high = (ends[generation] for ends in line.interval)
        return f"{text} ({low:.1f} to {high:.1f})"

    def write_all(self, generation: int, *, sure: bool = False) -> str:
        """Format all values of a generation, with names of several lines; `sure` adds intervals and counts."""
        known = [line for line in self.lines if math.isfinite(line.values[generation])]
        texts = []
        for line in known:
            text = self.write_sure(line, generation) if sure else self.write(line.values[generation])
            text += f" in {line.rests_on(generation)}" if sure and line.sure(generation) else ""
            texts.append(text if len(self.lines) == 1 else f"{line.name} {text}")
        return ", ".join(texts)


def draw_curves(curves: Sequence[LogCurve], columns: Columns) -> list[DrawnCurve]:
    """Return the curves for which the log has numbers."""
    drawn = []
    for curve in curves:
        lines = tuple(_lines(curve, columns))
        if lines:
            drawn.append(DrawnCurve(curve.title, curve.percent, lines, curve.short or lines[0].name))
    return drawn


def _lines(curve: LogCurve, columns: Columns) -> Iterator[CurveLine]:
    for column, name in curve.lines:
        values = _share(SHARES[column], columns) if column in SHARES else columns(column)
        low, high, positions, games = map(columns, beside(column))
        if curve.percent:
            values, low, high = ([100 * value for value in numbers] for numbers in (values, low, high))
        if any(map(math.isfinite, values)):
            yield CurveLine(column, name, values, (low, high) if low else (), (positions, games))


def _share(column: str, columns: Columns) -> list[float]:
    pairs = zip(columns(column), columns("games"), strict=True)
    return [some / games if games else math.nan for some, games in pairs]
