"""Levels of opponents for newcomers: in the list of opponents, and on the first screen."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve.run.runs import FROZEN_RUN
from evolve.strength import levels
from evolve.strength.levels import EXPERT, LEVELS
from gui.individuals import opponents
from gui.model.seats import Seat
from tests.gui.chooser_helpers import listed, row_of
from tests.gui.hands import Opened


def test_six_levels(opened: Opened) -> None:
    hands = opened(runs=Path("populations"))
    hands.key("n")
    listed(hands)
    assert hands.widget("levels").selected == 4  # the level that a newcomer's rating means, the strongest first
    assert (hands.widget("details.name").text, "depth" in hands.keys) == ("Casual", False)
    assert hands.widget("details").text.startswith("For beginners.\nRating 933 ± 38, depth 1, only counts pieces.")
    assert "random moves 332" in hands.widget("scale").text
    hands.key("a")  # all players, with depth and time
    hands.click_row("rows", row_of(hands, "random"))
    assert "levels" not in hands.keys and "depth" in hands.keys
    hands.click(hands.widget("all").parts()[0].centre)
    assert hands.widget("levels").selected == -1
    hands.key("4")
    chooser = listed(hands)
    assert chooser.chosen is not None and chooser.chosen.player == "crownhead-2@1"
    assert (chooser.chosen.name, chooser.chosen.title) == ("Gen01_0000", "Generation 1 of crownhead-2")
    assert (hands.widget("levels").selected, hands.app.services.settings.depth) == (5, 1)
    hands.click_row("levels", 0)
    assert (chooser.chosen.player, hands.app.services.settings.depth) == ("crownhead", 8)
    hands.key("down", "down", "down", "down", "return")  # with tablebases for players that search, and with quiescence
    assert hands.game.model.seats[1] == Seat("crownhead-2@0,quiescence=yes", 1, 5.0)
    assert hands.game.title == "Against Casual"
    assert (hands.widget("strip1").name, hands.widget("strip1").limits) == (
        "Casual",
        "crownhead-2, generation 0, depth 1",
    )
    hands.key("n")
    assert listed(hands).chosen == opponents.find_level(Path("populations"), "crownhead-2@0,quiescence=yes")
    assert hands.widget("levels").selected == 4


def test_last_used_list_returns(opened: Opened) -> None:
    hands = opened(runs=Path("populations"))
    hands.key("n")
    listed(hands)
    hands.key("/")  # a search is one of all players
    assert hands.widget("all").chosen == 1 and hands.app.screen.ui.focus == "search"
    hands.app.go_home()
    hands.key("n")
    listed(hands)
    assert hands.widget("all").chosen == 1 and hands.app.screen.ui.focus == "rows"
    for key in ("+", "-", "0", ">", "<", "<playable>", "<playable>"):  # depth, time and filter are visible
        hands.key("a")
        assert hands.widget("all").chosen == 0
        hands.key(key)
        assert hands.widget("all").chosen == 1
    hands.key("a")
    hands.app.go_home()
    hands.key("n")
    listed(hands)
    assert hands.widget("all").chosen == 0 and hands.app.screen.ui.focus == "levels"


def test_the_level_suggested_to_a_newcomer_is_played_from_the_list_of_all_players(opened: Opened) -> None:
    hands = opened(runs=Path("populations"))
    hands.key("n")
    listed(hands)
    hands.key("a")
    assert hands.widget("details.name").text == "Casual"
    hands.key("p")
    assert hands.game.model.seats[1] == Seat("crownhead-2@0,quiescence=yes", 1, 5.0)
    assert hands.app.services.opponents.recommend() == hands.game.model.seats[1]


def test_levels_are_evenly_spread() -> None:
    ratings = [levels.RANDOM, *(each.rating for each in LEVELS)]
    assert all(250 <= after - before <= 350 for before, after in itertools.pairwise(ratings[:-1]))
    assert ratings[-1] > ratings[-2] + 400, "the strongest player there is"
    names = [each.name for each in LEVELS]
    assert names == ["Beginner", "Casual", "Club", "Strong", "Expert", "Champion"]
    assert opponents.find_level(Path("populations"), "material") is None
    assert opponents.find_level(Path("nowhere"), LEVELS[0].player) is None


@pytest.mark.parametrize("changed", [False, True])
def test_levels_are_of_the_shipped_run_alone(changed: bool, tmp_path: Path, runs_in: Callable[..., None]) -> None:
    """Their ratings hold for its champions, not for another run of the same name."""
    run = Path(shutil.copytree(Path("populations") / FROZEN_RUN, tmp_path / FROZEN_RUN))
    assert opponents.find_level(tmp_path, EXPERT.player) is None
    runs_in(shipped=tmp_path.resolve())
    if changed:
        (run / "config.toml").write_text("seed = 2\n")
    assert (opponents.find_level(tmp_path, EXPERT.player) is None) == changed


def test_an_easier_opponent_is_one_key_away_on_the_first_screen(opened: Opened) -> None:
    hands = opened(runs=Path("populations"))
    assert hands.widget("board.line").text == "You play Black against Casual: move a piece to begin."
    hands.key("4", "4", "4", "4", "4")
    assert hands.app.services.opponents.level == 0
    assert hands.widget("play").text == "Play\nBeginner: for your first games"
    hands.key("4", "4", "p")
    assert hands.game.model.seats[1] == Seat("crownhead-2@0", 3, 5.0, "Club (crownhead-2, generation 0)")
    hands = opened(runs=Path("nowhere"))
    hands.key("shift+p")
    assert "menu.level" not in hands.keys
