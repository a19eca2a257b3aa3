"""A person's own runs and those that came with an installed program: two places, one list of names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import main
from evolve import sessions
from evolve.config.model import Config
from evolve.names.players import lying_file, run_player
from evolve.names.registration import register
from evolve.run import notes, places
from evolve.run.files import RunError
from evolve.run.folder import Run
from evolve.run.names import existing_run, find_run, run_names
from evolve.session import branch, create
from game import installation
from game.players.names import parse_name
from game.players.registry import player
from gui.individuals import first_frame
from gui.individuals.sources import Sources, source_of
from gui.sessions.form import free_name

SHIPPED = places.SHIPPED_RUNS


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a person's runs as if the program was installed; one run is in it."""
    folder = tmp_path.resolve() / "data" / "populations"
    (folder / "mine").mkdir(parents=True)
    shutil.copy(SHIPPED / "crownhead-1" / "config.toml", folder / "mine")
    for module in ("places", "names"):
        monkeypatch.setattr(f"evolve.run.{module}.DEFAULT_RUNS", folder)
    monkeypatch.setenv(installation.DATA_VARIABLE, str(folder.parent))
    return folder


def _shipped() -> list[str]:
    return [path.name for path in SHIPPED.iterdir() if (path / "config.toml").is_file()]


def test_a_checkout_is_not_installed() -> None:
    assert not installation.INSTALLED
    assert (installation.COMMAND, installation.PROGRAM) == ("python main.py", "main.py")
    assert places.DEFAULT_RUNS == SHIPPED == Path(__file__).parents[3] / "populations"
    assert places.searched_folders(SHIPPED) == (SHIPPED,)
    assert not places.came_installed(SHIPPED / "crownhead")


def test_names_mean_own_runs_and_shipped_ones(own: Path) -> None:
    assert run_names(own) == sorted(["mine", *_shipped()])
    assert existing_run(own, "mine").path == own / "mine"
    assert existing_run(own, "crownhead").path == SHIPPED / "crownhead"
    assert [run.cli_name for run in map(Run, (own / "mine", SHIPPED / "crownhead"))] == ["mine", "crownhead"]
    assert lying_file(own, "blondie24-840") == SHIPPED / "blondie24-840.csv"


def test_a_folder_that_was_asked_for_has_only_its_own(own: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert run_names(other) == []
    assert find_run(other, "crownhead") is None
    assert lying_file(other, "blondie24-840") is None


def test_the_window_shows_both(own: Path) -> None:
    sources = Sources(own)
    for _ in sources.look():
        pass
    assert {run.name for run in sources.runs} == {"mine", *_shipped()}
    assert [path.name for path in sources.lying] == ["blondie24-840.csv"]
    crownhead = next(run for run in sources.runs if run.name == "crownhead")
    assert (crownhead.path, crownhead.target, crownhead.trouble) == (SHIPPED / "crownhead", "crownhead", "")
    assert source_of(SHIPPED / "crownhead", own).target == "crownhead"
    first = first_frame.first(own)
    assert first is not None
    assert first == first_frame.first(SHIPPED)
    assert first_frame.is_known(own, parse_name("crownhead"))


def test_a_person_who_has_no_runs_yet_plays_the_shipped_ones(own: Path) -> None:
    from game.players.registry import player

    shutil.rmtree(own)
    assert run_names(own) == sorted(_shipped())
    assert first_frame.first(own) is not None
    register(own)
    assert player("crownhead-1@3").name.startswith("crownhead-1@3")


def test_a_shipped_run_is_not_changed(own: Path) -> None:
    before = sorted(path.name for path in (SHIPPED / "policy").iterdir())
    said = (
        r"^the run policy came with the program and stays as it is; .* main\.py train --branch policy --generations N$"
    )
    with pytest.raises(RunError, match=said):
        sessions.resume("policy", runs=own)
    run = Run(SHIPPED / "policy")
    notes.note(run, 1, "Gen01_0000", "good")
    assert notes.read(run)[1, "Gen01_0000"].text == "good"
    assert json.loads((own.parent / "notes" / "policy" / "notes.json").read_text())["notes"][0]["text"] == "good"
    assert sorted(path.name for path in (SHIPPED / "policy").iterdir()) == before


def test_names_of_shipped_runs_are_reserved(own: Path, tmp_path: Path) -> None:
    """In every folder of runs, for names that are given and for those that come by themselves."""
    assert tuple(sorted(_shipped())) == places.SHIPPED_NAMES
    for folder in (own, tmp_path / "other"):
        for name in places.SHIPPED_NAMES:
            with pytest.raises(RunError, match=f"^run name '{name}': a run of this name came with the program; choose"):
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
        assert places.player_name(path, folder) == text
    assert (run.cli_name, run.resume_command) == (text, f"evolve --resume {text}")
    register(own)
    found = player(f"{text}@3")
    assert found.canonical_name == f"{text}@3"
    assert run_player(run, 3).canonical_name == f"{text}@3"
    assert name not in run_names(own) or name == "crownhead-2"
    assert text in run_names(own)
    assert main.main(["inspect", f"--runs={own}", "--json"]) == 0
    assert text in [each["name"] for each in json.loads(capsys.readouterr().out)["runs"]]
    sources = Sources(own)
    for _ in sources.look():
        pass
    source = next(each for each in sources.runs if each.path == path)
    assert (source.name, source.target, source_of(path, own).target) == (text, text, text)
    first = first_frame.champion(own, text)
    assert first is not None and first.player == text
    if name == "crownhead-2":
        assert find_run(own, name) == Run(SHIPPED / name)
        assert player(name).identity != player(text).identity


def test_a_run_is_named_as_a_player_by_its_name_where_that_means_it(own: Path, tmp_path: Path) -> None:
    shutil.copytree(own / "mine", tmp_path / "mine")
    (own / "linked").symlink_to(tmp_path / "mine")
    assert places.player_name(own / "mine") == places.player_name(own / ".." / "populations" / "mine") == "mine"
    assert places.player_name(own / "linked") == "linked"
    assert places.player_name(tmp_path / "mine") == str(tmp_path / "mine")
    assert places.player_name(tmp_path / "mine", tmp_path) == "mine"
    assert places.player_name(SHIPPED / "crownhead-2") == "crownhead-2"
    assert places.player_name(SHIPPED / "blondie24-840.csv") == "blondie24-840.csv"


def test_a_shipped_run_is_gone_on_with_as_a_branch(own: Path) -> None:
    source = existing_run(own, "crownhead-1")
    config, _ = branch.branch_config(source, 0, [], {"seed": 5, "generations": 3}, [])
    made = branch.branch(own, "branched", source, 0, config)
    assert made.path == own / "branched"
    assert made.manifest().newest == 0
    assert "branched" in run_names(own)
