"""The form for a branch of a run or a run like another one, and consent to a run's code, by posted events."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from evolve.config.toml import to_toml
from gui.screens.dialogs.dialog import Dialog
from gui.screens.sessions.session import SessionScreen
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import Starts
from tests.synthetic import make_run

SOURCE = "open('ran', 'a').close()\n"


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_branch_shows_its_source(opened: Opened, tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", "other", 3)
    record = {"format": 1, "branched_from": "mine@2"}
    (run.path / "config.toml").write_text(to_toml(run.config(), record))
    hands = opened()
    hands.app.open(SessionScreen(hands.app, run.path))
    hands.wait(1.0)
    assert hands.widget("title").text == "Evolution of other, a branch of mine at generation 2"


@pytest.fixture
def stranger(opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hands:
    """Open the page of a run with its own code; if the code runs, it leaves a file in the working folder."""
    run = make_run(tmp_path / "runs", "stranger", 3)
    (run.path / "plugins").mkdir()
    (run.path / "plugins" / "ops.py").write_text(SOURCE)
    plugins = replace(run.config().plugins, files=("ops.py",), sha256=(hashlib.sha256(SOURCE.encode()).hexdigest(),))
    config = replace(run.config(), plugins=plugins)
    (run.path / "config.toml").write_text(to_toml(config, {"format": 1}))
    monkeypatch.chdir(tmp_path)
    hands = opened()
    hands.app.open(SessionScreen(hands.app, run.path))
    hands.wait(1.0)
    return hands


def test_code_of_a_run_needs_consent_by_name(stranger: Hands, starts: Starts, tmp_path: Path) -> None:
    path = tmp_path / "runs" / "stranger"
    before = contents(path)
    stranger.key("c", "return")
    assert isinstance(stranger.app.screen, Dialog)
    text = stranger.widget("text").text
    assert text.endswith("ops.py, 1 line")
    stranger.key("c")
    code = stranger.widget("code")
    assert SOURCE.splitlines()[0] in [code.cells(row)[0] for row in range(code.count)]
    stranger.key("escape", "return")
    assert starts.calls == []  # Enter agrees to nothing
    stranger.key("escape")
    assert starts.calls == []
    assert contents(path) == before and not (tmp_path / "ran").exists()
    stranger.key("c", "return", "ctrl+return")
    assert f"--plugin={path / 'plugins' / 'ops.py'}" in starts.calls[0]
    assert not (tmp_path / "ran").exists()


def test_code_that_was_changed_is_refused_in_words(stranger: Hands, starts: Starts, tmp_path: Path) -> None:
    (tmp_path / "runs" / "stranger" / "plugins" / "ops.py").write_text("x = 1\n")
    stranger.key("c")
    assert isinstance(stranger.app.screen, SessionScreen)
    assert "ops.py is not the file it was" in stranger.app.notice
    assert starts.calls == []


TINY = ["population.parents=3", "population.mutants=1", "rating.every=0", "founders.method=uniform"]
TINY += ['stages=[{kind="round-robin"}]']
