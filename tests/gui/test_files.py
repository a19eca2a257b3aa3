"""Choosing files, and the clipboard of one window."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gui import files
from gui.files import FileChooser


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.pdn", "A.pdn", "c.txt", ".hidden.pdn", "sub/inner.pdn", "Sub2/x.csv"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name, encoding="utf-8")
    return tmp_path


def names(chooser: FileChooser) -> list[str]:
    return [entry.name for entry in chooser.entries]


def test_folders_first_then_fitting_files(folder: Path) -> None:
    chooser = FileChooser(folder, [".pdn"])
    assert names(chooser) == ["sub", "Sub2", "A.pdn", "b.pdn"]
    assert [entry.size for entry in chooser.entries[2:]] == [5, 5]
    chooser.everything = True
    assert names(chooser) == ["sub", "Sub2", ".hidden.pdn", "A.pdn", "b.pdn", "c.txt"]


def test_folders_are_opened_and_left(folder: Path) -> None:
    chooser = FileChooser(folder, [".pdn"])
    assert chooser.open(0) is None
    assert chooser.folder == folder / "sub" and names(chooser) == ["inner.pdn"]
    assert chooser.open(0) == folder / "sub" / "inner.pdn"
    assert chooser.up() and chooser.folder == folder
    chooser.choose(3)
    assert chooser.text == "b.pdn" and chooser.accept() == folder / "b.pdn"
    (folder / "new.pdn").touch()
    assert chooser.refresh() and "new.pdn" in names(chooser)


def test_paths_in_the_field(folder: Path) -> None:
    chooser = FileChooser(folder / "sub")
    for text, path in (
        ("inner.pdn", folder / "sub" / "inner.pdn"),
        (str(folder / "b.pdn"), folder / "b.pdn"),
        ("../b.pdn", folder / "b.pdn"),
        ("  inner.pdn ", folder / "sub" / "inner.pdn"),
    ):
        chooser.text = text
        assert chooser.accept() == path
    chooser.text = ".."
    assert chooser.accept() is None and (chooser.folder, chooser.text, chooser.trouble) == (folder, "", "")


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("", "No file is chosen."),
        ("none.pdn", "There is no file "),
        ("a\0b", ""),
        ("x" * 5000, "is not a usable path"),
        ("~nobody-of-this-name/x", ""),
    ],
)
def test_unopenable_files_are_reported(folder: Path, text: str, trouble: str) -> None:
    chooser = FileChooser(folder)
    chooser.text = text
    assert chooser.accept() is None
    assert trouble in chooser.trouble and chooser.trouble
    chooser.text = "b.pdn"
    assert chooser.trouble == ""
    assert chooser.accept() is not None


def test_a_file_that_may_not_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    chooser = FileChooser(folder)
    chooser.text = "b.pdn"
    assert chooser.accept() is None and chooser.trouble.endswith("cannot be read: permission denied.")
    chooser = FileChooser(folder, saving=True)
    chooser.text = "d.pdn"
    assert chooser.accept() is None and chooser.trouble.endswith("cannot be written: permission denied.")


def test_saving_asks_before_it_replaces(folder: Path) -> None:
    chooser = FileChooser(folder, [".pdn"], saving=True, name="game.pdn")
    assert chooser.accept() == folder / "game.pdn"
    chooser.text = "b"
    assert chooser.accept() is None
    assert chooser.asks == folder / "b.pdn" and "already exists" in chooser.trouble
    assert chooser.accept() == folder / "b.pdn"
    chooser.text = "b"
    assert chooser.accept() is None
    chooser.text = "A"  # the question was about another file
    assert chooser.accept() is None and chooser.asks == folder / "A.pdn"
    chooser.text = "nowhere/x.pdn"
    assert chooser.accept() is None and "There is no folder" in chooser.trouble
    chooser.choose(0)
    assert chooser.text == "nowhere/x.pdn"


def test_missing_folder_is_left(folder: Path) -> None:
    chooser = FileChooser(folder / "none")
    assert chooser.folder == Path.home() and "cannot be listed" in chooser.trouble
    chooser = FileChooser(folder)
    assert not chooser.go(folder / "none")
    assert chooser.folder == folder and chooser.entries and "cannot be listed" in chooser.trouble


def test_links_to_nowhere_and_very_many_files(folder: Path, limit: Callable[..., None]) -> None:
    os.symlink(folder / "nothing", folder / "broken.pdn")
    assert "broken.pdn" not in names(FileChooser(folder))
    limit(files, "MOST_ENTRIES", 2)
    chooser = FileChooser(folder)
    assert len(chooser.entries) == 2 and "Only the first 2 files" in chooser.trouble
