"""Fitness functions: stages whose ranking is computed by a function, from any games that it requests."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evolve.kinds.pairing import Indexes, Scores
from evolve.kinds.stages import Stage, StageContext, Standings

Rank = Callable[[Sequence[Any], Callable[[Any], Scores], np.random.Generator], Any]
"""``rank(population, play, generator)``, see `fitness`."""


@dataclass(frozen=True)
class Ranked(Stage):
    """A stage whose ranking is computed by a function."""

    ranks: ClassVar = True

    @staticmethod
    @abstractmethod
    def rank(population: Sequence[Any], play: Callable[[Any], Scores], generator: np.random.Generator) -> Any:
        """Rank individuals; see `fitness`."""

    def survivors(self, players: int) -> int:
        """Return the number of players, since none is eliminated."""
        return players

    def play(self, field: StageContext) -> Standings:
        """Rank the players by the function.

        Raises:
            ValueError: it has not ranked each player exactly once.
        """
        players = field.players
        # Each call is a round of its own, so that its openings come from a stream of its own.
        rounds = iter(range(1 << 30))

        def play(pairs: Any) -> Scores:
            chosen: Indexes = players[np.asarray(pairs, np.int64).reshape(-1, 2)]
            return field.play_round(next(rounds), chosen)

        order = np.asarray(self.rank([field.genomes[index] for index in players], play, field.generator))
        if order.shape != players.shape or not np.array_equal(np.sort(order), np.arange(len(players))):
            raise ValueError(f"{self.kind}: expected each number from 0 to {len(players) - 1} once, best first")
        return Standings(players[order], len(players))


def fitness(kind: str) -> Callable[[Rank], Rank]:
    """Make a stage called `kind` from a function ``rank(population, play, generator)``.

    `population` holds the genomes of the remaining individuals (float32 arrays of shape (weights,)). ``play(pairs)``
    plays pairings, given as integers of shape (pairings, 2), Black first, and returns their `Scores`: ``scores.first``
    and ``scores.second`` are the numbers of games won by each player, and ``scores.margin`` is 1 if the first player
    won the pairing, -1 if the second did, and 0 for a draw.
    """

    def register(rank: Rank) -> Rank:
        namespace = {"rank": staticmethod(rank), "__doc__": rank.__doc__ or f"Ranked by {rank.__name__}."}
        namespace["__module__"] = rank.__module__
        dataclass(frozen=True)(type(rank.__name__, (Ranked,), namespace, kind=kind))
        return rank

    return register
