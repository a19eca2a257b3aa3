"""Ancestry of individuals, from the names and parents in the generation files. No weights are read.

Breeding draws from the seed which weights come from which parent (`evolve.breeding.inheritance`). Exact shares are
computed by repeating these draws; a mean inherits from all parents. If the draws cannot be repeated, the parents are
assumed to have equal shares.

Parents are among the survivors, the first rows of their file, so these rows are read first; the whole file is read only
for other names. Names are unique only within a generation: a survivor gets a new name in the next generation, where it
has its former name as its only parent.

This module does not load numpy before it counts inherited weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from evolve.run.columns import GenerationError
from evolve.run.conditions import earlier_configs
from evolve.run.folder import Run
from evolve.run.manifest import entry_of
from evolve.run.row_index import Head, read_heads
from game.errors import InputError

if TYPE_CHECKING:
    from evolve.breeding.inheritance import Inheritance
    from evolve.config.model import Config
    from evolve.run.row_index import Head


@dataclass(frozen=True)
class Ancestor:
    """An individual in the ancestry of a descendant, or the descendant itself.

    Attributes:
        generation: its generation; for a founder 0, or the earliest generation to which its line can be followed.
        fact: its row without weights; None if its file lacks it or cannot be read, and for founders.
        share: share of the descendant's genome that comes from it, 0 to 1; 0 if not requested.
        ancestors: in a tree, its parents; empty at the maximum depth.
    """

    generation: int
    name: str
    fact: Head | None = None
    share: float = 0.0
    ancestors: tuple[Ancestor, ...] = ()


@dataclass(frozen=True)
class FounderShares:
    """The founders from which an individual descends.

    Attributes:
        shares: founders from which it inherited weights, perhaps changed by mutation, the largest share first.
        exact: whether shares are known weight by weight; otherwise parents are assumed to have equal shares.
    """

    shares: tuple[Ancestor, ...] = ()
    ancestors: int = 0
    exact: bool = False


class Pedigree:
    """The ancestry in a run. Files are read when they are needed, and their first rows are kept in memory.

    Its methods raise a GenerationError if a file is missing, truncated, or not a generation of a run.

    Args:
        survivors: number of first rows to keep in memory: the parents of the next generation.

    Attributes:
        lenient: whether a file that cannot be read counts as empty; otherwise it is an error.
        lost: errors of such files, by generation.
    """

    def __init__(self, run: Run, newest: int, survivors: int) -> None:
        self.newest, self.survivors = newest, survivors
        self.lost: dict[int, str] = {}
        self.lenient = False
        self._run = run
        self._heads: dict[int, list[Head]] = {}
        self._names: dict[int, dict[str, Head]] = {}
        self._whole: set[int] = set()  # generations whose whole files have been read

    def head(self, generation: int) -> list[Head]:
        if generation not in self._heads:
            self._heads[generation] = self._read(generation, self.survivors)
            self._names[generation] = {fact.name: fact for fact in self._heads[generation]}
        return self._heads[generation]

    def _read(self, generation: int, count: int | None = None) -> list[Head]:
        try:
            return read_heads(self._run.generation_path(generation), count)
        except GenerationError as error:
            if entry_of(self._run.path, generation) is None and self._run.manifest().entries:
                raise GenerationError(str(self._run.given_up(generation))) from error
            raise

    def chosen_by_rank(self, generation: int) -> bool:
        """Return whether the first individuals of a generation are the parents of the next one."""
        from evolve.kinds.selection import Best

        config = self._config(generation) or self._run.config(generation)
        return config.population.selection.kind == Best.kind

    def find(self, generation: int, name: str) -> Head | None:
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
            names |= {fact.name: fact for fact in self._read(generation)}
        return names.get(name)

    def find_birth(self, generation: int, name: str) -> Ancestor | None:
        """Return the individual in the generation in which it was created, before it survived under other names."""
        fact = self.find(generation, name)
        while fact is not None and fact.origin == "survivor" and len(fact.parents) == 1:
            before = self.find(generation - 1, fact.parents[0])
            if before is None:
                break
            generation, fact = generation - 1, before
        return None if fact is None else Ancestor(generation, fact.name, fact)

    def children(self, generation: int, name: str) -> list[Head]:
        """Return all individuals of the next generation that have this parent, best first, reading the whole file."""
        if not 0 <= generation < self.newest:
            return []
        return [fact for fact in self._read(generation + 1) if name in fact.parents]

    def shares(self, generation: int, names: Iterable[str]) -> tuple[list[dict[str, float]], bool]:
        """Return the ancestors by generation, with the share of each in the genomes of `names`; the shares add up to 1.

        There is a dict for each generation, back to the earliest with a known ancestor. A line ends where a file lacks
        the name. Besides, whether the shares are exact (`FounderShares.exact`).
        """
        levels = self._expected_levels(generation, names)
        exact = self._exact_levels(generation, levels)
        return exact or levels, exact is not None

    def _expected_levels(self, generation: int, names: Iterable[str]) -> list[dict[str, float]]:
        level = dict.fromkeys(names, 0.0)
        levels = [{name: 1 / len(level) for name in level}] if level else []
        while levels and generation > 0:
            before: dict[str, float] = {}
            stride = self._stride(generation)
            kept = 0.0 if stride is None else 1 - stride
            for name, share in levels[-1].items():
                parents = self._sources(generation, name)
                for at, parent in enumerate(parents):
                    part = (1 - kept) / len(parents) + (0.0 if at else kept)
                    before[parent] = before.get(parent, 0.0) + share * part
            if not before:
                break
            levels.append(before)
            generation -= 1
        return levels

    def _sources(self, generation: int, name: str) -> tuple[str, ...]:
        """Return the parents of an individual; for a mutant of a mean, the parents of the mean.

        The file gives all mutants of a mean the same single parent.
        """
        fact = self.find(generation, name)
        if fact is None:
            return ()
        config = self._config(generation)
        if fact.origin == "mutated" and config is not None and config.population.mean:
            return max((head.parents for head in self.head(generation)), key=len)
        return fact.parents

    def _exact_levels(self, generation: int, levels: list[dict[str, float]]) -> list[dict[str, float]] | None:
        """Return the levels with exact shares, from the draws of breeding; None if these are unknown."""
        import numpy as np

        config = self._config(generation)
        if config is None or not levels:
            return None
        if config.population.mean and all(self._stride(generation - back) is not None for back in range(len(levels))):
            return levels  # means mix all weights alike, so the expected shares are exact
        weights = config.network.weights
        # For each ancestor and each weight, the number of `names` that inherited this weight from it.
        held = {name: np.ones(weights, np.int64) for name in levels[0]}
        exact = levels[:1]
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
            exact.append({name: float(count.sum()) / (weights * len(levels[0])) for name, count in held.items()})
        return exact

    def _stride(self, generation: int) -> float | None:
        """Return how far the mean of a generation moves from its first parent toward the mean of all parents, 0 to 1.

        Return None if the generation has no such mean.
        """
        from evolve.kinds.optimisers.optimiser import Mean

        config = self._config(generation)
        if config is None or not isinstance(config.optimiser.kind, Mean):
            return None
        rules = config.population
        return rules.stride if rules.mean and rules.stride <= 1 else None

    @property
    def read(self) -> int:
        """The number of files that were opened."""
        return len(self._heads)

    def method(self, generation: int) -> str:
        """Return how a generation was made if its individuals were not bred from one or two parents each.

        This is ``learnt`` for a network that learns, ``mean`` for a mean of all parents, the ``optimiser.kind`` for a
        mean that an optimiser moves; otherwise empty.
        """
        config = self._config(generation)
        if config is None:
            return ""
        if config.kind.origin or not config.population.mean:
            return config.kind.origin
        return config.optimiser.kind.kind if self._stride(generation) is None else "mean"

    @cached_property
    def _configs(self) -> list[tuple[float, Config]]:
        """The configurations of the run, each with its last generation; empty if unknown, or changed by hand."""
        try:
            config = self._run.config()
            if self._run.changes_by_hand(config):
                return []
            return [(last, self._run.config(last)) for last, _ in earlier_configs(self._run.path)] + [(inf, config)]
        except (InputError, OSError):
            return []

    def _config(self, generation: int) -> Config | None:
        return next((config for last, config in self._configs if generation <= last), None)

    def _inheritance(self, generation: int, fact: Head) -> Inheritance | None:
        from evolve.breeding.inheritance import inheritance

        config = self._config(generation)
        what = None if config is None else inheritance(config, generation, fact)
        if what is not None:
            for parent, rank in zip(fact.parents, what.ranks, strict=True):
                before = self.find(generation - 1, parent)
                if before is not None and before.rank != rank + 1:
                    return None
        return what

    def founders(self, generation: int, name: str) -> FounderShares:
        return self.founders_of(generation, *self.shares(generation, [name]))

    def founders_of(self, generation: int, levels: list[dict[str, float]], exact: bool) -> FounderShares:
        founders = []
        for back, level in enumerate(levels):
            for name, share in level.items():
                fact = self.find(generation - back, name)
                if fact is None or not fact.parents or generation == back:
                    founders.append(Ancestor(generation - back, name, share=share))
        founders.sort(key=lambda founder: (-founder.share, founder.generation, founder.name))
        return FounderShares(tuple(founder for founder in founders if founder.share), len(founders), exact)

    def common_ancestor(self, generation: int, names: Sequence[str]) -> Ancestor | None:
        # Each ancestor has a bit mask of its descendants among `names`; a common ancestor has all bits.
        complete = (1 << len(names)) - 1
        heirs = {name: 1 << index for index, name in enumerate(names)}
        while heirs:
            for name, mask in heirs.items():
                fact = self.find(generation, name)
                if mask == complete and fact is not None:
                    return Ancestor(generation, fact.name, fact)
            before: dict[str, int] = {}
            for name, mask in heirs.items():
                fact = self.find(generation, name)
                for parent in fact.parents if fact is not None else ():
                    before[parent] = before.get(parent, 0) | mask
            heirs, generation = before, generation - 1
        return None

    def tree(self, generation: int, name: str, depth: int) -> Ancestor:
        """Return an individual with its parents, their parents, and so on."""
        fact = self.find(generation, name)
        # If generation 0 was bred, its parents belong to the same generation and are founders themselves.
        parents = fact.parents if fact is not None and depth > 0 and generation > 0 else ()
        ancestors = tuple(self.tree(generation - 1, parent, depth - 1) for parent in parents)
        return Ancestor(generation, name, fact, ancestors=ancestors)
