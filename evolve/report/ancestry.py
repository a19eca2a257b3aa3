"""Ancestry of individuals, from the names and parents in the generation files; no weights are read.

Whose weights an individual has is drawn again from the seed, as breeding drew it (`evolve.breeding.inheritance`); of a
mean all parents have their part. Where neither is known, each parent is expected to have given the same share.

Parents are among the survivors, the first rows of their file, so those are read at first; a name that is not among
them is looked for in the whole file. Names mean one individual within one generation only: a survivor gets a new name
in the next, and is its own parent there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evolve.run.facts import read_facts
from evolve.run.folder import RunFolder
from evolve.run.row_index import Head
from game.errors import InputError

if TYPE_CHECKING:
    from evolve.breeding.inheritance import Inheritance
    from evolve.config.model import Config

MAX_DEPTH = 6
"""Generations of a tree; with two parents each it has at most 127 places."""


@dataclass(frozen=True)
class Member:
    """An individual and the generation that it is of."""

    generation: int
    fact: Head


@dataclass(frozen=True)
class Founder:
    """An individual without known parents, the beginning of a line of ancestors.

    Attributes:
        generation: 0, or where the line is lost because a file does not hold the name.
        name: of the individual.
        share: of the genome that comes from it, from 0 to 1.
    """

    generation: int
    name: str
    share: float


@dataclass(frozen=True)
class Founders:
    """Where the lines of an individual begin.

    Attributes:
        shares: those whose weights are in it, changed by mutation or not, the largest share first.
        ancestors: how many lines begin, also those of which no weight is left.
        exact: whether the shares are what breeding drew; otherwise each parent is expected to have given the same.
    """

    shares: tuple[Founder, ...] = ()
    ancestors: int = 0
    exact: bool = False


@dataclass(frozen=True)
class Ancestor:
    """A place in a tree of ancestors.

    Attributes:
        generation: of the individual.
        name: of the individual.
        fact: None if its file does not hold it.
        parents: their places; empty at the depth that was asked for.
    """

    generation: int
    name: str
    fact: Head | None
    parents: tuple[Ancestor, ...]


class Pedigree:
    """The ancestry of a run. Files are read when they are needed, and their first rows are kept.

    Args:
        run: the run.
        newest: its newest complete generation.
        survivors: individuals at the head of each file that are kept, the parents of the next generation.
    """

    def __init__(self, run: RunFolder, newest: int, survivors: int) -> None:
        self.newest, self.survivors = newest, survivors
        self._run = run
        self._heads: dict[int, list[Head]] = {}
        self._names: dict[int, dict[str, Head]] = {}
        self._whole: set[int] = set()  # generations all of whose names are known

    def head(self, generation: int) -> list[Head]:
        """The first individuals of a generation, best first.

        Raises:
            GenerationError: the file is missing, cut, or no generation of a run.
        """
        if generation not in self._heads:
            self._heads[generation] = read_facts(self._run.generation_path(generation), self.survivors)
            self._names[generation] = {fact.name: fact for fact in self._heads[generation]}
        return self._heads[generation]

    def origins(self, generation: int) -> Counter[str]:
        """Individuals of a whole generation by origin; reads the whole file.

        Raises:
            GenerationError: as `head`.
        """
        return Counter(fact.origin for fact in read_facts(self._run.generation_path(generation)))

    def find(self, generation: int, name: str) -> Head | None:
        """An individual by name; None if the generation has none of this name.

        Raises:
            GenerationError: as `head`.
        """
        if not 0 <= generation <= self.newest:
            return None
        self.head(generation)
        names = self._names[generation]
        if name not in names and len(self._heads[generation]) == self.survivors and generation not in self._whole:
            self._whole.add(generation)
            names |= {fact.name: fact for fact in read_facts(self._run.generation_path(generation))}
        return names.get(name)

    def find_birth(self, generation: int, name: str) -> Member | None:
        """The individual in the generation in which it came about, before it survived under other names.

        Raises:
            GenerationError: as `head`.
        """
        fact = self.find(generation, name)
        while fact is not None and fact.origin == "survivor" and len(fact.parents) == 1:
            before = self.find(generation - 1, fact.parents[0])
            if before is None:
                break
            generation, fact = generation - 1, before
        return None if fact is None else Member(generation, fact)

    def children(self, generation: int, name: str) -> list[Head]:
        """All individuals of the next generation with this parent, best first; reads the whole file.

        Raises:
            GenerationError: as `head`.
        """
        if not 0 <= generation < self.newest:
            return []
        return [fact for fact in read_facts(self._run.generation_path(generation + 1)) if name in fact.parents]

    def levels(self, generation: int, names: Iterable[str]) -> list[dict[str, float]]:
        """Ancestors by generation, and the share of each in the genomes of `names` (all together 1).

        Returns:
            One dict for each generation from `generation` down to the last in which somebody is known; the first is
            `names` themselves. A line ends where a file does not hold the name.

        Raises:
            GenerationError: as `head`.
        """
        levels = self._expected_levels(generation, names)
        return self._exact_levels(generation, levels) or levels

    def _expected_levels(self, generation: int, names: Iterable[str]) -> list[dict[str, float]]:
        """The levels if each parent gave the same share, but for what a mean keeps of the first."""
        kept = 1 - self._stride if self._stride is not None else 0.0
        level = dict.fromkeys(names, 0.0)
        found = [{name: 1 / len(level) for name in level}] if level else []
        while found and generation > 0:
            before: dict[str, float] = {}
            for name, share in found[-1].items():
                parents = self._sources(generation, name)
                for at, parent in enumerate(parents):
                    part = (1 - kept) / len(parents) + (0.0 if at else kept)
                    before[parent] = before.get(parent, 0.0) + share * part
            if not before:
                break
            found.append(before)
            generation -= 1
        return found

    def _sources(self, generation: int, name: str) -> tuple[str, ...]:
        """Of whom somebody was made: its parents, and, of a mutant of a mean, all of whom that was the mean.

        The file names one parent for all those mutants.
        """
        fact = self.find(generation, name)
        if fact is None:
            return ()
        if fact.origin == "mutated" and self._config is not None and self._config.population.mean:
            return max((each.parents for each in self.head(generation)), key=len)
        return fact.parents

    def _exact_levels(self, generation: int, levels: list[dict[str, float]]) -> list[dict[str, float]] | None:
        """The same levels with the shares that breeding drew; None if they are not known."""
        if self._config is None or not levels:
            return None
        if self._stride is not None:
            return levels  # without cuts there is nothing to expect
        weights = self._config.network.weights
        held = {name: np.ones(weights, np.int64) for name in levels[0]}  # by how many each weight is had from somebody
        found = levels[:1]
        for back, level in enumerate(levels[1:]):
            passed = {name: np.zeros(weights, np.int64) for name in level}
            for name, count in held.items():
                fact = self.find(generation - back, name)
                if fact is None or not fact.parents or not count.any():
                    continue
                what = self._inheritance(generation - back, fact)
                if what is None:
                    return None
                passed[fact.parents[0]] += np.where(what.first, count, 0)
                passed[fact.parents[-1]] += np.where(what.first, 0, count)
            held = passed
            found.append({name: float(count.sum()) / (weights * len(levels[0])) for name, count in held.items()})
        return found

    @cached_property
    def _stride(self) -> float | None:
        """How far towards the mean of all parents a generation goes from the first; None if it makes no such mean."""
        from evolve.kinds.optimisers.mean import Mean

        if self._config is None or not isinstance(self._config.optimiser.kind, Mean):
            return None
        rules = self._config.population
        return rules.stride if rules.mean and rules.stride <= 1 else None

    @cached_property
    def _config(self) -> Config | None:
        """What the run was bred by; None if that is not known, or was changed since."""
        try:
            config = self._run.config()
            return None if self._run.changes_by_hand(config) else config
        except (InputError, OSError):
            return None

    def _inheritance(self, generation: int, fact: Head) -> Inheritance | None:
        """What an individual has from whom; None if that is not known."""
        from evolve.breeding.inheritance import inheritance

        what = None if self._config is None else inheritance(self._config, generation, fact)
        if what is not None:
            for parent, rank in zip(fact.parents, what.ranks, strict=True):
                before = self.find(generation - 1, parent)
                if before is not None and before.rank != rank + 1:
                    return None
        return what

    def founders(self, generation: int, name: str) -> Founders:
        """Where the lines of an individual begin.

        Raises:
            GenerationError: as `head`.
        """
        expected = self._expected_levels(generation, [name])
        exact = self._exact_levels(generation, expected)
        found = []
        for back, level in enumerate(exact or expected):
            for each, share in level.items():
                fact = self.find(generation - back, each)
                if fact is None or not fact.parents or generation == back:
                    found.append(Founder(generation - back, each, share))
        found.sort(key=lambda founder: (-founder.share, founder.generation, founder.name))
        return Founders(tuple(founder for founder in found if founder.share), len(found), exact is not None)

    def common_ancestor(self, generation: int, names: Sequence[str]) -> Member | None:
        """The most recent common ancestor of `names`, which may be one of them; None if there is none.

        Raises:
            GenerationError: as `head`.
        """
        everybody = (1 << len(names)) - 1
        heirs = {name: 1 << index for index, name in enumerate(names)}
        while heirs:
            for name, mask in heirs.items():
                fact = self.find(generation, name)
                if mask == everybody and fact is not None:
                    return Member(generation, fact)
            before: dict[str, int] = {}
            for name, mask in heirs.items():
                fact = self.find(generation, name)
                for parent in fact.parents if fact is not None else ():
                    before[parent] = before.get(parent, 0) | mask
            heirs, generation = before, generation - 1
        return None

    def tree(self, generation: int, name: str, depth: int) -> Ancestor:
        """An individual with its parents, their parents, and so on.

        Args:
            generation: of the individual.
            name: of the individual.
            depth: generations of parents, at most `MAX_DEPTH`.

        Raises:
            GenerationError: as `head`.
        """
        fact = self.find(generation, name)
        # A generation 0 that was bred has parents within itself, and they are founders like it.
        parents = fact.parents if fact is not None and depth > 0 and generation > 0 else ()
        next_depth = min(depth, MAX_DEPTH) - 1
        return Ancestor(generation, name, fact, tuple(self.tree(generation - 1, each, next_depth) for each in parents))
