"""Games that have lasted long enough: programs agree to no draw at the beginning."""

from __future__ import annotations

from game import plain
from game.board import Position
from game.rules import DrawRules
from gui.model.game import GameModel
from gui.model.lines import Thought

ENDLESS = DrawRules(repetition=0, quiet_plies=1_000)
KINGS = Position.from_fen("B:WK32,K31:BK1,K2")


def play_on(model: GameModel, plies: int, share: float | None = 0.0) -> None:
    """Move kings to and fro; `share` is the evaluation that programs report with each move."""
    paths = (1, 6), (32, 27), (6, 10), (27, 24), (10, 6), (24, 27), (6, 1), (27, 32)
    for _ in range(plies):
        path = paths[len(model.plies) % len(paths)]
        (move,) = (move for move in plain.legal_moves(model.last) if move.path == path)
        thought = None if model.seat.human else Thought(share, share)
        model.play(move, thought)
