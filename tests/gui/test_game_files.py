"""Files of games, reviews and positions that the window reads and writes; choosing files, and the clipboard."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from game import plain
from game.board import Position
from gui import files, pictures, system
from gui.files import FileChooser
from gui.model import pdn
from gui.model.game import GameModel
from gui.model.pdn import PdnIndex, RecordError
from gui.screens.dialogs.files import Files
from gui.screens.home import Home
from gui.screens.play.game_files import drawn
from gui.screens.play.games import GamesScreen
from gui.screens.play.play import Play, game_files
from gui.storage import whole_files
from tests.gui.hands import Hands, Opened
from tests.gui.review_helpers import playing, shared

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs pipes and links")


def saved(hands: Hands, name: str) -> str:
    """Save a game of one move from the window, and return the message."""
    model = GameModel()
    model.play(plain.legal_moves(model.last)[0])
    hands.app.go_home()
    hands.app.open(Play(hands.app, model, recorded=True))  # so that it is written to this file alone
    hands.key("s")
    hands.click("path")
    hands.key("ctrl+a")
    hands.type(name)
    hands.key("return", "return")
    if isinstance(hands.app.screen, Files):
        return str(hands.widget("trouble").text)
    hands.until(lambda: "Saved as" in hands.app.notice or hands.app.notice.startswith(f"{name} cannot be"))
    return hands.app.notice


def test_a_game_is_written_as_a_whole_or_not_at_all(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = opened()
    hands.app.services.store.set("folder", str(tmp_path))
    (tmp_path / "mine.pdn").write_text("what was there")

    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(whole_files.os, "replace", full)
        assert saved(hands, "mine.pdn") == "mine.pdn cannot be written: No space left on device."
    assert (tmp_path / "mine.pdn").read_text() == "what was there"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["mine.pdn"]
    assert saved(hands, "mine.pdn").startswith("Saved as")
    assert (tmp_path / "mine.pdn").read_text().startswith("[Event")


def test_a_position_is_saved_by_its_ending(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.app.services.store.set("folder", str(tmp_path))
    (tmp_path / "here.fen").write_text("")  # it asks before it replaces that
    assert saved(hands, "here.fen").startswith("Saved as")
    model = GameModel()
    model.play(plain.legal_moves(model.last)[0])
    assert (tmp_path / "here.fen").read_text() == model.shown.fen() + "\n"
    hands.drop(tmp_path / "here.fen")
    assert hands.game.model.start == model.shown


@posix
def test_a_link_stays_a_link_and_a_pipe_is_not_written_to(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.app.services.store.set("folder", str(tmp_path))
    (tmp_path / "real.pdn").write_text("")
    (tmp_path / "link.pdn").symlink_to(tmp_path / "real.pdn")
    assert saved(hands, "link.pdn").startswith("Saved as")
    assert (tmp_path / "link.pdn").is_symlink()
    assert "[Event" in (tmp_path / "real.pdn").read_text()
    os.mkfifo(tmp_path / "pipe.pdn")
    assert "pipe" in saved(hands, "pipe.pdn")
    assert not saved(hands, "pipe.pdn").startswith("Saved")


@posix
@pytest.mark.parametrize("name", ["pipe.pdn", "pipe.csv", "pipe", "pipe.fen"])
def test_a_pipe_is_not_opened(opened: Opened, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    hands = opened()
    hands.drop(tmp_path / name)
    assert hands.app.notice == f"{name} is a pipe, expected a file of games, a position or players."
    assert isinstance(hands.app.screen, Home)
    with pytest.raises(RecordError, match="is a pipe, expected a PDN file"):
        PdnIndex(tmp_path / name)


def test_a_folder_and_a_device_are_not_opened(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    (tmp_path / "folder.pdn").mkdir()
    hands.drop(tmp_path / "folder.pdn")
    assert "folder.pdn is a folder" in hands.app.notice
    if Path("/dev/zero").is_char_device():
        hands.drop(Path("/dev/zero"))
        assert "zero is a device" in hands.app.notice
    assert isinstance(hands.app.screen, Home)


def test_a_paste_that_is_too_large_is_refused_in_words(opened: Opened) -> None:
    hands = opened()
    clipboard = hands.app.services.clipboard
    clipboard.copy("1. 11-15 {" + "a" * game_files.LARGEST_PASTE + "} *")
    hands.key("ctrl+v")
    assert hands.app.notice.startswith("The clipboard holds 0.5 MB of text, more than 0.5 MB")
    assert isinstance(hands.app.screen, Home)
    clipboard.copy("1. 11-15 {" + "a" * (game_files.LARGEST_PASTE - 100) + "} *")
    hands.key("ctrl+v")
    assert isinstance(hands.app.screen, Play)


def test_a_file_with_one_endless_game_is_read_to_a_stated_size(
    opened: Opened, tmp_path: Path, limit: Callable[..., None]
) -> None:
    limit(pdn, "LARGEST_GAME", 1_000_000)
    path = tmp_path / "endless.pdn"
    path.write_text("1. 11-15 *\n\n1. 12-16 {" + "a" * 6_000_000 + "} *\n\n1. 10-14 *\n")
    index = PdnIndex(path)
    while index.step(0.0):
        pass
    assert [entry.plies for entry in index.entries] == [1]
    assert index.trouble == f"{path}: after game 1, more than 1 MB without the end of a game: the rest is not read"
    assert index._reader.stream.read_bytes < 3_000_000
    assert str(index.load(0).model.plies[0].move) == "11-15"
    hands = opened()
    hands.drop(path)
    hands.until(lambda: isinstance(hands.app.screen, (GamesScreen, Play)) and index.complete)
    hands.app.go_home()


def test_many_games_on_one_line_are_read_within_limits(tmp_path: Path, limit: Callable[..., None]) -> None:
    limit(pdn, "LARGEST_GAME", 100_000)
    path = tmp_path / "narrow.pdn"
    path.write_text("1. 11-15 * 1. 12-16 * " * 5_000)
    index = PdnIndex(path)
    while index.step(1.0):
        pass
    assert len(index.entries) == 10_000
    assert str(index.load(1).model.plies[0].move) == "12-16"
    with pytest.raises(RecordError, match="game 9999: too much text precedes it on its line"):
        index.load(9_998)


@pytest.mark.parametrize("text", [b"garbage \xff\xfe", b"This is a letter, and no game.\n"])
def test_a_text_that_is_no_game_is_refused(opened: Opened, tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "letter.pdn"
    path.write_bytes(text)
    hands = opened()
    hands.drop(path)
    hands.wait(0.3)
    word = text.split()[0].decode()
    assert hands.app.notice.startswith(f"There is no game in letter.pdn: line 1: '{word}': expected a move like 11-15")
    assert isinstance(hands.app.screen, Home)
    path.write_text('[Event "A start"]\n[Result "*"]\n\n*\n')
    hands.drop(path)
    hands.wait(0.3)
    assert isinstance(hands.app.screen, Play)


KINDS = {".png": b"\x89PNG\r\n", ".svg": b"<svg "}


def test_a_game_is_written_by_the_ending_of_its_name(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.app.services.store.set("folder", str(tmp_path))
    playing(hands)
    for kind in drawn():
        path = tmp_path / f"a <b> & c{kind}"
        assert shared(hands, path.name) == f"Saved as {path}"
        assert path.read_bytes().startswith(KINDS[kind])
    wrong = shared(hands, "game.txt")
    assert wrong.startswith("game.txt cannot be written: expected a name that ends in ")
    assert wrong.endswith(f" or {drawn()[-1]}.") and " .pdn, .fen" in wrong
    assert sorted(path.suffix for path in tmp_path.glob("*c.*")) == sorted(drawn())


def test_one_key_copies_a_picture_or_saves_it(opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = opened()
    playing(hands)
    hands.key("e")
    folder = hands.app.services.kept.data / "pictures"
    (saved,) = folder.iterdir()
    assert hands.app.notice == f"Saved the picture as {saved}"
    ended = saved.read_bytes()
    assert ended.startswith(KINDS[".png"])
    program = tmp_path / "xclip"
    program.write_text(f'#!/bin/sh\ncat >"{tmp_path}/copied.png"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(system, "PICTURE_PROGRAMS", ((program.name,),))
    hands.app.services.clipboard = system.SystemClipboard()
    hands.key("e")
    assert hands.app.notice == "Copied the picture." and len(list(folder.iterdir())) == 1
    assert (tmp_path / "copied.png").read_bytes() == ended
    program.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    hands.key("left", "e")
    (earlier,) = (path for path in folder.iterdir() if path != saved)
    assert hands.app.notice.endswith(str(earlier)) and earlier.read_bytes() != ended


def test_a_picture_has_names_words_and_the_chosen_side_below() -> None:
    def picture(names: tuple[str, str] = ("Ada", "Bob"), words: str = "Draw", *, flip: bool = False) -> bytes:
        return pictures.still(Position.start(), names, words, flip=flip)

    others = picture(("Ada", "Eve")), picture(("Eve", "Bob")), picture(words="11-15"), picture(flip=True)
    assert len({picture(), *others}) == 5 and picture(("A name that is much longer than there is room for" * 3, "Bob"))


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
