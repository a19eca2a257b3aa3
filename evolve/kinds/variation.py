"""Kinds of recombination and mutation, with DEAP's signatures: they change genomes in place and return them as a tuple.

Each class contains all that the program knows about its kind. The generator is always an argument; the global ones are
never used.
"""

from __future__ import annotations

import copy
import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from evolve.kinds.kind import Kind, number, whole
from game.networks.spec import KING_RANGE

if TYPE_CHECKING:
    from evolve.breeding.individual import Individual

MAX_HALVING = 1_000_000


G = TypeVar("G", bound="Individual")


@dataclass(frozen=True)
class Recombination(Kind, ABC):
    """Makes two children from two parents."""

    kinds: ClassVar = {}

    @abstractmethod
    def recombine(self, first: G, second: G, generator: np.random.Generator) -> tuple[G, G]:
        """Change copies of two parents into children."""

    def kept(self, weights: int, generator: np.random.Generator) -> NDArray[np.bool_] | None:
        """Return the weights that each child has from its own parent: the first child from the first, the second from
        the second.

        Each child has the other weights from the other parent. Reports draw this again, to trace the weights of an
        individual to its ancestors. For a kind that returns None they assume that each parent gives half.

        Args:
            weights: of a genome.
            generator: in the state in which `recombine` was given it.

        Returns:
            bool of shape (weights,), or None.
        """
        return None


@dataclass(frozen=True)
class Exchange(Recombination):
    """Recombination by which children exchange some weights: a kind only has to define `kept`."""

    @abstractmethod
    def kept(self, weights: int, generator: np.random.Generator) -> NDArray[np.bool_]:
        """Return the weights that stay; see `Recombination`."""

    def recombine(self, first: G, second: G, generator: np.random.Generator) -> tuple[G, G]:
        """Exchange the other weights, and their step sizes where there are any.

        Raises:
            ValueError: the genomes differ in length, or are shorter than two.
        """
        if len(first) != len(second) or len(first) < 2:
            raise ValueError(f"expected two genomes of one length from 2 on, got {len(first)} and {len(second)}")
        given = ~self.kept(len(first), generator)
        exchanged: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = [(first, second)]
        if first.steps is not None and second.steps is not None:
            exchanged.append((first.steps, second.steps))
        for one, other in exchanged:
            one[given], other[given] = other[given], one[given]  # a mask copies, where a slice would be a view
        return first, second


@dataclass(frozen=True)
class OnePoint(Exchange, kind="one-point"):
    """Cut both genomes at one random point, swap the ends."""

    def kept(self, weights: int, generator: np.random.Generator) -> NDArray[np.bool_]:
        """Return all weights before the cut, which is drawn from 1 to n - 1, so that each child has weights of both
        parents.
        """
        kept: NDArray[np.bool_] = np.arange(weights) < generator.integers(1, weights)
        return kept


@dataclass(frozen=True)
class Intermediate(Recombination, kind="intermediate"):
    """Children lie between their parents: w' = w + u (v - w) for every weight, each u drawn from 0 to 1, and the other
    child as far from the other parent.

    So what parents have in common stays, and what was luck in either shrinks.

    Source: Muehlenbein and Schlierkamp-Voosen, Predictive models for the breeder genetic algorithm (1993).
    """

    def recombine(self, first: G, second: G, generator: np.random.Generator) -> tuple[G, G]:
        """Change both; step sizes, where there are any, approach each other as the weights do."""
        share = generator.random(len(first))
        mixed: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = [(first, second)]
        if first.steps is not None and second.steps is not None:
            mixed.append((first.steps, second.steps))
        for one, other in mixed:
            way = share * (np.asarray(other, np.float64) - np.asarray(one, np.float64))
            one[:], other[:] = one + way, other - way
        return first, second


@dataclass(frozen=True)
class Mutation(Kind, ABC):
    """Makes mutants.

    Attributes:
        has_steps: whether each genome has its own step sizes, which begin at `founders.step`.
    """

    kinds: ClassVar = {}
    has_steps: ClassVar[bool] = False

    def problem(self, founders_step: float) -> str:
        """Return why its values contradict each other, in one line; empty if they do not.

        Args:
            founders_step: step size of every weight at the beginning.
        """
        return ""

    @abstractmethod
    def mutate(self, genome: G, generator: np.random.Generator, generation: int = 0) -> tuple[G]:
        """Change a copy of a genome into a mutant.

        Args:
            genome: to be changed.
            generator: source of all randomness.
            generation: number of the generation of the mutant.
        """


