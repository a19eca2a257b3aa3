"""Individuals for DEAP: arrays with a fitness and an origin.

The classes are defined here and not by DEAP's `creator`, whose classes other processes could not import. Copies of an
individual share no memory with it; slices do, so swapping slices naively would corrupt parents.
"""

from __future__ import annotations

import copy
import functools
from typing import Any

import numpy as np
from deap import base
from numpy.typing import ArrayLike, NDArray


class Fitness(base.Fitness):  # type: ignore[misc]
    """The fitness of an individual, by default its rank in its generation, to be minimised; 1 is best."""

    weights: tuple[float, ...] = (-1.0,)


@functools.cache
def fitness_of(weights: tuple[float, ...]) -> type[Fitness]:
    """Return the class of fitness with these weights, as `deap.creator` would make it."""
    return Fitness if weights == Fitness.weights else type("Fitness", (Fitness,), {"weights": weights})


class Individual(np.ndarray):
    """A genome, float32 of shape (weights,), with its history.

    Attributes:
        origin: founder, survivor, recombined or mutated.
        parents: names in the previous generation.
        steps: step sizes of self-adaptive mutation, float32 of shape (weights,); else None.
        state: state of the optimiser, float32, if the individual is a mean; else None.
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
        """Return an individual with a copy of the weights; the other arguments are attributes."""
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
        copied = Individual(self, self.name, self.origin, self.parents, self.king, self.steps, self.state)
        if self.fitness.valid:
            copied.fitness = copy.deepcopy(self.fitness, memo)
        return copied

    def __reduce__(self) -> Any:
        # numpy's own form would lose the attributes, so all parts are given.
        values = self.fitness.values if self.fitness.valid else ()
        parts = np.asarray(self), self.name, self.origin, self.parents, self.king, self.steps, self.state
        return _rebuilt, (self.fitness.weights, values, *parts)


def _rebuilt(weights: tuple[float, ...], values: tuple[float, ...], *parts: Any) -> Individual:
    new = Individual(*parts)
    new.fitness = fitness_of(weights)(values)
    return new
