"""Figures of several runs: a curve of each column."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evolve.config.anchors import shown_above
from extras.reports.figures import style
from extras.reports.figures.runs import COLOURS
from extras.reports.figures.style import NamedFigure
from extras.sweeps.many_runs import MANY, UNITS, ManyRuns
from game.errors import capital

LINES = ("-", "--", ":", "-.")
"""Line styles; all but the first are used only if there are more groups than colours."""
MARKED = 12
"""Curves with fewer values have a mark at each value."""


def of_runs(many: ManyRuns) -> Iterator[NamedFigure]:
    for column in many.columns:
        yield column, MANY, partial(column_curves, many, column)


def column_curves(many: ManyRuns, column: str) -> Figure:
    """Draw a line for each group; for several runs it is their mean, with a band."""
    made = style.figure(3.2 + 0.14 * -(-len(many.groups) // 2))
    axes = made.subplots()
    above = shown_above(column)
    looks = itertools.cycle((line, colour) for line in LINES for colour in COLOURS)
    for group, (line, colour) in zip(many.groups, looks, strict=False):
        curve = group.curve(column)
        generations = list(curve)
        if len(group.runs) > 2:
            low, high = ([getattr(mean, end) + above for mean in curve.values()] for end in ("low", "high"))
            axes.fill_between(generations, low, high, color=colour, alpha=0.18, linewidth=0)
        if curve:
            marker = "." if len(curve) < MARKED else None
            means = [mean.value + above for mean in curve.values()]
            axes.plot(generations, means, color=colour, linestyle=line, marker=marker, label=group.label)
    axes.set_title(capital(column.replace("_", " ")))
    axes.set_ylabel(UNITS.get(column, column.replace("_", " ")))
    axes.set_xlabel("generation")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    style.grid(axes)
    if axes.get_legend_handles_labels()[1]:
        made.legend(loc="outside lower center", ncols=2)
    return made
