"""Games of our own players, for what learns from files of games."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from game.batch.games import BatchPlayers, play_all
from game.board import Position
from game.moves import decode
from game.pdn.game import Game, write_game
from game.players.basic import MaterialPlayer
from game.rules import DrawRules
from game.search.interface import Limits, SearchOptions

RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}


def write_own_games(path: Path, games: int, *, depth: int = 2, seed: int = 1) -> Path:
    """A file of games of a player that counts pieces and draws lots among equal moves; the same for the same seed."""
    style = SearchOptions(quiescence=True, table_bits=12)
    counting = MaterialPlayer(draws_ties=True, limits=Limits(depth), style=style)
    field = BatchPlayers.of_players([counting])
    assert field is not None
    none, seeds = np.zeros(games, np.int64), np.random.default_rng(seed).integers(0, 2**63, games).tolist()
    outcomes = play_all(field, none, none, rules=DrawRules(3, 40, True, 0), seeds=seeds, keep=True)
    with path.open("w") as file:
        for codes, result in zip(outcomes.codes or (), outcomes.results.tolist(), strict=True):
            moves = tuple(decode(code, ply % 2) for ply, code in enumerate(codes.tolist()))
            write_game(file, Game((), Position.start(), moves, RESULTS[result]))
    return path
