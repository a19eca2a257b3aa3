"""The tournament of a generation: its stages in order, and the resulting ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evolve.config.model import Config
from evolve.kinds import plugins
from evolve.kinds.pairing import LEADER, Indexes, Points, PointsTable, Scores, Tally
from evolve.kinds.stages import Stage, StageContext

PlayGames = Callable[[Indexes, tuple[int, ...], bool], Scores]
"""``play(pairs, key, keep)`` plays pairings, int64 of shape (pairings, 2); openings derive from the key (stage, round,
batch), and `keep` keeps the moves."""


@dataclass(frozen=True)
class Ranking:
    """The outcome of a tournament.

    Attributes:
        order: int64 of shape (individuals,): indexes of the individuals, best first. Individuals ranked by the last
            stages come first. Eliminated ones follow: later rounds before earlier ones, then by points, then by index.
            A mean always comes first.
    """

    order: Indexes
    tally: Tally


def run(config: Config, generator: np.random.Generator, play_games: PlayGames, champions: int = 0) -> Ranking:
    """Play all stages.

    Args:
        champions: number of champions of earlier generations whose indexes follow the individuals; they are not ranked.
    """
    size, points = config.population.size, config.points
    tally, table = Tally(size), PointsTable(size + champions, points, led=config.population.mean)
    players, left = np.arange(size), np.arange(0)
    for number, stage in enumerate(config.stages):
        standings = plugins.named(stage, f"stages.{number}.kind", stage.play)(
            StageContext(
                players,
                size + np.arange(min(stage.champions, champions)),
                _player_of_rounds(number, stage, points, tally, play_games),
                generator,
                points,
                tally,
                table,
                last=number == len(config.stages) - 1,
            )
        )
        # Those that go out in this stage come before all that went out earlier. The next stage sees its players in
        # order of index, so that a rank of this stage decides nothing in it.
        survivors, out = np.split(standings.order, [standings.survivors])
        players, left = np.sort(survivors), np.concatenate([out, left])
    order = np.concatenate([survivors, left])
    if config.population.mean:  # it leads, even if it was eliminated
        order = np.concatenate([[LEADER], order[order != LEADER]])
    return Ranking(order, tally)


def _player_of_rounds(
    number: int, stage: Stage, points: Points, tally: Tally, play_games: PlayGames
) -> Callable[[int, Indexes], Scores]:
    """Return a function that plays and counts pairings of a stage; each call in a round gets its own key."""
    batches: Counter[int] = Counter()

    def play(round_number: int, pairs: Indexes) -> Scores:
        # The key of the openings counts calls of the same round, since a round that repeats ties must not repeat its
        # ballots.
        scores = play_games(pairs, (number, round_number, batches[round_number]), stage.ranks)
        batches[round_number] += 1
        if stage.counts:
            tally.add(pairs, scores, points)
        return scores

    return play
