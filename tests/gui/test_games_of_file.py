"""The games of a PDN file one after another: shown, and reviewed as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui.screens.play.game_lists import GamesScreen
from gui.screens.play.play import Play
from gui.screens.play.review import ReviewScreen
from tests.gui.hands import Hands, Opened
from tests.gui.review_helpers import MOVES, think

NAMES = ("Anna", "Bela", "Cara")


@pytest.fixture
def listed(opened: Opened, tmp_path: Path) -> Hands:
    """The list of a file of three games; the second has no mistake."""
    path, moves = tmp_path / "three.pdn", MOVES.split()
    games = (moves, moves[:5], moves)
    tags = '[Black "{}"]\n[White "Zoe"]\n[Result "1-0"]\n\n{} 1-0\n\n'
    path.write_text("".join(tags.format(name, " ".join(game)) for name, game in zip(NAMES, games, strict=True)))
    hands = opened()
    hands.drop(path)
    hands.until(lambda: isinstance(hands.app.screen, GamesScreen) and hands.app.screen.index.complete)
    return hands


def play(hands: Hands) -> Play:
    assert isinstance(hands.app.screen, Play)
    return hands.app.screen


def review(hands: Hands) -> ReviewScreen:
    assert isinstance(hands.app.screen, ReviewScreen)
    return hands.app.screen


def test_a_game_offers_the_next_one_of_its_file(listed: Hands) -> None:
    listed.key("return")
    assert play(listed).title == "Anna against Zoe" and "game 1 of 3" in listed.widget("do.next-game").hint
    assert listed.widget("place").text == "Game 1 of 3"
    listed.click("do.next-game")
    assert play(listed).title == "Bela against Zoe"
    listed.key("pagedown", "pagedown")
    assert play(listed).title == "Cara against Zoe" and listed.widget("place").text == "Game 3 of 3"
    assert listed.app.said == "There is no further game in the list."
    listed.key("pageup", "escape")
    assert isinstance(listed.app.screen, GamesScreen) and listed.widget("games").selected == 1


def test_a_searched_list_leads_to_its_next_game(listed: Hands) -> None:
    listed.key("/")
    listed.type("ara")
    listed.wait(0.2)
    listed.key("return")
    assert play(listed).title == "Cara against Zoe"
    assert not listed.widget("do.next-game").enabled


def test_a_file_is_reviewed_as_a_whole(listed: Hands) -> None:
    listed.click("review-all")
    think(listed)
    assert listed.words[0] == "Mistake 1 of 2" and len(listed.app.stack) == 4
    listed.key("space", "space")
    assert listed.words[0] == "2 mistakes" and listed.widget("do.next-mistake").text == "Next game"
    listed.key("space")
    think(listed)
    assert listed.words[0] == "No big mistake" and len(listed.app.stack) == 4
    listed.key("space")
    think(listed)
    listed.key("space", "space", "space")
    assert review(listed).practice.number == 1  # the last game, from its start again
    listed.key("escape", "escape", "escape")
    assert isinstance(listed.app.screen, GamesScreen) and listed.widget("games").selected == 2
