"""A rated game in a window, for several tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gui.rating.rating import level_opponents
from gui.screens.play.play import Play
from gui.screens.play.rated import begin_rated
from tests.gui.hands import Hands, Opened

SHIPPED = Path("populations")


def begin(hands: Hands) -> None:
    """Begin a rated game against a level, or ask about an unfinished one."""
    begin_rated(hands.app, level_opponents()[2], lambda model: hands.app.open(hands.app.screens.play(model)))


def begun(opened: Opened, **settings: Any) -> Hands:
    """Return a window with a rated game against a level in which the person is to move first."""
    hands = opened(**settings)
    begin(hands)
    assert isinstance(hands.app.screen, Play)
    return hands
