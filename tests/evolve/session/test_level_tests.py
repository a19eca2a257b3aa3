"""Games against the levels in a session: what they show, and that a run repeats them to the byte."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import main
from evolve.kinds.individual import Individual
from evolve.report.overview import run_overview
from evolve.run.folder import Run
from evolve.run.log import RATED_COLUMNS
from evolve.session import level_tests
from evolve.strength.betting import ROUND
from evolve.strength.levels import YARDSTICKS
from evolve.strength.match_games import GamePairs
from evolve.strength.verdict import OPPONENTS, LevelState
from game.endgame.tables import OWN_PIECES, open_tables
from game.errors import InputError
from tests.called import evolve_cowan
from tests.evolve.tiny_sessions import TINY, Evolve, log_of, results

FIRST = Run(Path(__file__).parents[3] / "populations" / "first")
RATED = ("--set=rating.every=2", "--set=rating.games=10", "--set=rating.anchors=material,depth=1")
COUNTING = ("--network=blondie-1741", "--set=search.depth=2", *TINY)
"""A population that beats weak opponents from the beginning, since its networks count pieces."""
FAST = (*COUNTING, *RATED)


def champion(generation: int) -> Individual:
    """Return the champion of a generation of the shipped run `first`."""
    rows = FIRST.read_generation(generation)
    return Individual(rows.weights[0], rows.names[0], king=FIRST.network().king)


def after(state: LevelState, generation: int, low: float, map_: Any = map, **more: Any) -> LevelState:
    return level_tests.continued(state, FIRST.config(), champion(generation), generation, low, map_, **more)


def answering(answer: int | None) -> tuple[Callable[..., Iterator[tuple[int, ...]]], list[GamePairs]]:
    """Return a map that plays nothing: each pair has this result, or the games cannot be played; and its tasks."""
    seen: list[GamePairs] = []

    def stand_in(function: object, tasks: list[GamePairs]) -> Iterator[tuple[int, ...]]:
        assert function is level_tests.play
        seen.extend(tasks)
        return iter([() if answer is None else (answer,) * len(task.openings) for task in tasks])

    return stand_in, seen


def test_champion_of_first_beats_club_but_not_strong() -> None:
    """A match of 600 games without tablebases on its side gives -12 Elo (-33 to +10) against Strong."""
    shown = after(LevelState(beaten=3, by=32), 112, 56.0)
    assert (shown.beaten, shown.by, shown.unproven) == (4, 112, 1)


def test_opponents_are_the_yardsticks() -> None:
    assert level_tests.opponent_player(0).name == "random"
    for index, level in enumerate(YARDSTICKS, 1):
        player: Any = level_tests.opponent_player(index)
        assert player.limits.depth == level.depth and player.limits.nodes is None
        assert player.style.tablebase == (level_tests.PIECES if level.depth > 1 else 0)
        assert player.style.quiescence or not level.options
        assert str(player.source).startswith(level.run) and f"@{level.generation}" in f"{player.source}@None"


def test_tests_play_unbarred_ballots_with_the_champion_as_it_was_rated() -> None:
    stand_in, seen = answering(4)
    assert after(LevelState(beaten=4), 112, 100.0, stand_in) == LevelState(beaten=5, by=112)
    assert sum(len(task.openings) for task in seen) == ROUND
    player: Any = seen[0].sides.a
    assert player.limits.depth == 6 and player.style.quiescence and not player.style.tablebase
    assert len(level_tests._openings()) == 156
    assert len({opening.moves for task in seen for opening in task.openings}) > ROUND // 2


def test_each_test_has_games_of_its_own() -> None:
    def openings(generation: int, beaten: int) -> list[Any]:
        stand_in, seen = answering(4)
        after(LevelState(beaten=beaten), generation, -100.0 if beaten == 3 else 100.0, stand_in)
        return [[opening.moves for opening in task.openings] for task in seen[:4]]

    first = openings(112, 4)
    assert first == openings(112, 4)
    assert first != openings(96, 4) and first != openings(112, 3)


def test_levels_are_tested_in_order_until_one_is_not_beaten() -> None:
    stand_in, seen = answering(4)
    assert after(LevelState(), 112, 5000.0, stand_in) == LevelState(beaten=len(OPPONENTS), by=112)
    names = list(dict.fromkeys(task.sides.b.name for task in seen))
    assert names[0] == "random" and len(names) == len(OPPONENTS)
    stand_in, seen = answering(1)
    assert after(LevelState(beaten=2, by=5), 112, 5000.0, stand_in) == LevelState(
        beaten=2, by=5, unproven=1, tried=5000.0
    )
    assert len({task.sides.b.name for task in seen}) == 1


def test_without_tables_there_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """A level that cannot play shows nothing, and what was shown before stays."""

    def missing(*_: object) -> None:
        raise InputError("no tables")

    monkeypatch.setattr("game.endgame.tables.complete_tables", missing)
    assert after(LevelState(beaten=3, by=32, unproven=2), 112, 56.0) == LevelState(beaten=3, by=32, unproven=2)
    assert after(LevelState(), 112, -1000.0) == LevelState(beaten=1, by=112)  # random moves need no tables


def test_games_that_a_worker_cannot_play_are_played_by_the_session() -> None:
    """So a verdict does not depend on which workers had which games."""
    stand_in, _ = answering(None)
    assert after(LevelState(), 112, -1000.0, stand_in) == LevelState(beaten=1, by=112)


def test_the_next_test_is_the_same_in_a_session_that_read_the_rating_from_the_log() -> None:
    stand_in, _ = answering(1)
    for low, logged in ((56.04, 56.0), (55.96, 56.0)):
        state = after(LevelState(beaten=4, by=32), 112, low, stand_in)
        assert state.tried == logged
        assert after(state, 112, 56.04, stand_in) == state


def test_missing_tables_are_built_first(
    tables_in: Callable[[Path | None], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CROWNHEAD_CACHE_DIR", str(tmp_path))
    folder = tmp_path / "tablebase"
    tables_in(folder)
    open_tables.cache_clear()
    try:
        stand_in, _ = answering(4)
        assert after(LevelState(beaten=3), 112, -280.0, stand_in) == LevelState(beaten=4, by=112)
        assert open_tables(OWN_PIECES).pieces == OWN_PIECES and any(folder.iterdir())
    finally:
        open_tables.cache_clear()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run to generation 4 that nobody disturbs."""
    folder = tmp_path_factory.mktemp("whole")
    given = (f"--out={folder}", "--name=whole", "--workers=1", "--seed=5", "--generations=4", *FAST)
    assert main.main(evolve_cowan(*given)) == 0
    return folder / "whole"


