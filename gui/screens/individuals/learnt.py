"""How a network has learnt, beside what is known of it where opponents are chosen."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.runs import Runs
from gui.geometry import Rect
from gui.individuals.rows import Row
from gui.look.canvas import Look
from gui.screens.sessions.learnt_panels import known_values
from gui.widgets.plot import Curve, Plot, tick_text

if TYPE_CHECKING:
    from evolve.report.learning import DrawnCurve

HEIGHT, LEAST = 130, 300
"""Of a curve, and of the place for all that is known of somebody from which on there is room for one."""

RATED = 3
"""Ratings that make a curve."""


class Courses:
    """Courses of runs in which one network learns, each read when somebody of it is chosen.

    Args:
        runs: the folder of runs.
    """

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._row: Row | None = None
        self._learns = False
        self._curve: DrawnCurve | None = None

    def learns(self, row: Row | None) -> bool:
        """Whether somebody is a network that learnt, and did not evolve."""
        self._look_at(row)
        return self._learns

    def plot(self, row: Row | None, rect: Rect, look: Look) -> Plot | None:
        """The curve of its run at the foot of a place; None without one, or without room."""
        self._look_at(row)
        curve = self._curve
        if curve is None or row is None or rect.h < look.px(LEAST):
            return None
        at = rect.rows(None, look.px(HEIGHT))[1]
        lines = tuple(
            Curve(known_values(line.values), number, sparse=curve.title == "rating", name=line.name)
            for number, line in enumerate(curve.lines)
        )
        title = f"{curve.title[:1].upper()}{curve.title[1:]}{' in %' if curve.percent else ''}"
        says = partial(_say, curve)
        return Plot(key="course", rect=at, curves=lines, title=title, mark=row.generation or 0, says=says,
                    hint="How it has learnt, by generations")  # fmt: skip

    def _look_at(self, row: Row | None) -> None:
        if row is self._row:
            return
        self._row, self._learns, self._curve = row, False, None
        if row is None or row.generation is None:
            return
        from evolve.report.learning import draw_curves, method_of
        from evolve.run.log import Log

        path = Runs(self._runs).path(row.source)
        method = method_of(path)[1] if path.is_dir() else None
        if method is None:
            return
        self._learns = True
        log = Log(path)
        while log.step().more:
            pass
        self._curve = _choose(draw_curves(method.all_curves(), log.column), log.column("rating"))


def _choose(curves: list[DrawnCurve], ratings: list[float]) -> DrawnCurve | None:
    """Strength if it was measured often enough, else what the method tells in percent, else its first curve."""
    from evolve.report.learning import DrawnCurve, Line

    if sum(map(math.isfinite, ratings)) >= RATED:
        return DrawnCurve("rating", False, (Line("rating", "rating", ratings),))
    moving = [curve for curve in curves if curve.moves]
    return next((curve for curve in moving if curve.percent), moving[0] if moving else None)


def _say(curve: DrawnCurve, at: int) -> str:
    """The value of the first line at a generation."""
    value = curve.lines[0].values[at]
    return f"{at:,}: {curve.write(value) if curve.title != 'rating' else tick_text(round(value))}"
