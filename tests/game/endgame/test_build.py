"""Building tablebases: the same tables in any way, builds that go on, are refused, or notice what is wrong."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from game.endgame import build, table_file
from game.endgame.build import BuildProgress, Meter, Values, build_tables, build_unchecked, build_values, needs
from game.endgame.slices import Slice, slices_of
from game.errors import InputError

COUNTS = {2: (716, 402, 2_370), 3: (100_250, 87_305, 8_477), 4: (2_574_304, 1_917_090, 1_717_922)}
"""Positions won, lost and drawn for the side to move, by pieces."""
LONGEST_WINS = {2: 13, 3: 61, 4: 109}


@pytest.mark.parametrize("pieces", COUNTS)
def test_counts_and_longest_wins_are_those_of_the_literature(known: Values, pieces: int) -> None:
    values = np.concatenate([known.of(each) for each in known.all if each.pieces == pieces])
    counts = np.bincount(values, minlength=256)
    assert (counts[2::2].sum(), counts[1::2].sum(), counts[0]) == COUNTS[pieces]
    assert values[values % 2 == 0].max() - 1 == LONGEST_WINS[pieces]


def test_the_number_of_threads_changes_no_value(known: Values) -> None:
    assert np.array_equal(build_values(4, threads=3).values, known.values)


def test_values_without_distances_are_their_parity() -> None:
    known, plain = build_values(3).values, build_values(3, exact=0).values
    assert np.array_equal(plain, np.where(known > 2, 2 - known % 2, known))


def test_earlier_work_counts_as_done_but_not_as_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now, result = [0.0], list[BuildProgress]()
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    meter = Meter(1_000, result.append, done=600)
    for _ in range(4):
        now[0] += 2
        meter.add(100)
    assert [(each.done, each.total, each.seconds_left) for each in result] == [
        (700, 1_000, 6.0), (800, 1_000, 4.0), (900, 1_000, 2.0), (1_000, 1_000, 0.0)
    ]  # fmt: skip


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.table")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    build_tables(folder, 3, threads=2)
    return folder


def test_build_leaves_exactly_the_files_of_all_slices(folder: Path) -> None:
    names = {table_file.path_of(folder, each).name for n in (2, 3) for each in slices_of(n)}
    assert {path.name for path in folder.iterdir()} - {table_file.LOCK} == names


def test_resumed_build_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    build_tables(tmp_path, 2, threads=1)
    build_tables(tmp_path, 3, threads=1)
    assert content(tmp_path) == content(folder)
    for path in list(tmp_path.glob("*.table"))[::3]:
        path.unlink()
    build_tables(tmp_path, 3, threads=3)
    assert content(tmp_path) == content(folder)


def test_damaged_files_are_named_and_rebuilt(folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    copied = shutil.copytree(folder, tmp_path / "copy")
    path = table_file.path_of(copied, Slice(0, 1, 1, 1))
    path.write_bytes(path.read_bytes()[:-100])
    build_tables(copied, 3)
    assert content(copied) == content(folder)
    assert str(path) in caplog.text


def test_complete_tables_need_no_space(folder: Path) -> None:
    messages: list[BuildProgress] = []
    build_tables(folder, 3, report=messages.append)
    assert not messages


def test_too_little_memory_or_disk_is_refused_with_the_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free: list[float | None] = [100e6, None]
    monkeypatch.setattr(build, "free_memory", lambda: free.pop(0))
    with pytest.raises(InputError, match=r"tables of 6 pieces need 3,\d+ MB of memory, only 100 MB are free"):
        build_tables(tmp_path, 6)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=70e6))
    with pytest.raises(InputError, match=r"tables of 5 pieces need \d+ MB of disk at .*, only 20 MB are free"):
        build_tables(tmp_path, 5)
    assert not content(tmp_path)


def test_late_limit_of_memory_is_reported_with_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise MemoryError("Unable to allocate 2.40 GiB")

    monkeypatch.setattr(build, "solve_missing", refuse)
    with pytest.raises(InputError, match=r"tables of 3 pieces need \d+ MB of memory, but this process may use less"):
        build_tables(tmp_path, 3)
    monkeypatch.undo()
    build_tables(tmp_path, 2)  # nobody holds the lock


def test_builds_keep_within_the_memory_that_was_promised() -> None:
    for threads in (None, 2, 16, 64):
        assert needs(5, threads=threads).memory < 1e9
        assert needs(6, threads=threads).memory < 6e9


def test_tables_not_verified_before_a_kill_are_verified(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared, real = [], build._verify

    def killed(folder: Path, number: int, *rest: Any) -> None:
        if not compared:
            compared.append(number)
            raise KeyboardInterrupt
        compared.append(number)
        real(folder, number, *rest)

    monkeypatch.setattr(build, "_verify", killed)
    with pytest.raises(KeyboardInterrupt):
        build_tables(tmp_path, 3)
    build_tables(tmp_path, 3)
    build_tables(tmp_path, 3)
    assert compared == [2, 2, 3]
    assert content(tmp_path) == content(folder)


def test_tables_built_on_demand_are_verified_by_the_next_build(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[int] = []
    monkeypatch.setattr(build, "_verify", lambda folder, number, *rest: compared.append(number))
    build_unchecked(tmp_path, 3)
    assert content(tmp_path) == content(folder) and not compared
    for _ in range(2):
        build_tables(tmp_path, 3)
        assert compared == [2, 3]


def test_resumed_build_counts_existing_files(folder: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(folder, tmp_path / "copy")
    which = Slice(0, 1, 1, 0)
    table_file.path_of(copied, which).unlink()
    messages: list[BuildProgress] = []
    build_tables(copied, 3, report=messages.append)
    everything = 3 * (3_488 + 196_032)  # solved, and compared, which counts twice
    left = 2 * which.positions + 2 * 3_488  # a slice and its mirror image, and what is compared of two pieces
    assert all(each.total == everything and each.done > everything - left for each in messages)
    assert messages[-1].done == everything


def test_a_full_disk_ends_the_build_and_it_can_go_on(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, real = [], os.fsync

    def full(handle: int) -> None:
        written.append(handle)
        if len(written) > 9:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        build_tables(tmp_path, 3)
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".tmp")]
    monkeypatch.undo()
    build_tables(tmp_path, 3)
    assert content(tmp_path) == content(folder)


def test_verification_detects_a_wrong_value(folder: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(folder, tmp_path / "copy")
    which = Slice(1, 1, 0, 1)
    codes = table_file.open_table(table_file.path_of(copied, which)).codes().copy()
    codes[1234] ^= 2 if codes[1234] else 1
    table_file.write(copied, which, codes, True)
    (copied / "3.unchecked").touch()
    with pytest.raises(table_file.TableError, match=r"1101\.table: the value of B:.* does not agree with the rules"):
        build_tables(copied, 3)


def test_values_in_files_are_those_in_memory(folder: Path) -> None:
    known = build_values(3, threads=1)
    for each in known.all:
        assert np.array_equal(table_file.open_table(table_file.path_of(folder, each)).codes(), known.of(each))
