"""Sessions from Python, and an arena for loops of one's own."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve import sessions
from evolve.config import toml
from evolve.config.model import Config
from evolve.run.folder import Run
from evolve.session.reporters import GenerationReport
from game.batch.games import BatchPlayers, play_all
from game.errors import InputError
from game.openings import openings
from game.search.interface import Limits, SearchOptions

SETTINGS = ["population.parents=4", "population.mutants=1", "rating.every=0", 'stages=[{kind="round-robin"}]']


def config_of(*more: str) -> Config:
    return toml.load(None, None, [*SETTINGS, "seed=1", "generations=3", *more])


def test_a_session_has_the_bytes_of_the_command_line_and_is_followed(tmp_path: Path) -> None:
    heard: list[GenerationReport] = []
    summary = sessions.run(config_of(), heard.append, name="one", runs=tmp_path, workers=1)
    words = [
        "evolve",
        "--preset=cowan",
        "--out",
        str(tmp_path),
        "--name",
        "two",
        "--seed",
        "1",
        "--generations",
        "3",
        "--workers",
        "2",
    ]
    assert main.main([*words, *(f"--set={each}" for each in SETTINGS)]) == 0
    assert summary.digest == Run(tmp_path / "two").manifest().digest()
    assert summary.finished and summary.generations == 3
    assert [report.generation for report in heard] == [0, 1, 2, 3]
    assert [report.champion for report in heard] == summary.run.log()["champion"].tolist()


def test_a_true_answer_ends_it_and_it_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = sessions.run(config_of(), lambda report: report.generation == 1, runs=tmp_path, workers=1)
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


def test_ratings_that_follow_are_told_once(tmp_path: Path) -> None:
    heard: list[Any] = []
    config = config_of("rating.every=1", "rating.games=2", "rating.anchors=random", "generations=1")
    sessions.run(config, heard.append, runs=tmp_path, workers=1)
    assert [report.generation for report in heard] == [0, 1]
    assert all(report.rating is not None for report in heard)


def test_a_session_may_run_in_any_thread(tmp_path: Path) -> None:
    done: list[bool] = []
    config = config_of("workers.start_method=spawn", "generations=1")
    thread = threading.Thread(target=lambda: done.append(sessions.run(config, runs=tmp_path, workers=1).finished))
    thread.start()
    thread.join(120)
    assert done == [True]


def test_an_arena_plays_what_its_configuration_says() -> None:
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


def test_what_an_arena_cannot_play_is_refused() -> None:
    config = toml.load(None, None, [])
    weights = config.network.weights
    with pytest.raises(InputError, match="places: expected 1 or more, got 0"):
        sessions.Arena(config, 0)
    with sessions.Arena(config, 2, workers=1) as arena:
        for genomes, said in (
            (np.zeros((3, weights)), r"genomes: expected shape \(1 to 2, 247\), got \(3, 247\)"),
            (np.zeros((1, 3)), r"got \(1, 3\)"),
            (np.full((1, weights), np.nan), "genomes: expected finite numbers"),
        ):
            with pytest.raises(InputError, match=said):
                arena.put(genomes)
        with pytest.raises(InputError, match=r"kings: expected shape \(1,\)"):
            arena.put(np.zeros((1, weights)), [1.0, 2.0])
        arena.put(np.zeros((1, weights)))
        with pytest.raises(InputError, match="pairs: expected places from 0 to 0"):
            arena.play([[0, 1]])
        with pytest.raises(InputError, match=r"pairs: expected shape \(pairings, 2\), got \(2,\)"):
            arena.play([0, 0])
