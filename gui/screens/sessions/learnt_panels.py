"""What the session screen shows of a run in which one network learns: the curves of its method, and their numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from gui.geometry import Rect
from gui.screens.sessions.session_view import SessionView
from gui.widgets.base import Widget
from gui.widgets.plot import Curve, Plot
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from evolve.report.learning import DrawnCurve

EMPTY = "The curve begins with the first complete generation."
HINT = "Click or ← → chooses a generation"
IN_HALL = 2
"""Numbers that stand beside each generation, where there is room."""

SAID = 2
"""Lines of a curve whose values stand beside its title; of more, only that of the first."""


class Places(Protocol):
    """Where curves are shown."""

    @property
    def large(self) -> Rect:
        """Above."""

    @property
    def left(self) -> Rect:
        """Below it."""

    @property
    def right(self) -> Rect:
        """Beside that."""


def known_values(column: Sequence[float]) -> list[float | None]:
    """Numbers as a plot takes them."""
    return [value if math.isfinite(value) else None for value in column]


def _rated(screen: SessionView) -> bool:
    return screen.followed.generations.interval("rating") is not None


def chosen_curve(screen: SessionView) -> int:
    """The curve in the place that several share; -1 if there is none."""
    there, first = screen.followed.generations.curves, 1 if _rated(screen) else 2
    return screen.curve if 0 <= screen.curve < len(there) else min(first, len(there) - 1)


def next_curve(screen: SessionView) -> int:
    """The one that comes after it, but for those that are always shown."""
    first, chosen = 1 if _rated(screen) else 2, chosen_curve(screen) + 1
    return chosen if chosen < len(screen.followed.generations.curves) else first


def learnt_curves(screen: SessionView, at: Places, rating: Callable[..., Plot] | None) -> list[Widget]:
    """Strength large, if it was measured; the loss, and the curve that is chosen."""
    there = screen.followed.generations.curves
    makers: list[Callable[..., Plot]] = [] if rating is None else [rating]
    makers += [partial(_plot, screen, number) for number in range(len(there))][: 2 - len(makers)]
    if there:
        makers.append(partial(_plot, screen, chosen_curve(screen)))
    makers += [partial(Plot, curves=(), title="", empty=EMPTY)] * (3 - len(makers))
    places = (at.large, at.left, at.right)
    found: list[Widget] = []
    for make, place, name in zip(makers, places, ("large", "left", "right"), strict=True):
        key = {} if make is rating else {"key": name}
        found.append(make(rect=place, mark=screen.generation, pick=screen.pick, **key))
    return found


def _plot(screen: SessionView, number: int, **same: Any) -> Plot:
    there = screen.followed.generations
    curve = there.curves[number]

    def made() -> tuple[Curve, ...]:
        return tuple(
            Curve(known_values(line.values), colour, sparse=not curve.moves, name=line.name)
            for colour, line in enumerate(curve.lines)
        )

    title = f"{curve.title[:1].upper()}{curve.title[1:]}{' in %' if curve.percent else ''}"
    return Plot(
        curves=there.kept(f"curve {number}", made), title=title, empty=EMPTY,
        says=partial(_say, curve), hint=_hint(curve), **same,
    )  # fmt: skip


def _say(curve: DrawnCurve, at: int) -> str:
    """What a curve has at a generation; of many lines the first, since a title stands beside it."""
    few = len(curve.lines) <= SAID
    return f"{at:,}: {curve.write_all(at) if few else curve.write(curve.lines[0].values[at])}"


def _hint(curve: DrawnCurve) -> str:
    lines = f"{', '.join(line.name for line in curve.lines)}. " if len(curve.lines) > 1 else ""
    return f"{lines}{HINT}"


def hall_columns(screen: SessionView, *, wide: bool) -> list[tuple[Column, Callable[[int], str]]]:
    """Numbers that stand beside each generation: the first of the first curves."""

    def text(curve: DrawnCurve, number: int) -> str:
        values = curve.lines[0].values
        return curve.write(values[number]) if number < len(values) else ""

    found: list[tuple[Column, Callable[[int], str]]] = []
    for curve in screen.followed.generations.curves[:IN_HALL][0 if wide else -1 :]:
        name = curve.short if curve.percent else curve.title
        found.append((Column(f"{name[:1].upper()}{name[1:]}", 76, "right"), partial(text, curve)))
    return found


def numbers_table(screen: SessionView, rect: Rect) -> Table:
    """All numbers of the generation that is shown; the curve of the chosen one has a place."""
    curves, generation = screen.followed.generations.curves, screen.generation
    rows: list[tuple[int, int, bool]] = []  # curve, line, and whether the row has what an interval rests on
    told: set[str] = set()
    for number, curve in enumerate(curves):
        for at, line in enumerate(curve.lines):
            sure = generation >= 0 and line.sure(generation)
            rows += [(number, at, False)] if line.column not in told else []
            rows += [(number, at, True)] if sure and line.measured_by not in told else []
            told |= {line.column, line.measured_by} if sure else {line.column}

    def cells(row: int) -> Sequence[str | Cell]:
        number, at, counts = rows[row]
        curve, line = curves[number], curves[number].lines[at]
        if counts:
            return f"95 % interval by game, {line.name}", line.rests_on(generation)
        name = curve.title if len(curve.lines) == 1 else f"{curve.title}: {line.name}"
        return f"{name[:1].upper()}{name[1:]}", curve.write_sure(line, generation)

    chosen = chosen_curve(screen)
    width = 210 if any(counts for *_, counts in rows) else 110
    selected = next((row for row, (number, *_) in enumerate(rows) if number == chosen), -1)
    return Table(
        key="numbers", rect=rect, count=len(rows), cells=cells, selected=selected,
        columns=(Column("Number"), Column(f"Gen. {generation:,}" if generation >= 0 else "", width, "right")),
        select=lambda row: screen.show_curve(rows[row][0]), hint="Each shows its curve  (U the next one)",
        empty="The numbers of every generation are told here.",
    )  # fmt: skip
