"""Figures of runs in which one network learns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evolve.report.curves import DrawnCurve
from evolve.report.overview import RunOverview
from extras.reports.figures import genomes, runs, style
from extras.reports.figures.style import NamedFigure
from game.errors import capital

PROGRESS = "Curves of the learning method, and the strength of each generation's network."


def of_run(run: RunOverview) -> Iterator[NamedFigure]:
    spec = run.config.network
    yield "progress", PROGRESS, lambda: progress(run)
    yield "kernels", genomes.KERNELS, lambda: genomes.kernels(run.champion.name, run.weights[0], spec)


def progress(run: RunOverview) -> Figure:
    curves = [curve for curve in run.curves if curve.moves]
    panels = 1 + len(curves)
    rows = -(-panels // 2)
    figure = style.figure(2.3 * rows)
    axes = list(figure.subplots(rows, 2, squeeze=False).flat)
    runs.rate(axes[0], run)
    axes[0].set_title("a  Rating, 95 % interval")
    for panel, curve, letter in zip(axes[1:], curves, "bcdefghijklmnopqrstuvwxyz", strict=False):
        _curve(panel, curve, letter)
    for panel in axes[panels:]:
        panel.set_visible(False)
    for panel in axes[:panels]:
        style.grid(panel)
        panel.set_xlabel("generation")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def _curve(axes: Axes, curve: DrawnCurve, letter: str) -> None:
    axes.set_title(f"{letter}  {capital(curve.title)}")
    for line, colour in zip(curve.lines, runs.COLOURS * len(curve.lines), strict=False):
        values = np.array(line.values, np.float64)
        known = np.flatnonzero(np.isfinite(values))
        axes.plot(known, values[known], color=colour, label=line.name, marker="." if len(known) < 12 else None)
    if curve.percent:
        axes.yaxis.set_major_formatter(style.percent(100.0))
    if len(curve.lines) > 1:
        axes.legend(ncols=2)
