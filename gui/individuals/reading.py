"""Slow questions about runs and individuals, for a background thread to answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.row_index import RowIndex
from gui.individuals.individual import ListedPlayer

if TYPE_CHECKING:
    from evolve.report.ancestry import Ancestor
    from evolve.report.comparison import Difference
    from evolve.report.overview import RunOverview
    from evolve.run.row_index import Head

HEADS = 64
"""Number of the first individuals of each generation that stay in memory while ancestors are looked up."""

DEPTH = 4
"""Generations of ancestors in the list of relatives."""

MOST_CHILDREN, MOST_FOUNDERS = 30, 8


@dataclass(frozen=True)
class Relation:
    """A relative of an individual.

    Attributes:
        name: its relation: parent, ancestor, child, founder, or the birth of a survivor.
        text: rank and origin; for a founder, the meaning of its share.
    """

    name: str
    individual: ListedPlayer
    text: str
    share: float | None = None


def overview(path: Path) -> RunOverview:
    """Return an overview of a run, which explains its numbers.

    Raises:
        InputError: the run cannot be read.
    """
    from evolve.report.overview import run_overview
    from evolve.run.folder import Run

    result = run_overview(Run(path))
    _ = result.findings, result.common_ancestor  # computed here, not while the window draws
    return result


def relations(path: Path, newest: int, generation: int, name: str) -> list[Relation]:
    """List the relatives of an individual: ancestors, its birth, children, founders.

    Raises:
        GenerationError: a generation cannot be read.
    """
    from evolve.report.ancestry import Pedigree
    from evolve.run.folder import Run

    pedigree = Pedigree(Run(path), newest, HEADS)
    tree = pedigree.tree(generation, name, DEPTH)
    related = [relation for parent in tree.ancestors for relation in _ancestors(path, parent, 0)]
    born = pedigree.find_birth(generation, name)
    if born is not None and born.fact is not None and born.generation != generation:
        birth = ListedPlayer(path, born.generation, born.name)
        related.append(Relation("Born as", birth, born.fact.origin))
    for head in pedigree.children(generation, name)[:MOST_CHILDREN]:
        related.append(Relation("Child", ListedPlayer(path, generation + 1, head.name), _rank_and_origin(head)))
    founders = pedigree.founders(generation, name)
    if generation:
        text = "The shares of founders are expected values."
        if founders.exact:
            text = f"It has weights of {len(founders.shares)} of {founders.ancestors} ancestors in generation 0."
        for founder in founders.shares[:MOST_FOUNDERS]:
            individual = ListedPlayer(path, founder.generation, founder.name)
            related.append(Relation("Founder", individual, text, founder.share))
    return related


def _ancestors(path: Path, ancestor: Ancestor, depth: int) -> list[Relation]:
    text = "not in the file" if ancestor.fact is None else _rank_and_origin(ancestor.fact)
    name = "· " * depth + (("Parent", "Grandparent")[depth] if depth < 2 else "Ancestor")
    further = [relation for parent in ancestor.ancestors for relation in _ancestors(path, parent, depth + 1)]
    return [Relation(name, ListedPlayer(path, ancestor.generation, ancestor.name), text), *further]


def _rank_and_origin(head: Head) -> str:
    return f"rank {head.rank}, {head.origin}" if head.origin else f"rank {head.rank}"


def read_index(path: Path, checksums: tuple[str, ...]) -> RowIndex:
    """Read a whole file; `damage` of the result says whether the file is still as its session wrote it."""
    index = RowIndex(path, checksums)
    while index.step():
        pass
    return index


@dataclass(frozen=True)
class RunComparison:
    """The differences between two runs.

    Attributes:
        same: number of generations, from 0 on, with equal checksums.
        at: the newest generation that both have, to which `results` refers.
    """

    names: tuple[str, str]
    same: int
    at: int
    configuration: tuple[Difference, ...]
    whole: tuple[Difference, ...]
    results: tuple[Difference, ...]


def compare_runs(first: Path, second: Path) -> RunComparison:
    """Compare two runs.

    Raises:
        InputError: one of them cannot be read.
    """
    from evolve.report import comparison
    from evolve.report.overview import run_overview
    from evolve.run.folder import Run

    a, b = run_overview(Run(first)), run_overview(Run(second))
    results = comparison.results(a, b)
    return RunComparison(
        (first.name, second.name),
        comparison.same_generations(a, b),
        min(a.newest, b.newest),
        tuple(comparison.configurations(a.config, b.config)),
        tuple(difference for difference in results if difference.name in comparison.WHOLE),
        tuple(difference for difference in results if difference.name not in comparison.WHOLE),
    )
