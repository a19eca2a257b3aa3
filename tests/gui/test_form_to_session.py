"""The command line accepts the options that the form makes: branches, copies and runs with code are really played."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import main
from evolve.kinds import plugins
from evolve.run.folder import Run
from gui.sessions.form import Form
from gui.sessions.template import Template
from gui.storage.settings import Settings
from tests.laplace import LAPLACE

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
