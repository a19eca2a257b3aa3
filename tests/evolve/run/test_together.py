"""Files that are replaced together: all or none, and nothing else in their place."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
from pathlib import Path

import pytest

from evolve.run.files import growing, streamed, together, write_atomically
from game.installation import TREE
from tests.needed import marks_of
from tests.processes import completed

NAMES = ("a", "b", "c")


def write_all(folder: Path, failing: str = "") -> None:
    with together() as write:
        for name in NAMES:
            path = folder / name
            write(path, b"new")
            if name == failing:
                raise OSError(28, "No space left on device", str(path))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_all_files_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"old")
    write_all(tmp_path)
    assert contents(tmp_path) == dict.fromkeys(NAMES, b"new")


@pytest.mark.parametrize("failing", NAMES)
def test_no_file_is_replaced_after_a_failed_write(failing: str, tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"old")
    with pytest.raises(OSError, match="No space"):
        write_all(tmp_path, failing)
    assert contents(tmp_path) == {"b": b"old"}


@pytest.mark.parametrize("failing", NAMES)
def test_no_file_is_replaced_if_a_folder_has_the_name_of_one(failing: str, tmp_path: Path) -> None:
    others = [name for name in NAMES if name != failing]
    (tmp_path / others[0]).write_bytes(b"old")
    (tmp_path / failing / "below").mkdir(parents=True)
    with pytest.raises(OSError) as raised:
        write_all(tmp_path)
    assert raised.value.filename == str(tmp_path / failing)
    assert contents(tmp_path) == {others[0]: b"old"}


def test_new_folders_are_there_only_with_their_files(tmp_path: Path) -> None:
    for failing in ("b", ""):
        with contextlib.suppress(OSError), together() as write:
            for name in ("below/far/a", "below/b"):
                write(tmp_path / name, b"new")
            if failing:
                raise OSError(28, "No space left on device")
        assert (tmp_path / "below").exists() == (not failing)
    assert (tmp_path / "below" / "far" / "a").read_bytes() == b"new"


@pytest.mark.parametrize("old", [b"old", None])
def test_a_file_that_grows_is_the_old_one_again_after_an_error(old: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "a"
    if old is not None:
        path.write_bytes(old)
    with pytest.raises(OSError, match="No space") as raised, growing(path) as file:
        file.write("half")
        file.flush()
        assert path.read_bytes() == b"half"
        raise OSError(28, "No space left on device")
    assert raised.value.filename == str(path)
    assert contents(tmp_path) == ({} if old is None else {"a": old})
    with growing(path) as file:
        file.write("all")
    assert contents(tmp_path) == {"a": b"all"}


GAMES = '[Event "a"]\n\n1. 9-14 22-18 1-0\n\n[Event "b"]\n\n1. 11-15 23-19 0-1\n' + f"\n{{{'long ' * 400}}}\n"
COMMANDS = {
    "a review": ["analyse", "material", "--depth=1", "--pdn=games.pdn", "--out=old"],
    "a page of a game": ["pdn", "html", "games.pdn", "-o", "old.html"],
    "the games of a match": ["match", "material", "random", "--games=2", "--pdn=old"],
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Unix")
@pytest.mark.parametrize(
    "arguments", [pytest.param(each, marks=marks_of(each[0])) for each in COMMANDS.values()], ids=COMMANDS
)
def test_a_failed_command_keeps_old_files_and_names_the_file(arguments: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    for name, text in (("games.pdn", GAMES), ("old", GAMES), ("old.html", "page")):
        (folder / name).write_text(text, encoding="utf-8")
    before = contents(folder)
    own = {name: str(folder) for name in ("CROWNHEAD_DATA_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    for limit in (0, 400):
        code = "import resource, sys, main\n"
        code += f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        code += f"sys.exit(main.main({arguments!r}))"
        environment = os.environ | own | {"PYTHONPATH": str(TREE), "SDL_VIDEODRIVER": "dummy"}
        done = completed([sys.executable, "-c", code], cwd=folder, env=environment)
        assert done.returncode == 74, done
        assert re.search(r"^main\.py: \S+: File too large", done.stderr.splitlines()[-1])
        assert "Traceback" not in done.stderr
        assert contents(folder) == before
        assert sorted(path.name for path in folder.iterdir()) == sorted(before)


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    for data in (b"first and long", b"second"):
        write_atomically(path, data)
        assert path.read_bytes() == data
    with pytest.raises(ZeroDivisionError), streamed(path) as file:
        file.write("half")
        raise ZeroDivisionError
    assert path.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="is not a regular file"):
        write_atomically(path, b"data")
    with pytest.raises(OSError, match="is not a regular file"), streamed(path):
        pass
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert list(tmp_path.iterdir()) == [path]
