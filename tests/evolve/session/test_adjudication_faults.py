"""Tablebases that are damaged when a session begins, or go away while it plays."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evolve.config import toml
from evolve.run.status import lock
from evolve.session import create, evolution
from evolve.session.reporters import GenerationReport, Reporter
from game.compiled import kernel_cache
from game.endgame import table_file, tables
from game.endgame.slices import Slice, slices_up_to
from game.endgame.tables import adjudicating_tables
from game.errors import InputError
from tests.evolve.tiny_sessions import Evolve, digest

SETTINGS = [
    *("population.mutants=8", "population.parents=5", "search.depth=2", "rating.every=0", "games.adjudicate=3"),
    *("seed=6", "generations=2"),
]
OPTIONS = ("--preset=crownhead-1", *(f"--set={setting}" for setting in SETTINGS))
KINGS = Slice(0, 2, 0, 1)


@pytest.fixture
def folder(tmp_path: Path, tables_in: Callable[[Path | None], None]) -> Path:
    """The tables of two and three pieces in a folder of their own, which nobody has opened."""
    usual = table_file.tablebase_folder()
    adjudicating_tables(3)
    own = tmp_path / "cache" / usual.name
    own.mkdir(parents=True)
    for which in slices_up_to(3):
        shutil.copy(table_file.path_of(usual, which), own)
    tables_in(own)
    tables.open_tables.cache_clear()
    return own


@pytest.fixture(autouse=True)
def _opened_anew() -> Iterator[None]:
    yield
    tables.open_tables.cache_clear()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the run that these tests play."""
    return played(tmp_path_factory.mktemp("undisturbed"), Reporter())


def played(out: Path, reporter: Reporter, method: str = "fork") -> str:
    run = create.create(out, "one", toml.load("crownhead-1", settings=[*SETTINGS, f"workers.start_method={method}"]))
    with lock(run.path):
        return evolution.evolve(run, toml.from_toml(run.path / "config.toml"), reporter, workers=2).digest


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_damaged_table_is_rebuilt(
    evolve: Evolve, folder: Path, undisturbed: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = table_file.path_of(folder, KINGS)
    whole = table_file.open_table(path).codes()
    damage(path)
    assert evolve("--name=one", *OPTIONS).json["digest"] == undisturbed
    assert [record.levelname for record in caplog.records if str(path) in record.getMessage()] == ["WARNING"]
    assert (table_file.open_table(path).codes() == whole).all()


def test_a_damaged_table_that_takes_long_to_build_is_named(
    evolve: Evolve, folder: Path, tmp_path: Path, limit: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    limit(tables, "OWN_PIECES", 2)
    path = table_file.path_of(folder, KINGS)
    damage(path)
    result = evolve("--name=one", *OPTIONS)
    assert result.code == 2
    assert "build them with python main.py tablebase build --pieces 3\n" in result.err
    assert [record.levelname for record in caplog.records if str(path) in record.getMessage()] == ["WARNING"]
    assert not (tmp_path / "one").exists()


class Takes(Reporter):
    """Takes the tables and the workers away after the first generation."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lost = folder, 0

    def on_generation(self, report: GenerationReport) -> None:
        if report.generation == 0:
            shutil.rmtree(self.folder)
            for process in multiprocessing.active_children():
                os.kill(process.pid or 0, signal.SIGKILL)
                self.lost += 1


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="workers are killed by signals")
@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.check)])
def test_removed_tables_do_not_change_results(
    method: str, folder: Path, undisturbed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forked workers have what was open; others find nothing and build the tables again."""
    kernels = kernel_cache.CACHE_FOLDER
    (folder.parent / kernels.name).symlink_to(kernels)
    monkeypatch.setenv("CROWNHEAD_CACHE_DIR", str(folder.parent))  # for workers that are not forked
    takes = Takes(folder)
    assert played(tmp_path, takes, method) == undisturbed
    assert takes.lost >= 2


def test_workers_that_find_no_tables_end_the_session(
    evolve: Evolve, folder: Path, undisturbed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so, keeps what is complete, and goes on when they are there again."""
    session = os.getpid()

    def missing(pieces: int) -> tables.Tables:
        if os.getpid() != session:
            raise InputError("adjudicate: they are gone")
        return adjudicating_tables(pieces)

    with monkeypatch.context() as patch:
        patch.setattr(tables, "adjudicating_tables", missing)
        result = evolve("--name=one", *OPTIONS)
    assert result.code == 70
    assert "adjudicate: they are gone" in result.err
    assert result.err.endswith("complete generations are on disk: continue with evolve --resume\n")
    assert evolve("--resume=one").json["digest"] == undisturbed
    assert digest(tmp_path / "one") == undisturbed
