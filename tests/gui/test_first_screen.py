"""The first screen: nothing is said that reading takes back, and the board keeps its place in games and reviews."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from gui.app import App
from gui.geometry import Size
from gui.rating.rating import level_opponents
from gui.screens.home import Home
from gui.screens.play.play import Play
from gui.widgets.board import BoardWidget
from gui.widgets.button import MainButton
from tests.gui.hands import Hands
from tests.gui.layouts_helpers import look_at
from tests.gui.scenes.scenes import picture

Opened = Callable[..., Hands]


def texts(hands: Hands) -> list[str]:
    return [getattr(widget, "text", "") for widget in hands.app.view() if widget.key != "board.line"]


def test_games_and_rating_are_hidden_until_read(opened: Opened) -> None:
    hands = opened()
    career = hands.app.services.career
    career.finish(career.game_of(career.begin(level_opponents()[1])), 0.0)
    hands.until(lambda: career.rating is not None and not career.busy)
    hands.key("p")
    hands.until(lambda: isinstance(hands.app.screen, Play))
    screen = hands.app.screen
    assert isinstance(screen, Play)
    screen.play_text("11-15")
    hands.app.go_home()
    hands.wait(0.5)
    fresh = Home(hands.app)  # as when the window opens
    hands.app.open(fresh)
    first = texts(hands)
    assert not any("No rating" in text or "Casual" in text or "Your rating" in text for text in first)
    hands.until(lambda: any(text.startswith("Continue") for text in texts(hands)))
    assert any("Your rating" in text for text in texts(hands))


def board_of(app: App, size: Size, wanted: float) -> BoardWidget:
    look = look_at(app, size, wanted)
    return next(widget for widget in app.screen.view(size, look) if isinstance(widget, BoardWidget))


def test_the_board_has_one_place(display: None) -> None:
    apps = [picture(scene, (800, 600)) for scene in ("home", "play", "review", "drill")]
    for size, wanted in itertools.product([(1280, 800), (800, 600), (500, 820), (1920, 1080)], [1.0, 1.15, 2.0]):
        assert len({board_of(app, size, wanted).rect for app in apps}) == 1, (size, wanted)


def test_the_main_button_names_a_game_once_the_games_are_read(opened: Opened) -> None:
    hands = opened()
    hands.until(lambda: hands.app.services.kept.complete)
    hands.wait(0.2)
    button = hands.widget("play")
    assert isinstance(button, MainButton) and button.text.startswith("Play\n")
