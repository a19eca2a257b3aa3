"""Kinds of selection: who of a generation are the parents of the next one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evolve.kinds.kind import Kind


@dataclass(frozen=True)
class Selection(Kind, ABC):
    """Chooses the parents of the next generation."""

    kinds: ClassVar = {}

    @abstractmethod
    def select(self, individuals: Sequence[Any], count: int, generator: np.random.Generator) -> list[Any]:
        """Choose parents; the first is carried on first.

        Args:
            individuals: a generation, best first; the fitness of each is its rank, and smaller is better.
            count: how many parents there are.
            generator: gives all that is drawn.
        """


@dataclass(frozen=True)
class Best(Selection, kind="best"):
    """Those who came first, as DEAP's selBest."""

    def select(self, individuals: Sequence[Any], count: int, generator: np.random.Generator) -> list[Any]:
        """Choose by rank; nothing is drawn."""
        from deap import tools  # not above: whoever reads a configuration would wait for it

        chosen: list[Any] = tools.selBest(individuals, count)
        return chosen
