"""Tables with a thinker that answers when a test tells it to."""

from __future__ import annotations

from typing import Any

from game import plain
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.model.table import FIRST_MOVE, GameTable
from tests.gui.fake_thinker import FakeThinker
from tests.gui.long_games import ENDLESS, KINGS, play_on

NETWORK = Seat("cowan-1@15", 4, 2.0)
AGAINST = (HUMAN, NETWORK)


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
