"""The curves and numbers on the page of a run in which one network learns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from evolve.report.curves import draw_curves
from extras.learning.curves_plot import CurvesPlot
from game.errors import capital
from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Canvas
from gui.look.theme import GAP
from gui.screens.entries import CurvesEntry
from gui.screens.evolution import CHOICE
from gui.widgets.base import Command, Widget
from gui.widgets.plot import Curve, Plot
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from evolve.report.curves import CurveLine, DrawnCurve
    from gui.runs.live_run import LiveRun
    from gui.screens.sessions.session import SessionScreen

EMPTY = "The curve begins with the first complete generation."
LEAST_WIDE = 480
"""Width of the table of numbers from which each has a small curve."""
NOTHING = partial(Plot, curves=(), title="", empty=EMPTY)
IN_HALL = 2
"""Number of curves with a column in the table of generations, if there is room."""

MOST_LINES_SAID = 2
"""A plot with more lines than this has only the value of its first line beside its title, not the values of all."""


class LearningCurves(CurvesEntry):
    """A curve of the method that can be chosen and, if its networks are not rated, the first one."""

    screen: SessionScreen

    def __init__(self, screen: SessionScreen) -> None:
        super().__init__(screen)
        self._curve = -1

    def commands(self) -> Sequence[Command]:
        if self.screen.run.kind.breeds:
            return ()
        return [Command(id="curve", name="Next curve", keys=(), run=self._show_next, icon="next", group="Generations",
                        about="Show another curve")]  # fmt: skip

    @property
    def _curves(self) -> list[DrawnCurve]:
        run = self.screen.run
        return run.kept("curves", lambda: draw_curves(run.kind.curves(), run.column))

    @property
    def _chosen(self) -> int:
        """The index of the chosen curve; at first the second, for which one looks once the loss falls."""
        count = len(self._curves)
        return self._curve if 0 <= self._curve < count else min(1, count - 1)

    def _show(self, curve: int) -> None:
        self._curve = curve

    def _show_next(self) -> None:
        self._curve = (self._chosen + 1) % max(len(self._curves), 1)

    def view(self, places: Sequence[Rect], above: Plot | None = None) -> list[Widget]:
        run, curves = self.screen.run, self._curves
        plots: list[Plot] = []
        both = (("large", 0), ("small", self._chosen))
        for (key, number), place in zip(both[-len(places) :], places, strict=True):
            make = partial(_plot, run, curves[number], number) if curves else NOTHING
            plots.append(make(key=key, rect=place, mark=self.screen.generation, pick=self.screen.pick))
        if above is not None:
            return [replace(plots[0], aligned=above, least=above.length)]
        return [replace(plot, aligned=other) for plot, other in zip(plots, plots[::-1], strict=True)]

    def columns(self, *, wide: bool) -> list[tuple[Column, Callable[[int], str]]]:
        """Return the columns of curves in the table of generations; a narrow table has only the last of them."""

        def text(curve: DrawnCurve, number: int) -> str:
            values = curve.lines[0].values
            return curve.write(values[number]) if number < len(values) else ""

        columns: list[tuple[Column, Callable[[int], str]]] = []
        for curve in self._curves[:IN_HALL][0 if wide else -1 :]:
            name = curve.short if curve.percent else curve.title
            columns.append((Column(capital(name), 76, "right"), partial(text, curve)))
        return columns

    def numbers(self, rect: Rect) -> list[Widget]:
        curves, generation = self._curves, self.screen.generation
        first: dict[str, tuple[int, CurveLine]] = {}
        for number, curve in enumerate(curves):
            for line in curve.lines:
                first.setdefault(line.column, (number, line))
        rows = list(first.values())

        def cells(row: int) -> Sequence[str | Cell]:
            number, line = rows[row]
            curve = curves[number]
            name = curve.title if len(curve.lines) == 1 else f"{curve.title}: {line.name}"
            drawn = [Cell("", draw=partial(_draw_line, line.values, generation))] if wide else []
            return capital(name), *drawn, curve.write_sure(line, generation)

        wide = rect.w >= self.screen.app.look.px(LEAST_WIDE)
        selected = next((row for row, (number, _) in enumerate(rows) if number == self._chosen), -1)
        table = Table(
            key="numbers", rect=rect, count=len(rows), cells=cells, selected=selected,
            columns=(Column("Number"), *([Column("", 200)] if wide else []),
                     Column(f"Gen. {generation:,}" if generation >= 0 else "", 120, "right")),
            select=lambda row: self._show(rows[row][0]),
            hint="Select a number to see its curve. “Next curve”: the next",
            empty="The numbers of every generation appear here.",
        )  # fmt: skip
        return [table]


def _draw_line(values: Sequence[float], generation: int, canvas: Canvas, place: Rect) -> None:
    """Draw how a number changed, as a line without axes with a dot at a generation."""
    known = [(at, value) for at, value in enumerate(values) if math.isfinite(value)]
    low, high = (end((value for _, value in known), default=0.0) for end in (min, max))
    (x, y, wide, tall), last = place.inset(0, canvas.px(GAP)), max(len(values) - 1, 1)
    points = [(x + wide * at / last, y + tall - tall * (value - low) / (high - low or 1)) for at, value in known]
    if len(points) > 1:
        shapes.lines(canvas.surface, canvas.theme.plots[0], points, canvas.px(1.5))
        for (at, _), point in zip(known, points, strict=True):
            if at == generation:
                shapes.dot(canvas.surface, point, canvas.px(7), canvas.theme.plots[0])


def known_values(column: Sequence[float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in column]


def _plot(run: LiveRun, curve: DrawnCurve, number: int, **options: Any) -> Plot:

    def make_curves() -> tuple[Curve, ...]:
        return tuple(
            Curve(known_values(line.values), colour, sparse=not curve.moves, name=line.name)
            for colour, line in enumerate(curve.lines)
        )

    return CurvesPlot(
        curves=run.kept(f"curve {number}", make_curves), title=curve.heading, empty=EMPTY,
        says=partial(_values_text, curve), brief=partial(_numbers_text, curve), hint=_hint(curve), **options,
    )  # fmt: skip


def _values_text(curve: DrawnCurve, at: int) -> str:
    """Return the values at a generation; if there are many lines, only the first, to leave room for the title."""
    few = len(curve.lines) <= MOST_LINES_SAID
    return f"Generation {at:,}: {curve.write_all(at) if few else curve.write(curve.lines[0].values[at])}"


def _numbers_text(curve: DrawnCurve, at: int) -> str:
    lines = curve.lines if len(curve.lines) <= MOST_LINES_SAID else curve.lines[:1]
    return f"{at:,}: {', '.join(curve.write(line.values[at]) for line in lines)}"


def _hint(curve: DrawnCurve) -> str:
    lines = f": {', '.join(line.name for line in curve.lines)}" if len(curve.lines) > 1 else ""
    return f"{curve.heading}{lines}. {CHOICE}"
