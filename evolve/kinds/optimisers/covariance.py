"""Optimisers that learn the distribution of their mutants: SNES, CMA-ES, and separable CMA-ES.

CMA-ES and its separable form both have evolution paths and a single step size for all weights. Mirror images are not
independent samples: a pair moves the mean only by the difference of its two recombination weights, and not at all if
they are equal. So each step of a path is normalised by these differences, and purely random results neither lengthen
nor shorten it.

Source: Hansen, The CMA evolution strategy: a tutorial (2016); Brockhoff et al., Mirrored sampling and sequential
selection for evolution strategies (2010), on why mirror images make paths too short.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evolve.kinds.optimisers.optimiser import Distribution, Floats, RankedGeneration, logarithm, weighted_sum
from evolve.kinds.variation import HUGE, TINY, G, exponential


@dataclass(frozen=True)
class Rates:
    """Learning rates, called c_sigma, d_sigma, c_c, c_1 and c_mu in the tutorial.

    They depend on the number of weights and the effective number of parents (mu_eff).
    """

    step_path: float
    damping: float
    shape_path: float
    one: float
    many: float

    @classmethod
    def of(cls, count: int, effective: float) -> Rates:
        step_path = (effective + 2) / (count + effective + 5)
        one = 2 / ((count + 1.3) ** 2 + effective)
        return cls(
            step_path,
            1 + 2 * max(0.0, math.sqrt(max(0.0, (effective - 1) / (count + 1))) - 1) + step_path,
            (4 + effective / count) / (count + 4 + 2 * effective / count),
            one,
            min(1 - one, 2 * (effective - 2 + 1 / effective) / ((count + 2) ** 2 + effective)),
        )


@dataclass(frozen=True)
class ShapeUpdate:
    """The update of the distribution's shape after a generation.

    Attributes:
        kept: share of the old shape.
        path: path of the shape, float64 of shape (weights,).
        one: weight of this path (c_1 in the tutorial).
        ways: move of the first mutant of each pair, in units of the step size; float64 of shape (pairs, weights).
        many: weights of these moves (c_mu times the recombination weights), float64 of shape (pairs,).
    """

    kept: float
    path: Floats
    one: float
    ways: Floats
    many: Floats


@dataclass(frozen=True)
class Covariance(Distribution):
    """A normal distribution whose step size and shape are both learnt.

    Its state consists of the step size, its path, the path of the shape, and the shape.
    """

    faster = False
    """True if the shape has only one number per weight, so that it can be learnt faster."""

    @abstractmethod
    def shape_size(self, weights: int) -> int:
        """Return the number of values of a shape."""

    @abstractmethod
    def round_shape(self, weights: int) -> Floats:
        """Return the shape of a sphere."""

    @abstractmethod
    def shaped(self, shape: Floats, numbers: Floats) -> Floats:
        """Transform normally distributed numbers into a move."""

    @abstractmethod
    def unshaped(self, shape: Floats, way: Floats) -> Floats:
        """Transform a move back into normally distributed numbers: the inverse of `shaped`."""

    @abstractmethod
    def reshaped(self, shape: Floats, update: ShapeUpdate) -> Floats:
        """Return the next shape."""

    def state_size(self, weights: int) -> int:
        return 1 + 2 * weights + self.shape_size(weights)

    def first_state(self, weights: int) -> Floats:
        return np.concatenate([[self.step], np.zeros(2 * weights), self.round_shape(weights)])

    def draw(self, state: Floats, numbers: Floats) -> Floats:
        return float(state[0]) * self.shaped(state[1 + 2 * len(numbers) :], numbers)

    def next_state(self, state: Floats, last: RankedGeneration[G]) -> Floats:
        count = len(last.mean)
        step, step_path, path, shape = float(state[0]), *np.split(state[1:], [count, 2 * count])
        rates = Rates.of(count, 1.0 / math.fsum(last.rank_weights * last.rank_weights))
        ways, first, second = last.moves / step, last.weights[0::2], last.weights[1::2]
        moved = math.fsum((first - second) ** 2)
        way = weighted_sum(last.weights, ways) / math.sqrt(moved) if moved else np.zeros(count)

        follows = rates.step_path
        step_path = (1 - follows) * step_path + math.sqrt(follows * (2 - follows)) * self.unshaped(shape, way)
        # The step size grows if its path is longer than the expected length of a random one.
        expected = math.sqrt(count) * (1 - 1 / (4 * count) + 1 / (21 * count**2))
        length = math.sqrt(math.fsum(step_path * step_path)) / expected
        change = np.clip(self.rate * follows / rates.damping * (length - 1), -1.0, 1.0)
        steps = self.bounded(self.shrink * step * exponential(np.array([change])))

        # While the step size grows fast, moves are long because of the step size, and say nothing about the shape.
        follows, steady = rates.shape_path, length < 1.4 + 2 / (count + 1)
        path = (1 - follows) * path + steady * math.sqrt(follows * (2 - follows)) * way
        faster = self.rate * ((count + 2) / 3 if self.faster else 1.0)
        one, many = min(1.0, faster * rates.one), min(1.0, faster * rates.many)
        many = min(many, 1.0 - one)
        kept = 1 - one - many + (0.0 if steady else one * follows * (2 - follows))
        shape = self.reshaped(shape, ShapeUpdate(kept, path, one, ways[0::2], many * (first + second)))
        return np.concatenate([steps, step_path, path, shape])


MOST_WEIGHTS = 1000
"""Maximum number of weights; the shape then has half a million numbers, 6 MB per generation."""


@dataclass(frozen=True)
class CmaEs(Covariance, kind="cma-es"):
    """CMA-ES: one step size, which grows while the mean keeps its direction and shrinks while it wavers, and the
    covariances of all weights. For at most 1,000 weights.

    The shape is the Cholesky factor of the covariance matrix, a lower triangle stored column by column. Libraries
    compute such factors, and matrix square roots, in an order that depends on the processor; here the order is fixed.

    Source: Hansen and Ostermeier, Completely derandomized self-adaptation in evolution strategies (2001); Krause,
    Arbones, Igel, CMA-ES with optimal covariance update and storage complexity (2016), for the triangle.
    """

    def problem(self, weights: int) -> str:
        if weights > MOST_WEIGHTS:
            return f"optimiser.kind: cma-es takes at most {MOST_WEIGHTS:,} weights, got {weights:,}; use sep-cma-es"
        return super().problem(weights)

    def shape_size(self, weights: int) -> int:
        return weights * (weights + 1) // 2

    def round_shape(self, weights: int) -> Floats:
        return np.concatenate([np.eye(1, weights - column)[0] for column in range(weights)])

    def shaped(self, shape: Floats, numbers: Floats) -> Floats:
        way = np.zeros(len(numbers))
        for number, (at, column) in zip(numbers, _columns(shape, len(numbers)), strict=True):
            way[at:] += number * column
        return way

    def unshaped(self, shape: Floats, way: Floats) -> Floats:
        numbers, rest = np.empty(len(way)), way.copy()
        for at, column in _columns(shape, len(way)):
            numbers[at] = rest[at] / column[0]
            rest[at:] -= numbers[at] * column
        return numbers

    def reshaped(self, shape: Floats, update: ShapeUpdate) -> Floats:
        count = len(update.path)
        covariances = update.one * np.multiply.outer(update.path, update.path)
        for at, column in _columns(shape, count):
            covariances[at:, at:] += update.kept * np.multiply.outer(column, column)
        for weight, way in zip(update.many, update.ways, strict=True):
            covariances += np.multiply.outer(weight * way, way)
        columns = []  # Cholesky decomposition, column by column
        for at in range(count):
            column = covariances[at:, at] / np.sqrt(max(covariances[at, at], TINY))
            covariances[at:, at:] -= np.multiply.outer(column, column)
            columns.append(column)
        return np.concatenate(columns)


def _columns(shape: Floats, count: int) -> Iterator[tuple[int, Floats]]:
    """Yield the columns of a triangle from the diagonal down, each with the row of its first number."""
    start = 0
    for at in range(count):
        yield at, shape[start : start + count - at]
        start += count - at


@dataclass(frozen=True)
class SeparableCmaEs(Covariance, kind="sep-cma-es"):
    """Separable CMA-ES: one step size, which grows while the mean keeps its direction and shrinks while it wavers, and
    a factor for each weight, which grows where the mean moves most.

    Source: Ros and Hansen, A simple modification in CMA-ES achieving linear time and space complexity (2008).
    """

    faster = True

    def shape_size(self, weights: int) -> int:
        return weights

    def round_shape(self, weights: int) -> Floats:
        return np.ones(weights)

    def shaped(self, shape: Floats, numbers: Floats) -> Floats:
        return shape * numbers

    def unshaped(self, shape: Floats, way: Floats) -> Floats:
        return way / shape

    def reshaped(self, shape: Floats, update: ShapeUpdate) -> Floats:
        new = update.one * update.path**2 + weighted_sum(update.many, update.ways**2)
        return np.clip(np.sqrt(update.kept * shape**2 + new), TINY, HUGE)


@dataclass(frozen=True)
class Snes(Distribution, kind="snes"):
    """Separable natural evolution strategy: each weight has a step size, which grows if the best mutants are farther
    from the mean than the others and shrinks if they are closer.

    Its state consists of the step sizes.

    Source: Schaul, Glasmachers, Schmidhuber, High dimensions and heavy tails for natural evolution strategies (2011).
    """

    def state_size(self, weights: int) -> int:
        return weights

    def first_state(self, weights: int) -> Floats:
        return np.full(weights, self.step)

    def draw(self, state: Floats, numbers: Floats) -> Floats:
        return state * numbers

    def next_state(self, state: Floats, last: RankedGeneration[G]) -> Floats:
        count = len(state)
        default_rate = (3.0 + float(logarithm(np.array([count]))[0])) / (5.0 * math.sqrt(count))
        numbers = last.moves / state
        gradient = weighted_sum(last.weights - 1.0 / len(last.weights), numbers * numbers - 1.0)
        # In one generation, no step size changes by more than a factor of e.
        learnt = np.clip(0.5 * self.rate * default_rate * gradient, -1.0, 1.0)
        return self.bounded(self.shrink * state * exponential(learnt))
