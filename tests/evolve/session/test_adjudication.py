"""Sessions whose games are ended by tablebases: the same on any workers, told in PDN, refused without their tables."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve.config import begun, toml
from evolve.run.folder import Run
from game import moves
from game.endgame import tables
from game.endgame.tables import adjudicating_tables
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
