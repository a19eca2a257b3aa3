"""The kind and curve of the selected individual's run, for the screen on which opponents are chosen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.anchors import shown, shown_text
from evolve.config.model import kind_of
from evolve.run.runs import Runs
from gui.geometry import Rect
from gui.individuals.individual import ListedPlayer
from gui.look.canvas import Look
from gui.screens.sessions.panels import known_values
from gui.widgets.plot import Curve, Plot

if TYPE_CHECKING:
    from evolve.config.model import RunKind
    from evolve.report.curves import DrawnCurve

HEIGHT, LEAST = 130, 300
"""Height of the curve, and minimum height of the area around it, in pixels of the design."""

RATED = 3
"""Minimum number of ratings for a curve."""


class ChosenCurve:
    """The curve of a run, read when one of its individuals is selected."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._individual: ListedPlayer | None = None
        self._kind = kind_of({})
        self._curve: DrawnCurve | None = None

    def kind(self, individual: ListedPlayer | None) -> RunKind:
        """Return the kind of an individual's run; an evolution if it belongs to no run."""
        self._read(individual)
        return self._kind

    def plot(self, individual: ListedPlayer | None, rect: Rect, look: Look) -> Plot | None:
        """Return the curve of an individual's run, at the bottom of `rect`; None if there is none or no room."""
        self._read(individual)
        curve = self._curve
        if curve is None or individual is None or rect.h < look.px(LEAST):
            return None
        at = rect.rows(None, look.px(HEIGHT))[1]
        lines = tuple(
            Curve(_shown(curve, line.values), number, sparse=curve.title == "rating", name=line.name)
            for number, line in enumerate(curve.lines)
        )
        return Plot(key="course", rect=at, curves=lines, title=curve.heading, mark=individual.generation or 0,
                    says=partial(_value_text, curve), hint="Its results by generation")  # fmt: skip

    def _read(self, individual: ListedPlayer | None) -> None:
        if individual == self._individual:
            return
        self._individual, self._kind, self._curve = individual, kind_of({}), None
        if individual is None or individual.generation is None:
            return
        from evolve.report.curves import draw_curves
        from evolve.run.folder import Run
        from evolve.run.log import Log

        path = Runs(self._runs).path(individual.source)
        self._kind = Run(path).kind or self._kind
        curves = self._kind.curves()
        if not curves:
            return
        log = Log(path)
        while log.step().more:
            pass
        self._curve = _choose(draw_curves(curves, log.column), log.column("rating"))


def _choose(curves: list[DrawnCurve], ratings: list[float]) -> DrawnCurve | None:
    """Return the rating curve if there are enough ratings, otherwise the first percentage curve, or the first curve."""
    from evolve.report.curves import CurveLine, DrawnCurve

    if sum(map(math.isfinite, ratings)) >= RATED:
        return DrawnCurve("rating", False, (CurveLine("rating", "rating", ratings),))
    moving = [curve for curve in curves if curve.moves]
    return next((curve for curve in moving if curve.percent), moving[0] if moving else None)


def _value_text(curve: DrawnCurve, at: int) -> str:
    value = curve.lines[0].values[at]
    return f"{at:,}: {curve.write(value) if curve.title != 'rating' else shown_text(value)}"


def _shown(curve: DrawnCurve, values: Sequence[float]) -> list[float | None]:
    rates = curve.title == "rating"
    return [shown(value) if rates and value is not None else value for value in known_values(values)]
