"""The folder of runs: names, shipped runs and those of an installed program's user."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import main
from evolve.config.model import Config
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
