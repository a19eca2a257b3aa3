"""The folder of runs: names, shipped runs and those of an installed program's user."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import main
from evolve.config import preset_files, toml
from evolve.config.model import Config
from evolve.kinds import plugins
from evolve.names.registration import register
from evolve.run import notes
from evolve.run.files import RunError
from evolve.run.folder import Run
from evolve.run.runs import DEFAULT_RUNS, SHIPPED_NAMES, SHIPPED_RUNS, Runs, came_installed, check_own
from evolve.session import create
from game import installation
from game.players.registry import player
from gui.individuals import opponents
from gui.runs.sources import Sources, source_of
from gui.sessions.form import free_name
from tests.laplace import LAPLACE
from tests.runs import run_player

SHIPPED = SHIPPED_RUNS


@pytest.fixture
def own(tmp_path: Path, runs_in: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a person's runs as if the program was installed; one run is in it."""
    folder = tmp_path.resolve() / "data" / "populations"
    (folder / "mine").mkdir(parents=True)
    shutil.copy(SHIPPED / "crownhead-1" / "config.toml", folder / "mine")
    runs_in(folder)
    monkeypatch.setenv(installation.DATA_VARIABLE, str(folder.parent))
    return folder


def _shipped() -> list[str]:
    return [path.name for path in SHIPPED.iterdir() if (path / "config.toml").is_file()]


def test_a_checkout_is_not_installed() -> None:
    assert not installation.INSTALLED
    assert (installation.COMMAND, installation.PROGRAM) == ("python main.py", "main.py")
    assert DEFAULT_RUNS == SHIPPED == Path(__file__).parents[3] / "populations"
    assert Runs(SHIPPED).folders() == (SHIPPED,)
    assert not came_installed(SHIPPED / "crownhead")


def test_names_mean_own_runs_and_shipped_ones(own: Path) -> None:
    assert Runs(own).names() == sorted(["mine", *_shipped()])
    assert Run.open("mine", own).path == own / "mine"
    assert Run.open("crownhead", own).path == SHIPPED / "crownhead"
    assert [run.cli_name for run in map(Run, (own / "mine", SHIPPED / "crownhead"))] == ["mine", "crownhead"]
    assert Runs(own).file("blondie24-840") == SHIPPED / "blondie24-840.csv"


