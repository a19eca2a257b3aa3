"""Openings from the middle of games that the program plays against itself: even and quiet positions.

From a ballot two players that count pieces, look two plies ahead and draw lots among equal moves play 8 to 30 plies in
all. Both sides then have as many men, no king, and nothing to capture; and two plies later the same game is still even.
The openings depend on the seed of the run alone.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from evolve.streams import Draw, stream
from game.batch.games import BatchPlayers, follow, index_openings, play_all
from game.board import Position
from game.openings import MIDDLE_PLIES, openings
from game.players.basic import MaterialPlayer
from game.rules import DrawRules
from game.search.limits import Limits, SearchOptions

COUNT = 512
"""Openings of a run."""
FEWEST_PLIES = 8
LATER = 2
"""Plies after which the game must still be even."""
PLAYER = MaterialPlayer(draws_ties=True, limits=Limits(2), style=SearchOptions(quiescence=True))


@functools.lru_cache(4)
def middle_games(seed: int, count: int = COUNT) -> NDArray[np.int16]:
    """Return openings for a seed, int16 of shape (count, MIDDLE_PLIES): indexes among the legal moves, then -1."""
    generator = stream(seed, 0, Draw.MIDDLE_GAMES)
    ballots = [ballot.moves for ballot in openings("three-move")]
    field = BatchPlayers.of_players([PLAYER])
    assert field is not None
    found: dict[bytes, NDArray[np.int16]] = {}
    while len(found) < count:
        player = np.zeros(count, np.int64)
        plies = generator.integers(FEWEST_PLIES, MIDDLE_PLIES + 1, count)
        outcomes = play_all(
            field,
            player,
            player,
            openings=index_openings(ballots, Position.start()),
            opening_of=generator.integers(0, len(ballots), count),
            rules=DrawRules(max_plies=MIDDLE_PLIES + LATER + 1),
            seeds=generator.integers(0, 2**63, count).tolist(),
            keep=True,
        )
        for codes, ply in zip(outcomes.codes or (), plies.tolist(), strict=True):
            rows, indexes = follow(codes, Position.start())
            if ply + LATER < len(rows) and _is_even(rows[ply]) and _is_even(rows[ply + LATER]) and _is_quiet(rows[ply]):
                found.setdefault(rows[ply, :2].tobytes() + bytes([ply & 1]), indexes[:ply])
    table = np.full((count, MIDDLE_PLIES), -1, np.int16)
    for row, line in zip(table, found.values(), strict=False):
        row[: len(line)] = line
    return table


def _is_even(row: NDArray[np.uint64]) -> bool:
    return int(row[0]).bit_count() == int(row[1]).bit_count()


def _is_quiet(row: NDArray[np.uint64]) -> bool:
    return not row[2:].any()  # no king, and nothing to capture
