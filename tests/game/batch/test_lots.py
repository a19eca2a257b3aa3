"""Lots among the moves of openings: each plays its part of the legal moves, in any place."""

from __future__ import annotations

import numpy as np

from game import moves
from game.batch import games
from game.batch.games import BatchPlayers, play_all
from game.board import Position
from game.generator import SplitMix64
from game.players.material import MaterialPlayer

START = Position.start()


def test_lots_among_the_moves_of_openings() -> None:
    """Whoever moves elsewhere moves as in any game."""
    generator = np.random.default_rng(5)
    numbers = generator.integers(0, games.LOTS, (40, 30))
    table = np.where(generator.random((40, 30)) < 0.3, games.lots(numbers), -1).astype(np.int16)
    table[:, 0] = generator.integers(0, 7, 40)
    field = BatchPlayers.of_players([MaterialPlayer()])
    assert field is not None
    outcomes = play_all(field, [0] * 40, [0] * 40, openings=table, opening_of=range(40), keep=True)
    for row, number, codes in zip(table.tolist(), numbers.tolist(), outcomes.codes or (), strict=True):
        position = START
        for entry, lot, code in zip(row, number, codes.tolist(), strict=False):
            legal = moves.successors(position)
            index = next(place for place, (move, _) in enumerate(legal) if move == moves.decode(code, position.side))
            if entry >= 0:
                assert index == entry
            elif entry != -1:
                assert index == lot * len(legal) // games.LOTS
            else:
                assert legal[index][0] == MaterialPlayer().choose(position, (), SplitMix64(0)).move
            position = legal[index][1]
    every = np.array([np.arange(games.LOTS) * 7 // games.LOTS])
    assert np.bincount(every[0]).max() - np.bincount(every[0]).min() <= 1
