"""A policy from recorded games: what is learnt, what is measured, and what is refused."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.config import toml
from evolve.config.model import Config
from evolve.config.sections import Learning
from evolve.run import append_only
from evolve.run.folder import Run
from evolve.session import create, saving
from evolve.strength.means import clustered
from extras.learning.fit import endless_order
from extras.learning.methods import TOP, Policy
from extras.learning.policy import Measures, PolicyLearner, PolicySamples, arrays_of, first_weights, loss, read_recorded
from extras.learning.steps import STEPS
from extras.learning.tests.fit_helpers import make_workshop
from extras.learning.tests.own_games import write_own_games
from game.errors import InputError
from game.networks.spec import Heads, Layer, Spec

jax = pytest.importorskip("jax")

TRUNK = (Layer("diagonal", 16, 0, "relu"), Layer("diagonal", 16, 0, "relu"), Layer("diagonal", 16, 0, "relu", True))
SPEC = Spec("small", "pieces", TRUNK, heads=Heads("none", "steps"))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_own_games(tmp_path_factory.mktemp("policy") / "games.pdn", 60)


@pytest.fixture(scope="module")
def samples(file: Path) -> PolicySamples:
    return read_recorded(file, validation=0, test=0).parts[0].with_choice()


def test_linear_layers_begin_near_the_identity_and_distinguish_squares() -> None:
    layers = [Layer("dense", 128, activation="none"), Layer("diagonal", 8), Layer("dense", 128, activation="none")]
    spec = replace(SPEC, layers=tuple(layers))
    weights = first_weights(spec, np.random.default_rng(0), placed=True)
    part, bias = spec.layer_parts(0)
    noise = part.of(weights) - np.eye(128)
    assert 0.015 < noise.std() < 0.025
    assert 0.2 < bias.of(weights).std() < 0.4
    # The last has other inputs, so it begins as layers do.
    assert part.shape[0] != spec.layer_parts(2)[0].shape[0]
    assert abs(spec.layer_parts(2)[0].of(weights).mean()) < 0.01
    assert not spec.layer_parts(2)[1].of(weights).any()


def test_measures_by_hand(samples: PolicySamples, monkeypatch: pytest.MonkeyPatch) -> None:
    few = samples.select(np.arange(8))
    legal = np.unpackbits(few.legal, axis=1).astype(bool)
    outputs = np.where(legal, 1.0, 9.0)
    outputs[np.arange(8), few.labels] = [2, 2, 2, 2, 2, 2, 0, 0]  # last choice in two of them
    measures = Measures(SPEC, few.select(np.arange(4)), few)
    monkeypatch.setattr(measures, "_outputs", lambda weights, inputs: np.resize(outputs, (len(inputs), STEPS)))
    result = measures.of(np.zeros(SPEC.weights, np.float32))
    assert result["all_top1"] == result["choice_top1"] == 0.75
    assert result["illegal"] == 1
    for count in TOP:
        expected = (6 + int((few.choices[6:] <= count).sum())) / 8
        assert result[f"all_top{count}"] == pytest.approx(expected)
    sure = clustered(np.arange(8) < 6, few.games)
    assert (result["all_top1_low"], result["all_top1_high"]) == (sure.low, sure.high) == (0, 1)  # of one game
    assert (result["all_positions"], result["all_games"]) == (8, 1)
    known = {row.tobytes() for row in few.rows[:4]}
    seen = np.array([row.tobytes() in known for row in few.rows])
    right = np.arange(8) < 6
    assert result["seen_top1"] == pytest.approx(right[seen].mean())
    if not seen.all():
        assert result["unseen_top1"] == pytest.approx(right[~seen].mean())


def test_forced_moves_are_no_choice(file: Path) -> None:
    """A forced move is always predicted, so it counts among all positions alone."""
    part = read_recorded(file, validation=0, test=0).parts[0]
    chosen, weights = part.with_choice(), first_weights(SPEC, np.random.default_rng(0))
    assert 0 < len(chosen) < len(part)
    known = part.select(np.arange(0, len(part), 2))
    result, expected = (Measures(SPEC, known, each).of(weights) for each in (part, chosen))
    assert (result["all_positions"], result["choice_positions"]) == (len(part), len(chosen))
    for column, value in result.items():
        if not column.startswith("all_") and column != "illegal":
            assert value == pytest.approx(expected[column]), column
    for count in TOP:
        forced, predicted = len(part) - len(chosen), len(chosen) * (result[f"choice_top{count}"] or 0)
        assert result[f"all_top{count}"] == pytest.approx((forced + predicted) / len(part))


def test_the_log_of_an_older_run_keeps_its_columns() -> None:
    shipped = Run(Path(__file__).parents[3] / "populations" / "policy")
    assert isinstance(shipped.config().learning.method, Policy)
    header = (shipped.path / append_only.LOG).read_text().partition("\n")[0]
    assert saving.log_columns(shipped, shipped.config()) == tuple(header.split(","))
    assert "all_top1" in header and "all_top1_low" not in header


def loss_of(spec: Spec, share: float, weights: np.ndarray, samples: PolicySamples) -> float:
    """Return the loss by code that is compiled as a whole, as in a fit: its operations one by one would take longer."""
    return float(jax.jit(loss, static_argnums=0)(spec, share, weights, *arrays_of(spec, samples)))


def test_loss_counts_legal_steps_alone(samples: PolicySamples) -> None:
    few = samples.select(np.arange(16))
    zeros = np.zeros(SPEC.weights, np.float32)
    expected = float(np.log(few.choices).mean())  # all legal steps alike
    assert loss_of(SPEC, 0.3, zeros, few) == pytest.approx(expected, abs=1e-5)


def test_loss_of_results_counts_games_that_have_one(samples: PolicySamples) -> None:
    spec = replace(SPEC, heads=Heads("wdl", "steps"))
    few = replace(samples.select(np.arange(4)), results=np.array([0, 1, 2, -1], np.int8))
    zeros = np.zeros(spec.weights, np.float32)
    moves = float(np.log(few.choices).mean())
    for share in (0.0, 0.3):
        expected = moves + share * np.log(3)
        assert loss_of(spec, share, zeros, few) == pytest.approx(expected, abs=1e-5)
    bias = spec.layer_parts(len(spec.layers))[1]
    certain = zeros.copy()
    bias.of(certain)[0] = 5.0  # always a win
    costs = [np.log(np.exp(5) + 2) - each for each in (5, 0, 0)]
    assert loss_of(spec, 1.0, certain, few) == pytest.approx(moves + np.mean(costs), abs=1e-5)
    measured = Measures(spec, few, few).of(certain)
    assert measured["value_loss"] == pytest.approx(np.mean(costs), abs=1e-5)
    assert Measures(SPEC, few, few).of(np.zeros(SPEC.weights, np.float32))["value_loss"] is None


def test_results_are_those_of_the_side_to_move(tmp_path: Path) -> None:
    games = tmp_path / "games.pdn"
    games.write_text("".join(f"1. 11-15 23-19 2. 8-{end}\n" for end in ("11 1-0", "11 22-17 0-1", "11 22-18 1/2-1/2")))
    part = read_recorded(games, validation=0, test=0).parts[0]
    assert [part.results[part.games == game].tolist() for game in range(3)] == [[0, 2, 0], [2, 0, 2, 0], [1] * 4]


def test_a_value_is_learnt_beside_moves_and_its_weight_warned_about(file: Path) -> None:
    messages = list[str]()
    learner = _learner(file, messages, replace(SPEC, heads=Heads("wdl", "steps")), results=2.0)
    outcome = learner.begin()
    losses = [outcome.numbers["value_loss"]]
    for generation in (1, 2):
        outcome = learner.learn(generation, outcome.learnt)
        losses.append(outcome.numbers["value_loss"])
    assert all(losses) and losses[2] < losses[1] < losses[0]  # type: ignore[operator]
    assert [line for line in messages if "learning.results=2" in line]


def test_games_without_results_are_refused_where_results_are_learnt(tmp_path: Path) -> None:
    games = tmp_path / "games.pdn"
    games.write_text("1. 11-15 23-19 *\n")
    method, spec = Policy(games=str(games)), replace(SPEC, heads=Heads("wdl", "steps"))
    with pytest.raises(InputError, match="none of its games has a result"):
        method.begun(spec, tmp_path)
    assert replace(method, results=0.0).begun(spec, tmp_path).sha256 == method.begun(SPEC, tmp_path).sha256


def _learner(file: Path, result: list[str], spec: Spec = SPEC, **changes: Any) -> PolicyLearner:
    method = Policy(games=str(file), validation=0.2, test=0.2, samples=640, batch=64, settled=4)
    config = Config(network=spec, generations=3, learning=Learning(replace(method.begun(SPEC, Path()), **changes)))

    return PolicyLearner(make_workshop(config, messages=result))


def test_every_sample_is_learnt_as_often(file: Path) -> None:
    learner = _learner(file, [])
    count = len(learner._arrays[0])
    orders = [endless_order(learner.config.seed, generation, count, learner._shape) for generation in range(1, 9)]
    order = np.concatenate([each.reshape(-1) for each in orders])
    rounds = len(order) // count
    assert rounds >= 1
    np.testing.assert_array_equal(np.bincount(order[: rounds * count], minlength=count), rounds)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (Spec("dense", "squares", (Layer("dense", 1),)), "heads"),
        (replace(SPEC, heads=Heads("score", "steps")), "value"),
        (replace(SPEC, heads=Heads("score", "none")), "policy"),
    ],
)
def test_networks_that_cannot_learn(network: Spec, message: str) -> None:
    assert message in Policy().problem(network)
    assert Policy().problem(SPEC) == Policy().problem(replace(SPEC, heads=Heads("wdl", "steps"))) == ""


def test_files_that_cannot_be_learnt_from(file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--games FILE"):
        Policy().begun(SPEC, Path())
    (tmp_path / "moveless.pdn").write_text('[Event "none"]\n*\n1. 11-15 99-99 1-0\n')
    with pytest.raises(InputError, match=r"learning.games: .*moveless.pdn: none of its 2 games can be learnt from"):
        Policy(games=str(tmp_path / "moveless.pdn")).begun(SPEC, Path())
    assert Policy(games=os.path.relpath(file)).begun(SPEC, Path()).games == str(file)
    changed = tmp_path / "changed.pdn"
    changed.write_bytes(file.read_bytes())
    digest = Policy(games=str(changed)).begun(SPEC, Path()).sha256
    changed.write_bytes(file.read_bytes() + b"\n")
    with pytest.raises(InputError, match="has changed since the run began") as caught:
        _learner(changed, [], sha256=digest)
    assert "\n" not in str(caught.value)
    changed.unlink()
    with pytest.raises(InputError, match="No such file"):
        _learner(file, [], games=str(changed))


def test_file_of_games_may_move_before_a_resume(file: Path, tmp_path: Path) -> None:
    config = toml.load("policy")
    config = replace(config, learning=Learning(Policy(games=str(file)).begun(SPEC, Path())))
    run = create.create(tmp_path, "one", config)
    method = config.learning.method
    assert isinstance(method, Policy)
    elsewhere = tmp_path / "elsewhere.pdn"
    elsewhere.write_bytes(file.read_bytes())
    moved, _ = create.reopen(run, None, [f"learning.games={elsewhere}"])
    assert moved.learning.method == replace(method, games=str(elsewhere))
    create.keep_config(run, moved)
    assert create.reopen(run, None, [])[0] == moved
    with pytest.raises(InputError, match=r"only workers\.\* and learning\.games can change"):
        create.reopen(run, None, ["learning.rate=0.5"])
