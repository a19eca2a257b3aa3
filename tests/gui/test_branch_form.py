"""The form for a branch of a run or a run like another one, and consent to a run's code, by posted events."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from evolve.config.toml import to_toml
from evolve.config.values import to_values
from evolve.run.folder import Run
from gui.screens.dialogs.dialog import Dialog
from gui.screens.sessions.session import SessionScreen
from gui.screens.sessions.start import SessionStart
from gui.sessions.form import Form
from gui.sessions.template import Template
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import Starts
from tests.synthetic import make_run

SOURCE = "open('ran', 'a').close()\n"


@pytest.fixture
def shown(opened: Opened, tmp_path: Path) -> Hands:
    """Open the page of a run of four generations."""
    run = make_run(tmp_path / "runs", "mine", 3, seed=41)
    hands = opened()
    hands.app.open(SessionScreen(hands.app, run.path))
    hands.wait(1.0)
    return hands


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_branch_is_begun_by_the_keyboard_alone(shown: Hands, starts: Starts, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    before = contents(runs / "mine")
    shown.key("left", "<branch>")
    assert shown.app.screen.title == "Branch of mine at generation 2"
    assert shown.widget("seed").value == "41"
    assert "mine does not change" in shown.widget("about").text
    assert "It keeps network" in shown.widget("about").text
    shown.key("return")
    assert starts.calls == []  # nothing would be different
    assert "byte for byte" in shown.widget("seed.said").text
    assert shown.app.screen.ui.focus == "seed"
    shown.key("ctrl+a")
    shown.type("7")
    shown.key("return")
    last = Run(runs / "mine").config().generations
    result = (
        f"--out={runs}",
        "--name=mine-branch-1",
        f"--branch={runs / 'mine'}@2",
        f"--generations={last}",
        "--seed=7",
    )
    assert starts.calls == [result]
    assert starts.verb == "evolve"
    screen = shown.app.screen
    assert isinstance(screen, SessionScreen) and screen.run.name == "mine-branch-1"
    assert contents(runs / "mine") == before


def test_a_branch_is_begun_by_the_mouse_with_another_value(shown: Hands, starts: Starts) -> None:
    shown.click("do.branch")
    screen = shown.app.screen
    assert isinstance(screen, SessionStart)
    assert shown.app.screen.title == "Branch of mine at generation 3"
    shown.click("fold")
    shown.click("value")
    shown.type("8")
    shown.click("begin")
    assert starts.calls[0][-1] == "--set=population.parents=8"


def test_fixed_values_of_a_branch_cannot_be_edited(shown: Hands) -> None:
    shown.key("<branch>", "ctrl+k")
    table = shown.widget("settings")
    row = [table.cells(number)[0].text for number in range(table.count)].index("population.mean")
    shown.click("settings")
    shown.key("home", *["down"] * row, "return")
    assert shown.widget("value").text == "false (a branch keeps it)"
    assert not hasattr(shown.widget("network"), "change")


def test_a_branch_of_the_last_generation_goes_further(shown: Hands, tmp_path: Path) -> None:
    run = Run(tmp_path / "runs" / "mine")
    (run.path / "config.toml").write_text(to_toml(replace(run.config(), generations=3), {"format": 1}))
    shown.key("<branch>")
    assert shown.widget("generations").value == "6"
    shown.click("generations")
    shown.key("ctrl+a")
    shown.type("3")
    shown.key("return")
    assert "beyond generation 3" in shown.widget("generations.said").text


def test_thinned_generation_cannot_be_branched(tmp_path: Path) -> None:
    run = make_run(tmp_path, "rare", 6)
    run.manifest().with_thinned(1, "0" * 64).write(run.path)
    origin = Template.read(run.path, 1)
    assert origin.check(origin.config, 9, 5) == {
        "preset": "Generation 1 has no weights, so no branch can begin there. Possible: 0 and 2 to 6."
    }
    assert Template.read(run.path, 2).check(origin.config, 9, 5) == {}


def test_a_session_like_another_has_all_its_values_and_the_next_seed(
    shown: Hands, starts: Starts, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    run = Run(runs / "mine")
    settings = replace(run.config(), search=replace(run.config().search, depth=2))
    (run.path / "config.toml").write_text(to_toml(settings, {"format": 1}))
    shown.click("do.like-this")
    assert shown.app.screen.title == "New session like mine"
    assert shown.widget("seed").value == "42"
    shown.key("ctrl+k")
    table = shown.widget("settings")
    shown_values = {table.cells(row)[0].text: table.cells(row)[1].text for row in range(table.count)}
    assert shown_values["search.depth"] == "2"
    shown.key("return")
    assert starts.calls[0][1:3] == ("--name=mine-1", f"--config={run.path / 'config.toml'}")
    assert "--seed=42" in starts.calls[0]


def test_the_command_line_reads_the_names_of_the_form(shown: Hands, starts: Starts, tmp_path: Path) -> None:
    from evolve.config.toml import load

    shown.key("g", "return")
    path = next(text.partition("=")[2] for text in starts.calls[0] if text.startswith("--config="))
    mine = Run(tmp_path / "runs" / "mine").config()
    assert to_values(load(None, Path(path))) == to_values(mine)


def test_the_values_of_a_run_are_no_persons_last_values(shown: Hands, starts: Starts) -> None:
    store = shown.app.services.store
    before = Form.last(store)
    shown.key("g")
    shown.click("fold")
    shown.click("value")
    shown.type("8")
    shown.key("return")
    assert starts.calls
    assert Form.last(store) == before


def test_branch_shows_its_source(opened: Opened, tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", "other", 3)
    record = {"format": 1, "branched_from": "mine@2"}
    (run.path / "config.toml").write_text(to_toml(run.config(), record))
    hands = opened()
    hands.app.open(SessionScreen(hands.app, run.path))
    hands.wait(1.0)
    assert hands.widget("title").text == "Evolution of other, a branch of mine at generation 2"


# Code -------------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("keys", [("c", "return"), ("g", "return")])
def test_code_of_a_run_needs_consent_by_name(
    stranger: Hands, starts: Starts, tmp_path: Path, keys: tuple[str, ...]
) -> None:
    path = tmp_path / "runs" / "stranger"
    before = contents(path)
    stranger.key(*keys)
    assert isinstance(stranger.app.screen, Dialog)
    text = stranger.widget("text").text
    assert "ops.py" in text and hashlib.sha256(SOURCE.encode()).hexdigest()[:16] in text
    stranger.key("return")
    assert starts.calls == []  # Enter agrees to nothing
    stranger.key("escape")
    assert starts.calls == []
    assert contents(path) == before and not (tmp_path / "ran").exists()
    stranger.key(*keys[-1:] if keys[0] == "g" else keys)
    stranger.key("ctrl+return")
    assert f"--plugin={path / 'plugins' / 'ops.py'}" in starts.calls[0]
    assert not (tmp_path / "ran").exists()


def test_code_that_was_changed_is_refused_in_words(stranger: Hands, starts: Starts, tmp_path: Path) -> None:
    (tmp_path / "runs" / "stranger" / "plugins" / "ops.py").write_text("x = 1\n")
    stranger.key("c", "return")
    assert isinstance(stranger.app.screen, SessionScreen)
    assert "not the one that the run began with" in stranger.app.said
    assert starts.calls == []
