"""What takes a while to find out about runs and individuals, in the background: warnings, ancestors, differences."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.row_index import RowIndex

if TYPE_CHECKING:
    from evolve.report.ancestry import Ancestor, Pedigree
    from evolve.report.comparison import Difference
    from evolve.report.overview import RunOverview
    from evolve.run.row_index import Head

HEADS = 64
"""Individuals at the head of each generation that are kept while ancestors are looked for."""

DEPTH = 4
"""Generations of ancestors that are shown."""

MOST_CHILDREN, MOST_FOUNDERS = 30, 8


@dataclass(frozen=True)
class Relative:
    """Somebody whom an individual descends from, or who descends from it.

    Attributes:
        relation: parent, ancestor, child, founder, or where its line came about.
        indent: how far down the tree of ancestors.
        generation: of the relative.
        name: of the relative.
        told: rank and origin in words; of a founder what its share is and how many there are.
        share: of a founder, of the genome; None of others.
    """

    relation: str
    indent: int
    generation: int
    name: str
    told: str
    share: float | None = None


def overview(path: Path) -> RunOverview:
    """What a run's numbers mean.

    Raises:
        InputError: it cannot be read; the text says why.
    """
    from evolve.report.overview import run_overview
    from evolve.run.folder import Run

    found = run_overview(Run(path))
    _ = found.findings  # found out here, not while the window draws
    _ = found.common_ancestor
    return found


def family(path: Path, newest: int, generation: int, name: str) -> list[Relative]:
    """The relatives of an individual: parents and theirs, children, where it came about, founders.

    Raises:
        GenerationError: a generation cannot be read; the text says why.
    """
    from evolve.report.ancestry import Pedigree
    from evolve.run.folder import Run

    pedigree = Pedigree(Run(path), newest, HEADS)
    tree = pedigree.tree(generation, name, DEPTH)
    found = [each for parent in tree.ancestors for each in _ancestors(parent, 0)]
    born = pedigree.find_birth(generation, name)
    if born is not None and born.fact is not None and born.generation != generation:
        found.append(Relative("Born as", 0, born.generation, born.name, born.fact.origin))
    found += _children(pedigree, generation, name)
    founders = pedigree.founders(generation, name)
    if generation:
        told = "Shares of founders are expected ones."
        if founders.exact:
            told = f"It has weights of {len(founders.shares)} of {founders.ancestors} ancestors in generation 0."
        for each in founders.shares[:MOST_FOUNDERS]:
            found.append(Relative("Founder", 0, each.generation, each.name, told, each.share))
    return found


def _ancestors(place: Ancestor, depth: int) -> list[Relative]:
    told = "not in the file" if place.fact is None else _told(place.fact)
    relation = ("Parent", "Grandparent")[depth] if depth < 2 else "Ancestor"
    rest = [each for parent in place.ancestors for each in _ancestors(parent, depth + 1)]
    return [Relative(relation, depth, place.generation, place.name, told), *rest]


def _children(pedigree: Pedigree, generation: int, name: str) -> list[Relative]:
    children = pedigree.children(generation, name)
    return [Relative("Child", 0, generation + 1, fact.name, _told(fact)) for fact in children[:MOST_CHILDREN]]


def _told(fact: Head) -> str:
    return f"rank {fact.rank}, {fact.origin}" if fact.origin else f"rank {fact.rank}"


def read_index(path: Path, checksums: tuple[str, ...]) -> RowIndex:
    """A file read to its end; its `damage` tells whether it is what its session wrote."""
    index = RowIndex(path, checksums)
    while index.step():
        pass
    return index


@dataclass(frozen=True)
class RunComparison:
    """Two runs, only what differs.

    Attributes:
        names: of the runs.
        same: generations from 0 on that are the same, by their checksums.
        at: the newest generation that both have, of which the results are.
        configuration: differences of the configurations.
        whole: differences of the runs as a whole.
        results: differences of the results.
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
        InputError: one of them cannot be read; the text says why.
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
        tuple(each for each in results if each.name in comparison.WHOLE),
        tuple(each for each in results if each.name not in comparison.WHOLE),
    )


def champion(path: Path, generation: int) -> tuple[str, tuple[float, ...]]:
    """Name and weights of a champion whose generation has not kept weights.

    Raises:
        GenerationError: the hall of fame cannot be read.
    """
    from evolve.run.champions import read_champions

    found = read_champions(path, [generation])[0]
    return found.name, tuple(found.weights.tolist())
