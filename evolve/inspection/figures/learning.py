"""Figures of a run in which one network learns: the curves of its method beside its strength."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evolve.inspection.figures import runs, style
from evolve.inspection.games import Tournament
from evolve.report.learning import Course, DrawnCurve
from evolve.report.overview import RunOverview

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.GREY)


def progress(run: RunOverview, course: Course, tournament: Tournament | None) -> Figure:
    """Rating with its interval, each curve of the method and, if it was played, games against fixed opponents."""
    shown = [curve for curve in course.curves if curve.moves]
    panels = 1 + (tournament is not None) + len(shown)
    down = -(-panels // 2)
    made = style.figure(2.3 * down)
    axes = list(made.subplots(down, 2, squeeze=False).flat)
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    left = iter(axes)
    if tournament is not None:
        runs.against_plain(each := next(left), tournament)
        each.set_title(f"{next(letters)}  Generations against fixed opponents")
    runs.rate(each := next(left), run, tournament)
    each.set_title(f"{next(letters)}  {'Rating, 95 % interval' if course.history.rated else 'Among each other'}")
    for curve in shown:
        _curve(next(left), curve, next(letters))
    for each in axes[panels:]:
        each.set_visible(False)
    for each in axes[:panels]:
        style.grid(each)
        each.set_xlabel("generation")
        each.xaxis.set_major_locator(MaxNLocator(integer=True))
    return made


def _curve(axes: Axes, curve: DrawnCurve, letter: str) -> None:
    axes.set_title(f"{letter}  {curve.title[:1].upper()}{curve.title[1:]}")
    for line, colour in zip(curve.lines, COLOURS * len(curve.lines), strict=False):
        values = np.array(line.values, np.float64)
        known = np.flatnonzero(np.isfinite(values))
        axes.plot(known, values[known], color=colour, label=line.name, marker="." if len(known) < 12 else None)
    if curve.percent:
        axes.yaxis.set_major_formatter(style.percent(100.0))
    if len(curve.lines) > 1:
        axes.legend(ncols=2)
