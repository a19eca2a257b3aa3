"""The form for a branch of a run or a run like another one, and consent to a run's code, by posted events."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import main
from evolve.config.toml import to_toml
from evolve.kinds import plugins
from evolve.run.folder import Run
from gui.screens.dialogs.dialog import Dialog
from gui.screens.sessions.session import SessionScreen
from gui.sessions.form import Form
from gui.sessions.template import Template
from gui.storage.settings import Settings
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import Starts
from tests.laplace import LAPLACE
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


TINY = ["population.parents=3", "population.mutants=1", "rating.every=0", "founders.method=uniform"]
TINY += ['stages=[{kind="round-robin"}]']


@pytest.fixture(autouse=True)
def none_stay_loaded() -> Iterator[None]:
    yield
    plugins.load([])


@pytest.fixture
def store(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "settings.json")


def begin(runs: Path, *more: str) -> Run:
    settings = [f"--set={setting}" for setting in TINY]
    options = ["--out", str(runs), "--name", "mine", "--seed", "1", "--generations", "2", "--workers", "1"]
    assert main.main(["evolve", "--preset=cowan", *options, *settings, *more]) == 0
    plugins.load([])
    return Run(runs / "mine")


def played(runs: Path, form: Form, *more: str) -> Run:
    form.values["workers"] = "1"
    checked = form.check(runs)
    assert checked.wrong == {}
    assert main.main(["evolve", *checked.arguments, *more]) == 0
    return Run(runs / checked.name)


def test_a_branch(tmp_path: Path, store: Settings) -> None:
    mine = begin(tmp_path)
    form = Form.of_run(Template.read(mine.path, 1), store)
    form.change("variation.high", "0.3")
    branch = played(tmp_path, form)
    assert branch.check_format()["branched_from"] == "mine@1"
    assert branch.config().variation.mutation.high == 0.3  # type: ignore[attr-defined]
    assert branch.config().seed == 1
    assert [branch.read_bytes(at) == mine.read_bytes(at) for at in range(3)] == [True, True, False]


def test_a_run_like_another_and_its_twin(tmp_path: Path, store: Settings) -> None:
    mine = begin(tmp_path)
    form = Form.of_run(Template.read(mine.path), store)
    other = played(tmp_path, form)
    assert (other.name, other.config().seed) == ("mine-1", 2)
    form.values["seed"] = ""  # the seed of the run, as the empty field says
    twin = played(tmp_path, form)
    assert twin.manifest().digest() == mine.manifest().digest() != other.manifest().digest()


def test_a_branch_of_a_run_with_code_needs_that_it_is_agreed_to(tmp_path: Path, store: Settings) -> None:
    (tmp_path / "ops.py").write_text(LAPLACE)
    mine = begin(tmp_path, f"--plugin={tmp_path / 'ops.py'}", "--set=variation.mutation=laplace")
    origin = Template.read(mine.path, 1)
    assert plugins.loaded() == ()  # the form knows its values, and none of its code
    form = Form.of_run(origin, store)
    form.change("variation.scale", "0.2")
    form.values["workers"] = "1"
    checked = form.check(tmp_path)
    assert checked.wrong == {}
    assert main.main(["evolve", *checked.arguments]) == main.MISTAKE
    assert not (tmp_path / checked.name).exists()
    branch = played(tmp_path, form, f"--plugin={mine.path / 'plugins' / 'ops.py'}")
    assert branch.config().variation.mutation.scale == 0.2  # type: ignore[attr-defined]
