"""The user's own champion, which the first screen offers beside the first opponent."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evolve.config.model import Config
from evolve.config.toml import to_toml
from evolve.run.folder import FORMAT
from evolve.run.runs import FROZEN_RUN, SHIPPED_RUNS
from game.networks.named import BLONDIE_1741
from gui.individuals import opponents
from gui.screens.home import STORY
from gui.screens.sessions.session import SessionScreen
from tests.gui.hands import Opened
from tests.runs import make_run

LOG = "generation,champion,rating,rating_low,rating_high,beaten,beaten_by\n"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Make a folder with the shipped levels and a rated run."""
    folder = tmp_path / "own"
    make_run(folder, "first-1")
    (folder / FROZEN_RUN).symlink_to(SHIPPED_RUNS / FROZEN_RUN)
    rate(folder / "first-1", "0,Gen00_0000,-900,-950,-850,0,", "1,Gen01_0000,,,,,", "2,Gen02_0000,129.9,55.8,211.6,4,2")
    return folder


def rate(run: Path, *rows: str) -> None:
    (run / "log.csv").write_text(LOG + "".join(f"{row}\n" for row in rows), encoding="utf-8")


def text_of(runs: Path) -> str:
    own = opponents.own_champion(runs)
    return "" if own is None else own.text


def test_it_is_offered_with_its_rating(runs: Path, opened: Opened) -> None:
    """Beside the first opponent of a newcomer, which is Casual with or without an own run."""
    hands = opened(runs=runs)
    assert hands.widget("play").text == "Play\nCasual: for beginners"
    assert hands.widget("story").text == "Your champion: Generation 2 of first-1, rating 1630; generation 2 beats Club"
    hands.key("shift+y")
    assert hands.widget("strip1").name == "Generation 2 of first-1"
    assert hands.game.model.seats[1].player == "first-1"


def test_a_chosen_opponent_stays(runs: Path, opened: Opened) -> None:
    hands = opened(runs=runs)
    hands.key("4")
    assert hands.widget("play").text.startswith("Play\nClub")
    hands.key("shift+y")
    assert hands.game.model.seats[1].player == "first-1"


def test_the_rating_may_be_of_an_earlier_generation(runs: Path) -> None:
    rate(runs / "first-1", "0,Gen00_0000,-900,-950,-850,0,", "1,Gen01_0000,-300,-350,-250,3,1", "2,Gen02_0000,,,,,")
    assert text_of(runs) == "Generation 2 of first-1, rating 1200 in generation 1; generation 1 beats Casual"


def test_run_without_tests_beats_no_level(runs: Path) -> None:
    """Its log is from an earlier version, or no level could play."""
    rate(runs / "first-1", "2,Gen02_0000,129.9,55.8,211.6,,")
    assert text_of(runs) == "Generation 2 of first-1, rating 1630; generation 2 is rated above Strong"
    (runs / "first-1" / "log.csv").write_text("generation,champion,rating,rating_low\n2,Gen02_0000,129.9,55.8\n")
    assert text_of(runs) == "Generation 2 of first-1, rating 1630; generation 2 is rated above Strong"
    rate(runs / "first-1", "2,Gen02_0000,129.9,55.8,211.6,0,")
    assert text_of(runs) == "Generation 2 of first-1, rating 1630"


def test_built_in_piece_counts_are_named(runs: Path) -> None:
    rate(runs / "first-1", "0,Gen00_0000,-82,-150,-20,4,0", "1,Gen01_0000,,,,,", "2,Gen02_0000,-400,-500,-300,4,0")
    (runs / "first-1" / "config.toml").write_text(
        to_toml(replace(Config(), network=BLONDIE_1741), {"format": FORMAT}), encoding="utf-8"
    )
    assert text_of(runs) == (
        "Generation 2 of first-1, rating 1100; generation 0 beats Club by its built-in piece count, but generation 2 "
        "is rated below it"
    )


