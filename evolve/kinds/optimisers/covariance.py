"""Optimisers that learn the distribution of their mutants: SNES, CMA-ES, and separable CMA-ES.

CMA-ES and its separable form share the paths of the mean, and a step size that all weights have in common. Mirror
images are not a sample of independent mutants: only the difference within a pair moves the mean, and level pairs do
not move it. So paths are divided by the length that remains, and results that are pure chance neither lengthen nor
shorten them.

Source: Hansen, The CMA evolution strategy: a tutorial (2016); Brockhoff et al., Mirrored sampling and sequential
selection for evolution strategies (2010), on paths that mirror images make too short.
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
    """Learning rates of paths, step size and shape, from the number of weights and the effective number of parents."""

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
    """The information of a generation about the shape of the distribution.

    Attributes:
        kept: share of the old shape.
        path: float64 of shape (weights,); `one` is its weight (c1 in the tutorial).
        ways: float64 of shape (pairs, weights), the moves of the first mutants of the pairs, in step sizes; `many`,
            float64 of shape (pairs,), are their weights (c_mu times the weights of the ranks).
    """

    kept: float
    path: Floats
    one: float
    ways: Floats
    many: Floats


@dataclass(frozen=True)
class Covariance(Distribution):
    """A normal distribution with a step size, and a shape that is learnt.

    Its state: the step size, its path, the path of the shape, the shape.
    """

    faster = False
    """True if the shape has only as many numbers as the genome, so that it can be learnt faster."""

    @abstractmethod
    def shape_size(self, weights: int) -> int:
        """Return the number of values of a shape."""

    @abstractmethod
    def round_shape(self, weights: int) -> Floats:
        """Return the shape of a sphere."""

    @abstractmethod
    def shaped(self, shape: Floats, numbers: Floats) -> Floats:
        """Return the move that a shape makes of normal numbers."""

    @abstractmethod
    def unshaped(self, shape: Floats, way: Floats) -> Floats:
        """Return the normal numbers of which a shape makes this move; the inverse of `shaped`."""

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
        usual = math.sqrt(count) * (1 - 1 / (4 * count) + 1 / (21 * count**2))  # length of as many normal numbers
        length = math.sqrt(math.fsum(step_path * step_path)) / usual
        change = np.clip(self.rate * follows / rates.damping * (length - 1), -1.0, 1.0)
        steps = self.bounded(self.shrink * step * exponential(np.array([change])))

        # While the step size grows fast, the path is due to the step size and not to the shape.
        follows, steady = rates.shape_path, length < 1.4 + 2 / (count + 1)
        path = (1 - follows) * path + steady * math.sqrt(follows * (2 - follows)) * way
        faster = self.rate * ((count + 2) / 3 if self.faster else 1.0)
        one, many = min(1.0, faster * rates.one), min(1.0, faster * rates.many)
        many = min(many, 1.0 - one)
        kept = 1 - one - many + (0.0 if steady else one * follows * (2 - follows))
        shape = self.reshaped(shape, ShapeUpdate(kept, path, one, ways[0::2], many * (first + second)))
        return np.concatenate([steps, step_path, path, shape])


MOST_WEIGHTS = 1000
"""The shape then has half a million numbers, 6 MB a generation."""


@dataclass(frozen=True)
class CmaEs(Covariance, kind="cma-es"):
    """CMA-ES: a step size that grows while the mean goes on in one direction and shrinks while it wavers, and the
    covariances of all weights, as the lower triangle whose product with itself they are. For at most 1,000 weights.

    Its columns stand one behind the other. Libraries find square roots of matrices by other steps on other processors;
    a triangle is found in a fixed order.

    Source: Hansen and Ostermeier, Completely derandomized self-adaptation in evolution strategies (2001); Krause,
    Arbones, Igel, CMA-ES with optimal covariance update and storage complexity (2016), for the triangle.
    """

    def problem(self, weights: int) -> str:
        if weights > MOST_WEIGHTS:
            return f"optimiser.kind: cma-es takes at most {MOST_WEIGHTS:,} weights, got {weights:,}; take sep-cma-es"
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
        for counts, way in zip(update.many, update.ways, strict=True):
            covariances += np.multiply.outer(counts * way, way)
        columns = []
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
    """Separable CMA-ES: a step size that grows while the mean goes on in one direction and shrinks while it wavers, and
    a factor of it for each weight, which grows where the mean moves most.

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
        seen = update.one * update.path**2 + weighted_sum(update.many, update.ways**2)
        return np.clip(np.sqrt(update.kept * shape**2 + seen), TINY, HUGE)


@dataclass(frozen=True)
class Snes(Distribution, kind="snes"):
    """Separable natural evolution strategy: each weight has a step size, which grows where the best mutants lie further
    out than the others and shrinks where they do not.

    Its state are the step sizes.

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
        usual = (3.0 + float(logarithm(np.array([count]))[0])) / (5.0 * math.sqrt(count))
        numbers = last.moves / state
        gradient = weighted_sum(last.weights - 1.0 / len(last.weights), numbers * numbers - 1.0)
        # The exponential is exact between -700 and 700; nothing grows by more than e in one generation.
        learnt = np.clip(0.5 * self.rate * usual * gradient, -1.0, 1.0)
        return self.bounded(self.shrink * state * exponential(learnt))
