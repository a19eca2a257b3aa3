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
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from evolve.kinds.selection import Best
from evolve.report.findings import RECOMBINED_MUTANT
from evolve.run.columns import GenerationError
from evolve.run.conditions import earlier_configs
from evolve.run.folder import Run
from evolve.run.row_index import Head, read_heads
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


def way(fact: Head) -> str:
    """Return how an individual was made: its origin, but of a mutant of a recombined child both ways."""
    return RECOMBINED_MUTANT if fact.origin == "mutated" and len(fact.parents) > 1 else fact.origin


class Pedigree:
    """The ancestry of a run. Files are read when they are needed, and their first rows are kept.

    Args:
        run: the run.
        newest: its newest complete generation.
        survivors: individuals at the head of each file that are kept, the parents of the next generation.

    Attributes:
        lenient: whether nobody is found in a file that cannot be read; otherwise that is an error.
        lost: what is wrong with such files, by generation.
    """

    def __init__(self, run: Run, newest: int, survivors: int) -> None:
        self.newest, self.survivors = newest, survivors
        self.lost: dict[int, str] = {}
        self.lenient = False
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
            self._heads[generation] = read_heads(self._run.generation_path(generation), self.survivors)
            self._names[generation] = {fact.name: fact for fact in self._heads[generation]}
        return self._heads[generation]

    def chosen_by_rank(self, generation: int) -> bool:
        """Return whether the first individuals of a generation are the parents of the next one."""
        config = self._config(generation) or self._run.config(generation)
        return config.population.selection.kind == Best.kind

    def ways(self, generation: int) -> Counter[str]:
        """Count the individuals of a whole generation by `way`; reads the whole file.

        Raises:
            GenerationError: as `head`.
        """
        return Counter(way(fact) for fact in read_heads(self._run.generation_path(generation)))

    def find(self, generation: int, name: str) -> Head | None:
        """An individual by name; None if the generation has none of this name.

        Raises:
            GenerationError: as `head`.
        """
        if not 0 <= generation <= self.newest:
            return None
        try:
            return self._find(generation, name)
        except GenerationError as error:
            if not self.lenient:
                raise
            self.lost[generation] = str(error)
            self._whole.add(generation)
            self._heads.setdefault(generation, [])
            return self._names.setdefault(generation, {}).get(name)

    def _find(self, generation: int, name: str) -> Head | None:
        self.head(generation)
        names = self._names[generation]
        if name not in names and len(self._heads[generation]) == self.survivors and generation not in self._whole:
            self._whole.add(generation)
            names |= {fact.name: fact for fact in read_heads(self._run.generation_path(generation))}
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
        return [fact for fact in read_heads(self._run.generation_path(generation + 1)) if name in fact.parents]

    def levels(self, generation: int, names: Iterable[str]) -> list[dict[str, float]]:
        """Ancestors by generation, and the share of each in the genomes of `names` (all together 1).

        Returns:
            One dict for each generation from `generation` down to the last in which somebody is known; the first is
            `names` themselves. A line ends where a file does not hold the name.

        Raises:
            GenerationError: as `head`.
        """
        return self.shares(generation, names)[0]

    def shares(self, generation: int, names: Iterable[str]) -> tuple[list[dict[str, float]], bool]:
        """The same, and whether the shares are what breeding drew (`Founders.exact`)."""
        levels = self._expected_levels(generation, names)
        exact = self._exact_levels(generation, levels)
        return exact or levels, exact is not None

    def _expected_levels(self, generation: int, names: Iterable[str]) -> list[dict[str, float]]:
        """The levels if each parent gave the same share, but for what a mean keeps of the first."""
        level = dict.fromkeys(names, 0.0)
        found = [{name: 1 / len(level) for name in level}] if level else []
        while found and generation > 0:
            before: dict[str, float] = {}
            stride = self._stride(generation)
            kept = 0.0 if stride is None else 1 - stride
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
        config = self._config(generation)
        if fact.origin == "mutated" and config is not None and config.population.mean:
            return max((each.parents for each in self.head(generation)), key=len)
        return fact.parents

    def _exact_levels(self, generation: int, levels: list[dict[str, float]]) -> list[dict[str, float]] | None:
        """The same levels with the shares that breeding drew; None if they are not known."""
        config = self._config(generation)
        if config is None or not levels:
            return None
        if config.population.mean and all(self._stride(generation - back) is not None for back in range(len(levels))):
            return levels  # without cuts there is nothing to expect
        weights = config.network.weights
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

    def _stride(self, generation: int) -> float | None:
        """How far towards the mean of all parents a generation goes from the first; None if it makes no such mean."""
        from evolve.kinds.optimisers.optimiser import Mean

        config = self._config(generation)
        if config is None or not isinstance(config.optimiser.kind, Mean):
            return None
        rules = config.population
        return rules.stride if rules.mean and rules.stride <= 1 else None

    @property
    def read(self) -> int:
        """How many files were opened."""
        return len(self._heads)

    def method(self, generation: int) -> str:
        """How a generation came about where it was not bred from pairs of parents, or from one each.

        ``learnt`` of a network that learns, ``mean`` of a mean of all parents, an ``optimiser.kind`` that moves a mean;
        else empty.
        """
        config = self._config(generation)
        if config is None or not (config.learns or config.population.mean):
            return ""
        if config.learns:
            return "learnt"
        return config.optimiser.kind.kind if self._stride(generation) is None else "mean"

    @cached_property
    def _configs(self) -> list[tuple[float, Config]]:
        """What the run was bred by, each with the last generation it is of; none if not known, or changed since."""
        try:
            config = self._run.config()
            if self._run.changes_by_hand(config):
                return []
            return [(last, self._run.config(last)) for last, _ in earlier_configs(self._run.path)] + [(inf, config)]
        except (InputError, OSError):
            return []

    def _config(self, generation: int) -> Config | None:
        """What a generation was bred by; None if that is not known."""
        return next((config for last, config in self._configs if generation <= last), None)

    def _inheritance(self, generation: int, fact: Head) -> Inheritance | None:
        """What an individual has from whom; None if that is not known."""
        from evolve.breeding.inheritance import inheritance

        config = self._config(generation)
        what = None if config is None else inheritance(config, generation, fact)
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
        return self.founders_of(generation, *self.shares(generation, [name]))

    def founders_of(self, generation: int, levels: list[dict[str, float]], exact: bool) -> Founders:
        """Where the lines of `shares` begin."""
        found = []
        for back, level in enumerate(levels):
            for each, share in level.items():
                fact = self.find(generation - back, each)
                if fact is None or not fact.parents or generation == back:
                    found.append(Founder(generation - back, each, share))
        found.sort(key=lambda founder: (-founder.share, founder.generation, founder.name))
        return Founders(tuple(founder for founder in found if founder.share), len(found), exact)

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
