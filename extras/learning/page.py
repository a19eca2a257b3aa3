"""The curves and numbers on the page of a run in which one network learns."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    from evolve.report.curves import DrawnCurve
    from gui.runs.live_run import LiveRun
    from gui.screens.sessions.session import SessionScreen

EMPTY = "The curve begins with the first complete generation."
MEANINGS = {
    "loss": "How wrong it is on average: lower is better.",
    "moves predicted": "How often its first choice is the move that was played.",
    "played move": "How often the move that was played is among its first choices.",
    "illegal": "How often the rules forbid its first choice.",
}
"""Meanings of numbers, by the words with which their titles begin."""
LEAST_WIDE = 480
"""Width of the table of numbers from which each has a small curve."""
NOTHING = partial(Plot, curves=(), title="", empty=EMPTY)
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

    def numbers(self, rect: Rect) -> list[Widget]:
        curves, generation = self._curves, self.screen.generation

        def cells(row: int) -> Sequence[str | Cell]:
            curve, line = curves[row], curves[row].lines[0]  # the plot has its other lines
            drawn = [Cell("", draw=partial(_draw_line, line.values, generation))] if wide else []
            return capital(curve.title), *drawn, curve.write_sure(line, generation)

        wide, title = rect.w >= self.screen.app.look.px(LEAST_WIDE), curves[self._chosen].title if curves else ""
        said = next((text for word, text in MEANINGS.items() if title.startswith(word)), "")
        return [
            Table(
                key="numbers", rect=rect, count=len(curves), cells=cells, selected=self._chosen,
                columns=(Column("Number"), *([Column("", 200)] if wide else []),
                         Column(f"Generation {generation:,}" if generation >= 0 else "", 130, "right")),
                select=self._show, hint=f"{said} Select a number to see its curve. “Next curve”: the next".strip(),
                empty="The numbers of every generation appear here.",
            )
        ]  # fmt: skip


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
        says=partial(_values_text, curve), hint=f"{curve.heading}. {CHOICE}", **options,
    )  # fmt: skip


def _values_text(curve: DrawnCurve, at: int) -> str:
    """Return the values at a generation; if there are many lines, only the first, to leave room for the title."""
    few = len(curve.lines) <= MOST_LINES_SAID
    return f"Generation {at:,}: {curve.write_all(at) if few else curve.write(curve.lines[0].values[at])}"
