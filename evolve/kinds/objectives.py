"""Kinds of fitness: the numbers of each individual by which parents are selected, from the games of its generation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evolve.kinds.kind import Kind
from evolve.kinds.pairing import Indexes

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GenerationGames:
    """The games of a generation.

    Attributes:
        ranks, points: int64 of shape (individuals,), in the tournament; rank 1 is best.
        players: int64 of shape (games, 2), the individuals with Black and White; higher numbers than those of
            individuals are champions of earlier generations.
        results: int64 of shape (games, 2), for Black and White: 1 if it won, -1 if it lost, 0 for a draw.
        plies: int64 of shape (games, 2), the length of the game, twice.
        pieces: int64 of shape (games, 2), pieces left to Black and White.
        rate: returns ratings against fixed opponents, float64 of shape (individuals,).
    """

    ranks: Indexes
    points: Indexes
    players: Indexes
    results: Indexes
    plies: Indexes
    pieces: Indexes
    measure: Callable[[], Floats]
    rate: Callable[[], Floats]

    @cached_property
    def traits(self) -> Floats:
        """Traits of the play of Black and White (`game.traits`); float64 of shape (games, 2, traits), some NaN."""
        return self.measure()

    def each(self, values: ArrayLike) -> Floats:
        """Return the mean of values over the games of each individual; 0 where none counts.

        Args:
            values: for Black and White, of shape (games, 2) or (games, 2, numbers); NaN does not count.
        """
        given = np.asarray(values, np.float64)
        rows, players = given.reshape(len(self.players) * 2, -1), self.players.reshape(-1)
        sums = np.zeros((max(len(self.ranks), players.max(initial=-1) + 1), rows.shape[1]))
        counts = np.zeros_like(sums)
        np.add.at(sums, players, np.nan_to_num(rows))
        np.add.at(counts, players, ~np.isnan(rows))
        means = (sums / np.maximum(counts, 1.0))[: len(self.ranks)]
        return means[:, 0] if given.ndim == 2 else means


@dataclass(frozen=True)
class Objectives(Kind, ABC):
    """The numbers of each individual by which parents are selected."""

    kinds: ClassVar = {}

    @staticmethod
    @abstractmethod
    def values(population: Sequence[Any], games: GenerationGames) -> ArrayLike:
        """Return one or more numbers for each individual: shape (individuals,) or (individuals, numbers)."""


@dataclass(frozen=True)
class Rank(Objectives, kind="rank"):
    """rank in the tournament of the generation."""

    @staticmethod
    def values(population: Sequence[Any], games: GenerationGames) -> ArrayLike:
        return games.ranks


@dataclass(frozen=True)
class TournamentPoints(Objectives, kind="points"):
    """points in the tournament of the generation."""

    @staticmethod
    def values(population: Sequence[Any], games: GenerationGames) -> ArrayLike:
        return games.points


@dataclass(frozen=True)
class FixedRating(Objectives, kind="rating"):
    """rating of each individual against the fixed opponents of rating.anchors, by rating.games games each."""

    @staticmethod
    def values(population: Sequence[Any], games: GenerationGames) -> ArrayLike:
        return games.rate()


def objectives(
    kind: str,
) -> Callable[[Callable[[Any, GenerationGames], ArrayLike]], Callable[[Any, GenerationGames], ArrayLike]]:
    """Make a kind of fitness from a function of the population and its `GenerationGames`; see `Objectives.values`."""

    def register(values: Callable[[Any, GenerationGames], ArrayLike]) -> Callable[[Any, GenerationGames], ArrayLike]:
        namespace = {"values": staticmethod(values), "__doc__": values.__doc__, "__module__": values.__module__}
        dataclass(frozen=True)(type(values.__name__, (Objectives,), namespace, kind=kind))
        return values

    return register
