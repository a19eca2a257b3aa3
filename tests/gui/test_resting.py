"""The window while nothing happens: steps and frames are counted, and no times are asserted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.home import Home
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.game_lists import KeptGamesScreen
from gui.screens.play.play import Play
from gui.screens.runs.all_runs import RunsScreen
from gui.screens.settings import SettingsScreen
from tests.growing_run import watched
from tests.gui.hands import Hands
from tests.gui.resting import MOST_STEPS, check_rest, steps_and_pictures

Opened = Callable[..., Hands]
SHIPPED = Path(__file__).parents[2] / "populations"


@pytest.mark.parametrize("screen", [Home, Play, Chooser, KeptGamesScreen, RunsScreen, SettingsScreen])
def test_resting_screen_is_not_drawn(opened: Opened, screen: type) -> None:
    hands = opened(runs=SHIPPED)
    services = hands.app.services
    hands.until(lambda: services.kept.complete and not services.library.busy)
    if screen is Play:
        hands.app.open(Play(hands.app, GameModel((HUMAN, Seat("material", 12)))))
    elif screen is not Home:
        hands.app.open(screen(hands.app))
    check_rest(hands)


def test_resting_first_screen_opens_no_file(opened: Opened) -> None:
    hands = opened(runs=SHIPPED)
    services = hands.app.services
    hands.until(lambda: services.kept.complete and not services.library.busy)
    hands.wait(3.0)
    files: list[str] = []
    with watched(SHIPPED, lambda number: None, files.append):
        steps, pictures = steps_and_pictures(hands)
    assert pictures == 0
    assert [path for path in files if Path(path).is_file()] == []
    assert len(files) <= 4 * steps  # the folder of runs is listed to find new ones


def test_a_program_that_thinks_is_listened_to(opened: Opened) -> None:
    """The count is larger while something happens."""
    hands = opened()
    hands.app.open(Play(hands.app, GameModel((Seat("material", 12), HUMAN))))
    steps, pictures = steps_and_pictures(hands)
    assert steps > 4 * MOST_STEPS and pictures > 10


def test_drawn_texts_are_not_measured_again(opened: Opened) -> None:
    hands = opened(evaluation_bar=True, panel="analysis")
    hands.app.open(Play(hands.app, GameModel((HUMAN, Seat("material", 12)))))
    hands.wait(0.2)
    fonts = hands.app.look.fonts
    measured = fonts.size.cache_info().misses
    assert measured > 50
    hands.app.redraw()
    hands.app.draw()
    assert fonts.size.cache_info().misses == measured
    hands.app.change_settings(scale=1.25)
    hands.app.draw()
    assert fonts.size.cache_info().misses > measured
