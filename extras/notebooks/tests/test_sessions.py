"""Sessions from Python, and an arena for loops of one's own."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.config import toml
from evolve.config.model import Config
from evolve.run.folder import Run
from evolve.session.reporters import GenerationReport
from extras.notebooks import sessions
from game.batch.games import BatchPlayers, play_all
from game.errors import InputError
from game.openings import openings
from game.plain import apply as plain_apply
from game.search.interface import Limits, SearchOptions
from tests.laplace import LAPLACE

SETTINGS = ["population.parents=4", "population.mutants=1", "rating.every=0", 'stages=[{kind="round-robin"}]']


def config_of(*more: str) -> Config:
    return toml.load(None, None, [*SETTINGS, "seed=1", "generations=3", *more])


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
    assert main.main([*words, *(f"--set={each}" for each in SETTINGS)]) == 0
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
    settings = [*SETTINGS, 'variation.mutation="laplace"']
    config = toml.load("cowan", None, settings, own=[tmp_path / "ops.py"])
    with pytest.raises(InputError, match="draws from a global generator"):
        sessions.run(config, name="mine", runs=tmp_path / "runs", workers=1)
    assert not (tmp_path / "runs").exists()
