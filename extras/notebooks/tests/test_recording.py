"""Runs that a loop of one's own makes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.run import status
from evolve.run.files import BusyError, RunError
from evolve.run.folder import Run
from evolve.session.create import TakenError
from extras.notebooks.sessions import Arena
from game.errors import InputError

SETTINGS = ["seed=1", "rating.every=0"]
ALL = [[i, j] for i in range(4) for j in range(i)]


@pytest.fixture
def arena() -> Iterator[Arena]:
    with Arena("cowan-ballots", 4, settings=SETTINGS, workers=1) as made:
        yield made


def step(arena: Arena, run: Any, number: int) -> None:
    """One step of a loop that keeps the champion and tries three mutants of it."""
    generator, weights = np.random.default_rng(number), arena.network.weights
    genomes, parents = generator.uniform(-1, 1, (4, weights)), [[]] * 4
    if number:
        rows = run.run.read_generation()
        genomes = rows.weights[0] + generator.normal(0, 0.1, (4, weights))
        genomes[0] = rows.weights[0]
        parents = [[int(rows.names[0].rpartition("_")[2])]] * 4
    arena.put(genomes)
    arena.play(ALL, call=number)
    run.generation(np.float32(genomes), parents=parents)


def test_a_loop_becomes_a_run(arena: Arena, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with arena.record("mine", runs=tmp_path) as run:
        assert run.newest == -1 and run.digest == ""
        assert "no generation is complete yet" in repr(run.run)
        with pytest.raises(BusyError, match="mine"), arena.record("mine", resume=True, runs=tmp_path):
            pass
        for number in range(3):
            step(arena, run, number)
            result = status.read(run.run.path)
            assert result is not None and (result.state, result.generation) == (status.State.RUNNING, number + 1)
    saved = Run.open("mine", tmp_path)
    assert saved.state()[0] == "done"
    known = saved.manifest()
    saved.check(known)
    assert (known.newest, known.digest()) == (2, run.digest)
    log, table = saved.log(), saved.table(1)
    assert log["games"].tolist() == [12, 12, 12] and log["individuals"].tolist() == [4, 4, 4]
    assert log["champion"][1] == table["name"][0] and table["points"].is_monotonic_decreasing
    assert set(table["games"]) == {6} and (table["wins"] + table["draws"] + table["losses"] == 6).all()
    assert sorted(table["origin"]) == ["mutated", "mutated", "mutated", "survivor"]
    assert set(table["parents"]) == {log["champion"][0]}
    capsys.readouterr()
    assert main.main(["inspect", str(saved.path), "--games=0"]) == 0
    output = capsys.readouterr().out
    assert "a user's own loop" in output and run.digest in output and "repeat  " not in output


def test_a_loop_continues_its_run_to_the_same_bytes(arena: Arena, tmp_path: Path) -> None:
    with arena.record("whole", runs=tmp_path) as whole:
        for number in range(4):
            step(arena, whole, number)
    with pytest.raises(ZeroDivisionError), arena.record("parts", runs=tmp_path) as first:
        step(arena, first, 0)
        step(arena, first, 1)
        _ = 1 / 0
    assert Run.open("parts", tmp_path).state()[0] == "failed"
    with Arena("cowan-ballots", 4, settings=SETTINGS, workers=2) as again:
        with again.record("parts", resume=True, runs=tmp_path) as rest:
            for number in range(rest.newest + 1, 4):
                step(again, rest, number)
        assert rest.digest == whole.digest
        with pytest.raises(
            TakenError, match=r"parts: this run already exists; continue it with record\('parts', resume=True\)"
        ):
            again.record("parts", runs=tmp_path)
    with (
        Arena("cowan-ballots", 4, settings=[*SETTINGS, "seed=2"], workers=1) as other,
        pytest.raises(RunError, match="parts: begun with another configuration: seed"),
    ):
        other.record("parts", resume=True, runs=tmp_path)


def test_no_session_continues_it(arena: Arena, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with arena.record("mine", runs=tmp_path) as run:
        run.generation(np.zeros((1, 247)), [0])
    for how in (["--resume", "mine"], ["--branch", "mine@0", "--seed", "3"]):
        assert main.main(["evolve", *how, "--out", str(tmp_path)]) == 2
        output = capsys.readouterr().err
        assert re.fullmatch(r".*mine: belongs to a loop of your own: continue it there, by record.*\n", output)
    with pytest.raises(RunError, match="belongs to a loop of your own"):
        from extras.notebooks import sessions

        sessions.resume("mine", runs=tmp_path)


def test_points_and_ratings(tmp_path: Path) -> None:
    settings = ["seed=1", "rating.every=2", "rating.games=2", "rating.anchors=random"]
    with Arena("cowan", 2, settings=settings, workers=1) as arena, arena.record("mine", runs=tmp_path) as run:
        genomes = np.random.default_rng(1).uniform(-1, 1, (3, 247)).astype(np.float32)
        run.generation(genomes, [1, 5, 5])
        run.generation(genomes[:1], np.array([7]), parents=[[0, 2]])
        status.request(run.run.path, status.Request.STOP_AFTER_GENERATION)
        assert run.wanted
        run.generation(genomes, np.array([True, False, False]), parents=[[0], [], []])
        assert not run.wanted
    log = run.run.log()
    assert log["champion"].tolist() == ["Own00_0001", "Own01_0000", "Own02_0000"]
    assert log["best_points"].tolist() == [5, 7, 1] and log["games"].tolist() == [0, 0, 0]
    assert log["rating"].notna().tolist() == [True, False, True]
    assert f"digest {run.digest[:16]}" in repr(run.run)
    assert [run.run.table(number)["origin"][0] for number in range(3)] == ["founder", "recombined", "survivor"]


@pytest.mark.parametrize(
    ("genomes", "points", "parents", "text"),
    [
        (np.zeros((2, 3)), [1, 1], None, r"genomes: expected shape \(1 or more, 247\), got \(2, 3\)"),
        (np.full((1, 247), np.inf), [1], None, "genomes: expected finite numbers"),
        (np.ones((2, 247)), None, None, "points: these genomes were not the last to be put into the arena"),
        (np.ones((2, 247)), [1.5, 2], None, r"points: expected whole numbers of shape \(2,\), got float64 of \(2,\)"),
        (np.ones((2, 247)), [1], None, r"got int64 of \(1,\)"),
        (np.ones((2, 247)), [1, 1], [[]], "parents: expected one entry for each of 2 genomes, got 1"),
        (np.ones((2, 247)), [1, 1], [[], [0]], "parents: expected up to 2 indexes below 0"),
    ],
)
def test_failed_games_are_not_recorded(
    arena: Arena, tmp_path: Path, genomes: Any, points: Any, parents: Any, text: str
) -> None:
    with arena.record("mine", runs=tmp_path) as run:
        with pytest.raises(InputError, match=text):
            run.generation(genomes, points, parents=parents)
        assert run.newest == -1
        run.generation(np.ones((1, 247)), [1])
