"""Games that a rule decides, for tests of tournaments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from evolve.config.model import Config
from evolve.kinds.pairing import Indexes, Scores
from evolve.tournament import tournament
from evolve.tournament.tournament import Ranking

Rule = Callable[[int, int], tuple[int, int]]


@dataclass
class Games:
    """Plays pairings by a rule, `won`, which tells how many games the first and the second win."""

    won: Rule
    a_pairing: int = 1
    calls: list[tuple[tuple[int, ...], bool, Indexes]] = field(default_factory=list)
    """Key, whether moves are kept, pairs."""

    def __call__(self, pairs: Indexes, key: tuple[int, ...], keep: bool) -> Scores:
        self.calls.append((key, keep, pairs))
        scores = np.array([self.won(*pair) for pair in pairs.tolist()], np.int64).reshape(-1, 2)
        return Scores(scores[:, 0].copy(), scores[:, 1].copy(), self.a_pairing)


def lower_wins(first: int, second: int) -> tuple[int, int]:
    return (1, 0) if first < second else (0, 1)


def always_draw(first: int, second: int) -> tuple[int, int]:
    return 0, 0


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def played(config: Config, won: Rule, seed: int = 0, champions: int = 0) -> tuple[Ranking, Games]:
    games = Games(won, config.games.a_pairing)
    return tournament.run(config, generator(seed), games, champions), games
