"""States of runs as screens display them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from evolve.run import status
from evolve.run.folder import Run
from evolve.run.status import GOING, UNREPORTED, State
from gui.individuals.browser import Browser
from gui.look.theme import DARK
from gui.runs.live_run import LiveRun
from gui.runs.session_state import ICONS
from gui.runs.sources import Sources
from gui.screens.individuals import panes
from gui.screens.sessions.session import SessionScreen
from gui.widgets.table import Cell
from tests.gui.hands import Opened
from tests.gui.session_folder import SessionFolder


def test_the_list_of_runs_and_the_first_screen_call_a_state_the_same(tmp_path: Path) -> None:
    """There is one vocabulary (`State`), with one icon for each state."""
    runs = Sources(tmp_path)
    folders = {state: SessionFolder(tmp_path / state.value, 1) for state in sorted(set(State) - set(UNREPORTED))}
    with contextlib.ExitStack() as stack:
        for state, folder in folders.items():
            folder.say(state)
            if state in GOING:
                stack.enter_context(folder.locked())
        list(runs.look(0.0))
        result = {source.name: source for source in runs.runs}
        for state, folder in folders.items():
            source = result[state.value]
            assert Run(folder.path).state()[0] == source.state
            assert (source.state, source.live) == (state.value, state in GOING)
            live = runs.live(folder.path)
            browser = cast(Browser, SimpleNamespace(sources=[source], trouble_of=lambda _: ""))
            run, outcome = panes.source_cells(browser, DARK, False, 0)
            assert isinstance(run, Cell) and isinstance(outcome, Cell)
            assert outcome.text.split()[0] == live.state == state.value
            assert run.icon == ICONS[state.value]
    assert set(ICONS) == set(State)


def followed_at(path: Path) -> LiveRun:
    """Follow a run until everything is known."""
    followed = LiveRun(path)
    followed.step(0.0)
    while followed.busy:
        followed.step(0.0)
    return followed


def listed_state(path: Path) -> str:
    """Return the state as lists read it."""
    run = LiveRun(path)
    run.refresh(0.0)
    return run.state


def test_compiling_and_reasons_of_failure_are_shown(tmp_path: Path) -> None:
    """A window that did not start the session reports them too, even long afterwards."""
    folder = SessionFolder(tmp_path / "run")
    folder.say(State.RUNNING, phase="compiling games, 3 of 4")
    followed = followed_at(folder.path)
    assert (followed.state, followed.going, listed_state(folder.path)) == ("starting", True, "starting")
    text = "Compiling games, 3 of 4 (only the first time); no generation is complete yet."
    assert followed.describe(0.0).text == text
    folder.complete()
    folder.say(State.FAILED, ago=1e6, reason=f"{folder.path}/generation_0001.csv: No space left on device")
    followed = followed_at(folder.path)
    shown = followed.describe(0.0)
    assert (followed.state, shown.head, followed.going) == ("failed", "Failed", False)
    assert listed_state(folder.path) == "failed"
    assert shown.text == f"{folder.path}/generation_0001.csv: No space left on device. It is complete to generation 0."


def test_a_pause_is_in_a_generation_or_after_one(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 2)
    folder.say(State.PAUSED)  # says generation 1, and that is complete
    assert followed_at(folder.path).describe(0.0).text == "After generation 1; nothing is lost."
    status.write(folder.path, status.now(State.PAUSED, os.getpid(), 2, 9, 200))
    assert followed_at(folder.path).describe(0.0).text == "In generation 2; nothing is lost."


def test_a_cluster_that_plays_is_named(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 2)
    status.write(folder.path, status.now(State.RUNNING, os.getpid(), 2, 9, 200, cluster="tls://10.0.0.1:8786"))
    text = "Generation 2 is being played. Games are played on tls://10.0.0.1:8786."
    assert followed_at(folder.path).describe(0.0).text == text


def test_compiling_session_takes_requests(opened: Opened, tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "runs" / "demo")
    folder.say(State.RUNNING, phase="compiling games, 3 of 4")
    hands = opened()
    hands.app.open(SessionScreen(hands.app, folder.path))
    hands.wait(0.5)
    assert hands.words[0] == "Starting"
    hands.key("ctrl+p")
    hands.key("ctrl+e")
    assert {path.name for path in (folder.path / "control").iterdir()} == {"pause", "stop-after-generation"}
