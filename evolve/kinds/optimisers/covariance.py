"""What CMA-ES and its separable form share: the paths of the mean, and the step size that all weights have in common.

Mirror images are no sample of independent mutants: of a pair only the difference of its weights moves the mean, and
level pairs move it not at all. Paths are divided by what remains, so that results that are pure chance neither lengthen
nor shorten them.

Source: Hansen, The CMA evolution strategy: a tutorial (2016); Brockhoff et al., Mirrored sampling and sequential
selection for evolution strategies (2010), on paths that mirror images make too short.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from evolve.kinds.optimisers.optimiser import Distribution, Floats, Told, weighted_sum
from evolve.kinds.variation import G, exponential


@dataclass(frozen=True)
class Rates:
    """How fast paths, step size and shape follow, from the number of weights and the effective number of parents."""

    step_path: float
    damping: float
    shape_path: float
    one: float
    many: float

    @classmethod
    def usual(cls, count: int, effective: float) -> Rates:
        """Those of the tutorial."""
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
class Learnt:
    """What a generation tells of the shape of the distribution.

    Attributes:
        kept: share of the shape before.
        path: float64 of shape (weights,), and `one`, what it counts.
        ways: float64 of shape (pairs, weights), of the first of each pair, in step sizes; and `many`, float64 of shape
            (pairs,), what each counts.
    """

    kept: float
    path: Floats
    one: float
    ways: Floats
    many: Floats


@dataclass(frozen=True)
class Covariance(Distribution):
    """A normal distribution with a step size, and a shape that is learnt. Its state: the step size, its path, the path
    of the shape, the shape.
    """

    faster = False
    """Whether the shape has as many numbers as there are weights, so that it can follow faster."""

    @abstractmethod
    def shape_size(self, weights: int) -> int:
        """Numbers of a shape."""

    @abstractmethod
    def round_shape(self, weights: int) -> Floats:
        """The shape of a ball."""

    @abstractmethod
    def shaped(self, shape: Floats, numbers: Floats) -> Floats:
        """A way by a shape, from as many normal numbers."""

    @abstractmethod
    def unshaped(self, shape: Floats, way: Floats) -> Floats:
        """The numbers behind a way."""

    @abstractmethod
    def reshaped(self, shape: Floats, learnt: Learnt) -> Floats:
        """The next shape."""

    def state_size(self, weights: int) -> int:
        return 1 + 2 * weights + self.shape_size(weights)

    def first_state(self, weights: int) -> Floats:
        return np.concatenate([[self.step], np.zeros(2 * weights), self.round_shape(weights)])

    def draw(self, state: Floats, numbers: Floats) -> Floats:
        return float(state[0]) * self.shaped(state[1 + 2 * len(numbers) :], numbers)

    def next_state(self, state: Floats, told: Told[G]) -> Floats:
        count = len(told.mean)
        step, step_path, path, shape = float(state[0]), *np.split(state[1:], [count, 2 * count])
        rates = Rates.usual(count, 1.0 / math.fsum(told.usual * told.usual))
        ways, first, second = told.moves / step, told.weights[0::2], told.weights[1::2]
        moved = math.fsum((first - second) ** 2)
        way = weighted_sum(told.weights, ways) / math.sqrt(moved) if moved else np.zeros(count)

        follows = rates.step_path
        step_path = (1 - follows) * step_path + math.sqrt(follows * (2 - follows)) * self.unshaped(shape, way)
        usual = math.sqrt(count) * (1 - 1 / (4 * count) + 1 / (21 * count**2))  # length of as many normal numbers
        length = math.sqrt(math.fsum(step_path * step_path)) / usual
        change = np.clip(self.rate * follows / rates.damping * (length - 1), -1.0, 1.0)
        steps = self.bounded(self.shrink * step * exponential(np.array([change])))

        # While the step size grows fast, the path would tell of the step size and not of the shape.
        follows, steady = rates.shape_path, length < 1.4 + 2 / (count + 1)
        path = (1 - follows) * path + steady * math.sqrt(follows * (2 - follows)) * way
        faster = self.rate * ((count + 2) / 3 if self.faster else 1.0)
        one, many = min(1.0, faster * rates.one), min(1.0, faster * rates.many)
        many = min(many, 1.0 - one)
        kept = 1 - one - many + (0.0 if steady else one * follows * (2 - follows))
        shape = self.reshaped(shape, Learnt(kept, path, one, ways[0::2], many * (first + second)))
        return np.concatenate([steps, step_path, path, shape])
