"""Drills from the mistakes of kept games: the round, when a drill returns, and damaged files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from extras.drills.drills import DAY, INTERVALS, NAME, UNKNOWN, Drills
from gui.screens.home import Home
from gui.screens.play.play import Play
from gui.screens.play.review import ReviewScreen
from gui.storage.kept_games import KeptGames
from tests.gui.hands import Hands, Opened
from tests.gui.review_helpers import WRONG, game, tell_finders, think


@pytest.fixture
def home(opened: Opened) -> Hands:
    """The first screen, after a lost game of which a review was kept."""
    hands = opened()
    hands.app.open(Play(hands.app, game()))
    hands.key("w")
    think(hands)
    hands.app.go_home()
    hands.wait(3.0)
    return hands


def drill(hands: Hands) -> ReviewScreen:
    result = hands.app.screen
    assert isinstance(result, ReviewScreen) and result.title == "Drills"
    return result


def data(hands: Hands) -> Path:
    return hands.app.services.kept.data


def test_better_move_in_a_drill_returns_later(home: Hands) -> None:
    home.key("d")
    assert home.words[0] == "Drill: 1 left"
    assert home.words[1].startswith("You played 15-18 against ") and WRONG[7] not in home.words[1]
    home.touch(9, 14)
    assert home.words[0] == "Right: 9-14" and home.widget("do.next-mistake").text == "Finish"
    assert "do.answer" not in home.keys  # it is on the board
    home.key("space")
    assert isinstance(home.app.screen, Home) and home.app.notice == "1 of 1 better moves found."
    home.until(lambda: home.app.services.kept.complete)
    home.key("d")
    assert home.app.notice == "All drills are done for today."
    ((right, due),) = json.loads((data(home) / NAME).read_text())["results"].values()
    kept = KeptGames(data(home))
    kept.read_all()
    clock = [due - 1]
    drills = Drills(kept, lambda: clock[0])
    drills.step(9)
    assert (drills.due, len(drills.all), right) == ([], 1, 1)
    for days in (*INTERVALS[1:], INTERVALS[-1]):
        clock[0] = due + 1
        assert drills.answer(drills.due[0], solved=True) == "" and drills.due == []
        due = clock[0] + days * DAY
        clock[0] = due - 1
        assert drills.due == []


def test_better_moves_that_half_of_the_people_find_come_first(opened: Opened) -> None:
    hands = opened(runs=Path("populations"))
    hands.app.open(Play(hands.app, game()))
    hands.key("w")
    think(hands)
    tell_finders(hands, 0.42)
    hands.app.go_home()
    hands.wait(3.0)
    kept = KeptGames(data(hands))
    kept.read_all()
    clock = [0.0]
    drills = Drills(kept, lambda: clock[0])
    drills.step(9)
    (known,) = drills.all
    assert known.finders == 0.42
    trivial, hopeless, old = (
        replace(known, ply=ply, finders=share) for ply, share in ((1, 0.97), (2, 0.08), (3, UNKNOWN))
    )
    drills.all = [trivial, hopeless, old, known]
    assert drills.due == [known, old, hopeless, trivial]
    drills.answer(trivial, solved=False)
    assert drills.due == [trivial, known, old, hopeless]


def test_a_missed_drill_returns_at_once_and_again_next_time(home: Hands) -> None:
    home.key("d")
    home.touch(15, 18)
    assert home.words[0] == "15-18 was the mistake"
    home.key("space")
    assert drill(home).practice.solved == {}
    home.key("h", "p")
    assert isinstance(home.app.screen, Play)  # played out from there
    assert len(home.game.model.plies) == 0 and home.game.model.start.side == 1
    home.key("escape", "escape")
    home.wait(3.0)
    home.key("d")
    drill(home)
    home.key("o")
    assert isinstance(home.app.screen, Play)


def test_empty_drill_shows_the_next_step(opened: Opened) -> None:
    hands = opened()
    hands.wait(1.0)
    hands.key("d")
    assert hands.app.notice == "Review a lost game first (W at its end)."


@pytest.mark.parametrize("text", ["{", "[]", '{"results": {"x": [1]}}', '{"results": {"x": [true, 1]}}'])
def test_a_damaged_file_of_results_is_one_line(home: Hands, text: str) -> None:
    (data(home) / NAME).write_text(text)
    home.app.replace(Home(home.app))
    home.wait(1.0)
    home.key("d")
    drill(home)
    assert home.app.notice == f"{data(home) / NAME} cannot be read, so all drills are new: it is damaged."


def test_a_game_that_was_deleted_has_no_drill(home: Hands) -> None:
    home.key("d")
    home.touch(9, 14)
    (path,) = (data(home) / "games").glob("*.json")
    path.unlink()
    home.app.go_home()
    home.wait(5.0)
    home.key("d")
    assert home.app.notice == "Review a lost game first (W at its end)."
