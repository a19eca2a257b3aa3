"""Recombination and mutation with DEAP's signatures: they change individuals in place and return them as a tuple.

The generator is always an argument; the global ones are never touched.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evolve.breeding.individual import Individual
from game.networks.spec import KING_RANGE


def one_point(first: Individual, second: Individual, generator: np.random.Generator) -> tuple[Individual, Individual]:
    """Cut both genomes at one random point and exchange the ends, step sizes (where there are any) with their weights.

    The cut is drawn from 1 to n - 1, so each child has weights of both.

    Raises:
        ValueError: the genomes differ in length, or are shorter than two.
    """
    if len(first) != len(second) or len(first) < 2:
        raise ValueError(f"expected two genomes of one length from 2 on, got {len(first)} and {len(second)}")
    cut = int(generator.integers(1, len(first)))
    exchanged: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = [(first, second)]
    if first.steps is not None and second.steps is not None:
        exchanged.append((first.steps, second.steps))
    for one, other in exchanged:
        # A slice is a view: without the copy the first assignment would change what the second reads.
        tail = np.array(one[cut:])
        one[cut:] = other[cut:]
        other[cut:] = tail
    return first, second


def uniform_noise(individual: Individual, generator: np.random.Generator, low: float, high: float) -> tuple[Individual]:
    """Add a number drawn uniformly from [low, high) to every weight."""
    individual += generator.uniform(low, high, len(individual)).astype(np.float32)
    return (individual,)


def normal_noise(individual: Individual, generator: np.random.Generator, step: float) -> tuple[Individual]:
    """Add a normal number of this standard deviation to every weight."""
    individual += (step * generator.standard_normal(len(individual))).astype(np.float32)
    return (individual,)


def shrunk(step: float, halving: int, generation: int, lowest: float = 0.0) -> float:
    """The step size of a generation, the same bits on every processor.

    Args:
        step: that of generation 0.
        halving: generations after which it is half; 0 for never.
        generation: which.
        lowest: no step size is smaller.
    """
    if halving == 0:
        return step
    return max(step * float(exponential(np.array([-math.log(2.0) * generation / halving]))[0]), lowest)


def mean_of(parents: Sequence[Individual], stride: float = 1.0) -> Individual:
    """The mean of all parents, weight by weight, or a point beyond it; of step sizes and king values likewise.

    Summed in float64 in the order of the parents and rounded once to float32. King values that differ are kept in
    [1, 3].

    Args:
        parents: the first is where the stride begins.
        stride: 1 ends at the mean, 2 twice as far away. Step sizes take the mean in any case.

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
        _with_king(centre, centre.king + stride * (king - centre.king))
    return centre


def mirrored(mutant: Individual, centre: Individual) -> Individual:
    """The mirror image of a mutant: as far from the centre, on the other side; step sizes are the mutant's.

    Source: Brockhoff et al., Mirrored sampling and sequential selection for evolution strategies (2010).
    """
    image = copy.deepcopy(mutant)
    image[:] = 2.0 * np.asarray(centre, np.float64) - np.asarray(mutant, np.float64)
    if mutant.king != centre.king:
        _with_king(image, 2.0 * centre.king - mutant.king)
    return image


def learning_rate(weights: int) -> float:
    """Tau, how fast the step sizes of a genome of this length change.

    Source: Chellapilla and Fogel (1999): 1 / sqrt(2 sqrt(n)).
    """
    return 1.0 / math.sqrt(2.0 * math.sqrt(weights))


def self_adaptive(
    individual: Individual,
    generator: np.random.Generator,
    tau: float,
    step_low: float = 0.0,
    step_high: float = 0.0,
    decay: float = 0.0,
) -> tuple[Individual]:
    """Change every step size by a lognormal factor, then every weight by its new step size times a normal number.

    s' = s exp(tau N), kept within the bounds; w' = (1 - decay) w + s' N, with a new N for every number. Both are
    computed in float64 and rounded once to float32, which is what files keep, so that a mutant of a saved parent is
    the same to the bit.

    Args:
        individual: has step sizes.
        generator: gives all normal numbers, those of the step sizes first.
        tau: see `learning_rate`.
        step_low: smallest step size; 0 is no bound.
        step_high: largest step size; 0 is no bound.
        decay: share of itself that every weight loses first.

    Source: Chellapilla and Fogel (1999), without bounds and decay; Schwefel (1981).
    """
    assert individual.steps is not None
    numbers = generator.standard_normal((2, len(individual)))
    steps = individual.steps * exponential(tau * numbers[0])
    individual.steps = np.clip(steps, max(step_low, TINY), step_high or HUGE).astype(np.float32)
    kept = np.asarray(individual, np.float64) * (1.0 - decay)
    individual[:] = np.clip(kept + individual.steps * numbers[1], -HUGE, HUGE)
    return (individual,)


TINY, HUGE = 1e-30, 1e30
"""Where step sizes and weights are kept even without bounds: files hold finite float32 numbers, and steps above 0."""

_LOG2_HIGH, _LOG2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
"""Logarithm of 2 in two parts; whole multiples (to 2^20) of the first are exact."""

_TERMS = tuple(1.0 / math.factorial(power) for power in range(13, -1, -1))


def exponential(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """e to the power of every value (float64, between -700 and 700), the same bits on every processor.

    numpy's own takes other instructions on other processors, and then other last bits. They would show in one float32
    number in some hundred million, and a run of Blondie24 draws as many. This one adds and multiplies in a fixed order;
    it is off by one unit in the last place or so.
    """
    power = np.rint(values * (1.0 / math.log(2.0)))
    rest = (values - power * _LOG2_HIGH) - power * _LOG2_LOW
    found = np.full_like(rest, _TERMS[0])
    for term in _TERMS[1:]:
        found *= rest
        found += term
    return np.ldexp(found, power.astype(np.int32))


KING_STEPS = (-0.1, 0.0, 0.1)


def step_king(individual: Individual, generator: np.random.Generator) -> tuple[Individual]:
    """Change the king value by a drawn one of -0.1, 0 and 0.1, kept in [1, 3] and exact in float32.

    Source: Chellapilla and Fogel (2001).
    """
    return _with_king(individual, individual.king + KING_STEPS[int(generator.integers(0, len(KING_STEPS)))])


def lognormal_king(individual: Individual, generator: np.random.Generator) -> tuple[Individual]:
    """Multiply the king value by exp(N / sqrt 2), kept in [1, 3] and exact in float32.

    Source: Chellapilla and Fogel (1999).
    """
    drawn = np.array([generator.standard_normal() / math.sqrt(2.0)])
    return _with_king(individual, individual.king * float(exponential(drawn)[0]))


def _with_king(individual: Individual, king: float) -> tuple[Individual]:
    individual.king = float(np.float32(min(max(king, KING_RANGE[0]), KING_RANGE[1])))
    return (individual,)
