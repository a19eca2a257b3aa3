"""A rated game in a window, for several tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from game import plain
from gui.rating.rating import level_opponents
from gui.screens.play.play import Play
from gui.screens.play.rated import begin_rated
from tests.gui.hands import Hands, Opened

SHIPPED = Path("populations")


@pytest.fixture(autouse=True)
def first_of_the_deck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the random choice of ballots by the first possible one."""
    monkeypatch.setattr("gui.rating.career.secrets.choice", lambda ballots: ballots[0])


def move(hands: Hands) -> None:
    """Let the program move after the ballot, then the person, then the program again."""
    hands.answer()
    hands.touch(*plain.legal_moves(hands.game.model.last)[0].path)
    hands.answer()


def begin(hands: Hands) -> None:
    """Begin a rated game against a level, or ask about an unfinished one."""
    begin_rated(hands.app, level_opponents()[2], lambda model: hands.app.open(hands.app.screens.play(hands.app, model)))


def begun(opened: Opened, **settings: Any) -> Hands:
    """Return a window with a rated game against a level in which the person is to move first."""
    hands = opened(**settings)
    begin(hands)
    assert isinstance(hands.app.screen, Play)
    return hands
