"""Several files are put in place together, or none of them is, whichever write or rename fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evolve.run.files import together, write_new
from game.installation import TREE

NAMES = ("a", "b", "c")


def write_all(folder: Path, failing: str = "") -> None:
    with together() as begin:
        for name in NAMES:
            path = folder / name
            write_new(begin(path), [b"new"], path, durable=False)
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
def test_the_old_files_are_back_after_a_failed_rename(failing: str, tmp_path: Path) -> None:
    """A folder in place of a file cannot be replaced."""
    others = [name for name in NAMES if name != failing]
    (tmp_path / others[0]).write_bytes(b"old")
    (tmp_path / failing / "below").mkdir(parents=True)
    with pytest.raises(OSError) as raised:
        write_all(tmp_path)
    assert raised.value.filename == str(tmp_path / failing)
    assert contents(tmp_path) == {others[0]: b"old"}


@pytest.mark.parametrize("links", [True, False])
def test_the_latest_old_file_is_back_whatever_was_left_before(
    links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a file can have only one name; a killed process may have left an older file."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    if not links:
        monkeypatch.setattr(os, "link", refuse)
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / ".a.old.tmp").write_bytes(b"older")
    (tmp_path / "c" / "below").mkdir(parents=True)
    with pytest.raises(OSError):
        write_all(tmp_path)
    assert contents(tmp_path) == {"a": b"old"}


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
@pytest.mark.parametrize("limit", [0, 2_000, 30_000, 100_000])
def test_an_export_of_tables_on_a_full_disk_leaves_nothing(limit: int, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    code = "import resource, sys, main\n"
    code += f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
    code += f"sys.exit(main.main(['export', 'first', '--parquet', {str(tmp_path / 'tables')!r}]))"
    done = subprocess.run([sys.executable, "-c", code], cwd=TREE, capture_output=True, text=True, check=False)
    assert done.returncode == 74
    assert f"main.py: {tmp_path / 'tables'}{os.sep}" in done.stderr
    assert ".parquet: " in done.stderr
    assert not [name for _, _, names in os.walk(tmp_path) for name in names]
