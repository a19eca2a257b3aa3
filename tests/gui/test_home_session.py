"""Evolution on the first screen: the session that works or waits, and the game against an opponent that evolves."""

from __future__ import annotations

import shutil
from pathlib import Path

from evolve.config.anchors import shown
from evolve.run.status import State
from evolve.strength.levels import KNOWN
from gui.screens.home import Home
from gui.screens.play.evolving import Evolving
from gui.screens.sessions.session import SessionScreen
from tests.gui.hands import Opened
from tests.gui.session_folder import HEADER, SessionFolder, Starts


def row(number: int, rating: int, beaten: int, by: int) -> str:
    ends = f"{rating - 30},{rating + 30}"
    return f"{number},Gen{number:02}_0001,8,100,20,0,5000,9000,30,20.5,5,8,9,{rating},{ends},2.5,{beaten},{by}\n"


def session(tmp_path: Path, name: str, state: State) -> SessionFolder:
    """Make the run of a session with three generations, of which the second one beat Beginner."""
    folder = SessionFolder(tmp_path / "runs" / name, 3)
    rows = "".join(row(number, number - 700, 2, 1) for number in range(3))
    (folder.path / "log.csv").write_text(f"{HEADER.rstrip()},beaten,beaten_by\n{rows}")
    for number in range(3):
        (folder.path / f"generation_{number:04}.csv").touch()
    folder.say(state)
    return folder


def test_a_paused_session_is_one_key_away(tmp_path: Path, opened: Opened) -> None:
    session(tmp_path, "evening", State.PAUSED)
    hands = opened()
    hands.until(lambda: "do.session" in hands.keys)
    card = hands.widget("do.session")
    assert (card.name, card.state.head) == ("evening", "Paused")
    assert card.text == "Generation 2 of 9.\nOpen to resume."
    assert [line.value for line in card.plot.levels] == [
        shown(rating) for rating, name in KNOWN.items() if name in ("Beginner", "Casual")
    ]
    hands.key("<session>")
    assert isinstance(hands.app.screen, SessionScreen) and hands.app.screen.run.name == "evening"
    hands.key("escape")
    assert "do.session" in hands.keys  # it still waits


def test_the_card_follows_the_session(tmp_path: Path, opened: Opened) -> None:
    folder = session(tmp_path, "evening", State.RUNNING)
    hands = opened(size=(640, 480))
    hands.until(lambda: "do.session" in hands.keys)
    folder.append("log.csv", row(3, -500, 3, 3))
    (folder.path / "manifest.csv").write_text(folder.manifest.with_entry("0" * 64).text(), newline="")
    (folder.path / "generation_0003.csv").touch()
    folder.say(State.RUNNING)
    hands.until(lambda: hands.widget("do.session").text.endswith("\nBeaten: Casual."))


def test_the_card_shows_the_progress_before_the_first_generation(tmp_path: Path, opened: Opened) -> None:
    folder = SessionFolder(tmp_path / "runs" / "evening")
    folder.say(State.RUNNING, phase="compiling search, 2 of 6")
    hands = opened()
    hands.until(lambda: "do.session" in hands.keys)
    card = hands.widget("do.session")
    assert card.text == "Compiling search, 2 of 6 (only the first time)." and card.share == 1 / 6


def test_a_session_that_works_comes_before_one_that_is_paused(tmp_path: Path, opened: Opened) -> None:
    paused = session(tmp_path, "paused", State.PAUSED)
    running = session(tmp_path, "running", State.RUNNING)
    with paused.locked(), running.locked():
        hands = opened()
        hands.until(lambda: "do.session" in hands.keys)
        assert hands.widget("do.session").name == "running"
        running.say(State.STOPPED)
        hands.until(lambda: hands.widget("do.session").name == "paused")


def test_a_session_that_has_ended_stays_until_its_page_was_opened(tmp_path: Path, opened: Opened) -> None:
    folder = session(tmp_path, "evening", State.RUNNING)
    hands = opened()
    hands.until(lambda: "do.session" in hands.keys)
    folder.say(State.DONE)
    hands.until(lambda: hands.widget("do.session").state.head == "Done")
    hands.click("do.session")
    assert isinstance(hands.app.screen, SessionScreen)
    hands.key("escape")
    assert isinstance(hands.app.screen, Home) and "do.session" not in hands.keys


def test_there_is_no_card_without_a_session(tmp_path: Path, opened: Opened) -> None:
    folder = session(tmp_path, "evening", State.DONE)
    hands = opened()
    hands.wait(3.0)
    assert "do.session" not in hands.keys
    hands.key("<session>")
    assert hands.app.notice == "No session is running."
    folder.say(State.RUNNING)
    hands.until(lambda: "do.session" in hands.keys)
    shutil.rmtree(folder.path)
    hands.until(lambda: "do.session" not in hands.keys)


def test_an_opponent_that_evolves_is_one_key_away(opened: Opened, starts: Starts) -> None:
    hands = opened()
    assert hands.widget("do.play-evolving").text.startswith("Evolve as you play\n")
    hands.key("y")
    assert isinstance(hands.state, Evolving)
