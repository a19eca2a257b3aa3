"""The scene of a position that is set up, for the tests of all screens."""

from __future__ import annotations

from collections.abc import Callable

from extras.setup.screen import SetUp
from game import plain
from game.board import Position
from gui.app import App
from gui.model.seats import HUMAN, Seat
from tests.gui.hands import Hands


def _set_up(app: App) -> None:
    from tests.gui.scenes.scenes import OPPONENT  # it imports this module

    app.open(SetUp(app, Position.start(), (HUMAN, OPPONENT)))


def open_screen(hands: Hands) -> None:
    """Set up the position after a move, for tests of keys."""
    start = Position.start()
    after = plain.apply(start, plain.legal_moves(start)[0])
    hands.app.open(SetUp(hands.app, after, (HUMAN, Seat("material", 2))))
    hands.wait(0.3)


SCENES: dict[str, Callable[[App], object]] = {"set-up": _set_up}
THEMED: tuple[str, ...] = ()
