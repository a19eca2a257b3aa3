"""Levels of opponents for newcomers, and the name of an opponent, the same in every list and game."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve.config.anchors import shown_text
from evolve.run.runs import FROZEN_RUN
from evolve.strength import levels
from evolve.strength.levels import EXPERT, LEVELS
from gui.individuals import opponents
from gui.model.seats import Seat, title_of
from gui.runs.live_run import LiveRun, titles_of
from gui.screens.play.games_of_file import GamesScreen
from gui.sessions.boards import Replay
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
    for key in ("+", "-", "0", "<more-time>", "<less-time>", "<playable>", "<playable>"):  # all change what is visible
        hands.key("a")
        assert hands.widget("all").chosen == 0
        hands.key(key)
        assert hands.widget("all").chosen == 1
    hands.key("a")
    hands.app.go_home()
    hands.key("n")
    listed(hands)
    assert hands.widget("all").chosen == 0 and hands.app.screen.ui.focus == "levels"


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
    hands.key("<play-group>")
    assert "menu.level" not in hands.keys


def test_names_of_individuals() -> None:
    assert title_of("Gen40_0173", "first-1", 40, 1) == "Generation 40 of first-1"
    assert title_of("Gen15_0832", "cowan-1", 15, 4) == "Gen15_0832 of cowan-1 (rank 4)"
    assert title_of("anna", "players.csv", 15, 1) == "anna (players.csv)"


def test_a_level_keeps_its_name_from_the_choice_to_the_archive(opened: Opened) -> None:
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


def test_the_strongest_player_has_one_name_and_one_rating(opened: Opened) -> None:
    """At the depth of a level it has the name of the level, from the list of all players to the archive."""
    hands = opened(runs=Path("populations"), depth=8)
    hands.key("n")
    listed(hands)
    row = row_of(hands, "crownhead")
    hands.click_row("rows", row)
    name, rating, *_ = (cell if isinstance(cell, str) else cell.text for cell in hands.widget("rows").cells(row))
    assert (name, rating) == ("Champion", shown_text(LEVELS[-1].rating))
    assert hands.widget("details.name").text == "Champion"
    assert f"Rating {rating}" in hands.widget("details").text
    hands.key("-")  # the same network with another depth is another player
    assert hands.widget("details.name").text == "Generation 120 of crownhead"
    hands.key("p")
    assert hands.widget("strip1").name == "Generation 120 of crownhead"


def test_the_games_of_a_run_name_its_individuals(opened: Opened) -> None:
    hands = opened()
    path = Path("populations/crownhead-1/champions.pdn")
    hands.drop(path)
    hands.until(lambda: isinstance(hands.app.screen, GamesScreen) and hands.app.screen.index.rows)
    cells = [cell.text for cell in hands.widget("games").cells(0)]
    assert cells[1:3] == ["Generation 0 of crownhead-1", "Gen00_0010 of crownhead-1"]
    hands.key("return")
    assert [hands.widget(f"strip{side}").name for side in (0, 1)] == cells[1:3]
    run = LiveRun(path.parent)
    run.read_log()
    replay = Replay()
    replay.show(path.read_text(), run.title_in_game)
    assert replay.caption.startswith(" – ".join(cells[1:3]))
    assert titles_of(Path("elsewhere/champions.pdn"))("Gen00_0000", "") == "Gen00_0000"
    hands.app.go_home()  # closes the file
