"""Actions on runs among the opponents: tags, notes, archive and removal."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import filelock
import pytest

from evolve.run import notes, status
from evolve.run.files import BusyError, RunError
from evolve.run.folder import Run
from evolve.run.notes import RunNote
from evolve.run.runs import TREE, Runs
from evolve.run.status import LOCK, State
from extras.keeping.actions import GOES_ON
from extras.keeping.removal import finish_removals, remove_run, size_of
from gui.screens.dialogs.dialog import Dialog, Menu, Prompt
from gui.screens.individuals.chooser import CHOOSE, Chooser
from tests.gui.chooser_helpers import click_card, listed, titles
from tests.gui.hands import Hands, Opened
from tests.gui.own_runs import folder, hands
from tests.gui.session_folder import SessionFolder
from tests.synthetic import make_run

__all__ = ["folder", "hands"]


def test_actions_need_a_run(opened: Opened) -> None:
    hands = opened()
    hands.key("<all-runs>")
    for key in ("<tags>", "<note>", "<archive>"):
        hands.key(key)
        assert hands.app.notice == CHOOSE, key


def test_tags_and_notes_are_kept_beside_the_run(hands: Hands, folder: Path) -> None:
    click_card(hands, "narrow")
    hands.click("do.run-group")
    assert isinstance(hands.app.screen, Menu)
    hands.click("menu.tags")
    assert isinstance(hands.app.screen, Prompt)
    hands.type("fine, quick")
    hands.key("return")
    listed(hands)
    hands.key("<note>")
    hands.type("of no use")
    hands.key("return")
    listed(hands)
    assert notes.read_of_run(Run(folder / "narrow")) == RunNote("of no use", ("fine", "quick"))
    assert hands.widget("details").text.endswith("Tags: fine, quick\nof no use")
    hands.key("<tags>")
    hands.type("x" * 41)
    hands.key("return")
    assert "expected 1 to 40 characters" in hands.widget("wrong").text
    hands.key("escape", "<note>", "ctrl+a", "backspace", "return")
    listed(hands)
    assert notes.read_of_run(Run(folder / "narrow")) == RunNote("", ("fine", "quick"))


def test_archiving_and_taking_back(hands: Hands, folder: Path) -> None:
    for name in ("wide", "narrow"):
        click_card(hands, name)
        hands.key("<archive>")
        listed(hands)
    assert titles(hands) == [] and hands.widget("do.hidden").text == "3 runs hidden: show"
    assert notes.read_of_run(Run(folder / "wide")) == RunNote("diversity lasts", ("good", "slow"), True)
    hands.click("do.hidden")
    assert sorted(titles(hands)) == ["gone", "narrow", "wide"]
    click_card(hands, "wide")
    hands.key("<archive>")
    listed(hands)
    hands.key("escape")
    assert titles(hands) == ["wide"]


def test_a_run_is_deleted_after_a_question(hands: Hands, folder: Path) -> None:
    click_card(hands, "wide")
    hands.key("delete")
    hands.until(lambda: isinstance(hands.app.screen, Dialog), 3.0)
    dialog = hands.app.screen
    assert isinstance(dialog, Dialog) and dialog.title == "Delete wide?"
    text = hands.widget("text").text
    assert "3 generations" in text and "kB" in text and str(folder / "wide") in text and "cannot be undone" in text
    hands.key("return")  # which answers smaller questions
    assert hands.app.screen is dialog
    hands.key("escape")
    assert Runs(folder).names() == ["gone", "narrow", "wide"]
    hands.key("delete")
    hands.until(lambda: isinstance(hands.app.screen, Dialog), 3.0)
    hands.click("answer0")
    assert titles(hands) == ["narrow"] and listed(hands).offer is None
    assert Runs(folder).names() == ["gone", "narrow"]


def test_running_run_is_not_deleted(opened: Opened, tmp_path: Path) -> None:
    session = SessionFolder(tmp_path / "runs" / "going", 1)
    with session.locked():
        session.say(State.RUNNING)
        hands = opened()
        hands.key("<all-runs>")
        assert "Running" in click_card(hands, "going").line
        hands.key("delete")
        assert hands.app.notice == GOES_ON and isinstance(hands.app.screen, Chooser)
        status.write(session.path, status.now(State.STOPPED, 1, 1, 9, 0))  # but its process still holds it
        hands.until(lambda: "Stopped" in hands.app.screen.offer.line, 3.0)  # type: ignore[attr-defined]
        hands.key("delete")
        hands.until(lambda: isinstance(hands.app.screen, Dialog), 3.0)
        hands.key("ctrl+return")
        hands.until(lambda: "is working on this run" in hands.app.notice, 3.0)
    assert Runs(tmp_path / "runs").names() == ["going"]


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
from extras.keeping.removal import why_kept
print(why_kept(installation.TREE / "populations" / "first"))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=TREE, capture_output=True, text=True, check=True)
    assert done.stdout == "first came with the program and cannot be removed.\n"


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
    finish_removals(tmp_path)  # the next one who looks
    assert [path.name for path in tmp_path.iterdir()] == ["two"]


def test_only_runs_are_deleted(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    for name in ("none", "pictures"):
        with pytest.raises(RunError, match=r"not a run, since it has no config\.toml"):
            remove_run(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["pictures"]