def test_given_folder_lists_only_its_own_runs(own: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert Runs(other).names() == []
    assert Run.find(other, "crownhead") is None
    assert Runs(other).file("blondie24-840") is None


def test_shipped_runs_are_listed_without_own_runs(own: Path) -> None:
    from game.players.registry import player

    shutil.rmtree(own)
    assert Runs(own).names() == sorted(_shipped())
    assert opponents.first_champion(own) is not None
    register(own)
    assert player("crownhead-1@3").name.startswith("crownhead-1@3")


def test_a_shipped_run_is_not_changed(own: Path) -> None:
    before = sorted(path.name for path in (SHIPPED / "policy").iterdir())
    text = r"^the run policy came with the program and cannot be changed; .* main\.py train --branch policy .* N$"
    run = Run.open("policy", own)
    with pytest.raises(RunError, match=text):
        check_own(run.path, "train")
    notes.note_run(run, "good")
    assert notes.read_of_run(run).text == "good"
    assert json.loads((own.parent / "notes" / "policy" / "notes.json").read_text())["run"]["text"] == "good"
    assert sorted(path.name for path in (SHIPPED / "policy").iterdir()) == before


def test_names_of_shipped_runs_are_reserved(own: Path, tmp_path: Path) -> None:
    """In every folder of runs, for names that are given and for those that come by themselves."""
    assert set(SHIPPED_NAMES) <= set(_shipped())
    for folder in (own, tmp_path / "other"):
        for name in SHIPPED_NAMES:
            with pytest.raises(RunError, match=f"^run name '{name}': there is a shipped run of this name; choose"):
                create.create(folder, name, Config())
        assert create.create_free(folder, None, Config(), stem="crownhead").name == "crownhead-3"
        assert free_name(folder, "crownhead") == "crownhead-4"


@pytest.mark.parametrize("name", ["crownhead-2", "random", "one.csv"])
def test_a_run_whose_name_means_another_player_is_known_by_its_path(
    name: str, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In lists, in the window, in commands and as a player; the name goes on meaning what it meant."""
    path = own / name
    shutil.copytree(SHIPPED / "crownhead-1", path)
    run, text = Run(path), str(path)
    for folder in (own, SHIPPED):
        assert Runs(folder).player_name(path) == text
    assert (run.cli_name, run.resume_command) == (text, f"evolve --resume {text}")
    register(own)
    result = player(f"{text}@3")
    assert result.canonical_name == f"{text}@3"
    assert run_player(run, 3).canonical_name == f"{text}@3"
    assert name not in Runs(own).names() or name == "crownhead-2"
    assert text in Runs(own).names()
    assert main.main(["inspect", f"--runs={own}", "--json"]) == 0
    assert text in [each["name"] for each in json.loads(capsys.readouterr().out)["runs"]]
    sources = Sources(own)
    for _ in sources.look(0.0):
        pass
    source = next(each for each in sources.runs if each.path == path)
    assert (source.name, source.target, source_of(path, own).target) == (text, text, text)
    first = opponents.champion(own, text)
    assert first is not None and first.player == text
    if name == "crownhead-2":
        assert Run.find(own, name) == Run(SHIPPED / name)
        assert player(name).identity != player(text).identity


def test_a_run_is_named_as_a_player_by_its_name_where_that_means_it(own: Path, tmp_path: Path) -> None:
    shutil.copytree(own / "mine", tmp_path / "mine")
    (own / "linked").symlink_to(tmp_path / "mine")
    assert Runs().player_name(own / "mine") == Runs().player_name(own / ".." / "populations" / "mine") == "mine"
    assert Runs().player_name(own / "linked") == "linked"
    assert Runs().player_name(tmp_path / "mine") == str(tmp_path / "mine")
    assert Runs(tmp_path).player_name(tmp_path / "mine") == "mine"
    assert Runs().player_name(SHIPPED / "crownhead-2") == "crownhead-2"
    assert Runs().player_name(SHIPPED / "blondie24-840.csv") == "blondie24-840.csv"


def test_shipped_runs_are_continued_as_branches(own: Path) -> None:
    source = Run.open("crownhead-1", own)
    config, _ = create.branch_config(source, 0, [], {"seed": 5, "generations": 3}, [])
    made = create.branch(own, "branched", source, 0, config)
    assert made.path == own / "branched"
    assert made.manifest().newest == 0
    assert "branched" in Runs(own).names()


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data" / "presets"


SMALL = ["population.parents=3", "population.mutants=1", "rating.every=0", 'stages=[{kind="round-robin"}]']


def test_the_configuration_of_a_run_becomes_a_preset(data: Path, tmp_path: Path) -> None:
    runs, settings = ["--out", str(tmp_path / "runs"), "--workers", "1"], [f"--set={each}" for each in SMALL]
    assert main.main(["evolve", "--preset", "cowan", "--generations", "1", "--seed", "7", *settings, *runs]) == 0
    data.mkdir(parents=True)
    shutil.copy(tmp_path / "runs" / "cowan-1" / "config.toml", data / "mine.toml")
    assert list(preset_files.own_preset_files()) == ["mine"]
    expected = toml.load("cowan", None, [*SMALL, "generations=1", "seed=7"])
    assert replace(toml.load("mine"), preset="cowan") == expected
    # On top of it, as of any other.
    assert toml.load("mine", None, ["variation.mutation=normal"]).variation.mutation.kind == "normal"
    assert main.main(["evolve", "--preset", "mine", *runs]) == 0
    assert toml.load(path=tmp_path / "runs" / "mine-1" / "config.toml").seed != 7  # each run draws its own
    (data / "mine.toml").unlink()  # a run does not need it any more
    assert main.main(["evolve", "--resume", "mine-1", "--generations", "2", *runs]) == 0


@pytest.mark.needs("learning")
def test_preset_may_change_one_of_the_verb_train(data: Path) -> None:
    data.mkdir(parents=True)
    (data / "teacher.toml").write_text('preset = "q-learning"\ngenerations = 3\n')
    assert toml.load("teacher").verb == "train"


def test_preset_may_contain_only_differences(data: Path) -> None:
    data.mkdir(parents=True)
    (data / "short.toml").write_text('preset = "blondie24"\n[variation]\nmutation = "uniform"\n')
    assert toml.load("short").variation.mutation.kind == "uniform"
    assert toml.load("short").search == toml.load("blondie24").search
    (data / "first.toml").write_text("generations = 1\n")
    with pytest.raises(
        preset_files.ConfigError, match=r"first\.toml has the name of a preset of the program: rename the file$"
    ):
        toml.load("first")
    assert list(preset_files.own_preset_files()) == ["short"]
    (data / "own.toml").write_text('preset = "short"\n')
    with pytest.raises(preset_files.ConfigError, match="expected one that comes with the program, got 'short'"):
        toml.load("own")
    with pytest.raises(preset_files.ConfigError, match=r"unknown preset 'shrot'.*did you mean short"):
        toml.load("shrot")


def test_its_operators_lie_beside_it_and_run_once_they_are_named(data: Path) -> None:
    data.mkdir(parents=True)
    (data / "ops.py").write_text(LAPLACE)
    (data / "noisy.toml").write_text('[plugins]\nfiles = ["ops.py"]\n[variation]\nmutation = "laplace"\n')
    with pytest.raises(preset_files.ConfigError, match=r"noisy.toml: contains code, ops.py .* then add --plugin .*ops"):
        toml.load("noisy")
    assert toml.load("noisy", own=None).variation.mutation.kind == "laplace"  # read without its code
    assert plugins.loaded() == ()
    with pytest.raises(preset_files.ConfigError, match="expected uniform or normal"):
        toml.load("cowan", None, ["variation.mutation=laplace"], own=None)
    try:
        config = toml.load("noisy", None, ["variation.scale=0.5"], own=[data / "ops.py"])
        assert (config.variation.mutation.kind, config.plugins.files) == ("laplace", ("ops.py",))
    finally:
        plugins.load([])


def test_a_preset_of_a_plugin_can_be_used(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = data / "noisy" / "ops.py"
    code.parent.mkdir(parents=True)
    code.write_text(LAPLACE)
    (data / "noisy.toml").write_text(
        'preset = "cowan"\n[plugins]\nfiles = ["noisy/ops.py"]\n[variation]\nmutation = "laplace"\n'
    )
    words = ["evolve", "--preset=noisy", "--out", str(tmp_path / "runs"), "--workers=1", "--generations=1"]
    words += [f"--set={each}" for each in SMALL]
    try:
        assert main.main(words) == main.MISTAKE
        assert f"add --plugin {code}" in capsys.readouterr().err
        assert main.main([*words, f"--plugin={code}"]) == 0
        assert (tmp_path / "runs" / "noisy-1" / "plugins" / "ops.py").read_text() == LAPLACE
    finally:
        plugins.load([])
