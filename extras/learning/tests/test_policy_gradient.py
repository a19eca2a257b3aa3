"""Runs of `policy-gradient`: games of a policy against earlier generations, and what it learns from who wins them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.config import toml
from evolve.config.model import Config
from evolve.config.preset_files import ConfigError
from evolve.kinds.methods import search_by_keys
from evolve.names.registration import register
from evolve.run.folder import Run
from evolve.workers.processes import Rows, share
from extras.learning import first_network, policy_gradient
from extras.learning.forward import inputs_of
from extras.learning.policy_gradient import PolicyGradientLearner, SampledGames, SampledTask, play_sampled
from extras.learning.policy_gradient_method import PolicyGradient
from extras.learning.steps import legal_steps
from extras.learning.tests.fit_helpers import make_workshop
from game.board import Position
from game.networks.evaluator import rows_seen
from game.players.network import TreePlayer
from game.players.registry import player
from tests.evolve.tiny_sessions import log_of, results, train

TINY = (
    *("learning.games=8", "learning.judged=8", "learning.earlier=2", "learning.judging_from=2"),
    *("learning.batch=32", "learning.length=40", "rating.every=0", "saving.every=0", "saving.newest=1"),
)


def begin(folder: Path, *options: str) -> Path:
    train(folder, "--preset=alphago", "--name=one", "--seed=3", *(f"--set={each}" for each in TINY), *options)
    return folder / "one"


@pytest.fixture(scope="module")
def whole(shared: Callable[..., Path]) -> Path:
    """An uninterrupted run to generation 2, which learns results alone in the last one."""
    return shared("policy-gradient", lambda folder: begin(folder, "--workers=1", "--generations=2")) / "one"


@pytest.fixture(scope="module")
def tiny() -> Config:
    return toml.load("alphago", settings=["seed=3", *TINY])


@pytest.fixture
def random_networks(tiny: Config) -> np.ndarray:
    """Two networks with weights of the first generation, shared with tasks in this process."""
    generator = np.random.default_rng(5)
    genomes = np.stack([first_network.random_weights(tiny.network, generator) for _ in range(2)])
    share(Rows(genomes, np.full(2, tiny.network.king, np.float32)))
    return genomes


@pytest.mark.check
def test_resumed_to_the_same_bytes_by_other_workers(whole: Path, tmp_path: Path, limit: Callable[..., None]) -> None:
    limit(policy_gradient, "GAMES_A_TASK", 4)
    run = begin(tmp_path, "--workers=2", "--generations=1")
    assert main.main(["train", f"--out={tmp_path}", "--resume=one", "--workers=1", "--generations=2"]) == 0
    assert results(run) == results(whole)


def test_choices_are_legal_and_have_the_result_of_their_game(tiny: Config, random_networks: np.ndarray) -> None:
    played = play_sampled(SampledTask(tiny, 1, (0, 4), (1, 1, 1, 1)))
    assert played is not None and len(played.results) == 4
    assert legal_steps(played.rows)[np.arange(len(played.steps)), played.steps].all()
    assert legal_steps(played.rows).sum(axis=1).min() > 1
    assert set(played.points.tolist()) <= set(played.results.tolist()) | set((-played.results).tolist())
    alone = play_sampled(SampledTask(tiny, 1, (2, 4), (1, 1)))
    assert alone is not None
    assert np.array_equal(alone.rows, played.rows[-len(alone.rows) :])


def of_one_position(config: Config, weights: np.ndarray, generation: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Learn for a generation from games with one position in which one choice wins and another loses.

    Returns the chances of all steps before and after, and the two choices.
    """
    rows = np.repeat(rows_seen([Position.start()])[:, :3], 2, axis=0)
    first, second = np.flatnonzero(legal_steps(rows)[0])[:2].tolist()
    games = SampledGames(
        np.array([1, -1], np.int8),
        np.array([30, 30], np.int32),
        np.array([30, 30], np.int32),
        rows,
        np.array([first, second], np.uint8),
        np.array([1, -1], np.int8),
    )
    learner = PolicyGradientLearner(replace(make_workshop(config), earlier=lambda number: weights))
    learner.workshop = replace(learner.workshop, map=lambda function, tasks: iter([games for _ in tasks]))
    after = learner.learn(generation, learner._fit.begin(weights)).learnt.weights
    chances = [
        np.exp(learner._evaluate(each, inputs_of(rows).astype(np.uint8), legal_steps(rows))[1][0])
        for each in (weights, after)
    ]
    return *chances, [first, second]  # type: ignore[return-value]


def test_a_choice_that_won_becomes_likelier_than_one_that_lost(tiny: Config, random_networks: np.ndarray) -> None:
    before, after, (won, lost) = of_one_position(tiny, random_networks[0], 1)
    assert after[won] / after[lost] > before[won] / before[lost]


def test_choices_stay_while_results_alone_are_learnt(tiny: Config, random_networks: np.ndarray) -> None:
    before, after, (won, lost) = of_one_position(tiny, random_networks[0], 2)
    assert after[won] / after[lost] == pytest.approx(before[won] / before[lost], rel=0.02)


def test_log_has_the_measures_and_the_games(whole: Path) -> None:
    rows = log_of(whole)
    assert [row["games"] for row in rows] == ["0", "8", "8"]
    for row in rows[1:]:
        assert 0 < float(row["value_loss"]) < 3 and 0 < float(row["entropy"]) < 3
        assert int(row["wins"]) + int(row["draws"]) + int(row["losses"]) == 8
    assert Run(whole).config().obtained == "by games alone, with a gradient"


def test_its_player_searches_by_tree_with_and_without_the_extra(whole: Path) -> None:
    register(whole.parent)
    assert isinstance(player("one,nodes=10"), TreePlayer)
    assert PolicyGradient.search == search_by_keys(vars(PolicyGradient()))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["learning.games=5"], "learning.games: expected an even number, got 5"),
        (["network.heads.value=score"], 'network: expected one with [heads] value = "wdl" and policy = "steps"'),
        (["network.heads.policy=none"], 'network: expected one with [heads] value = "wdl" and policy = "steps"'),
    ],
)
def test_values_that_are_refused(settings: list[str], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        toml.load("alphago", settings=settings)
    assert words in str(caught.value)


def test_a_teacher_obtained_in_another_way_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for preset, teacher, words in (
        ("alphago", "zero", "obtained by tree search"),
        ("alphago", "policy", "without a value: choose another player\n"),
        ("zero", "endgame", "choose another player, or its network by --network endgame"),
    ):
        assert main.main(["train", f"--out={tmp_path}", f"--preset={preset}", f"--set=learning.teacher={teacher}"]) == 2
        line = capfd.readouterr().err
        assert "learning.teacher: expected" in line and words in line
    assert not list(tmp_path.iterdir())
