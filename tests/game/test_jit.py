"""Where compiled code is kept, when it is thrown away, and that the program runs without such a place."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from game import jit

ROOT = Path(__file__).parents[2]
POSIX = os.name == "posix"

COUNT = """
import logging, sys
{before}
from game import jit, kernels, moves
from game.board import Position
import numpy as np
start = Position.start()
words = (np.uint64(start.own), np.uint64(start.opponent), np.uint64(start.kings))
count = kernels.generate(*words, start.side, np.empty((192, 4), np.uint64))
stats = kernels.generate.stats
print(count, jit.CACHE_FOLDER, sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""

PERFT = """
from game import moves
from game.board import Position
print(moves.perft(Position.start(), 3), moves.perft(Position.start(), 3, distinct=True))
"""


@dataclass
class Run:
    """What a fresh interpreter printed."""

    words: list[str]
    warnings: list[str]


def _run(code: str, package: Path, **environment: str) -> Run:
    """Run code that imports `game` from a folder; NUMBA_CACHE_DIR of these tests themselves does not count."""
    kept = {k: v for k, v in os.environ.items() if k not in ("CROWNHEAD_CACHE_DIR", "NUMBA_CACHE_DIR")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=package,
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Run(done.stdout.split(), done.stderr.splitlines())


def _copied(folder: Path) -> Path:
    shutil.copytree(ROOT / "game", folder / "game", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_a_changed_source_is_compiled_anew(tmp_path: Path) -> None:
    """F13, with a file that kernels import: Numba's own cache would not notice it."""
    copy, cache = _copied(tmp_path), str(tmp_path / "cache")
    first = _run(COUNT.format(before=""), copy, CROWNHEAD_CACHE_DIR=cache)
    again = _run(COUNT.format(before=""), copy, CROWNHEAD_CACHE_DIR=cache)
    assert first.words[0] == again.words[0] == "7"
    assert (first.words[2:], again.words[2:]) == (["0", "1"], ["1", "0"])  # compiled, then loaded
    with (copy / "game" / "bitboard.py").open("a", encoding="utf-8") as layout:
        layout.write("\nBOARD &= ~(1 << SQUARE_BIT[13])  # a board without square 13\n")
    changed = _run(COUNT.format(before=""), copy, CROWNHEAD_CACHE_DIR=cache)
    assert changed.words[0] == "6"  # 9-13 is no move any more
    assert first.words[1] == again.words[1] != changed.words[1]
    assert first.warnings == again.warnings == changed.warnings == []


@pytest.mark.parametrize("name", (*jit.COMPILED_ENDINGS, *jit.READ_BY_COMPILED, "table_kernels.py"))
def test_every_compiled_source_names_the_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = _copied(tmp_path) / "game"
    monkeypatch.setattr(jit, "__file__", str(package / "jit.py"))
    monkeypatch.setenv("CROWNHEAD_CACHE_DIR", str(tmp_path))
    before = jit.choose_cache_folder()
    for path in [path for path in package.rglob(name)] or [package / "networks" / name]:
        known = jit.choose_cache_folder()
        with path.open("a", encoding="utf-8") as source:
            source.write("# changed\n")
        assert jit.choose_cache_folder() != known, str(path)
    assert jit.choose_cache_folder() != before


def test_other_sources_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = _copied(tmp_path) / "game"
    monkeypatch.setattr(jit, "__file__", str(package / "jit.py"))
    before = jit.source_hash()
    (package / "moves.py").write_text("changed", encoding="utf-8")
    assert jit.source_hash() == before


def test_other_targets_have_other_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROWNHEAD_CACHE_DIR", str(tmp_path))
    folders = {jit.choose_cache_folder()}
    for variable, value in (("NUMBA_CPU_NAME", "generic"), ("NUMBA_CPU_FEATURES", "+avx2"), ("NUMBA_BOUNDSCHECK", "1")):
        monkeypatch.setenv(variable, value)
        folders.add(jit.choose_cache_folder())
    assert len(folders) == 4


@pytest.mark.slow
def test_two_starts_with_a_fresh_cache_agree(tmp_path: Path) -> None:
    runs = [_run(PERFT, ROOT, CROWNHEAD_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    assert [run.words for run in runs] == [["302", "302"]] * 2
    assert [run.warnings for run in runs] == [[], []]


# No place for compiled code ---------------------------------------------------------------------------------------


@pytest.fixture
def nowhere(tmp_path: Path) -> dict[str, str]:
    """An environment whose folders all lie below a file, so that not even the superuser can make them."""
    file = tmp_path / "file"
    file.touch()
    variables = ("CROWNHEAD_CACHE_DIR", "HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME")
    return dict.fromkeys(variables, str(file / "below"))


def test_runs_without_any_place_for_compiled_code(nowhere: dict[str, str]) -> None:
    """F14: read-only installation, no home, no temporary folder."""
    before = f"import tempfile; tempfile.tempdir = {nowhere['HOME']!r}"
    run = _run(COUNT.format(before=before), ROOT, **nowhere)
    assert run.words[:2] == ["7", "None"]
    assert len(run.warnings) == 1
    assert "CROWNHEAD_CACHE_DIR" in run.warnings[0]


def test_runs_with_a_temporary_folder_alone(nowhere: dict[str, str], tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    run = _run(COUNT.format(before=""), ROOT, **nowhere, **places)
    assert run.words[0] == "7"
    assert Path(run.words[1]).is_relative_to(temporary)
    assert len(run.warnings) == 1
    assert str(temporary) in run.warnings[0]
    assert nowhere["CROWNHEAD_CACHE_DIR"] in run.warnings[0]


@pytest.mark.skipif(not POSIX, reason="the place of a user's cache is not set by variables here")
def test_no_home(
    nowhere: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Without CROWNHEAD_CACHE_DIR the user's cache is tried, then the temporary folder."""
    for variable, value in nowhere.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.delenv("CROWNHEAD_CACHE_DIR")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with caplog.at_level(logging.WARNING):
        chosen = jit.choose_cache_folder()
    assert chosen is not None
    assert chosen.is_relative_to(tmp_path)
    assert len(caplog.records) == 1


@pytest.mark.skipif(not POSIX, reason="folders have no owners and modes here")
def test_a_folder_that_others_may_write_to_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Compiled code is executed: nobody else may be able to put it there."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("CROWNHEAD_CACHE_DIR", str(tmp_path))
    private = jit.choose_cache_folder()
    assert private is not None
    assert private.parent == tmp_path
    assert private.stat().st_mode & 0o077 == 0
    assert caplog.records == []
    private.chmod(0o777)
    shared = jit.choose_cache_folder()
    assert shared is not None
    assert shared.is_relative_to(tmp_path / "temporary")
    shared.parent.chmod(0o777)
    assert jit.choose_cache_folder() is None
    assert len(caplog.records) == 2
