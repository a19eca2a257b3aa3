"""Rated games in a window: which games count, and the level about as strong as the person."""

from __future__ import annotations

import pytest

import extras
from game import plain
from gui.rating.rating import level_opponents
from gui.screens.dialogs.dialog import Dialog
from gui.screens.home import Home
from gui.screens.play.play import Play
from tests.gui.hands import Hands, Opened
from tests.gui.rated_helpers import SHIPPED, begin, begun

_, BEGINNER, CASUAL, CLUB, *_ = level_opponents()


@pytest.fixture(autouse=True)
def first_of_the_deck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the random choice of ballots by the first possible one."""
    monkeypatch.setattr("gui.rating.career.secrets.choice", lambda ballots: ballots[0])


def move(hands: Hands) -> None:
    """Let the program move after the ballot, then the person, then the program again."""
    hands.answer()
    hands.touch(*plain.legal_moves(hands.game.model.last)[0].path)
    hands.answer()


@pytest.mark.parametrize(("key", "asked", "why"), [("u", "Taking back a move", "a move was taken back"),
                                                   ("h", "A hint", "a hint was shown"),
                                                   ("v", "Analysis", "analysis was shown")])  # fmt: skip
def test_actions_that_end_rating_need_confirmation(opened: Opened, key: str, asked: str, why: str) -> None:
    hands = begun(opened)
    career, play = hands.app.services.career, hands.app.screen
    assert isinstance(play, Play)
    move(hands)
    hands.key(key)
    assert isinstance(hands.app.screen, Dialog)
    assert hands.widget("text").text == f"{asked} makes this game unrated."
    for safe in ("return", "escape"):
        hands.key(safe)
        assert play.rated.counts
        assert len(play.model.plies) == 6
        hands.key(key)
    hands.key("ctrl+return")
    assert not play.rated.counts
    assert career.reason(play.rated.game) == why
    assert why in hands.widget("strip0").line
    hands.key("<resign>", "return")
    hands.wait(0.5)
    assert career.results == []
    assert why in hands.words[1]
    assert [entry.why for entry in career.history] == [why]


def test_analysis_is_off_while_a_game_counts_and_on_after_it(opened: Opened) -> None:
    hands = begun(opened, evaluation_bar=True, panel="analysis")
    play = hands.app.screen
    assert isinstance(play, Play)
    assert "bar" not in hands.keys and "scores" not in hands.keys
    assert not play.table._analysing
    hands.key(".")
    assert "thinks for as long as when" in str(next(c for c in play.commands() if c.id == "move-now").reason)
    hands.key("b")
    assert isinstance(hands.app.screen, Dialog)
    hands.key("ctrl+return")
    assert {"bar", "scores"} <= set(hands.keys)
    assert play.table._analysing


def test_rated_game_continues_after_a_break_with_a_rated_rematch(opened: Opened) -> None:
    hands = begun(opened)
    game = hands.app.screen.rated.game  # type: ignore[attr-defined]
    move(hands)
    hands.key("escape", "escape")
    hands.wait(0.5)  # kept games are read in steps
    hands.key("c")
    play = hands.app.screen
    assert isinstance(play, Play)
    assert play.rated.counts
    assert play.rated.game == game
    hands.key("<resign>", "return")
    hands.until(lambda: hands.app.services.career.rating is not None)
    assert not next(command for command in play.commands() if command.id == "swap").enabled
    first = play.model.opening.ballot
    hands.key("r")
    assert play.rated.counts
    assert play.rated.game != game
    assert not play.model.seats[0].human
    assert play.model.opening.ballot == first


def test_unfinished_rated_game_is_offered_before_another(opened: Opened) -> None:
    hands = begun(opened)
    first = hands.app.screen.rated.game  # type: ignore[attr-defined]
    move(hands)
    hands.key("escape")
    begin(hands)
    assert "counts as lost if you begin another one" in hands.widget("text").text
    hands.key("escape")
    assert isinstance(hands.app.screen, Home)
    begin(hands)
    hands.key("return")
    play = hands.app.screen
    assert isinstance(play, Play)
    assert play.rated.game == first and play.rated.counts and len(play.model.plies) == 6
    hands.key("escape")
    begin(hands)
    hands.key("ctrl+return")
    play = hands.app.screen
    assert isinstance(play, Play)
    assert play.rated.game != first and play.rated.counts
    hands.until(lambda: hands.app.services.career.rating is not None)
    assert [(each.game, each.points) for each in hands.app.services.career.results] == [(first, 0.0)]


def test_levels_are_a_ladder_without_extras(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "installed", dict)
    hands = opened(runs=SHIPPED)
    hands.until(lambda: "rating" in hands.keys)
    assert "do.climb" not in hands.keys and {"do.choose", "rating.interval"} <= set(hands.keys)
    career = hands.app.services.career
    for won in (1, 2):
        hands.key("=" if won == 1 else "r")
        play = hands.app.screen
        assert isinstance(play, Play) and play.rated.counts
        assert career.opponent_of(play.rated.game) == CASUAL
        play.model.resign(0 if play.model.seats[1].human else 1)
        hands.until(lambda won=won: len(career.results) == won and not career.busy)
        hands.wait(0.2)
    assert "Casual is climbed: next is Club." in hands.words[1]
    hands.key("l")
    assert career.opponent_of(play.rated.game) == CLUB
    hands.key("escape", "escape")
    hands.until(lambda: "rating.plot" in hands.keys)
    assert hands.widget("rating").text.startswith("Your rating: ")
