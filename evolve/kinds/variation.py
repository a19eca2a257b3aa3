"""Kinds of recombination and mutation, with DEAP's signatures: they change genomes in place and return them as a tuple.

The generator is always an argument; global generators are never used.
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
    from evolve.kinds.individual import Individual

MAX_HALVING = 1_000_000


G = TypeVar("G", bound="Individual")


@dataclass(frozen=True)
class Recombination(Kind, ABC):
    """The making of two children from two parents."""

    kinds: ClassVar = {}

    @abstractmethod
    def recombine(self, first: G, second: G, generator: np.random.Generator) -> tuple[G, G]:
        """Change copies of two parents into children."""

    def kept(self, weights: int, generator: np.random.Generator) -> NDArray[np.bool_] | None:
        """Return a mask of the weights that children do not exchange, or None for a kind that makes new weights.

        The first child takes these weights from the first parent and the others from the second; the second child does
        the opposite. Reports repeat this draw to trace an individual's weights to its ancestors; for None, they assume
        that each parent contributes half.

        Returns:
            bool of shape (weights,), or None.
        """
        return None


@dataclass(frozen=True)
class Exchange(Recombination):
    """Recombination in which children exchange some weights; a kind only has to define `kept`."""

    @abstractmethod
    def kept(self, weights: int, generator: np.random.Generator) -> NDArray[np.bool_]:
        """Return a mask of the weights that are not exchanged; see `Recombination`."""

    def recombine(self, first: G, second: G, generator: np.random.Generator) -> tuple[G, G]:
        """Exchange the weights that are not `kept`, with their step sizes if there are any.

        Raises:
            ValueError: the genomes differ in length, or have fewer than two weights.
        """
        if len(first) != len(second) or len(first) < 2:
            raise ValueError(f"expected two genomes of equal length, at least 2, got {len(first)} and {len(second)}")
        given = ~self.kept(len(first), generator)
        exchanged: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = [(first, second)]
        if first.steps is not None and second.steps is not None:
            exchanged.append((first.steps, second.steps))
        for one, other in exchanged:
            one[given], other[given] = other[given], one[given]  # indexing with a mask copies, unlike a slice
        return first, second


@dataclass(frozen=True)
class OnePoint(Exchange, kind="one-point"):
    """Both genomes are cut at the same random point, and the ends are swapped."""

    def kept(self, weights: int, generator: np.random.Generator) -> NDArray[np.bool_]:
        """Select all weights before the cut, drawn from 1 to n - 1 so that each child has weights of both parents."""
        kept: NDArray[np.bool_] = np.arange(weights) < generator.integers(1, weights)
        return kept


@dataclass(frozen=True)
class Intermediate(Recombination, kind="intermediate"):
    """Children lie between their parents: w' = w + u (v - w) and v' = v - u (v - w) for weights w and v of the parents,
    with u drawn from 0 to 1 for every weight.

    So common traits of the parents are preserved, and the chance differences between them shrink.

    Source: Muehlenbein and Schlierkamp-Voosen, Predictive models for the breeder genetic algorithm (1993).
    """

    def recombine(self, first: G, second: G, generator: np.random.Generator) -> tuple[G, G]:
        """Change both genomes, and their step sizes in the same way if there are any."""
        share = generator.random(len(first))
        mixed: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = [(first, second)]
        if first.steps is not None and second.steps is not None:
            mixed.append((first.steps, second.steps))
        for one, other in mixed:
            change = share * (np.asarray(other, np.float64) - np.asarray(one, np.float64))
            one[:], other[:] = one + change, other - change
        return first, second


@dataclass(frozen=True)
class Mutation(Kind, ABC):
    """The making of mutants.

    Attributes:
        has_steps: whether each genome has its own step sizes, initially `founders.step`.
    """

    kinds: ClassVar = {}
    gone: ClassVar = {"section": {}}
    has_steps: ClassVar[bool] = False

    def problem(self, founders_step: float) -> str:
        """Return a contradiction between its values, in one line; empty if there is none."""
        return ""

    @abstractmethod
    def mutate(self, genome: G, generator: np.random.Generator, generation: int = 0) -> tuple[G]:
        """Change a copy of a genome into a mutant."""


@dataclass(frozen=True)
class Uniform(Mutation, kind="uniform"):
    """A uniformly drawn number is added to every weight."""

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
    """w' = w + s N for every weight w: one step size s for all weights, which may shrink; N drawn from the normal
    distribution.
    """

    step: float = number(0.05, 1e-6, 1e6, "step size in generation 0")
    halving: int = whole(0, 0, MAX_HALVING, "generations in which the step size halves (0: it stays the same)")
    step_low: float = number(0.0, 0.0, 1e6, "smallest step size (0: no bound)", lambda kind: bool(kind.halving))

    @functools.lru_cache(1)  # noqa: B019 (instances are frozen, and all mutants of a generation need the same value)
    def step_at(self, generation: int) -> float:
        """Return the step size in a generation, the same bits on every processor."""
        return max(halved(self.step, self.halving, generation), self.step_low if self.halving else 0.0)

    def mutate(self, genome: G, generator: np.random.Generator, generation: int = 0) -> tuple[G]:
        drawn = (self.step_at(generation) * generator.standard_normal(len(genome))).astype(np.float32)
        np.add(genome, drawn, out=genome)
        return (genome,)


@dataclass(frozen=True)
class SelfAdaptive(Mutation, kind="self-adaptive"):
    """Every weight w has its own step size s: s' = s exp(tau N), then w' = w + s' N, each N drawn from the normal
    distribution.

    Both are computed in float64 and rounded once to float32, as saved in files, so a mutant of a saved parent has the
    same bits.

    Source: Chellapilla and Fogel (1999), without bounds and decay; Schwefel (1981).
    """

    has_steps: ClassVar = True
    tau: float = number(0.0, 0.0, 10.0, "how fast step sizes change (0: 1 / sqrt(2 sqrt(weights)))")
    step_low: float = number(0.0, 0.0, 1e6, "smallest step size (0: no bound)")
    step_high: float = number(0.0, 0.0, 1e6, "largest step size (0: no bound)")
    decay: float = number(0.0, 0.0, 1.0, "every weight first shrinks by this share of itself (0: off)")

    def problem(self, founders_step: float) -> str:
        low, high = self.step_low, self.step_high
        if 0 < high < low:
            return f"variation.step_low: expected at most variation.step_high = {high}, got {low}"
        if founders_step < low or 0 < high < founders_step:
            allowed = f"{low} to {high}" if high else f"at least {low}"
            return f"founders.step: expected {allowed} (variation.step_low, variation.step_high), got {founders_step}"
        return ""

    def mutate(self, genome: G, generator: np.random.Generator, generation: int = 0) -> tuple[G]:
        """Change every step size, then every weight by its new step size; numbers for step sizes are drawn first."""
        assert genome.steps is not None
        # A step size changes before it is used: a mutant that does well then passes on the step that has made it.
        numbers = generator.standard_normal((2, len(genome)))
        steps = genome.steps * exponential((self.tau or default_tau(len(genome))) * numbers[0])
        genome.steps = np.clip(steps, max(self.step_low, TINY), self.step_high or HUGE).astype(np.float32)
        kept = np.asarray(genome, np.float64) * (1.0 - self.decay)
        genome[:] = np.clip(kept + genome.steps * numbers[1], -HUGE, HUGE)
        return (genome,)


def default_tau(weights: int) -> float:
    """Return 1 / sqrt(2 sqrt(n)) for n weights (Chellapilla and Fogel, 1999)."""
    return 1.0 / math.sqrt(2.0 * math.sqrt(weights))


def halved(step: float, halving: int, generation: int) -> float:
    """Return a step size that halves in `halving` generations (0: never), the same bits on every processor."""
    if halving == 0:
        return step
    return step * float(exponential(np.array([-math.log(2.0) * generation / halving]))[0])


def mean_of(parents: Sequence[G], stride: float = 1.0) -> G:
    """Return the mean of the parents' weights, step sizes and king values; with a larger stride, a point beyond it.

    The mean is summed in float64 in the order of the parents and rounded once to float32. King values that differ are
    kept in [1, 3].

    Source: Beyer and Schwefel, Evolution strategies (2002): intermediate recombination of all parents keeps their
    common traits and averages out their luck. A stride above 1 is their rescaled mutation for noisy fitness: mutations
    are small when they are tested, and larger when they are inherited.
    """
    # The first parent is the previous mean, so the stride is measured from there. Step sizes are averaged without it.
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
    """Return the mirror image of a mutant: on the opposite side of the centre, with the same step sizes.

    Source: Brockhoff et al., Mirrored sampling and sequential selection for evolution strategies (2010).
    """
    image = copy.deepcopy(mutant)
    image[:] = 2.0 * np.asarray(centre, np.float64) - np.asarray(mutant, np.float64)
    if mutant.king != centre.king:
        with_king(image, 2.0 * centre.king - mutant.king)
    return image


TINY, HUGE = 1e-30, 1e30
"""Limits of step sizes and weights that always apply: files need finite float32 numbers and positive step sizes."""

_LOG2_HIGH, _LOG2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
"""The logarithm of 2 as a sum; multiples of the first part by integers up to 2^20 are exact."""

_TERMS = tuple(1.0 / math.factorial(power) for power in range(13, -1, -1))


def exponential(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return e to the power of every value (float64, between -700 and 700), the same bits on every processor.

    The last bits of numpy's function depend on the processor, and would sometimes change a float32 that they round to.
    This function adds and multiplies in a fixed order; its error is about one unit in the last place.
    """
    # e**x = 2**n e**r with |r| at most ln 2 / 2. The logarithm of 2 is subtracted in two parts, which keeps r exact to
    # about the last bit.
    power = np.rint(values * (1.0 / math.log(2.0)))
    rest = (values - power * _LOG2_HIGH) - power * _LOG2_LOW
    result = np.full_like(rest, _TERMS[0])
    # Horner's scheme for the Taylor series to r**13, whose next term is below the last bit.
    for term in _TERMS[1:]:
        result *= rest
        result += term
    return np.ldexp(result, power.astype(np.int32))


KING_STEPS = (-0.1, 0.0, 0.1)


def step_king(genome: G, generator: np.random.Generator) -> tuple[G]:
    """Change the king value by -0.1, 0 or 0.1 at random (Chellapilla and Fogel, 2001)."""
    return with_king(genome, genome.king + KING_STEPS[int(generator.integers(0, len(KING_STEPS)))])


def lognormal_king(genome: G, generator: np.random.Generator) -> tuple[G]:
    """Multiply the king value by exp(N / sqrt 2) (Chellapilla and Fogel, 1999)."""
    drawn = np.array([generator.standard_normal() / math.sqrt(2.0)])
    return with_king(genome, genome.king * float(exponential(drawn)[0]))


def with_king(genome: G, king: float) -> tuple[G]:
    """Set the king value of a genome, kept in [1, 3] and exact in float32."""
    genome.king = float(np.float32(min(max(king, KING_RANGE[0]), KING_RANGE[1])))
    return (genome,)
