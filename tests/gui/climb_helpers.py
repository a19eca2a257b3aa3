"""Values and functions shared by `test_climb` and other tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gui.screens.climb.climb import Climb
from gui.screens.play.play import Play
from tests.gui.hands import Hands

Opened = Callable[..., Hands]
SHIPPED = Path("populations")


def climbing(hands: Hands) -> Climb:
    screen = hands.app.screen
    assert isinstance(screen, Climb)
    hands.until(lambda: screen.chosen is not None and not hands.app.services.background.wants(screen))
    return screen


def begun(opened: Opened, **settings: Any) -> Hands:
    """Begin a rated game against a level, and return it when the person is to move first."""
    hands = opened(runs=SHIPPED, **settings)
    hands.key("l")
    screen = climbing(hands)
    hands.until(lambda: bool(screen.levels and screen.rungs))
    screen.show(screen.levels[2])
    hands.key("p")
    assert isinstance(hands.app.screen, Play)
    return hands