@pytest.mark.parametrize("workers", [2, pytest.param(3, marks=pytest.mark.check)])
def test_a_continued_run_has_the_same_tests(workers: int, whole: Path, evolve: Evolve, tmp_path: Path) -> None:
    evolve("--name=parts", "--seed=5", "--generations=0", f"--workers={workers}", *FAST)
    evolve("--resume=parts", "--generations=3")
    evolve("--resume=parts", "--generations=4")
    assert results(tmp_path / "parts") == results(whole)
    last = log_of(whole)[-1]
    assert int(last["beaten"]) >= 1 and last["beaten_by"]


def test_run_restarts_from_an_earlier_generation_with_its_state(whole: Path, evolve: Evolve, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "one")
    before = results(tmp_path / "one")
    evolve("--resume=one", "--from=1")
    assert results(tmp_path / "one") == before


def test_terminal_and_inspect_agree(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of generation 0, which beats weak opponents only by its built-in piece count."""
    options = (f"--out={tmp_path}", "--name=one", "--seed=5", "--generations=0", "--workers=1")
    assert main.main(evolve_cowan(*options, *FAST)) == 0
    done = capfd.readouterr()
    row = log_of(tmp_path / "one")[-1]
    beats = f"beats {OPPONENTS[int(row['beaten']) - 1]} by its built-in piece count"
    assert row["beaten_by"] == "0" and f": {beats}\n" in done.err
    assert f"\nverdict      generation 0 {beats}\n" in done.out
    assert run_overview(Run(tmp_path / "one")).verdict == f"generation 0 {beats}"
    assert main.main(["inspect", str(tmp_path / "one")]) == 0
    assert re.search(rf"^ *verdict +generation 0 {beats}$", capfd.readouterr().out, re.M)


def test_levels_are_not_tested_without_ratings(evolve: Evolve, tmp_path: Path) -> None:
    done = evolve("--name=one", "--seed=5", "--generations=1", *COUNTING, "--set=rating.every=0")
    assert all(row[name] == "" for row in log_of(tmp_path / "one") for name in RATED_COLUMNS)
    assert "beats" not in done.err and "rated above" not in done.err


def test_an_older_run_is_continued_without_tests(evolve: Evolve, tmp_path: Path) -> None:
    evolve("--name=one", "--seed=5", "--generations=0", *FAST)
    log = tmp_path / "one" / "log.csv"
    lines = [line.split(",") for line in log.read_text(encoding="utf-8").splitlines()]
    log.write_text("".join(",".join([*line[:-4], line[-1]]) + "\n" for line in lines), encoding="utf-8")
    done = evolve("--resume=one", "--generations=2")
    rows = log_of(tmp_path / "one")
    assert len(rows) == 3 and "beaten" not in rows[-1] and rows[-1]["rating"]
    assert ": rated above " in done.err and "beats" not in done.err
    assert run_overview(Run(tmp_path / "one")).verdict.startswith("generation 2 is rated above ")
