"""Ancestry of individuals, from the names and parents in the generation files; no weights are read.

Parents are among the survivors, the first rows of their file, so those are read at first; a name that is not among
them is looked for in the whole file. Names mean one individual within one generation only: a survivor gets a new name
in the next, and is its own parent there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evolve.run.facts import read_facts
from evolve.run.folder import RunFolder
from evolve.run.row_index import Head

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
        share: of the genome that is expected to come from it, from 0 to 1: each parent gives half.
    """

    generation: int
    name: str
    share: float


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
        if name not in names and len(names) == self.survivors:
            for fact in read_facts(self._run.generation_path(generation)):
                if fact.name == name:
                    names[name] = fact
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
        level = dict.fromkeys(names, 0.0)
        found = [{name: 1 / len(level) for name in level}] if level else []
        while found and generation > 0:
            before: dict[str, float] = {}
            for name, share in found[-1].items():
                fact = self.find(generation, name)
                for parent in fact.parents if fact is not None else ():
                    before[parent] = before.get(parent, 0.0) + share / len(fact.parents)  # type: ignore[union-attr]
            if not before:
                break
            found.append(before)
            generation -= 1
        return found

    def founders(self, generation: int, name: str) -> list[Founder]:
        """Where the lines of an individual begin, the largest share first.

        Raises:
            GenerationError: as `head`.
        """
        found = []
        for back, level in enumerate(self.levels(generation, [name])):
            for each, share in level.items():
                fact = self.find(generation - back, each)
                if fact is None or not fact.parents or generation == back:
                    found.append(Founder(generation - back, each, share))
        return sorted(found, key=lambda founder: (-founder.share, founder.generation, founder.name))

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
