"""Deleting a run: all of it or nothing that counts as a run, and never what others hold or the program needs."""

from __future__ import annotations

import shutil
from pathlib import Path

import filelock
import pytest

from evolve.bench.synthetic import make_run
from evolve.run import places, removal
from evolve.run.files import BusyError, RunError
from evolve.run.names import run_names
from evolve.run.status import LOCK


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
    assert removal.size_of(run) == sum(path.stat().st_size for path in files) + links
    removal.delete(run)
    assert run_names(tmp_path) == ["two"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "two"]
    assert (elsewhere / "kept.txt").read_text() == "kept"


def test_a_run_on_which_a_session_works_stays(tmp_path: Path) -> None:
    run = make_run(tmp_path, "one", 0).path
    with filelock.FileLock(run / LOCK), pytest.raises(BusyError, match="one: another process is working on this run"):
        removal.delete(run)
    assert run_names(tmp_path) == ["one"]


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    run = make_run(tmp_path, "one", 0).path
    (tmp_path / "precious").write_text("text")
    (run / LOCK).unlink(missing_ok=True)
    (run / LOCK).symlink_to(tmp_path / "precious")
    removal.delete(run)
    assert (tmp_path / "precious").read_text() == "text"
    assert run_names(tmp_path) == []


def test_a_shipped_run_of_a_checkout_stays_and_one_beside_it_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(tmp_path, "mine", 0)
    shutil.copytree(tmp_path / "mine", tmp_path / "crownhead")
    for name in ("SHIPPED_RUNS", "DEFAULT_RUNS"):
        monkeypatch.setattr(places, name, tmp_path)
    with pytest.raises(RunError, match="crownhead came with the program and stays"):
        removal.delete(tmp_path / "crownhead")
    removal.delete(tmp_path / "mine")
    assert run_names(tmp_path) == ["crownhead"]
    assert all((places.TREE / "populations" / name / "config.toml").is_file() for name in places.SHIPPED_NAMES)


def test_what_came_with_an_installed_program_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path, "crown", 0).path
    monkeypatch.setattr(places, "SHIPPED_RUNS", tmp_path)
    with pytest.raises(RunError, match="crown came with the program and stays"):
        removal.delete(run)
    assert run_names(tmp_path) == ["crown"]


def test_a_link_to_a_run_is_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path / "far", "one", 0).path
    (tmp_path / "near").mkdir()
    (tmp_path / "near" / "one").symlink_to(run)
    with pytest.raises(RunError, match="one is a link to a folder elsewhere"):
        removal.delete(tmp_path / "near" / "one")
    assert run_names(tmp_path / "near") == ["one"]


def test_what_cannot_be_removed_is_named_and_is_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path, "one", 0).path

    def fail(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(shutil, "rmtree", fail)
    with pytest.raises(RunError, match=r"something of it is left in .*\.deleted-one-.*: Permission denied"):
        removal.delete(run)
    assert run_names(tmp_path) == []
    monkeypatch.undo()
    make_run(tmp_path, "two", 0)
    removal.finish(tmp_path)  # the next one who looks
    assert [path.name for path in tmp_path.iterdir()] == ["two"]


def test_what_is_left_in_sweeps_is_removed_too(tmp_path: Path) -> None:
    sweep, other = tmp_path / "sweep", tmp_path / "other"
    for folder in (sweep, other):
        make_run(folder, "one", 0)
        make_run(folder, "two", 0).path.rename(folder / f"{removal.ASIDE}two-1a2b")
    (sweep / "sweep.toml").write_text("")
    removal.finish(tmp_path)
    assert [path.name for path in sweep.iterdir() if path.is_dir()] == ["one"]
    assert len(list(other.iterdir())) == 2  # nobody deletes runs there


def test_only_runs_are_deleted(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    for name in ("none", "pictures"):
        with pytest.raises(RunError, match=r"no run, there is no config\.toml"):
            removal.delete(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["pictures"]
