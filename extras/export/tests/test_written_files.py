"""Exports of several files: all or none are written, and nothing if the player is refused."""

from __future__ import annotations

import errno
import os
from functools import partial
from pathlib import Path

import pytest

from tests.called import Call, call_program

PDN = '[Event "?"]\n\n1. 11-15 23-19 *\n'


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    monkeypatch.chdir(tmp_path)
    Path("games.pdn").write_text(PDN, encoding="utf-8")
    return partial(call_program, capfd)


def files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def test_of_several_files_all_or_none_are_written(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.html").write_bytes(b"what was there")
    before, write = files(), os.write

    def full(handle: int, data: bytes) -> int:
        if bytes(data[:2]) == b"\x08\x07":  # the model, which comes last
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(handle, data)

    with monkeypatch.context() as patched:
        patched.setattr("evolve.run.files.os.write", full)
        done = call("export", "first", "--html=a.html", "--onnx=b.onnx")
    assert (done.code, done.out, done.err.count("\n")) == (74, "", 1) and "b.onnx" in done.err
    assert files() == before
    assert call("export", "first", "--html=a.html", "--onnx=b.onnx").code == 0
    assert set(files()) == {"a.html", "b.onnx", "games.pdn"}


def test_a_player_is_refused_before_tables_are_written(call: Call) -> None:
    before = files()
    done = call("export", "zero", "--parquet=tables", "--html=a.html")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1) and "search with alpha-beta" in done.err
    done = call("export", "first", "--parquet=games.pdn/a")
    assert (
        (done.code, done.out) == (2, "") and "expected a folder, but" in done.err and "games.pdn is a file" in done.err
    )
    assert files() == before and not Path("tables").exists()
