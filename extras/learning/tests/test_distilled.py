"""Runs of `distilled`: games without a search, and what searches of a stronger network make of its choices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.config import toml
from evolve.config.model import Config
from evolve.kinds.methods import search_by_keys
from evolve.names.registration import register
from evolve.run.folder import Run
from evolve.workers.processes import Rows, share
from extras.learning import zero
from extras.learning.judged_games import play_judged, preference
from extras.learning.methods import Distilled
from extras.learning.self_play_kernels import NONE
from extras.learning.zero_games import TreeGames
from game import moves
from game.bitboard import rotate
from game.board import Position
from game.networks.evaluator import Evaluator, rows_seen
from game.players.policy import GlancePlayer, first_step
from game.players.registry import player
from game.search.interface import WIN, Limits
from game.search.search import AlphaBeta
from tests.evolve.tiny_sessions import log_of, results, train

TINY = (
    *("learning.steps=4", "learning.batch=32", "learning.stages.0.games=4", "learning.stages.0.nodes=60"),
    *("learning.stages.0.window=2", "learning.stages.0.steps=4", "learning.stages.0.settled=3"),
    *("games.max_plies=40", "saving.every=0", "saving.newest=1"),
)


def begin(folder: Path, *options: str) -> Path:
    train(folder, "--preset=search-free", "--name=one", "--seed=3", *(f"--set={each}" for each in TINY), *options)
    return folder / "one"


@pytest.fixture(scope="module")
def whole(shared: Callable[..., Path]) -> Path:
    return shared("distilled", lambda folder: begin(folder, "--workers=1", "--generations=3")) / "one"


@pytest.fixture(scope="module")
def tiny() -> Config:
    return toml.load("search-free", settings=["seed=3", *TINY])


@pytest.mark.check
def test_resumed_to_the_same_bytes_by_other_workers(whole: Path, tmp_path: Path, limit: Callable[..., None]) -> None:
    limit(zero, "SEARCHED_A_TASK", 2)
    run = begin(tmp_path, "--workers=2", "--generations=2")
    train(tmp_path, "--resume", str(run), "--workers=2", "--generations=3")
    assert results(run) == results(whole)


def test_players_of_a_run_do_not_search(whole: Path) -> None:
    rows = log_of(whole)
    assert [row["games"] for row in rows] == ["0", "4", "4", "4"] and float(rows[3]["policy_loss"]) > 0
    assert Run(whole).config().obtained == "by tree search and own searches, with a gradient"
    register(whole.parent, None)
    assert isinstance(player("one"), GlancePlayer) and player("one").name == "one"
    method = Run(whole).config().learning.method
    assert search_by_keys(method.rules()) == "glance"  # without this extra, too


def test_samples_are_positions_of_the_network_as_searches_of_its_judge_see_them(tiny: Config) -> None:
    method = tiny.learning.method
    assert isinstance(method, Distilled)
    teacher, network = method.judging(tiny.network).read_with_network()
    weights = np.zeros((1, tiny.network.weights), np.float32)
    share(Rows(weights, np.ones(1, np.float32)))
    played = play_judged(TreeGames(tiny, 1, (0, 4)))
    assert played is not None and len(played.results) == 4 and set(played.games.tolist()) == {0, 1, 2, 3}
    judge = AlphaBeta(Evaluator(network, teacher, 2.0), replace(tiny.search.style(), tablebase=0, keeps_table=False))
    samples = list(zip(played.rows, played.values, played.steps, played.shares, strict=True))
    for (row, value, steps, shares), (then, opposite, none, no_shares) in zip(samples[::2], samples[1::2], strict=True):
        own, opponent, kings = map(int, row)
        black = Position(own, opponent, kings, 0)
        white = Position(rotate(opponent), rotate(own), rotate(kings), 1)
        searches = [
            judge.search(each, limits=Limits(nodes=60), rules=tiny.games.rules(), all_scores=True)
            for each in (black, white)
        ]
        best = [first_step(each.move, side) for side, each in enumerate(searches)]
        assert value in [np.float32(np.clip(each.score, -1, 1)) for each in searches]
        assert set(steps[shares == shares.max()].tolist()) & set(best)
        assert shares.astype(float).sum() == pytest.approx(1, abs=0.01) and not shares[steps == NONE].any()
        # Its successor teaches the value alone.
        scores = [
            np.float32(np.clip(-each.score, -1, 1))
            for position, result in zip((black, white), searches, strict=True)
            for each in result.root
            if (rows_seen([moves.apply(position, each.move)])[0] == then).all()
        ]
        assert opposite in scores and (none == NONE).all() and not no_shares.any()


def test_sooner_wins_and_later_losses_are_preferred() -> None:
    scores = [WIN - 3, WIN - 21, 0.999, 0.5, 0.0, -0.5, -1.5, 60 - WIN, 20 - WIN]
    preferred = [preference(score) for score in scores]
    assert preferred == sorted(preferred, reverse=True)
    assert preferred[4] == 0 and preferred[3] == -preferred[5] and preference(WIN - 60) == preference(WIN - 70)


@pytest.mark.parametrize(
    ("setting", "error"),
    [
        ("learning.teacher=", "learning.teacher: expected a run, such as zero, whose network is the first one"),
        ("learning.teacher=q-learning", "learning.teacher: expected a player with the network of the configuration"),
        ("learning.judge=q-learning", "learning.judge: expected a player with the network of the configuration"),
        ("learning.judge=nobody", "learning.judge: expected an individual of a run, such as RUN"),
        ("learning.stages.0.first=5", "learning.stages.0.first: expected 1, since searches judge all games"),
    ],
)
def test_a_run_needs_a_teacher_for_all_games(
    setting: str, error: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", "--preset=search-free", "--name=one", f"--out={tmp_path}", f"--set={setting}"]
    assert main.main(command) == 2
    assert error in capsys.readouterr().err and not (tmp_path / "one").exists()
