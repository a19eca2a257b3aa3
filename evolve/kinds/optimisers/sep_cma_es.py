"""A step size for each weight, by the paths of the mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evolve.kinds.optimisers.covariance import Covariance, Learnt
from evolve.kinds.optimisers.optimiser import Floats, weighted_sum
from evolve.kinds.variation import HUGE, TINY


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

    def reshaped(self, shape: Floats, learnt: Learnt) -> Floats:
        seen = learnt.one * learnt.path**2 + weighted_sum(learnt.many, learnt.ways**2)
        return np.clip(np.sqrt(learnt.kept * shape**2 + seen), TINY, HUGE)
