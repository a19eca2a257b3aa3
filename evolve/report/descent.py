"""The ancestors of an individual row by row, as a family tree is drawn; no weights are read.

A row is a generation. Where generations are bred around a mean, everybody in one is made from that mean, whether files
name it as a parent or not, so it stands first in its row, and only it has parents in the next one. Plain Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolve.report.ancestry import Founders, Pedigree
    from evolve.run.row_index import Head

SWEEPS = 4
"""Times that rows are ordered by their neighbours, so that few lines cross."""

NO_MEAN = ("", "learnt")
"""Methods that breed around no mean."""

Edges = Sequence[tuple[str, str]]
"""Names of children, and of their parents in the next row."""


@dataclass(frozen=True)
class Forebear:
    """An individual in a row.

    Attributes:
        name: of it.
        fact: what its file says of it; None if that does not hold it, or cannot be read.
        share: of the genome that is had from it, 0 to 1; 0 also of a mean that is no parent by name.
        parents: names in the next row.
        is_mean: whether everybody else of its generation is made from it.
    """

    name: str
    fact: Head | None
    share: float
    parents: tuple[str, ...] = ()
    is_mean: bool = False

    @property
    def only_survived(self) -> bool:
        """Whether it is somebody of the generation before, under a new name."""
        return self.fact is not None and self.fact.origin == "survivor" and len(self.parents) == 1


@dataclass(frozen=True)
class Descent:
    """Where an individual comes from.

    Attributes:
        generation: of the individual.
        rows: from itself back to the earliest ancestors that are known.
        founders: where its lines begin.
        method: `evolve.report.ancestry.Pedigree.method` of the individual's generation.
        lost: why a file of these generations cannot be read, by generation.
    """

    generation: int
    rows: tuple[tuple[Forebear, ...], ...]
    founders: Founders
    method: str
    lost: dict[int, str]

    @property
    def is_line(self) -> bool:
        """Whether nobody has two parents."""
        return all(len(row) == 1 for row in self.rows)


def descend(pedigree: Pedigree, generation: int, name: str) -> Descent:
    """Follow the ancestors of an individual back to the beginning.

    Raises:
        GenerationError: of a pedigree that is not lenient, a file cannot be read.
    """
    levels, exact = pedigree.shares(generation, [name])
    methods = [pedigree.method(generation - back) for back in range(len(levels))]
    rows = []
    for back, level in enumerate(levels):
        below = levels[back + 1] if back + 1 < len(levels) else {}
        row = [_forebear(pedigree, generation - back, each, share, below) for each, share in level.items()]
        rows.append(row if methods[back] in NO_MEAN else _around_mean(pedigree, generation - back, row, below))
    names = [[each.name for each in row] for row in rows]
    edges = [[(each.name, parent) for each in row for parent in each.parents] for row in rows[:-1]]
    orders = ordered(names, edges)
    placed = []
    for row, order, method in zip(rows, orders, methods, strict=True):
        known = {each.name: each for each in row}
        placed.append([known[name] for name in order] if method in NO_MEAN else row)
    founders = pedigree.founders_of(generation, levels, exact)
    return Descent(generation, tuple(map(tuple, placed)), founders, methods[0], dict(pedigree.lost))


def children_of(pedigree: Pedigree, generation: int, name: str) -> list[Head]:
    """Individuals of the next generation that come from one, best first; around a mean that mean, from which all come.

    Reads the whole file.

    Raises:
        GenerationError: it cannot be read.
    """
    if generation >= pedigree.newest:
        return []
    if pedigree.method(generation + 1) in NO_MEAN:
        return pedigree.children(generation, name)
    mean = pedigree.head(generation + 1)[0]
    return [mean] if name in (pedigree.head(generation)[0].name, *mean.parents) else []


def _forebear(pedigree: Pedigree, generation: int, name: str, share: float, below: dict[str, float]) -> Forebear:
    fact = pedigree.find(generation, name)
    parents = () if fact is None else tuple(each for each in fact.parents if each in below)
    return Forebear(name, fact, share, parents)


def _around_mean(pedigree: Pedigree, generation: int, row: list[Forebear], below: dict[str, float]) -> list[Forebear]:
    """A row with its mean in front, which alone has parents."""
    if row[0].fact is None:
        return row
    mean = pedigree.head(generation)[0]
    share = next((each.share for each in row if each.name == mean.name), 0.0)
    parents = tuple(each for each in mean.parents if each in below)
    first = Forebear(mean.name, mean, share, parents, is_mean=True)
    return [first, *(Forebear(each.name, each.fact, each.share) for each in row if each.name != mean.name)]


def ordered(rows: Sequence[Sequence[str]], edges: Sequence[Edges]) -> list[list[str]]:
    """Each row in an order in which few lines cross, by the mean place of those whom one is joined with.

    Args:
        rows: names.
        edges: between each row and the next one.

    Source: Sugiyama, Tagawa, Toda, Methods for visual understanding of hierarchical system structures (1981).
    """
    orders = [list(row) for row in rows]
    for sweep in range(SWEEPS):
        for back in range(len(edges)) if sweep % 2 == 0 else reversed(range(len(edges))):
            pairs = edges[back] if sweep % 2 else [(parent, child) for child, parent in edges[back]]
            fixed, moved = (back, back + 1) if sweep % 2 == 0 else (back + 1, back)
            place = {each: number for number, each in enumerate(orders[fixed])}
            near: dict[str, list[int]] = {each: [] for each in orders[moved]}
            for mover, other in pairs:
                near[mover].append(place[other])
            old = {each: number for number, each in enumerate(orders[moved])}
            mean = {each: sum(at) / len(at) if at else float(old[each]) for each, at in near.items()}
            orders[moved].sort(key=lambda each: (mean[each], old[each]))
    return orders
