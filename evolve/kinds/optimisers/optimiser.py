"""Optimisers make the next generation around a mean from the results of the last one.

The newest mean holds everything that an optimiser keeps from one generation to the next: the weights of the mean, and
`Individual.state`. An optimiser computes elementwise in float64, sums in a fixed order, and rounds once to float32, the
precision of the files. So a resumed run produces the same bytes on any processor.
"""

from __future__ import annotations

import copy
import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic

import numpy as np
from numpy.typing import NDArray

from evolve.kinds.kind import Kind, number, whole
from evolve.kinds.pairing import Indexes
from evolve.kinds.variation import HUGE, MAX_HALVING, TINY, G, exponential, mean_of, with_king

Floats = NDArray[np.float64]
Mutate = Callable[[Any, np.random.Generator, int], tuple[Any]]
"""`Mutation.mutate` of the mutation that a configuration names."""


@dataclass(frozen=True)
class RankedGeneration(Generic[G]):
    """A generation around a mean, ranked by its games.

    Attributes:
        places: int64 of shape (individuals,), the index of each in its generation: 0 is the mean, 1 and 2 are mirror
            images of each other, as are 3 and 4, and so on.
        points: int64 of shape (individuals,).
        parents: number of individuals that form the next mean, including the current one.
    """

    ranked: Sequence[G]
    places: Indexes
    points: Indexes
    parents: int
    stride: float

    @property
    def mean(self) -> G:
        return self.ranked[0]

    @cached_property
    def moves(self) -> Floats:
        """The difference of each mutant from the mean, float64 of shape (mutants, weights), by place."""
        # By place, not by rank: sums over mutants are then added in the same order whatever the results.
        rows = np.empty((len(self.ranked) - 1, len(self.mean)))
        for place, one in zip(self.places[1:], self.ranked[1:], strict=True):
            rows[place - 1] = one
        return rows - np.asarray(self.mean, np.float64)

    @cached_property
    def rank_weights(self) -> Floats:
        """Recombination weights of the parents, best first; float64 of shape (parents - 1,), with sum 1.

        Source: Hansen, The CMA evolution strategy: a tutorial (2016): log(parents + 1/2) - log(rank).
        """
        best = max(self.parents - 1, 1)
        raw = logarithm(np.array([best + 0.5])) - logarithm(np.arange(1.0, best + 1))
        return np.asarray(raw / math.fsum(raw))

    @cached_property
    def weights(self) -> Floats:
        """Recombination weight of each mutant, float64 of shape (mutants,), by place.

        Mutants with equal points share their weights equally, so mirror images with equal points cancel each other out.
        """
        mutants = len(self.ranked) - 1
        # Ranks within equal points are accidents of sorting; each run of equal points shares what its ranks would get.
        by_rank = np.zeros(mutants)
        by_rank[: len(self.rank_weights)] = self.rank_weights
        points = self.points[1:]
        ends = [0, *(np.flatnonzero(np.diff(points)) + 1).tolist(), mutants]
        weights = np.empty(mutants)
        for start, end in itertools.pairwise(ends):
            weights[self.places[1 + start : 1 + end] - 1] = math.fsum(by_rank[start:end]) / (end - start)
        return weights

    @cached_property
    def kings(self) -> Floats:
        """The difference of each mutant's king value from the mean's, by place."""
        kings = np.empty(len(self.ranked) - 1)
        kings[self.places[1:] - 1] = [one.king - self.mean.king for one in self.ranked[1:]]
        return kings


@dataclass(frozen=True)
class Optimiser(Kind, ABC):
    """The rule that makes the next mean from the results of a generation around a mean, and draws its mutants.

    Attributes:
        mutates: whether the mutation of `[variation]` makes its mutants; otherwise the optimiser draws them itself.
        obtained: how its networks are obtained, in the words of `Config.obtained`.
    """

    kinds: ClassVar = {}
    gone: ClassVar = {"genes": {"obtained": "by own searches, with a gradient"}, "cma-es": {}, "sep-cma-es": {}}
    mutates: ClassVar[bool] = False
    obtained: ClassVar[str] = "by games alone"

    def state_size(self, weights: int) -> int:
        """Return the number of values that it keeps in addition to the mean, for genomes of this many weights."""
        return 0

    def problem(self, weights: int) -> str:
        """Return why it cannot work: too many weights, or contradicting values; empty if it can."""
        return ""

    @abstractmethod
    def begin(self, founder: G) -> G:
        """Return the mean of generation 0: a copy of a random genome, with a state."""

    @abstractmethod
    def tell(self, last: RankedGeneration[G]) -> G:
        """Return the mean of the next generation, with its state; the last generation is not changed."""

    @abstractmethod
    def ask(self, mean: G, generator: np.random.Generator, generation: int, mutate: Mutate) -> G:
        """Return a mutant of the mean as a new genome; its mirror image is made elsewhere."""


