"""Sessions whose games are ended by tablebases, the same on any workers; and tables that are damaged or go away."""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import signal
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evolve.config import begun, toml
from evolve.run.folder import Run
from evolve.run.status import lock
from evolve.session import create, evolution
from evolve.session.reporters import GenerationReport, Reporter
from game import moves
from game.compiled import kernel_cache
from game.endgame import table_file, tables
from game.endgame.slices import Slice, slices_up_to
from game.endgame.tables import adjudicating_tables
from game.errors import InputError
from game.rules import BLACK
from tests.evolve.tiny_sessions import Evolve, digest, results
from tests.game.pdn.pdn_texts import games_of

SMALL = ("--set=population.mutants=16", "--set=population.parents=9", "--set=search.depth=2", "--set=rating.every=0")
BALLOTS = ("--preset=crownhead-1", "--seed=6", "--generations=2", *SMALL)
ADJUDICATED = (*BALLOTS, "--set=games.adjudicate=4")


@pytest.fixture
def adjudicated(evolve: Evolve, tmp_path: Path) -> Path:
    assert evolve("--name=four", *ADJUDICATED).code == 0
    return tmp_path / "four"


def test_games_end_with_results_of_tables(adjudicated: Path, evolve: Evolve, tmp_path: Path) -> None:
    """No position before the last one has so few pieces, and the result is theirs."""
    known = adjudicating_tables(4)
    games = games_of(adjudicated / "champions.pdn")
    ended = 0
    for game in games:
        position = game.start
        for move in game.moves:
            assert known.probe(position) is None
            position = moves.apply(position, move)
        verdict = known.probe(position)
        if game.tag("Termination") != "adjudicated by tablebase":
            assert verdict is None or not moves.legal_moves(position)
            continue
        assert verdict is not None
        result = verdict.value if position.side == BLACK else -verdict.value
        assert game.result == {1: "1-0", 0: "1/2-1/2", -1: "0-1"}[result]
        ended += 1
    assert 1 < ended < len(games)
    without = evolve("--name=without", *BALLOTS).json
    plies = [sum(int(row["plies"]) for row in _log(tmp_path / name)) for name in ("four", "without")]
    assert plies[0] < plies[1]
    assert digest(adjudicated) != without["digest"]


def _log(run: Path) -> list[dict[str, str]]:
    header, *rows = (run / "log.csv").read_text().splitlines()
    return [dict(zip(header.split(","), row.split(","), strict=True)) for row in rows]


@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.check)])
def test_results_do_not_depend_on_workers(method: str, adjudicated: Path, evolve: Evolve, tmp_path: Path) -> None:
    how = (f"--set=workers.start_method={method}", "--workers=2")
    assert evolve("--name=two", *ADJUDICATED, *how).json["digest"] == digest(adjudicated)
    assert results(tmp_path / "two") == results(adjudicated)


def test_it_is_resumed_to_the_same_bytes(adjudicated: Path, evolve: Evolve) -> None:
    before = results(adjudicated)
    assert evolve("--resume=four", "--from=0").code == 0
    assert results(adjudicated) == before


def test_older_run_continues_without_adjudication(evolve: Evolve, one: Path, template: Path) -> None:
    path = one / "config.toml"
    text = path.read_text()
    older = re.sub(r'# [^\n]*\nadjudicate = 0\n|"games\.adjudicate" = 0\n', "", text)
    assert text.count("adjudicate") - older.count("adjudicate") == 2
    values = tomllib.loads(older)["record"]["begun"]
    older = older.replace(values.pop("sha256"), begun._checksum(values))
    path.write_text(older)
    config = toml.from_toml(path)
    assert config.games.adjudicate == 0
    assert evolve("--resume=one", "--from=0").json["digest"] == digest(template)
    assert path.read_text() == older


MISSING = (
    "games.adjudicate: the tablebases of up to 5 pieces are not complete; build them with "
    "python main.py tablebase build --pieces 5\n"
)


@pytest.fixture
def few(open_instead: Callable[..., None]) -> None:
    known = tables.open_tables(4)
    open_instead(lambda pieces: known)


@pytest.mark.usefixtures("few")
def test_a_session_does_not_begin_without_its_tables(evolve: Evolve, tmp_path: Path) -> None:
    result = evolve("--name=five", *BALLOTS, "--set=games.adjudicate=5")
    assert (result.code, result.out) == (2, "")
    assert result.err.endswith(MISSING)
    assert result.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_session_without_its_tables_is_not_resumed(
    evolve: Evolve, adjudicated: Path, open_instead: Callable[..., None]
) -> None:
    before = {path.name: path.read_bytes() for path in adjudicated.iterdir() if path.is_file()}
    fewer = tables.open_tables(3)
    open_instead(lambda pieces: fewer)
    result = evolve("--resume=four", "--generations=3")
    assert result.code == 2
    assert result.err.endswith(MISSING.replace("5", "4"))
    assert {path.name: path.read_bytes() for path in adjudicated.iterdir() if path.is_file()} == before
    assert Run(adjudicated).manifest().newest == 2


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
    assert usual is not None
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
    assert kernels is not None
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