def test_a_new_session_changes_it(runs: Path, opened: Opened) -> None:
    hands = opened(runs=runs)
    make_run(runs, "first-2")
    rate(runs / "first-2", "2,Gen02_0000,400,300,500,6,1")
    os.utime(runs / "first-1" / "manifest.csv", ns=(1, 1))
    hands.key("e")
    hands.app.go_home()
    hands.until(lambda: "first-2" in hands.widget("story").text)
    assert (
        hands.widget("story").text == "Your champion: Generation 2 of first-2, rating 1900; generation 1 beats Expert"
    )


@pytest.mark.parametrize(
    "log", [LOG, "", "rating\n\n", f"{LOG}2,a,-1200,-1300,-1100\n", f"{LOG}2,a,x,1,2\n", f"{LOG}2,a,nan,nan,nan\n",
            f"{LOG}many,a,0,0,0\n", "\0\xff"]
)  # fmt: skip
def test_without_a_rating_above_random_moves_there_is_none(runs: Path, log: str) -> None:
    (runs / "first-1" / "log.csv").write_text(log, encoding="latin-1")
    assert opponents.own_champion(runs) is None
    (runs / "first-1" / "log.csv").unlink()
    assert opponents.own_champion(runs) is None


def test_a_shipped_run_is_not_the_users(runs: Path) -> None:
    assert opponents.own_champion(SHIPPED_RUNS) is None
    (runs / "first-1").rename(runs / "policy")
    assert opponents.own_champion(runs) is None


def test_of_a_long_log_only_the_end_is_read(runs: Path) -> None:
    row = "1,Gen01_0000,500,400,600,6,1"
    rate(runs / "first-1", row, *["1,Gen01_0000,,,"] * (opponents.LOG_END // 15))
    assert opponents.own_champion(runs) is None
    rate(runs / "first-1", *["1,Gen01_0000,,,"] * (opponents.LOG_END // 15), row)
    assert text_of(runs).endswith("beats Expert")


def test_its_evolution_is_one_key_away(runs: Path, opened: Opened) -> None:
    hands = opened(runs=runs)
    hands.key("y")
    assert isinstance(hands.app.screen, SessionScreen)
    assert hands.app.screen.run.path == runs / "first-1"
    tabs = hands.widget("tabs")
    assert tabs.names[tabs.chosen] == "Pictures"


def test_of_a_network_that_learns_the_generations_come_first(tmp_path: Path, opened: Opened) -> None:
    shutil.copytree(SHIPPED_RUNS / "policy", tmp_path / "own" / "learnt")
    rate(tmp_path / "own" / "learnt", "3,Gen03_0000,-300,-350,-250")
    hands = opened(runs=tmp_path / "own")
    hands.key("y")
    tabs = hands.widget("tabs")
    assert tabs.names[tabs.chosen] == "Generations"


def test_shipped_run_is_shown_without_own_champion(opened: Opened) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    assert (
        hands.widget("story").text == f"{STORY}: in the run first, generation 64 beats Club."
        and "do.champion" not in hands.keys
    )
    hands.key("y")
    assert isinstance(hands.app.screen, SessionScreen) and hands.app.screen.run.name == "first"
    hands = opened(runs=SHIPPED_RUNS / "nowhere")
    hands.key("y")
    assert hands.app.said == "There is no run whose evolution could be shown."


def test_an_installed_program_shows_the_shipped_run_evolve(
    tmp_path: Path, opened: Opened, runs_in: Callable[..., None]
) -> None:
    """Its folder of runs is empty at first; the shipped ones are elsewhere."""
    runs_in((tmp_path / "own").resolve())
    hands = opened(runs=tmp_path / "own")
    assert hands.widget("story").text == f"{STORY}: in the run first, generation 64 beats Club."
    hands.key("y")
    assert isinstance(hands.app.screen, SessionScreen) and hands.app.screen.run.path == SHIPPED_RUNS / "first"
