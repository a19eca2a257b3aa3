"""Kinds of selection: choosing the parents of the next generation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evolve.kinds.kind import Kind, number, string, whole
from evolve.kinds.variation import MAX_HALVING
from game.trait_maps import MOST_CELLS


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
        """Return the parents; the first of them becomes the first individual of the next generation.

        Args:
            individuals: a generation, best first; fitness is the rank, so smaller is better.
            count: number of parents.
            generator: source of all randomness.
        """


@dataclass(frozen=True)
class Best(Selection, kind="best"):
    """The best by rank (DEAP's selBest)."""

    def select(self, individuals: Sequence[Any], count: int, generator: np.random.Generator) -> list[Any]:
        """Return the first individuals by rank; the generator is not used."""
        from deap import tools  # slow to import, and reading a configuration does not need it

        chosen: list[Any] = tools.selBest(individuals, count)
        return chosen


@dataclass(frozen=True)
class Cells(Selection, kind="cells"):
    """The best individual in each cell of a map of traits; all of them are equally likely parents (MAP-Elites).

    Source: Mouret and Clune, Illuminating search spaces by mapping elites (2015).
    """

    run_kind: ClassVar[str] = "evolve.cast.kind:CastRuns"

    traits: str = string("back-row,pieces,centre", "the map: one to four traits, each with LOW:HIGH:CELLS if wanted")
    centres: int = whole(0, 0, MOST_CELLS, "centres of cells, spread evenly over the ranges of traits; 0: equal cells")
    step: float = number(0.05, 0.0, 1e6, "standard deviation of the change of each weight of a mutant")
    halving: int = whole(0, 0, MAX_HALVING, "generations in which this step halves (0: it stays the same)")
    line: float = number(0.2, 0.0, 1e6, "standard deviation along the line to another member, 1 for its whole length")
    adapted: float = number(
        0.25, 0.0, 1.0, "share of the mutants around a mean whose steps adapt to what improves the map (CMA-ME)"
    )
    refresh: int = whole(
        16, 0, 4096, "members with the fewest games, the best first, that play again in each generation"
    )
    first: int = whole(0, 0, 100_000, "individuals of generation 0 (0: as many as the mutants of a later one)")
    spread: float = number(
        2.0,
        0.0,
        1e6,
        "founders.method = player: largest step of the first mutants, in standard deviations of the player's weights; "
        "their steps grow evenly from 0, which is the player itself",
    )

    def select(self, individuals: Sequence[Any], count: int, generator: np.random.Generator) -> list[Any]:
        """Return random individuals; an individual may be drawn more than once."""
        return [individuals[index] for index in generator.integers(0, len(individuals), count).tolist()]


def selection_of(tables: Mapping[str, Any]) -> type[Selection]:
    """Return the kind of selection that plain values of a configuration name; `Best` if it is unknown."""
    section = tables.get("population")
    if not isinstance(section, Mapping) or section.get("mean") is True:
        return Best
    return Selection.kinds.get(str(section.get("selection")), Best)
