"""Tables with a thinker that answers when a test tells it to."""

from __future__ import annotations

from typing import Any

from game import plain
from game.board import Position
from game.rules import DrawRules
from gui.model.game import GameModel
from gui.model.lines import Thought
from gui.model.seats import HUMAN, Seat
from gui.model.table import FIRST_MOVE, GameTable
from tests.gui.fake_thinker import FakeThinker

NETWORK = Seat("cowan-1@15", 4, 2.0)
AGAINST = (HUMAN, NETWORK)
ENDLESS = DrawRules(repetition=0, quiet_plies=1_000)
KINGS = Position.from_fen("B:WK32,K31:BK1,K2")


def begun(seats: tuple[Seat, Seat] = AGAINST, **values: Any) -> tuple[GameTable, FakeThinker]:
    thinker = FakeThinker()
    table = GameTable(thinker, GameModel(seats, seed=7, **values))
    table.least = 0.0
    return table, thinker


def person_moves(table: GameTable) -> None:
    table.model.play(plain.legal_moves(table.model.last)[0])


def late(share: float | None = 0.0, opponent: Seat = NETWORK) -> tuple[GameTable, FakeThinker]:
    """Return a game against a program, at the first move at which it may agree to a draw.

    All its evaluations so far were `share`.
    """
    table, thinker = begun((HUMAN, opponent), start=KINGS)
    table.model.rules = ENDLESS
    play_on(table.model, 2 * (FIRST_MOVE - 1), share)
    return table, thinker


def play_on(model: GameModel, plies: int, share: float | None = 0.0) -> None:
    """Move kings to and fro; `share` is the evaluation that programs report with each move."""
    paths = (1, 6), (32, 27), (6, 10), (27, 24), (10, 6), (24, 27), (6, 1), (27, 32)
    for _ in range(plies):
        path = paths[len(model.plies) % len(paths)]
        (move,) = (move for move in plain.legal_moves(model.last) if move.path == path)
        thought = None if model.seat.human else Thought(share)
        model.play(move, thought)
