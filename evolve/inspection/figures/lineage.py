"""Figures of ancestry: who descends from whom, and whom a genome goes back to."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from evolve.inspection.figures import style
from evolve.report.ancestry import Pedigree, ordered

GENERATIONS = 15
"""Generations back that are drawn."""

FOUNDERS = 8

Level = dict[str, float]
Edges = list[tuple[str, str]]


def lineage(pedigree: Pedigree, generation: int, name: str, beside: Sequence[str] = ()) -> Figure:
    """Ancestors of an individual over the last `GENERATIONS` generations, and its founders.

    The larger a mark, the larger the share of the genome that comes from there.

    Args:
        pedigree: of the run.
        generation: of the individual.
        name: of the individual.
        beside: others of its generation, whose ancestors are shown in grey.
    """
    own = pedigree.levels(generation, [name])[: GENERATIONS + 1]
    levels = pedigree.levels(generation, [name, *(each for each in beside if each != name)])[: GENERATIONS + 1]
    edges = _edges(pedigree, generation, levels)
    heights = _heights(levels, edges)
    made = style.figure(3.8)
    tree, side = made.subplots(1, 2, width_ratios=(2.4, 1))
    strong: list[list[tuple[int, float]]] = []
    faint: list[list[tuple[int, float]]] = []
    origins = set()
    for back, level in enumerate(levels):
        at = generation - back
        mine = own[back] if back < len(own) else {}
        for each in level:
            fact = pedigree.find(at, each)
            origin = "" if fact is None else fact.origin
            marker = style.MARKERS.get(origin, "x")
            origins.add(origin)
            if each in mine:
                size, colour = 12 + 110 * mine[each], style.ORIGINS.get(origin, style.GREY)
            else:
                size, colour = 9, style.LIGHT
            tree.scatter(at, heights[back][each], s=size, c=colour, marker=marker, zorder=3, linewidths=0)
        for child, parent in edges[back] if back < len(edges) else ():
            line = [(at, heights[back][child]), (at - 1, heights[back + 1][parent])]
            (strong if child in mine else faint).append(line)
    tree.add_collection(LineCollection(faint, colors=style.LIGHT, linewidths=0.5, zorder=1))
    tree.add_collection(LineCollection(strong, colors=style.GREY, linewidths=0.5, alpha=0.6, zorder=2))
    tree.set_title(f"a  Ancestors of {name}{' and, grey, of the other survivors' if beside else ''}")
    tree.set_xlabel("generation")
    tree.xaxis.set_major_locator(MaxNLocator(integer=True))
    tree.set_yticks([])
    tree.spines["left"].set_visible(False)
    tree.set_xlim(generation - len(levels) + 0.4, generation + 0.6)
    marks = [
        Line2D([], [], linestyle="", marker=style.MARKERS[key], color=style.ORIGINS[key], markersize=4, label=key)
        for key in style.ORIGINS
        if key in origins
    ]
    made.legend(handles=marks, loc="outside lower left", ncols=4, handletextpad=0.1)
    _founders(side, pedigree, generation, name)
    return made


def _edges(pedigree: Pedigree, generation: int, levels: list[Level]) -> list[Edges]:
    """Children and parents between each level and the one before it."""
    found = []
    for back, level in enumerate(levels[:-1]):
        facts = [pedigree.find(generation - back, each) for each in level]
        found.append([(fact.name, parent) for fact in facts if fact is not None for parent in fact.parents])
    return found


def _heights(levels: list[Level], edges: list[Edges]) -> list[dict[str, float]]:
    """Where each individual of each level is drawn: evenly spaced, in an order in which few lines cross."""
    orders = ordered([list(level) for level in levels], edges)
    return [{each: number - (len(order) - 1) / 2 for number, each in enumerate(order)} for order in orders]


def _founders(axes: Axes, pedigree: Pedigree, generation: int, name: str) -> None:
    founders = pedigree.founders(generation, name)
    shown, rest = founders.shares[:FOUNDERS], founders.shares[FOUNDERS:]
    labels = [each.name for each in shown]
    shares = [each.share for each in shown]
    if rest:
        labels.append(f"{len(rest)} more")
        shares.append(sum(each.share for each in rest))
    axes.barh(range(len(labels)), shares, color=style.PURPLE, height=0.7)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(FOUNDERS + 0.5, -0.5)
    axes.xaxis.set_major_formatter(style.percent())
    axes.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
    axes.set_title(f"b  Its founders ({len(founders.shares):,} of {founders.ancestors:,})")
    axes.set_xlabel("share of the genome" if founders.exact else "expected share of the genome")
