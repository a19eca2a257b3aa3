"""The package `crownhead` in notebooks: sessions, runs of a loop of one's own, and boards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crownhead
import main
from evolve.config.preset_files import ConfigError
from evolve.run import status
from evolve.run.files import BusyError, RunError
from evolve.run.folder import Run
from evolve.session.create import TakenError
from evolve.session.frame import Summary
from evolve.session.reporters import GenerationReport
from extras.export.svg import board_svg
from extras.notebooks import sessions
from extras.notebooks.board import PICTURE, Board
from extras.notebooks.sessions import Arena, Callback
from game import match, moves
from game.board import Position
from game.errors import InputError
from game.players.registry import player
from game.rules import BLACK, WCDF, DrawRules


def test_names_of_the_package_are_those_of_their_modules() -> None:
    assert (crownhead.run, crownhead.resume, crownhead.Arena) == (sessions.run, sessions.resume, sessions.Arena)
    assert crownhead.Board is Board
    for name in crownhead.__all__:
        assert name == "__version__" or getattr(crownhead, name).__doc__


def test_a_run_is_begun_read_and_continued(tmp_path: Path) -> None:
    settings = ["population.parents=3", "population.mutants=1", "founders.method=uniform", "rating.every=0", "seed=1"]
    settings += ['stages=[{kind="round-robin"}]', "generations=1"]
    summary = crownhead.run("cowan", settings=settings, runs=tmp_path, workers=1)
    assert summary.finished and summary.run.name == "cowan-1"
    assert crownhead.resume("cowan-1", generations=2, runs=tmp_path, workers=1).generations == 2
    assert list(crownhead.open_run("cowan-1", tmp_path).log().index) == [0, 1, 2]
    assert crownhead.player("cowan-1@1", runs=tmp_path).name == "cowan-1@1"
    again = crownhead.open_run(tmp_path / "cowan-1").config()
    other = crownhead.run(again, settings=["seed=2"], runs=tmp_path, workers=1)
    assert other.run.config().seed == 2 and other.digest != summary.digest
    (tmp_path / "mine.toml").write_text("seed = 4")
    with crownhead.Arena(str(tmp_path / "mine.toml"), 2, settings=["seed=1"], workers=1) as arena:
        assert arena.network.weights == 247
    with pytest.raises(ConfigError, match=r"population\.parent"):
        crownhead.run("cowan", settings=["population.parent=3"], runs=tmp_path)


SMALL = (
    "population.parents=2",
    "population.mutants=1",
    "population.recombine=false",
    "founders.method=uniform",
    "seed=1",
)
SMALL += ("rating.every=2", "rating.games=2", "rating.anchors=random", 'stages=[{kind="round-robin"}]', "generations=4")


def test_callbacks_read_each_generation_and_stop_or_change_the_run(tmp_path: Path) -> None:
    seen: list[tuple[str, int, bool]] = []

    def note(report: GenerationReport, run: Run) -> None:
        assert (report.rating is not None) == (report.generation % 2 == 0)
        seen.append((run.name, report.generation, run.read_generation(report.generation).names[0] == report.champion))

    def narrow(report: GenerationReport, run: Run) -> str | None:
        return "variation.high=0.01" if report.generation >= 1 else None  # what is so already changes nothing

    def begun(*callbacks: Callback, **options: Any) -> Summary:
        return crownhead.run("cowan", settings=SMALL, runs=tmp_path, workers=1, callbacks=callbacks, **options)

    summary = begun(note, narrow)
    assert (summary.run.name, summary.generations, summary.finished) == ("cowan-1-branch-1", 4, True)
    assert seen == [("cowan-1", 0, True), ("cowan-1", 1, True), *(("cowan-1-branch-1", at, True) for at in (2, 3, 4))]
    assert crownhead.open_run("cowan-1", tmp_path).manifest().newest == 1
    stopped = begun(lambda report, _: report.generation == 1)
    assert (stopped.generations, stopped.finished) == (1, False)
    resumed = crownhead.resume(stopped.run, workers=1, callbacks=[note])
    assert resumed.finished and seen[-1] == (stopped.run.name, 4, True)
    options = ["--set=variation.high=0.01", f"--out={tmp_path}", "--workers=1", "--name=same"]
    assert main.main(["evolve", "--branch", "cowan-1@1", *options]) == 0
    assert crownhead.open_run("same", tmp_path).manifest().digest() == summary.digest != resumed.digest
    for wrong, text in (
        (["variation.hihg=1"], r"did you mean variation\.high"),
        ([3], r"callbacks: expected settings"),
    ):
        with pytest.raises(InputError, match=text):
            begun(lambda report, _, wrong=wrong: wrong)


SHORT = DrawRules(repetition=2, quiet_plies=10, men_reset=False, max_plies=60)


@pytest.mark.parametrize("rules", [WCDF, SHORT, DrawRules(repetition=0, quiet_plies=12, max_plies=90)])
@pytest.mark.parametrize("start", [None, "B:WK1,K5,30:B3,K18,K20"])
def test_games_end_where_matches_end_them(rules: DrawRules, start: str | None) -> None:
    reasons = set()
    for seed in range(20):
        first = None if start is None else Position.from_fen(start)
        record = match.play(player("random"), player("material"), start=first, rules=rules, seed=seed)
        board = Board(start, rules=rules)
        for move in record.moves:
            assert (board.reason, board.result) == (None, None)
            assert moves.legal_moves(board.position) == board.legal_moves
            assert board.push(str(move) if seed % 2 else move) == move
        assert (board.reason, board.result) == (record.reason, record.result)
        assert board.moves == record.moves
        reasons.add(record.reason)
    assert len(reasons) > 1 or rules is WCDF


def test_moves_are_taken_back() -> None:
    board = Board()
    assert str(board.push("11-15")) == "11-15"
    board.push("22-18")
    assert str(board.push("15x22")) == "15x22"
    board.pop()
    assert board.fen() == Position.from_fen(board.fen()).fen() and board.position.side == BLACK
    board.pop()
    board.pop()
    assert board.position == Position.start()
    with pytest.raises(InputError, match="no move to take back"):
        board.pop()
    with pytest.raises(moves.IllegalMoveError, match="11-18"):
        board.push("11-18")
    assert (board.moves, repr(board)) == ((), f"Board({Position.start().fen()!r})")
    assert "b1" in str(board)


def test_players_choose_moves() -> None:
    board, one = Board(), player("random")
    choices = [board.ask(one, seed=seed).move for seed in (1, 1, 2, 3, 4)]
    assert choices[0] == choices[1] and len(set(choices)) > 1
    assert board.moves == ()
    while board.reason is None:
        board.push(board.ask(one).move)
    assert board.result in (-1, 0, 1)
    with pytest.raises(InputError, match="the game has ended"):
        board.ask(one)


def test_the_picture_is_that_of_the_position() -> None:
    fen = "B:W18,24,K10:B12,K22"
    assert Board(fen)._repr_svg_() == board_svg(Position.from_fen(fen), PICTURE)


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