@dataclass(frozen=True)
class Uniform(Mutation, kind="uniform"):
    """Add a number drawn uniformly to every weight."""

    low: float = number(-0.1, -1e6, 1e6, "smallest number added to a weight")
    high: float = number(0.1, -1e6, 1e6, "largest number added to a weight")

    def problem(self, founders_step: float) -> str:
        if self.low <= self.high:
            return ""
        return f"variation.low: expected at most variation.high = {self.high}, got {self.low}"

    def mutate(self, genome: G, generator: np.random.Generator, generation: int = 0) -> tuple[G]:
        np.add(genome, generator.uniform(self.low, self.high, len(genome)).astype(np.float32), out=genome)
        return (genome,)


@dataclass(frozen=True)
class Normal(Mutation, kind="normal"):
    """w' = w + s N for every weight w, with one step size s for all, which shrinks; N is drawn from the normal
    distribution.
    """

    step: float = number(0.05, 1e-6, 1e6, "step size of generation 0")
    halving: int = whole(0, 0, MAX_HALVING, "generations after which the step size is half (0: never)")
    step_low: float = number(
        0.0, 0.0, 1e6, "the step size gets no smaller (0: no bound)", lambda kind: bool(kind.halving)
    )

    @functools.lru_cache(1)  # noqa: B019 (a frozen value; all mutants of a generation ask for the same)
    def step_at(self, generation: int) -> float:
        """Return the step size of a generation, the same bits on every processor."""
        if self.halving == 0:
            return self.step
        halvings = -math.log(2.0) * generation / self.halving
        return max(self.step * float(exponential(np.array([halvings]))[0]), self.step_low)

    def mutate(self, genome: G, generator: np.random.Generator, generation: int = 0) -> tuple[G]:
        drawn = (self.step_at(generation) * generator.standard_normal(len(genome))).astype(np.float32)
        np.add(genome, drawn, out=genome)
        return (genome,)


@dataclass(frozen=True)
class SelfAdaptive(Mutation, kind="self-adaptive"):
    """Every weight w has a step size s of its own, s' = s exp(tau N), w' = w + s' N; each N is drawn from the normal
    distribution.

    Both are computed in float64 and rounded once to float32, which is what files keep, so that a mutant of a saved
    parent is the same to the bit.

    Source: Chellapilla and Fogel (1999), without bounds and decay; Schwefel (1981).
    """

    has_steps: ClassVar = True
    tau: float = number(0.0, 0.0, 10.0, "how fast step sizes change (0: 1 / sqrt(2 sqrt(weights)))")
    step_low: float = number(0.0, 0.0, 1e6, "no step size gets smaller (0: no bound)")
    step_high: float = number(0.0, 0.0, 1e6, "no step size gets larger (0: no bound)")
    decay: float = number(0.0, 0.0, 1.0, "share of itself that every weight loses first (0: off)")

    def problem(self, founders_step: float) -> str:
        low, high = self.step_low, self.step_high
        if 0 < high < low:
            return f"variation.step_low: expected at most variation.step_high = {high}, got {low}"
        if founders_step < low or 0 < high < founders_step:
            allowed = f"{low} to {high}" if high else f"at least {low}"
            return f"founders.step: expected {allowed} (variation.step_low, variation.step_high), got {founders_step}"
        return ""

    def mutate(self, genome: G, generator: np.random.Generator, generation: int = 0) -> tuple[G]:
        """Change every step size, then every weight by its new one; the numbers for the step sizes are drawn first."""
        assert genome.steps is not None
        numbers = generator.standard_normal((2, len(genome)))
        steps = genome.steps * exponential((self.tau or default_tau(len(genome))) * numbers[0])
        genome.steps = np.clip(steps, max(self.step_low, TINY), self.step_high or HUGE).astype(np.float32)
        kept = np.asarray(genome, np.float64) * (1.0 - self.decay)
        genome[:] = np.clip(kept + genome.steps * numbers[1], -HUGE, HUGE)
        return (genome,)


