"""The package `crownhead`: sessions begun, read, continued and followed; an arena and loops of your own; boards."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crownhead
import main
from evolve.config import toml
from evolve.config.model import Config
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
from game.batch.games import BatchPlayers, play_all
from game.board import Position
from game.errors import InputError
from game.openings import openings
from game.plain import apply as plain_apply
from game.players.registry import player
from game.rules import BLACK, WCDF, DrawRules
from game.search.interface import Limits, SearchOptions
from tests.laplace import LAPLACE


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


FOUR = ["population.parents=4", "population.mutants=1", "rating.every=0", 'stages=[{kind="round-robin"}]']


def config_of(*more: str) -> Config:
    return toml.load(None, None, [*FOUR, "seed=1", "generations=3", *more])


def test_a_session_has_the_bytes_of_the_command_line_and_is_followed(tmp_path: Path) -> None:
    heard: list[GenerationReport] = []
    summary = sessions.run(
        config_of(), [lambda report, run: heard.append(report)], name="one", runs=tmp_path, workers=1
    )
    words = [
        "evolve",
        "--preset=cowan",
        f"--out={tmp_path}",
        "--name=two",
        "--seed=1",
        "--generations=3",
        "--workers=2",
    ]
    assert main.main([*words, *(f"--set={each}" for each in FOUR)]) == 0
    assert summary.digest == Run(tmp_path / "two").manifest().digest()
    assert summary.finished and summary.generations == 3
    assert [report.generation for report in heard] == [0, 1, 2, 3]
    assert [report.champion for report in heard] == summary.run.log()["champion"].tolist()


def test_true_answer_ends_a_session_which_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = sessions.run(config_of(), [lambda report, run: report.generation == 1], runs=tmp_path, workers=1)
    assert (summary.run.name, summary.generations, summary.finished) == ("cowan-1", 1, False)
    assert capsys.readouterr().err == ""
    rest = sessions.resume("cowan-1", runs=tmp_path, workers=1, progress=True)
    assert rest.finished
    assert "Gen03" in capsys.readouterr().err
    whole = sessions.run(config_of(), runs=tmp_path, workers=1)
    assert whole.run.name == "cowan-2"
    assert whole.digest == rest.digest
    longer = sessions.resume(whole.run, generations=4, workers=1)
    assert longer.generations == 4
    with pytest.raises(InputError, match="cowan-3: no run of this name"):
        sessions.resume("cowan-3", runs=tmp_path)
    with pytest.raises(InputError, match="this run already exists"):
        sessions.run(config_of(), name="cowan-1", runs=tmp_path)
    with pytest.raises(InputError, match="expected 1 to"):
        sessions.run(config_of(), name="none", runs=tmp_path, workers=0)
    assert not (tmp_path / "none").exists()


def test_later_ratings_are_reported_once(tmp_path: Path) -> None:
    heard: list[Any] = []
    config = config_of("rating.every=1", "rating.games=2", "rating.anchors=random", "generations=1")
    sessions.run(config, [lambda report, run: heard.append(report)], runs=tmp_path, workers=1)
    assert [report.generation for report in heard] == [0, 1]
    assert all(report.rating is not None for report in heard)


def test_a_session_may_run_in_any_thread(tmp_path: Path) -> None:
    done: list[bool] = []
    config = config_of("workers.start_method=spawn", "generations=1")
    thread = threading.Thread(target=lambda: done.append(sessions.run(config, runs=tmp_path, workers=1).finished))
    thread.start()
    thread.join(120)
    assert done == [True]


def test_arena_follows_its_configuration() -> None:
    """Against games asked for one by one, on the ballots that the stream gives."""
    config = toml.load("cowan-ballots", None, ["seed=3", "search.depth=2", "search.quiescence=true"])
    genomes = np.random.default_rng(1).uniform(-1, 1, (4, config.network.weights)).astype(np.float32)
    pairs = [[0, 1], [2, 3], [3, 0], [0, 1]]
    with sessions.Arena(config, 5, workers=2) as arena:
        arena.put(genomes)
        two = [arena.play(pairs), arena.play(pairs)]
        empty = arena.play(np.empty((0, 2), np.int64))
    with sessions.Arena(config, 4, workers=1) as arena:
        arena.put(genomes)
        one = [arena.play(pairs), arena.play(pairs)]
    for a, b in zip(one, two, strict=True):
        assert a.games == 2
        assert (a.first.tolist(), a.second.tolist()) == (b.first.tolist(), b.second.tolist())
        assert (a.first + a.second + a.draws == 2).all()
    assert empty.first.shape == (0,)
    from evolve.streams import Draw, stream
    from evolve.tournament.arena import ballots

    drawn = stream(3, 0, Draw.BALLOTS, 1).integers(0, len(openings("three-move")), len(pairs))
    players = BatchPlayers.of_networks(
        config.network, genomes, np.full(4, config.network.king), limits=Limits(2), style=config.search.style()
    )
    for index, (first, second) in enumerate(pairs):
        won = [0, 0]
        for black, white in ((first, second), (second, first)):
            outcome = play_all(
                players,
                np.array([black]),
                np.array([white]),
                openings=ballots("three-move"),
                opening_of=np.array([drawn[index]]),
                rules=config.games.rules(),
            )
            result = int(outcome.results[0])
            if result:
                won[0 if (black if result == 1 else white) == first else 1] += 1
        assert won == [one[1].first[index], one[1].second[index]]
    assert isinstance(config.search.style(), SearchOptions)


def a_loop(arena: sessions.Arena, steps: range, parent: Any, generator: np.random.Generator) -> tuple[bytes, Any]:
    """The results and games of some steps of a loop, and its parent after them."""
    heard = b""
    for step in steps:
        child = (parent + generator.normal(0, 0.5, parent.size)).astype(np.float32)
        arena.put([parent, child])
        scores, games = arena.play([[0, 1]] * 6, call=step, keep=True)
        heard += scores.first.tobytes() + games.outcomes.plies.tobytes() + b"".join(games.outcomes.codes or [])
        parent = child if scores.second.sum() >= scores.first.sum() else parent
    return heard, parent


def test_a_loop_that_is_interrupted_continues_with_the_same_bytes() -> None:
    config = toml.load("cowan-ballots", None, ["seed=3"])
    start = np.zeros(config.network.weights, np.float32)
    with sessions.Arena(config, 2, workers=1) as arena:
        whole, last = a_loop(arena, range(6), start, np.random.default_rng(1))
    generator = np.random.default_rng(1)
    with sessions.Arena(config, 2, workers=1) as arena:
        arena.put([start])
        arena.play([[0, 0]])
        begun, parent = a_loop(arena, range(2), start, generator)
    with sessions.Arena(config, 2, workers=2) as arena:
        rest, parent = a_loop(arena, range(2, 6), parent, generator)
        assert begun + rest == whole
        assert parent.tobytes() == last.tobytes()
        arena.put([parent, start])
        pairs = [[0, 1]] * 20
        following = arena.play(pairs)  # the call after the last one
        again = arena.play(pairs, call=6)
        assert (following.first.tolist(), following.second.tolist()) == (again.first.tolist(), again.second.tolist())


def test_an_arena_returns_games() -> None:
    config = toml.load("cowan-ballots", None, ["seed=3"])
    genomes = np.random.default_rng(1).uniform(-1, 1, (3, config.network.weights)).astype(np.float32)
    pairs = [[0, 1], [2, 0], [0, 1]]
    with sessions.Arena(config, 3, workers=2) as arena:
        arena.put(genomes)
        scores, games = arena.play(pairs, keep=True)
        plain = arena.play(pairs, call=0)
        none, empty = arena.play(np.empty((0, 2), np.int64), keep=True)
    assert (scores.first.tolist(), scores.second.tolist()) == (plain.first.tolist(), plain.second.tolist())
    assert (len(games), games.blacks.tolist(), games.whites.tolist()) == (6, [0, 1, 2, 0, 0, 1], [1, 0, 0, 2, 1, 0])
    assert games.pieces.shape == (6, 2) and games.pieces.dtype == np.int64
    for game in range(len(games)):
        record = games.record(game)
        position = record.start
        for move in record.moves:
            position = plain_apply(position, move)
        left = [position.black.bit_count(), position.white.bit_count()]
        assert games.pieces[game].tolist() == left
        assert record.result == games.outcomes.results[game]
        assert len(record.moves) == games.outcomes.plies[game]
    assert (len(none.first), len(empty), empty.pieces.shape) == (0, 0, (0, 2))


def test_arena_refuses_unplayable_entrants() -> None:
    config = toml.load(None, None, [])
    weights = config.network.weights
    with pytest.raises(InputError, match="places: expected 1 or more, got 0"):
        sessions.Arena(config, 0)
    with sessions.Arena(config, 2, workers=1) as arena:
        for genomes, result in (
            (np.zeros((3, weights)), r"genomes: expected shape \(1 to 2, 247\), got \(3, 247\)"),
            (np.zeros((1, 3)), r"got \(1, 3\)"),
            (np.full((1, weights), np.nan), "genomes: expected finite numbers"),
        ):
            with pytest.raises(InputError, match=result):
                arena.put(genomes)
        with pytest.raises(InputError, match=r"kings: expected shape \(1,\)"):
            arena.put(np.zeros((1, weights)), [1.0, 2.0])
        arena.put(np.zeros((1, weights)))
        with pytest.raises(InputError, match="pairs: expected indexes from 0 to 0"):
            arena.play([[0, 1]])
        with pytest.raises(InputError, match=r"pairs: expected shape \(pairings, 2\), got \(2,\)"):
            arena.play([0, 0])
        for call in (-1, 1 << 32):
            with pytest.raises(InputError, match=f"call: expected a number from 0 to 4294967295, got {call}"):
                arena.play([[0, 0]], call=call)


def test_sessions_refuse_unrepeatable_plugins(tmp_path: Path) -> None:
    (tmp_path / "ops.py").write_text(LAPLACE.replace("generator.laplace", "np.random.laplace"))
    settings = [*FOUR, 'variation.mutation="laplace"']
    config = toml.load("cowan", None, settings, own=[tmp_path / "ops.py"])
    with pytest.raises(InputError, match="draws from a global generator"):
        sessions.run(config, name="mine", runs=tmp_path / "runs", workers=1)
    assert not (tmp_path / "runs").exists()
