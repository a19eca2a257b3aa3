"""The mean of all parents."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evolve.kinds.optimisers.optimiser import Mutate, Optimiser, Told
from evolve.kinds.variation import G, mean_of


@dataclass(frozen=True)
class Mean(Optimiser, kind="mean"):
    """The mean of all parents leads the next generation, and variation.mutation makes its mutants."""

    mutates: ClassVar = True

    def begin(self, founder: G) -> G:
        return copy.deepcopy(founder)

    def tell(self, told: Told[G]) -> G:
        return mean_of(told.ranked[: told.parents], told.stride)

    def ask(self, mean: G, generator: np.random.Generator, generation: int, mutate: Mutate) -> G:
        mutant: G
        (mutant,) = mutate(copy.deepcopy(mean), generator, generation)
        return mutant