def default_tau(weights: int) -> float:
    """Return tau, the rate at which the step sizes of a genome of this length change.

    Source: Chellapilla and Fogel (1999): 1 / sqrt(2 sqrt(n)).
    """
    return 1.0 / math.sqrt(2.0 * math.sqrt(weights))


def mean_of(parents: Sequence[G], stride: float = 1.0) -> G:
    """Return the mean of all parents, weight by weight, or a point beyond it; and the means of step sizes and king
    values.

    Summed in float64 in the order of the parents and rounded once to float32. King values that differ are kept in [1,
    3].

    Args:
        parents: the stride begins at the first.
        stride: 1 ends at the mean, 2 twice as far away. Step sizes always take the mean.

    Source: Beyer and Schwefel, Evolution strategies (2002): intermediate recombination of all parents keeps what they
    have in common and cancels their luck; rescaled mutations, small where they are tried and large where they are
    inherited, where games are noisy.
    """
    centre = copy.deepcopy(parents[0])
    first = np.asarray(centre, np.float64)
    centre[:] = first + stride * (np.mean([np.asarray(each, np.float64) for each in parents], axis=0) - first)
    if centre.steps is not None:
        centre.steps = np.mean([np.asarray(each.steps, np.float64) for each in parents], axis=0).astype(np.float32)
    if any(each.king != centre.king for each in parents):
        king = math.fsum(each.king for each in parents) / len(parents)
        with_king(centre, centre.king + stride * (king - centre.king))
    return centre


def mirror(mutant: G, centre: G) -> G:
    """Return the mirror image of a mutant: as far from the centre, on the other side, with the step sizes of the
    mutant.

    Source: Brockhoff et al., Mirrored sampling and sequential selection for evolution strategies (2010).
    """
    image = copy.deepcopy(mutant)
    image[:] = 2.0 * np.asarray(centre, np.float64) - np.asarray(mutant, np.float64)
    if mutant.king != centre.king:
        with_king(image, 2.0 * centre.king - mutant.king)
    return image


TINY, HUGE = 1e-30, 1e30
"""Limits of step sizes and weights even without bounds: files hold finite float32 numbers, and steps above 0."""

_LOG2_HIGH, _LOG2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
"""Logarithm of 2 in two parts; integer multiples (to 2^20) of the first are exact."""

_TERMS = tuple(1.0 / math.factorial(power) for power in range(13, -1, -1))


def exponential(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return e to the power of every value (float64, between -700 and 700), the same bits on every processor.

    numpy's own function uses other instructions on other processors, and so gives other last bits. They would show in
    one float32 number in some hundred million, and a run of Blondie24 draws as many. This function adds and multiplies
    in a fixed order; its error is about one unit in the last place.
    """
    power = np.rint(values * (1.0 / math.log(2.0)))
    rest = (values - power * _LOG2_HIGH) - power * _LOG2_LOW
    result = np.full_like(rest, _TERMS[0])
    for term in _TERMS[1:]:
        result *= rest
        result += term
    return np.ldexp(result, power.astype(np.int32))


KING_STEPS = (-0.1, 0.0, 0.1)


def step_king(genome: G, generator: np.random.Generator) -> tuple[G]:
    """Change the king value by a random choice of -0.1, 0 and 0.1; keep it in [1, 3] and exact in float32.

    Source: Chellapilla and Fogel (2001).
    """
    return with_king(genome, genome.king + KING_STEPS[int(generator.integers(0, len(KING_STEPS)))])


def lognormal_king(genome: G, generator: np.random.Generator) -> tuple[G]:
    """Multiply the king value by exp(N / sqrt 2); keep it in [1, 3] and exact in float32.

    Source: Chellapilla and Fogel (1999).
    """
    drawn = np.array([generator.standard_normal() / math.sqrt(2.0)])
    return with_king(genome, genome.king * float(exponential(drawn)[0]))


def with_king(genome: G, king: float) -> tuple[G]:
    """Give a genome a king value, kept in [1, 3] and exact in float32."""
    genome.king = float(np.float32(min(max(king, KING_RANGE[0]), KING_RANGE[1])))
    return (genome,)
