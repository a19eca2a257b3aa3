"""Whole files or none, and nothing else in their place."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from evolve.run.files import streamed, write_atomically


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
