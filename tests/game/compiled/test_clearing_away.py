"""What of the compiled code is cleared away, and when."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from game.compiled import kernel_cache

DAY = kernel_cache.DAY
NOW = 2_000_000_000.0


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    folder = tmp_path / "kernels"
    folder.mkdir()
    return folder


def _file(path: Path, days: float, size: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.truncate(path, size)
    os.utime(path, (NOW - days * DAY, NOW - days * DAY))
    return path


def test_unused_code_is_cleared_away_once_a_day(cache: Path) -> None:
    kept = {_file(cache / "new.nbc", 59), _file(cache / "now.tmp", 0.9), _file(cache / "of a person", 99)}
    for name, days in (("old.nbc", 61), ("left over.tmp", 1.1)):
        _file(cache / name, days)
    if os.name == "posix":
        (cache / "link").symlink_to(cache / "nowhere")
        kept.add(cache / "link")
    kernel_cache.clear_away(cache, now=NOW)
    assert set(cache.iterdir()) == kept | {cache / "cleared"}
    old = _file(cache / "old.nbc", 61)
    kernel_cache.clear_away(cache, now=NOW + 0.9 * DAY)
    assert old.exists()
    kernel_cache.clear_away(cache, now=NOW + 1.1 * DAY)
    assert not old.exists()


def test_of_too_much_code_the_oldest_goes(cache: Path) -> None:
    half = kernel_cache.MAX_BYTES // 2
    files = [_file(cache / f"{days}.nbc", days, half) for days in (0.5, 3, 2, 4)]  # sparse: they take no room
    kernel_cache.clear_away(cache, now=NOW)
    assert [file.exists() for file in files] == [True, False, True, False]
    for file in files:
        _file(file, 0.5, half)
    (cache / "cleared").unlink()
    kernel_cache.clear_away(cache, now=NOW)
    assert all(file.exists() for file in files)  # a process may be loading them


def test_clearing_away_never_raises(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_cache.clear_away(cache / "nowhere", now=NOW)
    old = _file(cache / "old.nbc", 61)

    def refused(*_: object) -> None:
        raise PermissionError("somebody has it open")

    monkeypatch.setattr(os, "unlink", refused)
    kernel_cache.clear_away(cache, now=NOW)
    assert old.exists()


def test_tables_of_endgames_are_neither_cleared_away_nor_counted(cache: Path) -> None:
    tables = [_file(cache.parent / "tablebase" / name, 999, kernel_cache.MAX_BYTES) for name in ("0101.table", "2.tmp")]
    code = _file(cache / "old.nbc", 50)
    kernel_cache.clear_away(cache, now=NOW)
    assert all(file.exists() for file in (*tables, code))
