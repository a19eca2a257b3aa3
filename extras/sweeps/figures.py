"""Figures of several runs: a curve of each column."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evolve.config.anchors import shown_above
from extras.reports.figures import style
from extras.reports.figures.runs import COLOURS
from extras.reports.figures.style import NamedFigure
from extras.sweeps.many_runs import UNITS, Group, ManyRuns
from game.errors import capital

MANY = (
    "Runs that differ only in their seed are drawn as their mean, up to the last generation they all have, with "
    "a band: its 95 % interval (Student's t), or for two runs the range of their own intervals. Other runs are single "
    "lines. A thin line is a run that continues after the others of its group."
)
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
        band = group.band(column)
        last = -1
        if band is not None:
            last = int(band.generations[-1])
            if len(group.runs) > 1:
                axes.fill_between(
                    band.generations, band.low + above, band.high + above, color=colour, alpha=0.18, linewidth=0
                )
            marker = "." if len(band.generations) < MARKED else None
            axes.plot(
                band.generations, band.mean + above, color=colour, linestyle=line, marker=marker, label=_label(group)
            )
        for run in group.runs:
            values = run.history.numbers.get(column, np.empty(0)) + above
            rest = [at for at in np.flatnonzero(np.isfinite(values)).tolist() if at >= last]
            if rest and rest[-1] > last:
                label = _label(group) if band is None and run is group.runs[0] else None
                axes.plot(rest, values[rest], color=colour, linestyle=line, linewidth=0.5, alpha=0.7, label=label)
    axes.set_title(capital(column.replace("_", " ")))
    axes.set_ylabel(UNITS.get(column, column.replace("_", " ")))
    axes.set_xlabel("generation")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    style.grid(axes)
    if axes.get_legend_handles_labels()[1]:
        made.legend(loc="outside lower center", ncols=2)
    return made


def _label(group: Group) -> str:
    return group.name if len(group.runs) == 1 else f"{group.name} ({len(group.runs)} seeds)"
