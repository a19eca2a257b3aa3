"""Values and functions shared by `test_kept_games` and other tests."""

from __future__ import annotations

from game import plain
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat

COUNTER, RANDOM = Seat("material", 2), Seat("random")


def game(*moves: int, seats: tuple[Seat, Seat] = (HUMAN, HUMAN)) -> GameModel:
    """Return a game whose moves are given by their numbers among the legal ones."""
    model = GameModel(seats)
    for number in moves:
        model.play(plain.legal_moves(model.last)[number])
    return model


def moves(model: GameModel) -> list[str]:
    return [str(ply.move) for ply in model.plies]
