"""Individuals for DEAP: arrays with a fitness and an origin; and the hall of fame, the champions of a run.

The classes are defined here and not by DEAP's `creator`, whose classes other processes could not import. Copies of an
individual share no memory with it; slices do, so swapping slices naively would corrupt parents.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
from deap import base
from numpy.typing import ArrayLike, NDArray

from evolve.run import generation_csv
from evolve.run.append_only import HALL_OF_FAME
from evolve.run.champions import champion_lines
from evolve.run.manifest import Manifest

if TYPE_CHECKING:
    from evolve.run.folder import Run


class Fitness(base.Fitness):  # type: ignore[misc]
    """The rank of an individual in its generation, to be minimised; 1 is best."""

    weights = (-1.0,)

    def __init__(self, values: tuple[float, ...] = ()) -> None:
        # DEAP's __init__ is not called: its type check of the weights takes longer than copying an individual.
        if values:
            self.values = values

    @property
    def rank(self) -> int:
        return int(self.values[0]) if self.valid else 0


class Individual(np.ndarray):
    """A genome, float32 of shape (weights,), with its history.

    Attributes:
        origin: founder, survivor, recombined or mutated.
        parents: names in the previous generation.
        king: its value of a king, if the network evolves it.
        steps: step sizes of self-adaptive mutation, float32 of shape (weights,); else None.
        state: state of the optimiser, float32, if the individual is a mean; else None.
        points: its points in the tournament, once it has played.
    """

    name: str
    origin: str
    parents: tuple[str, ...]
    king: float
    steps: NDArray[np.float32] | None
    state: NDArray[np.float32] | None
    points: int
    fitness: Fitness

    def __new__(
        cls,
        weights: ArrayLike,
        name: str = "",
        origin: str = "founder",
        parents: tuple[str, ...] = (),
        king: float = 2.0,
        steps: ArrayLike | None = None,
        state: ArrayLike | None = None,
    ) -> Individual:
        new = np.array(weights, np.float32).view(cls)
        new.name, new.origin, new.parents, new.king, new.fitness = name, origin, parents, king, Fitness()
        new.steps = None if steps is None else np.array(steps, np.float32)
        new.state = None if state is None else np.array(state, np.float32)
        new.points = 0
        return new

    def __array_finalize__(self, source: Any) -> None:
        # numpy calls this for each view and slice, too; a new fitness says that they have not played.
        if isinstance(source, Individual) and not hasattr(self, "fitness"):
            self.name, self.origin = getattr(source, "name", ""), getattr(source, "origin", "")
            self.parents, self.king = getattr(source, "parents", ()), getattr(source, "king", 2.0)
            steps = getattr(source, "steps", None)
            self.steps = None if steps is None else steps.copy()
            self.state, self.points = None, 0
            self.fitness = Fitness()

    def __deepcopy__(self, memo: dict[int, Any] | None) -> Individual:
        copy = Individual(self, self.name, self.origin, self.parents, self.king, self.steps, self.state)
        if self.fitness.valid:
            copy.fitness.values = self.fitness.values
        return copy

    def __reduce__(self) -> Any:
        # numpy's own form would lose the attributes, so all parts are given.
        values = self.fitness.values if self.fitness.valid else ()
        parts = np.asarray(self), self.name, self.origin, self.parents, self.king, self.steps, self.state
        return _rebuilt, (values, *parts)


def _rebuilt(values: tuple[float, ...], *parts: Any) -> Individual:
    new = Individual(*parts)
    if values:
        new.fitness.values = values
    return new


class HallOfFame:
    """The champions of a run so far; champions with equal weights and king value count once.

    DEAP's own class compares a new champion with all earlier ones, so each generation of a long run would take longer.

    Args:
        genomes: whether to keep genomes, for opponents, or only names.
    """

    def __init__(self, *, genomes: bool) -> None:
        self._genomes = genomes
        self._names: dict[bytes, str] = {}
        self._players: list[Individual] = []

    def find(self, champion: Individual) -> str:
        """Return the name of the first champion with the same genome; empty if there is none."""
        return self._names.get(_key(champion), "")

    def add(self, champion: Individual) -> None:
        key = _key(champion)
        if key not in self._names:
            self._names[key] = champion.name
            if self._genomes:
                self._players.append(Individual(champion, champion.name, king=champion.king))

    def draw(self, count: int, generator: np.random.Generator) -> list[Individual]:
        """Return `count` different champions at random, or all of them if there are fewer.

        Source: Rosin and Belew, New methods for competitive coevolution (1997).
        """
        places = generator.permutation(len(self._names))[:count]
        return [self._players[-1 - int(place)] for place in places]  # places count from the newest


def _key(champion: Individual) -> bytes:
    """Return a key that is equal for champions that play alike; -0 counts as 0."""
    return hashlib.sha256((np.asarray(champion) + np.float32(0)).tobytes() + struct.pack("d", champion.king)).digest()


def champions(run: Run, known: Manifest) -> list[Individual]:
    """Return the champions of all complete generations, in order.

    Raises:
        DamagedRunError: one is not the champion of its generation.
        GenerationError: the file cannot be read.
    """
    path = run.path / HALL_OF_FAME
    rows = generation_csv.parse(b"".join(champion_lines(run, known)), str(path))
    count = known.newest + 1
    kings = np.full(count, run.network().king) if rows.kings is None else rows.kings
    made = [Individual(*each) for each in zip(rows.weights, rows.names, strict=True)]
    for champion, king in zip(made, kings, strict=True):
        champion.king, champion.fitness.values = float(king), (1.0,)
    return made
