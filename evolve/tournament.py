"""The tournament of a generation: stages one after the other, and the ranking that comes out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from evolve import selection
from evolve.config import Config
from evolve.selection import Indexes, Scores

PlayGames = Callable[[Indexes, tuple[int, ...], bool], Scores]
"""Plays pairings (int64, n x 2); the key (stage, round, batch) derives openings; True keeps the moves."""


@dataclass
class Tally:
    """Counts of each individual over the pairings that count; int64 arrays of shape (individuals,)."""

    size: int
    games: Indexes = field(init=False)
    wins: Indexes = field(init=False)
    draws: Indexes = field(init=False)
    losses: Indexes = field(init=False)
    points: Indexes = field(init=False)

    def __post_init__(self) -> None:
        for name in ("games", "wins", "draws", "losses", "points"):
            setattr(self, name, np.zeros(self.size, np.int64))

    def add(self, pairs: Indexes, scores: Scores, games_a_pair: int, config: Config) -> None:
        """Add pairings: wins, draws and losses count games, points count pairings."""
        draws = games_a_pair - scores.first - scores.second
        points = config.points
        for side, won, lost in ((0, scores.first, scores.second), (1, scores.second, scores.first)):
            players = pairs[:, side]
            np.add.at(self.games, players, games_a_pair)
            np.add.at(self.wins, players, won)
            np.add.at(self.draws, players, draws)
            np.add.at(self.losses, players, lost)
            earned = np.where(won > lost, points.win, np.where(won == lost, points.draw, points.loss))
            np.add.at(self.points, players, earned)


@dataclass(frozen=True)
class Ranking:
    """The outcome of a tournament.

    Attributes:
        order: int64 of shape (individuals,): indexes of the individuals, best first. Ranked survivors come first,
            the eliminated after them, later rounds before earlier, then by points, then by index.
        tally: what each has done.
    """

    order: Indexes
    tally: Tally


def run(config: Config, generator: np.random.Generator, play_games: PlayGames) -> Ranking:
    """Play all stages.

    Args:
        config: population, stages, games and points.
        generator: for pairings, colours and coins; its numbers do not depend on how games are spread.
        play_games: plays pairings.
    """
    size = config.population.size
    games_a_pair = 1 if config.games.openings == "start" else 2
    tally = Tally(size)
    alive = np.arange(size)
    out: list[Indexes] = []  # those who left, a round each
    for number, stage in enumerate(config.stages):
        for turn in range(1 if stage.kind == "round-robin" else stage.rounds):
            batches = 0

            def play(pairs: Indexes, stage=stage, number=number, turn=turn) -> Scores:  # type: ignore[no-untyped-def]
                nonlocal batches
                scores = play_games(pairs, (number, turn, batches), stage.kind == "round-robin")
                batches += 1
                if stage.counts:
                    tally.add(pairs, scores, games_a_pair, config)
                return scores

            if stage.kind == "round-robin":
                pairs = selection.round_robin_pairs(alive, generator)
                table = selection.standings(alive, pairs, play(pairs), config.points)
                order = np.lexsort((alive, -tally.points[alive], -table.wins, -table.points))
                return Ranking(np.concatenate([alive[order], *_ordered(out, tally)]), tally)
            if stage.kind == "elimination":
                going = selection.eliminate(alive, play, generator, stage.ties)
            else:
                going = selection.play_groups(alive, play, generator, stage, config.points)
            out.append(np.setdiff1d(alive, going))
            alive = going
    raise AssertionError("a configuration ends with a round robin")


def _ordered(out: list[Indexes], tally: Tally) -> list[Indexes]:
    """Those who left, later rounds first, each by points, then by index."""
    return [left[np.lexsort((left, -tally.points[left]))] for left in reversed(out)]
