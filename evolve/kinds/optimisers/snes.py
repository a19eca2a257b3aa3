"""An optimiser that learns the distribution of its mutants: SNES."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evolve.kinds.optimisers.optimiser import Distribution, Floats, RankedGeneration, logarithm, weighted_sum
from evolve.kinds.variation import G, exponential


@dataclass(frozen=True)
class Snes(Distribution, kind="snes"):
    """Separable natural evolution strategy: each weight has a step size, which grows if the best mutants are farther
    from the mean than the others and shrinks if they are closer.

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
        # The mean weight is subtracted, so that results without a difference change no step size.
        gradient = weighted_sum(last.weights - 1.0 / len(last.weights), numbers * numbers - 1.0)
        # In one generation, no step size changes by more than a factor of e.
        learnt = np.clip(0.5 * self.rate * default_rate * gradient, -1.0, 1.0)
        return self.bounded(self.shrink * state * exponential(learnt))
