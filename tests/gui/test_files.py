"""Choosing files, the clipboard of one window, and sounds."""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gui import files, sounds
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


def test_going_about(folder: Path) -> None:
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


@pytest.mark.parametrize("name", sounds.NAMES)
def test_sounds(name: str) -> None:
    wave = array("h", sounds.samples(name))
    seconds = len(wave) / sounds.RATE
    assert 0.05 < seconds <= 1.5
    assert max(map(abs, wave)) <= sounds.PEAK * 32_767 + 1
    assert abs(wave[0]) < 400 and abs(wave[-1]) < 400  # no click at either end
    assert abs(sum(wave) / len(wave)) < 200
    assert sounds.samples(name) == wave.tobytes()
    assert len(sounds.samples(name, 44_100)) == pytest.approx(2 * len(wave) * 2, rel=0.01)
    double = array("h", sounds.stereo(wave.tobytes()))
    assert double[0::2] == double[1::2] == wave


def level_of_loudest(name: str) -> float:
    """Return how loud the loudest 50 ms are to the ear, in decibels: by the curve A of IEC 61672."""
    wave = np.frombuffer(sounds.samples(name), np.int16) / 32_768
    squared = np.fft.rfftfreq(len(wave), 1 / sounds.RATE) ** 2
    weights = 12_194**2 * squared**2 / (squared + 20.6**2) / (squared + 12_194**2)
    weights /= np.sqrt((squared + 107.7**2) * (squared + 737.9**2))
    power = np.cumsum(np.fft.irfft(np.fft.rfft(wave) * weights, len(wave)) ** 2)
    window = sounds.RATE // 20
    return 10 * math.log10((power[window:] - power[:-window]).max() / window)


def test_sounds_are_equally_loud() -> None:
    levels = {name: level_of_loudest(name) for name in sounds.NAMES}
    assert max(levels.values()) - min(levels.values()) < 4, levels


def test_captures_of_more_men_sound_longer() -> None:
    lengths = [len(sounds.samples(sounds.capture(men))) for men in range(1, 7)]
    assert lengths == sorted(lengths) and len(set(lengths)) == sounds.MOST_CAPTURED