@dataclass(frozen=True)
class Distribution(Optimiser):
    """An optimiser that draws its mutants from a normal distribution whose mean and step sizes it adapts."""

    step: float = number(0.1, 1e-6, 1e6, "step size of every weight in generation 0")
    halving: int = whole(0, 0, MAX_HALVING, "generations in which step sizes halve, too (0: they are only learnt)")
    step_low: float = number(0.0, 0.0, 1e6, "smallest step size (0: no bound)")
    rate: float = number(1.0, 0.0, 10.0, "how fast step sizes are learnt (1: as in the source, 0: not at all)")

    def problem(self, weights: int) -> str:
        if self.step >= self.step_low:
            return ""
        return f"optimiser.step: expected at least optimiser.step_low = {self.step_low}, got {self.step}"

    @abstractmethod
    def first_state(self, weights: int) -> Floats:
        """Return the state of generation 0."""

    @abstractmethod
    def next_state(self, state: Floats, last: RankedGeneration[G]) -> Floats:
        """Return the state after a generation that was drawn with the given state."""

    @abstractmethod
    def draw(self, state: Floats, numbers: Floats) -> Floats:
        """Return the difference of a mutant from the mean, from normally distributed numbers; float64, (weights,)."""

    def begin(self, founder: G) -> G:
        mean = copy.deepcopy(founder)
        mean.state = self.first_state(len(founder)).astype(np.float32)
        return mean

    def tell(self, last: RankedGeneration[G]) -> G:
        mean = copy.deepcopy(last.mean)
        # Computed in float64 and rounded once, so that a resumed run, which reads the rounded mean, goes on with the
        # same bits.
        move = last.stride * weighted_sum(last.weights, last.moves)
        mean[:] = np.clip(np.asarray(mean, np.float64) + move, -HUGE, HUGE)
        if last.kings.any():
            with_king(mean, mean.king + last.stride * math.fsum(last.weights * last.kings))
        mean.state = self.next_state(_state_of(last.mean), last).astype(np.float32)
        return mean

    def ask(self, mean: G, generator: np.random.Generator, generation: int, mutate: Mutate) -> G:
        mutant = copy.deepcopy(mean)
        move = self.draw(_state_of(mean), generator.standard_normal(len(mean)))
        mutant[:] = np.clip(np.asarray(mean, np.float64) + move, -HUGE, HUGE)
        return mutant

    @property
    def shrink(self) -> float:
        """The factor by which step sizes shrink in each generation, in addition to being learnt."""
        return float(exponential(np.array([-math.log(2.0) / self.halving]))[0]) if self.halving else 1.0

    def bounded(self, steps: Floats) -> Floats:
        """Return step sizes within their bounds."""
        return np.clip(steps, max(self.step_low, TINY), HUGE)


def _state_of(mean: Any) -> Floats:
    assert mean.state is not None
    return np.asarray(mean.state, np.float64)


def weighted_sum(weights: Floats, rows: Floats) -> Floats:
    """Return the weighted sum of rows, added in their order.

    A matrix product would add in an order that depends on the processor.
    """
    total = np.zeros(rows.shape[1])
    for weight, row in zip(weights, rows, strict=True):
        total += weight * row
    return total


def logarithm(values: Floats) -> Floats:
    """Return natural logarithms of positive numbers, the same bits on every processor (see `exponential`)."""
    # A part around 1, where the series converges fastest: the ratio is below 0.172, and the first term left out below
    # 1e-20.
    part, power = np.frexp(values)
    low = part < math.sqrt(0.5)
    part, power = np.where(low, 2.0 * part, part), power - low
    ratio = (part - 1.0) / (part + 1.0)
    series = np.zeros_like(ratio)
    for term in range(12, -1, -1):
        series = series * (ratio * ratio) + 1.0 / (2 * term + 1)
    return np.asarray(power * math.log(2.0) + 2.0 * ratio * series)


@dataclass(frozen=True)
class Mean(Optimiser, kind="mean"):
    """The next mean is the mean of all parents, and variation.mutation makes its mutants."""

    mutates: ClassVar = True

    def begin(self, founder: G) -> G:
        return copy.deepcopy(founder)

    def tell(self, last: RankedGeneration[G]) -> G:
        return mean_of(last.ranked[: last.parents], last.stride)

    def ask(self, mean: G, generator: np.random.Generator, generation: int, mutate: Mutate) -> G:
        mutant: G
        (mutant,) = mutate(copy.deepcopy(mean), generator, generation)
        return mutant
