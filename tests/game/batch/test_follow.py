"""Games of a batch, followed move by move in compiled code and in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from game import moves
from game.batch.follow import follow
from game.batch.games import BatchPlayers, play_all
from game.board import Position
from game.errors import InputError
from game.players.random import RandomPlayer
from game.rules import DrawRules


@pytest.fixture(scope="module")
def games() -> list[np.ndarray]:
    field = BatchPlayers.of_players([RandomPlayer()])
    assert field is not None
    nobody = np.zeros(6, np.int64)
    outcomes = play_all(field, nobody, nobody, rules=DrawRules(max_plies=90), seeds=list(range(6)), keep=True)
    assert outcomes.codes is not None
    return outcomes.codes


def test_positions_are_those_of_the_moves(games: list[np.ndarray]) -> None:
    for codes in games:
        rows, indexes = follow(codes, Position.start())
        position = Position.start()
        for ply, (row, index) in enumerate(zip(rows.tolist(), indexes.tolist(), strict=True)):
            seen = position if position.side == 0 else position.mirror()
            assert row[:3] == [seen.black, seen.white, seen.kings]
            after = moves.successors(position)
            assert row[3] == bool(after[0][0].captured)
            assert after[index][0] == moves.decode(int(codes[ply]), position.side)
            position = after[index][1]


def test_codes_of_other_games_are_refused(games: list[np.ndarray]) -> None:
    with pytest.raises(InputError, match="at ply 1 is that of no legal move"):
        follow(np.array([games[0][0], 63], np.uint32), Position.start())
    rows, indexes = follow(games[0][:0], Position.start())
    assert (rows.shape, indexes.shape) == ((0, 4), (0,))
