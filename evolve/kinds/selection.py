"""Kinds of selection: choosing the parents of the next generation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evolve.kinds.kind import Kind
from game.removed import removed_settings


@dataclass(frozen=True)
class Selection(Kind, ABC):
    """The choice of the parents of the next generation.

    Attributes:
        run_kind: the kind of run that it needs, as ``module:class``; empty if it fits any run that breeds.
    """

    kinds: ClassVar[dict[str, type[Selection]]] = {}
    run_kind: ClassVar[str] = ""

    @abstractmethod
    def select(self, individuals: Sequence[Any], count: int, generator: np.random.Generator) -> list[Any]:
        """Return the parents; the first of them becomes the first individual of the next generation."""


@dataclass(frozen=True)
class Best(Selection, kind="best"):
    """The best by rank (DEAP's selBest)."""

    def select(self, individuals: Sequence[Any], count: int, generator: np.random.Generator) -> list[Any]:
        """Return the first individuals by rank; the generator is not used."""
        from deap import tools  # slow to import, and reading a configuration does not need it

        chosen: list[Any] = tools.selBest(individuals, count)
        return chosen


def selection_of(tables: Mapping[str, Any]) -> type[Selection]:
    """Return the kind of selection that plain values of a configuration name; `Best` if it is unknown."""
    section = tables.get("population")
    if not isinstance(section, Mapping) or section.get("mean") is True or removed_settings({"population": section}):
        return Best
    return Selection.kinds.get(str(section.get("selection")), Best)
