"""Games of a complete generation, played again: the same players, openings and moves as in its tournament.

A game depends only on the seed, the generation, the round and the weights of both players, so some games of a first
round can be repeated without the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from evolve.config.model import Config
from evolve.kinds.pairing import Indexes
from evolve.run.columns import whole_number
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation
from evolve.streams import Draw, stream
from evolve.tournament import tournament
from evolve.tournament.arena import fixtures, openings_of
from game.batch.games import BatchPlayers, play_all
from game.board import Position
from game.errors import InputError
from game.match import GameRecord


@dataclass(frozen=True)
class GameAgain:
    """A game of a tournament that was played again; its players are rows of the generation, best first."""

    black: int
    white: int
    record: GameRecord


class _FirstRound(Exception):
    """The end of a tournament before its first game."""

    def __init__(self, pairs: Indexes, key: tuple[int, ...]) -> None:
        super().__init__()
        self.pairs, self.key = pairs, key


def play_again(run: Run, generation: int, count: int) -> tuple[Generation, list[GameAgain]]:
    """Play games of the first round of a generation again.

    Args:
        count: maximum number of games. The first is the champion's, the others are spread evenly over the round.

    Returns:
        the generation, and the games, of different pairings if there are enough.

    Raises:
        InputError: its games cannot be repeated: the run has code of its own or opponents from earlier generations, or
            the file of the generation is missing, damaged or without weights.
    """
    config = run.config(generation)
    if not config.kind.breeds or not config.kind.varies or config.plugins.files or config.champions:
        raise InputError(f"{run.path}: only the games of a population among itself, without own code, can be repeated")
    rows = run.read_generation(generation)
    row_of = _rows_by_index(run, config, rows)
    pairs, key = _first_round(config, generation)
    blacks, whites, ballots = fixtures(config, pairs, (generation, Draw.BALLOTS, key))
    chosen = _choose(blacks, whites, np.flatnonzero(row_of == 0)[0], config.games.a_pairing, count)
    blacks, whites, ballots = row_of[blacks[chosen]], row_of[whites[chosen]], ballots[chosen]
    # Prepare only the players of these games.
    players, places = np.unique(np.concatenate([blacks, whites]), return_inverse=True)
    kings = np.full(len(rows.names), config.network.king, np.float32) if rows.kings is None else rows.kings
    limits, style = config.search.limits(generation), config.search.style()
    field = BatchPlayers.of_networks(config.network, rows.weights[players], kings[players], limits=limits, style=style)
    outcomes = play_all(
        field, *np.split(places, 2), openings=openings_of(config), opening_of=ballots, rules=config.games.rules(),
        keep=True, adjudicate=config.games.adjudicate,
    )  # fmt: skip
    start = Position.start()
    sides = zip(blacks.tolist(), whites.tolist(), strict=True)
    return rows, [GameAgain(*players, outcomes.record(game, start)) for game, players in enumerate(sides)]


def _rows_by_index(run: Run, config: Config, rows: Generation) -> Indexes:
    """Return the row of each individual by its index in the tournament, which is a part of its name."""
    indexes = [whole_number(name.rpartition("_")[2]) for name in rows.names]
    if sorted(index for index in indexes if index is not None) != list(range(config.population.size)):
        raise InputError(f"{run.path}: expected {config.population.size} individuals, numbered from 0")
    row_of = np.empty(len(indexes), np.int64)
    row_of[np.array(indexes, np.int64)] = np.arange(len(indexes))
    return row_of


def _first_round(config: Config, generation: int) -> tuple[Indexes, tuple[int, ...]]:
    def stop(pairs: Indexes, key: tuple[int, ...], keep: bool) -> NoReturn:
        raise _FirstRound(pairs, key)

    generator = stream(config.seed, generation, Draw.TOURNAMENT)
    try:
        tournament.run(config, generator, stop)
    except _FirstRound as first:
        return first.pairs, first.key
    raise InputError("the tournament has no games")


def _choose(blacks: Indexes, whites: Indexes, champion: Any, a_pairing: int, count: int) -> Sequence[int]:
    """Return games: the champion's first one, then others, one of each pairing before the second of any."""
    games = np.concatenate([np.arange(first, len(blacks), a_pairing) for first in range(a_pairing)])
    own = games[(blacks[games] == champion) | (whites[games] == champion)][:1]
    others = games[~np.isin(games, own)]
    room = max(min(count - len(own), len(others)), 0)
    pairings = len(blacks) // a_pairing - len(own)
    spread = np.arange(room) if room > pairings else np.arange(room) * pairings // max(room, 1)
    chosen: list[int] = np.concatenate([own, others[spread]]).tolist()
    return chosen
