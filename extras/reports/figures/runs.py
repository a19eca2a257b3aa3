"""Figures of runs: progress and diversity, and the curves of a run that learns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from evolve.config.anchors import SHOWN_ZERO
from evolve.report.curves import DrawnCurve
from evolve.report.overview import RunOverview
from extras.reports.figures import genomes, style
from extras.reports.figures.style import NamedFigure
from game.errors import capital

COLUMNS = 40
"""Maximum number of bars in the chart of origins."""

PROGRESS = (
    "a, ratings of the champions with 95 % intervals; b, points in the tournament of their own generation, which do "
    "not measure progress; c, share of drawn games."
)
DIVERSITY = (
    "a, root mean square distance between two individuals; b, distinct genomes; c, origins of the survivors, which are "
    "the parents of the next generation."
)
CURVES = "Ratings with 95 % intervals, and curves of the learning method."

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.GREY)


def of_run(run: RunOverview) -> Iterator[NamedFigure]:
    if run.kind.breeds:
        yield "progress", PROGRESS, lambda: progress(run)
        yield "diversity", DIVERSITY, lambda: diversity(run)
    else:
        yield "progress", CURVES, lambda: draw_curves(run)
    spec, champion = run.config.network, run.champion.name
    yield "kernels", genomes.KERNELS, lambda: genomes.kernels(champion, run.weights[0], spec)


def progress(run: RunOverview) -> Figure:
    """Draw ratings with 95 % intervals, points and draws."""
    made = style.figure(2.6)
    rating, points, drawn = axes = made.subplots(1, 3)
    rate(rating, run)
    numbers, generations = run.history.numbers, run.history.numbers["generation"]
    points.fill_between(
        generations, numbers["worst_points"], numbers["best_points"], color=style.BLUE, alpha=0.15, linewidth=0
    )
    for name, line in (("best", "-"), ("mean", "--"), ("worst", ":")):
        values = numbers[f"{name}_points"]
        points.plot(generations, values, color=style.BLUE, linewidth=0.8, linestyle=line)
        points.annotate(
            name, (generations[-1], values[-1]), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7
        )
    points.set_title("b  Points")
    points.set_ylabel("points")
    share = numbers["draws"] / np.maximum(numbers["games"], 1)
    drawn.plot(generations, share, color=style.GREY)
    drawn.set_ylim(0, max(0.01, 1.15 * float(share.max())))
    drawn.yaxis.set_major_formatter(style.percent())
    drawn.set_title("c  Drawn games")
    drawn.set_ylabel("share of games")
    for panel in axes:
        style.grid(panel)
        panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
        panel.set_xlabel("generation")
    return made


def rate(axes: Axes, run: RunOverview) -> None:
    axes.set_ylabel("rating")
    axes.set_title("a  Rating")
    rating = run.history.interval("rating")
    if rating is None:
        axes.text(0.5, 0.5, "not rated", transform=axes.transAxes, ha="center", va="center", color=style.GREY)
        return
    _ratings(axes, run.history.numbers["generation"], *(column + SHOWN_ZERO for column in rating))


def _ratings(
    axes: Axes,
    generations: NDArray[np.float64],
    value: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> None:
    """Draw ratings with a band if all intervals are bounded; otherwise draw each interval, with arrows if unbounded."""
    known = np.isfinite(value) & np.isfinite(low) & np.isfinite(high)
    if known.all():
        axes.fill_between(generations, low, high, color=style.GREEN, alpha=0.25, linewidth=0)
        axes.plot(generations, value, color=style.GREEN)
        return
    x, y = generations[known], value[known]
    axes.errorbar(
        x, y, (y - low[known], high[known] - y), color=style.GREEN, fmt="o", markersize=3, elinewidth=0.7, capsize=1.5
    )
    above = np.isposinf(value) & np.isfinite(low)
    if above.any():
        top = max(axes.get_ylim()[1], float(low[above].max()) + 100)
        axes.vlines(generations[above], low[above], top, color=style.GREEN, linewidth=0.7)
        axes.plot(generations[above], np.full(above.sum(), top), "^", color=style.GREEN, markersize=3)


def diversity(run: RunOverview) -> Figure:
    """Draw the distance between genomes, the number of distinct genomes and the survivors' origins over generations."""
    made = style.figure(2.6)
    apart, distinct, origins = made.subplots(1, 3)
    numbers, generations = run.history.numbers, run.history.numbers["generation"]
    apart.plot(generations, numbers["diversity"], color=style.BLUE)
    apart.set_ylim(0, None)
    apart.set_title("a  Distance")
    apart.set_ylabel("root mean square")
    share = numbers["distinct"] / numbers["individuals"]
    distinct.plot(generations, share, color=style.GREEN)
    distinct.set_ylim(0, 1.05)
    distinct.yaxis.set_major_formatter(style.percent())
    distinct.set_title("b  Distinct genomes")
    distinct.set_ylabel("share of individuals")
    _origins(origins, run)
    for panel in (apart, distinct, origins):
        panel.set_xlabel("generation")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
        if panel is not origins:
            style.grid(panel)
    handles, labels = origins.get_legend_handles_labels()
    made.legend(handles, labels, loc="outside lower right", ncols=4, handlelength=0.8)
    return made


def _origins(axes: Axes, run: RunOverview) -> None:
    blocks = np.array_split(np.arange(run.newest + 1), min(COLUMNS, run.newest + 1))
    counts = [Counter(fact.origin for number in block for fact in run.pedigree.head(int(number))) for block in blocks]
    names = [name for name in style.ORIGINS if any(name in count for count in counts)]
    names += sorted({name for count in counts for name in count} - set(names))
    edges = np.array([-0.5, *(block[-1] + 0.5 for block in blocks)])
    bottom = np.zeros(len(blocks))
    for name in names:
        height = np.array([count[name] / count.total() for count in counts])
        colour = style.ORIGINS.get(name, style.GREY)
        axes.stairs(bottom + height, edges, baseline=bottom, fill=True, color=colour, label=name)
        bottom = bottom + height
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(style.percent())
    axes.set_title("c  Survivors' origins")


def draw_curves(run: RunOverview) -> Figure:
    curves = [curve for curve in run.curves if curve.moves]
    panels = 1 + len(curves)
    rows = -(-panels // 2)
    figure = style.figure(2.3 * rows)
    axes = list(figure.subplots(rows, 2, squeeze=False).flat)
    rate(axes[0], run)
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
    for line, colour in zip(curve.lines, COLOURS * len(curve.lines), strict=False):
        values = np.array(line.values, np.float64)
        known = np.flatnonzero(np.isfinite(values))
        axes.plot(known, values[known], color=colour, label=line.name, marker="." if len(known) < 12 else None)
    if curve.percent:
        axes.yaxis.set_major_formatter(style.percent(100.0))
    if len(curve.lines) > 1:
        axes.legend(ncols=2)
