"""Separable CMA-ES, the optimiser of founders that learn to predict results.

Source: Hansen, The CMA evolution strategy: a tutorial (2016); Brockhoff et al., Mirrored sampling and sequential
selection for evolution strategies (2010), on why mirror images make paths too short.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evolve.kinds.optimisers.optimiser import Distribution, Floats, RankedGeneration, weighted_sum
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
        # The defaults of the tutorial's table 1, with alpha_cov = 2.
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
class SeparableCmaEs(Distribution):
    """Separable CMA-ES: one step size, which grows while the mean keeps its direction and shrinks while it wavers, and
    a factor for each weight, which grows where the mean moves most.

    Its state consists of the step size, its path, the path of the factors, and the factors. It is no kind of optimiser
    for runs: in tournaments of mirror images, which never show that both are worse, its steps grow without limit.

    Source: Ros and Hansen, A simple modification in CMA-ES achieving linear time and space complexity (2008).
    """

    def first_state(self, weights: int) -> Floats:
        return np.concatenate([[self.step], np.zeros(2 * weights), np.ones(weights)])

    def draw(self, state: Floats, numbers: Floats) -> Floats:
        return float(state[0]) * (state[1 + 2 * len(numbers) :] * numbers)

    def next_state(self, state: Floats, last: RankedGeneration[G]) -> Floats:
        count = len(last.mean)
        step, step_path, path, factors = float(state[0]), *np.split(state[1:], [count, 2 * count])
        rates = Rates.of(count, 1.0 / math.fsum(last.rank_weights * last.rank_weights))
        # Mirror images are not independent samples: a pair moves the mean only by the difference of its two
        # recombination weights, and not at all if they are equal. So each step of a path is normalised by these
        # differences, and purely random results neither lengthen nor shorten it.
        ways, first, second = last.moves / step, last.weights[0::2], last.weights[1::2]
        moved = math.fsum((first - second) ** 2)
        way = weighted_sum(last.weights, ways) / math.sqrt(moved) if moved else np.zeros(count)

        follows = rates.step_path
        step_path = (1 - follows) * step_path + math.sqrt(follows * (2 - follows)) * (way / factors)
        # The step size grows if its path is longer than the expected length of a random one.
        expected = math.sqrt(count) * (1 - 1 / (4 * count) + 1 / (21 * count**2))
        length = math.sqrt(math.fsum(step_path * step_path)) / expected
        change = np.clip(self.rate * follows / rates.damping * (length - 1), -1.0, 1.0)
        steps = self.bounded(self.shrink * step * exponential(np.array([change])))

        # While the step size grows fast, moves are long because of the step size, and say nothing about the factors.
        follows, steady = rates.shape_path, length < 1.4 + 2 / (count + 1)
        path = (1 - follows) * path + steady * math.sqrt(follows * (2 - follows)) * way
        faster = self.rate * ((count + 2) / 3)  # with one number per weight, they can be learnt faster
        one, many = min(1.0, faster * rates.one), min(1.0, faster * rates.many)
        many = min(many, 1.0 - one)
        # While the path stands still, the factors keep what its missing step would have taken from them.
        kept = 1 - one - many + (0.0 if steady else one * follows * (2 - follows))
        new = one * path**2 + weighted_sum(many * (first + second), ways[0::2] ** 2)
        factors = np.clip(np.sqrt(kept * factors**2 + new), TINY, HUGE)
        return np.concatenate([steps, step_path, path, factors])
