"""Each press of a key acts once, even if the system repeats the key while the window is busy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.dialogs.dialog import Prompt
from gui.screens.home import Home
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.play import Play
from gui.toolkit import pygame
from tests.gui.chooser_helpers import click_card, titles
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import SessionFolder


def down(code: int, typed: str = "") -> Any:
    return pygame.event.Event(pygame.KEYDOWN, key=code, mod=0, unicode=typed)


def up(code: int) -> Any:
    return pygame.event.Event(pygame.KEYUP, key=code, mod=0)


def text(typed: str) -> Any:
    return pygame.event.Event(pygame.TEXTINPUT, text=typed)


def tap(hands: Hands, code: int, typed: str = "") -> None:
    """Tap a key while the window is busy for 0.6 s: the system repeats it seven times before it is released."""
    hands.send(down(code, typed), *([text(typed)] if typed else []))
    hands.send(*[down(code, typed)] * 7, up(code))
    hands.wait(0.1)


def hold(hands: Hands, code: int, typed: str = "", frames: int = 5) -> None:
    """Hold a key, with the text that the system repeats by itself."""
    for _ in range(frames):
        hands.send(down(code, typed), *([text(typed)] if typed else []))
    hands.send(up(code))


@pytest.mark.parametrize("press", [tap, hold])
def test_a_key_that_opens_a_screen_acts_once(opened: Opened, tmp_path: Path, press: Callable[..., None]) -> None:
    SessionFolder(tmp_path / "runs" / "mine", 2)
    hands = opened()
    press(hands, pygame.K_n, "n")  # on the screen that it opens, N means nothing
    assert isinstance(hands.app.screen, Chooser) and len(hands.app.stack) == 2
    press(hands, pygame.K_ESCAPE)
    assert isinstance(hands.app.screen, Home)
    press(hands, pygame.K_SLASH, "/")  # means nothing here
    hands.key("<all-runs>")
    click_card(hands, "mine")
    press(hands, pygame.K_RETURN)  # Enter plays, and means nothing at the beginning of a game
    assert isinstance(hands.app.screen, Play) and len(hands.app.stack) == 2
    hands.app.go_home()
    hands.app.screen.ui.focus = ""
    press(hands, pygame.K_RETURN)
    assert isinstance(hands.app.screen, Play) and len(hands.app.stack) == 2
    press(hands, pygame.K_v, "v")
    assert hands.app.services.settings.panel == "analysis"  # a switch is not turned back


def test_text_of_a_held_key_does_not_go_into_the_field_that_it_opened(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    hold(hands, pygame.K_SLASH, "/", frames=20)
    assert hands.app.screen.ui.focus == "search" and hands.widget("search").value == ""
    hands.send(down(pygame.K_w, "w"), text("w"))
    hands.send(down(pygame.K_w, "w"), text("w"))
    hands.send(up(pygame.K_w))
    assert hands.widget("search").value == "ww"
    hold(hands, pygame.K_BACKSPACE)
    assert hands.widget("search").value == ""


def test_arrows_repeat_while_they_are_held_and_not_after(opened: Opened, tmp_path: Path) -> None:
    for name in "abcdefghij":
        SessionFolder(tmp_path / "runs" / name, 1)
    hands = opened()
    hands.key("<all-runs>")
    click_card(hands, titles(hands)[0])
    hold(hands, pygame.K_RIGHT, frames=4)
    assert hands.widget("cards").selected == 4
    tap(hands, pygame.K_RIGHT)
    assert hands.widget("cards").selected == 5


def test_a_digit_begins_a_typed_move(opened: Opened) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, GameModel()))
    hands.send(down(pygame.K_1, "1"), text("1"), up(pygame.K_1))
    assert isinstance(hands.app.screen, Prompt)
    hands.wait(0.1)
    hands.type("1-15")
    hands.key("return")
    assert [str(ply.move) for ply in hands.game.model.plies] == ["11-15"]
    hands.app.replace(Play(hands.app, GameModel((Seat("random"), HUMAN))))
    hands.key("2")
    assert not isinstance(hands.app.screen, Prompt) and hands.app.notice == "It is not your move."
