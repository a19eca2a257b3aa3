"""Fitness as a function: who comes before whom in a generation, by whatever games it asks for."""

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
    """A stage that a function ranks."""

    ranks: ClassVar = True

    @staticmethod
    @abstractmethod
    def rank(population: Sequence[Any], play: Callable[[Any], Scores], generator: np.random.Generator) -> Any:
        """Order individuals; see `fitness`."""

    def survivors(self, players: int) -> int:
        """All go on."""
        return players

    def play(self, field: StageContext) -> Standings:
        """Ask the function.

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
    """Make a stage of a function ``rank(population, play, generator)``, under the name `kind`.

    `population` holds the genomes of those who are left (float32 arrays of shape (weights,)). ``play(pairs)`` plays
    pairings, whole numbers of shape (pairings, 2), Black first, and gives their `Scores`: ``scores.first`` and
    ``scores.second``, games that the one and the other have won; ``scores.margin``, the difference. All that is drawn
    comes from `generator`. The function gives the places in `population`, best first.
    """

    def register(rank: Rank) -> Rank:
        namespace = {"rank": staticmethod(rank), "__doc__": rank.__doc__ or f"Ranked by {rank.__name__}."}
        namespace["__module__"] = rank.__module__
        dataclass(frozen=True)(type(rank.__name__, (Ranked,), namespace, kind=kind))
        return rank

    return register
