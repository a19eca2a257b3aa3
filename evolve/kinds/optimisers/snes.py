"""A step size for each weight, by the natural gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evolve.kinds.optimisers.optimiser import Distribution, Floats, Told, logarithm, weighted_sum
from evolve.kinds.variation import G, exponential


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

    def next_state(self, state: Floats, told: Told[G]) -> Floats:
        count = len(state)
        usual = (3.0 + float(logarithm(np.array([count]))[0])) / (5.0 * math.sqrt(count))
        numbers = told.moves / state
        gradient = weighted_sum(told.weights - 1.0 / len(told.weights), numbers * numbers - 1.0)
        # The exponential takes what is between -700 and 700; nothing grows by more than e in one generation.
        learnt = np.clip(0.5 * self.rate * usual * gradient, -1.0, 1.0)
        return self.bounded(self.shrink * state * exponential(learnt))
