"""Files that verbs write for others: complete or not at all, under any name, and never over what was not named."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from extras import formats
from tests.called import Call, call_program
from tests.needed import marks_of

PDN = '[Event "?"]\n[Black "\x1b[2J"]\n\n1. 11-15 23-19 *\n'
VERBS: dict[str, tuple[str, ...]] = {
    "svg": ("pdn", "picture", "games.pdn", "-o"),
    "png": ("pdn", "picture", "--fen", "W:W18:B9", "-o"),
    **{ending: ("export", "first", f"--{ending}") for ending in formats("player")},
    **{f"page.{ending}": ("pdn", ending, "games.pdn", "-o") for ending in formats("game")},
}
NAME = "a b\n\x1b[2J é'\"&<x>%20"
"""A name with a line break, a command to a terminal, and characters that mean something to shells and pages."""

every = pytest.mark.parametrize(
    "ending", [pytest.param(each, marks=marks_of(words[0])) for each, words in VERBS.items()]
)


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    monkeypatch.chdir(tmp_path)
    Path("games.pdn").write_text(PDN, encoding="utf-8")
    return partial(call_program, capfd)


def files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@every
def test_a_file_may_have_any_name(ending: str, call: Call) -> None:
    done = call(*VERBS[ending], f"{NAME}.{ending}")
    assert (done.code, done.err) == (0, "") and set(files()) == {"games.pdn", f"{NAME}.{ending}"}
    assert "\x1b" not in done.out and done.out.count("\n") <= 3


@every
def test_a_full_disk_leaves_the_old_file(ending: str, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(f"x.{ending}").write_bytes(b"what was there")
    before = files()

    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("evolve.run.files.os.write", full)
        done = call(*VERBS[ending], f"x.{ending}")
    assert (done.code, done.out, done.err.count("\n")) == (74, "", 1) and f"x.{ending}" in done.err
    assert files() == before


@every
def test_a_target_that_cannot_be_written_is_refused_before_the_work(ending: str, call: Call) -> None:
    Path(f"folder.{ending}").mkdir()
    before = files()
    for name in (f"none/x.{ending}", f"folder.{ending}"):
        done = call(*VERBS[ending], name)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert f"{name}: expected the name of a file in an existing folder" in done.err
    assert files() == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
@every
def test_a_pipe_and_a_locked_folder_are_refused(ending: str, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(f"pipe.{ending}")
    assert "is not a regular file" in call(*VERBS[ending], f"pipe.{ending}").err
    monkeypatch.setattr("evolve.run.files.os.access", lambda *_: False)
    done = call(*VERBS[ending], f"x.{ending}")
    assert (done.code, done.err.count("\n")) == (2, 1) and "its folder cannot be written" in done.err


@pytest.mark.needs("recorded")
def test_the_file_to_read_is_never_replaced(call: Call) -> None:
    shutil.copy("games.pdn", "games.svg")
    done = call("pdn", "picture", "games.svg", "-o", "games.svg")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "games.svg: is the file to read, choose another name" in done.err
    assert Path("games.svg").read_text(encoding="utf-8") == PDN


@pytest.mark.needs("recorded")
def test_a_link_is_replaced_and_not_followed(call: Call) -> None:
    Path("other.svg").write_bytes(b"another file")
    Path("x.svg").symlink_to("other.svg")
    assert call(*VERBS["svg"], "x.svg").code == 0
    assert Path("other.svg").read_bytes() == b"another file" and not Path("x.svg").is_symlink()
