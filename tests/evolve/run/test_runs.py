"""The folder of runs: names, shipped runs and those of an installed program's user, removal."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import filelock
import pytest

import main
from evolve.config.model import Config
from evolve.names.registration import register
from evolve.run import notes
from evolve.run.files import BusyError, RunError
from evolve.run.folder import Run
from evolve.run.runs import (
    DEFAULT_RUNS,
    SHIPPED_NAMES,
    SHIPPED_RUNS,
    TREE,
    Runs,
    came_installed,
    remove_run,
    size_of,
)
from evolve.run.status import LOCK
from evolve.session import create
from extras.notebooks import sessions
from game import installation
from game.players.registry import player
from gui.individuals import opponents
from gui.runs.sources import Sources, source_of
from gui.sessions.form import free_name
from tests.runs import run_player
from tests.synthetic import make_run

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
    with pytest.raises(RunError, match=text):
        sessions.resume("policy", runs=own)
    run = Run(SHIPPED / "policy")
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


def test_a_run_goes_with_all_that_is_in_it(tmp_path: Path) -> None:
    run = make_run(tmp_path, "one", 2).path
    make_run(tmp_path, "two", 0)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept.txt").write_text("kept")
    (run / "link").symlink_to(elsewhere)
    (run / "more").mkdir()
    (run / "more" / "file").write_bytes(b"12345")
    files = [path for path in run.rglob("*") if path.is_file() and not path.is_symlink()]
    links = (run / "link").lstat().st_size
    assert size_of(run) == sum(path.stat().st_size for path in files) + links
    remove_run(run)
    assert Runs(tmp_path).names() == ["two"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "two"]
    assert (elsewhere / "kept.txt").read_text() == "kept"


def test_a_run_on_which_a_session_works_stays(tmp_path: Path) -> None:
    run = make_run(tmp_path, "one", 0).path
    with filelock.FileLock(run / LOCK), pytest.raises(BusyError, match="one: another process is working on this run"):
        remove_run(run)
    assert Runs(tmp_path).names() == ["one"]


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    run = make_run(tmp_path, "one", 0).path
    (tmp_path / "precious").write_text("text")
    (run / LOCK).unlink(missing_ok=True)
    (run / LOCK).symlink_to(tmp_path / "precious")
    remove_run(run)
    assert (tmp_path / "precious").read_text() == "text"
    assert Runs(tmp_path).names() == []


def test_shipped_runs_are_protected_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "first").mkdir(parents=True)
    (tmp_path / "populations").symlink_to("elsewhere", target_is_directory=True)
    code = f"""
from pathlib import Path
from game import installation
installation.TREE = Path({str(tmp_path)!r})
from evolve.run.runs import why_kept
print(why_kept(installation.TREE / "populations" / "first"))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=TREE, capture_output=True, text=True, check=True)
    assert done.stdout == "first came with the program and cannot be removed.\n"


def test_a_shipped_run_of_a_checkout_stays_and_one_beside_it_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(tmp_path, "mine", 0)
    shutil.copytree(tmp_path / "mine", tmp_path / "crownhead")
    for name in ("SHIPPED_RUNS", "DEFAULT_RUNS"):
        monkeypatch.setattr(f"evolve.run.runs.{name}", tmp_path)
    with pytest.raises(RunError, match="crownhead came with the program and cannot be removed"):
        remove_run(tmp_path / "crownhead")
    remove_run(tmp_path / "mine")
    assert Runs(tmp_path).names() == ["crownhead"]
    assert all((TREE / "populations" / name / "config.toml").is_file() for name in SHIPPED_NAMES)


def test_runs_of_an_installed_program_are_not_deleted(tmp_path: Path, runs_in: Callable[..., None]) -> None:
    run = make_run(tmp_path, "crown", 0).path
    runs_in(shipped=tmp_path)
    with pytest.raises(RunError, match="crown came with the program and cannot be removed"):
        remove_run(run)
    assert Runs(tmp_path).names() == ["crown"]


def test_a_link_to_a_run_is_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path / "far", "one", 0).path
    (tmp_path / "near").mkdir()
    (tmp_path / "near" / "one").symlink_to(run)
    with pytest.raises(RunError, match="one is a link to a folder elsewhere"):
        remove_run(tmp_path / "near" / "one")
    assert Runs(tmp_path / "near").names() == ["one"]


def test_failed_deletion_is_reported_and_leaves_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path, "one", 0).path

    def fail(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(shutil, "rmtree", fail)
    with pytest.raises(RunError, match=r"some of its files are left in .*\.deleted-one-.*: Permission denied"):
        remove_run(run)
    assert Runs(tmp_path).names() == []
    monkeypatch.undo()
    make_run(tmp_path, "two", 0)
    Runs(tmp_path).finish_removals()  # the next one who looks
    assert [path.name for path in tmp_path.iterdir()] == ["two"]


def test_only_runs_are_deleted(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    for name in ("none", "pictures"):
        with pytest.raises(RunError, match=r"not a run, since it has no config\.toml"):
            remove_run(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["pictures"]
