"""Values and functions shared by `test_chooser` and other tests."""

from __future__ import annotations

from gui.screens.individuals.chooser import Chooser
from tests.gui.hands import Hands


def listed(hands: Hands) -> Chooser:
    screen = hands.app.screen
    assert isinstance(screen, Chooser)
    hands.until(lambda: not screen.browser.busy)
    hands.wait(0.6)
    hands.until(lambda: not screen.browser.busy)
    return screen


def row_of(hands: Hands, name: str) -> int:
    rows = hands.app.services.library.rows
    return next(number for number, row in enumerate(rows) if name in (row.name, row.player))
