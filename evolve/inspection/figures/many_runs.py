"""Figures of many runs: one column of their logs over generations."""

from __future__ import annotations

import itertools

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evolve.inspection.figures import style
from evolve.report.many_runs import UNITS, Group, ManyRuns

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.GREY)
LINES = ("-", "--", ":", "-.")
"""Once there are more groups than colours."""
MARKED = 12
"""Values of a curve below which each has a mark."""


def curves(many: ManyRuns, column: str) -> Figure:
    """A line for each group, of several runs the mean with a band over seeds."""
    made = style.figure(3.2 + 0.14 * -(-len(many.groups) // 2))
    axes = made.subplots()
    looks = itertools.cycle((line, colour) for line in LINES for colour in COLOURS)
    for group, (line, colour) in zip(many.groups, looks, strict=False):
        band = group.band(column)
        last = -1
        if band is not None:
            last = int(band.generations[-1])
            if len(group.runs) > 1:
                axes.fill_between(band.generations, band.low, band.high, color=colour, alpha=0.18, linewidth=0)
            marker = "." if len(band.generations) < MARKED else None
            axes.plot(band.generations, band.mean, color=colour, linestyle=line, marker=marker, label=_label(group))
        for run in group.runs:
            values = run.history.numbers.get(column, np.empty(0))
            rest = [at for at in np.flatnonzero(np.isfinite(values)).tolist() if at >= last]
            if rest and rest[-1] > last:
                label = _label(group) if band is None and run is group.runs[0] else None
                axes.plot(rest, values[rest], color=colour, linestyle=line, linewidth=0.5, alpha=0.7, label=label)
    axes.set_title(f"{column[:1].upper()}{column[1:].replace('_', ' ')}")
    axes.set_ylabel(UNITS.get(column, column.replace("_", " ")))
    axes.set_xlabel("generation")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    style.grid(axes)
    if axes.get_legend_handles_labels()[1]:
        made.legend(loc="outside lower center", ncols=2)
    return made


def _label(group: Group) -> str:
    return group.name if len(group.runs) == 1 else f"{group.name} ({len(group.runs)} seeds)"
