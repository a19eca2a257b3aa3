"""A climb in a window."""

from __future__ import annotations

from extras.climb.screen import Climb
from tests.gui.hands import Hands


def climbing(hands: Hands) -> Climb:
    screen = hands.app.screen
    assert isinstance(screen, Climb)
    hands.until(lambda: screen.chosen is not None and not hands.app.services.background.wants(screen))
    return screen
