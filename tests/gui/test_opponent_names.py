"""The name of an opponent: the same in every list and game, and whole at every size of the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gui.look.canvas import Canvas
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat, title_of
from gui.screens.play.game_parts import Strip
from gui.toolkit import pygame
from tests.gui.chooser_helpers import Opened, listed
from tests.gui.hands import Hands

SIZES = ((640, 480), (800, 600), (1024, 768), (1280, 800), (1920, 1080))
NAMES = ("Generation 40 of first-1", "Gen15_0832 of crownhead-", "Gen15_0832 of cowan-mmmm")


@pytest.mark.parametrize("panels", [{}, {"panel": "analysis", "evaluation_bar": True}], ids=str)
@pytest.mark.parametrize("size", SIZES)
def test_a_name_of_24_letters_is_whole(size: tuple[int, int], panels: dict[str, bool], opened: Opened) -> None:
    hands = opened(size=size, **panels)
    for name in NAMES:
        assert len(name) == 24
        hands.app.go_home()
        seat = Seat("material", 4, title=f"{name} (rank 12)")
        hands.app.open(hands.app.screens.play(GameModel((HUMAN, seat))))
        strip: Strip = replace(hands.widget("strip1"), taken=12, busy=True, limits="rank 12, depth 4, 1315 Elo")
        canvas = Canvas(pygame.Surface(size), hands.app.look)
        strip.draw(canvas, hands.app.screen.ui)
        assert canvas.elided == []
        replace(strip, name=name * 6).draw(canvas, hands.app.screen.ui)
        assert [text for _, text in canvas.elided] == [name * 6]  # then it is whole in the tooltip


def test_names_of_individuals() -> None:
    assert title_of("Gen40_0173", "first-1", 40, 1) == "Generation 40 of first-1"
    assert title_of("Gen15_0832", "cowan-1", 15, 4) == "Gen15_0832 of cowan-1 (rank 4)"
    assert title_of("anna", "players.csv", 15, 1) == "anna (players.csv)"


def test_a_level_keeps_its_name_from_the_choice_to_the_archive(opened: Callable[..., Hands]) -> None:
    hands = opened(runs=Path("populations"), colour="black")
    hands.key("n")
    listed(hands)
    hands.click_row("levels", 3)
    assert hands.widget("details.name").text == "Club"
    hands.key("return")
    assert (hands.game.title, hands.widget("strip1").name) == ("Against Club", "Club")
    hands.touch(11, 15)
    hands.app.go_home()
    kept = hands.app.services.kept
    hands.until(lambda: kept.complete and kept.games)
    assert kept.games[0].players == "Black against Club"
    earlier = Seat("crownhead-2", 4, title="Crownhead-2 champion (gen 6)")  # as earlier versions have saved it
    assert earlier.shown == "Expert (crownhead-2)"
