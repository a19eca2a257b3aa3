"""Fitness as a function: ranking a generation by any games that the function asks for."""

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
        """Return the number of players: all go on."""
        return players

    def play(self, field: StageContext) -> Standings:
        """Call the function, and check its ranking.

        Raises:
            ValueError: it did not rank each individual once.
        """
        players = field.players
        rounds = iter(range(1 << 30))

        def play(pairs: Any) -> Scores:
            asked: Indexes = players[np.asarray(pairs, np.int64).reshape(-1, 2)]
            return field.play_round(next(rounds), asked)

        order = np.asarray(self.rank([field.genomes[index] for index in players], play, field.generator))
        if order.shape != players.shape or not np.array_equal(np.sort(order), np.arange(len(players))):
            raise ValueError(f"{self.kind}: expected each number from 0 to {len(players) - 1} once, best first")
        return Standings(players[order], len(players))


def fitness(kind: str) -> Callable[[Rank], Rank]:
    """Make a stage called `kind` from a function ``rank(population, play, generator)``.

    `population` holds the genomes of the remaining individuals (float32 arrays of shape (weights,)). ``play(pairs)``
    plays pairings, whole numbers of shape (pairings, 2), Black first, and returns their `Scores`: ``scores.first`` and
    ``scores.second``, the games that each side has won; ``scores.margin``, the difference. All randomness comes from
    `generator`. The function returns indexes into `population`, best first.
    """

    def register(rank: Rank) -> Rank:
        namespace = {"rank": staticmethod(rank), "__doc__": rank.__doc__ or f"Ranked by {rank.__name__}."}
        namespace["__module__"] = rank.__module__
        dataclass(frozen=True)(type(rank.__name__, (Ranked,), namespace, kind=kind))
        return rank

    return register
