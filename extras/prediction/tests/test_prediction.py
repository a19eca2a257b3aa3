"""Founders that predict results of own games: the games, the loss, what is learnt, and separable CMA-ES by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.breeding.founders import founders
from evolve.breeding.loop import make_toolbox
from evolve.config import preset_files, toml
from evolve.kinds.individual import Individual
from evolve.workers.processes import WorkerProcesses
from extras.prediction import prediction
from extras.prediction.cma import SeparableCmaEs
from extras.prediction.prediction import Examples, Judging, examples, judge, loss, worth_of_a_man
from game import moves
from game.board import Position
from game.networks.evaluator import Evaluator
from tests.evolve.kinds.test_optimisers import WEIGHTS, founder, generation_of, philox, ranked
from tests.evolve.tiny_sessions import digest, results

SETTINGS = (
    *("founders.method=predicted", "founders.games=400", "founders.depth=2", "founders.rounds=40"),
    *("founders.positions=400", "population.parents=3", "population.mutants=4", "search.depth=1", "rating.every=0"),
)
CONFIG = toml.load("crownhead-1", settings=SETTINGS)
no_arena: Any = None


@pytest.fixture(scope="module")
def data() -> Examples:
    return examples(0, 400, 2)


def positions(data: Examples) -> list[Position]:
    return [Position(int(own), int(opponent), int(kings), 0) for own, opponent, kings in data.rows]


def test_examples_are_quiet_positions_with_results(data: Examples) -> None:
    assert 4000 < len(data.points) <= 400 * prediction.TAKEN
    assert set(data.points.tolist()) == {0.0, 0.5, 1.0}
    ahead = np.array([each.black.bit_count() - each.white.bit_count() for each in positions(data)])
    assert data.points[ahead > 1].mean() > 0.8
    assert data.points[ahead < -1].mean() < 0.2
    for each in positions(data)[::20]:
        assert not moves.legal_moves(each)[0].captured


def test_value_of_a_man_is_learnt() -> None:
    """Of positions with one man more or less, whose results follow the odds."""
    generator = np.random.Generator(np.random.Philox(1))
    boards = np.array([[0b111, 0b11 << 10, 0], [0b11, 0b111 << 10, 0]], np.uint64)
    some = generator.integers(0, 2, 20_000)
    chances = 1 / (1 + np.exp(-0.7 * np.array([1, -1])))
    data = Examples(boards[some], (generator.random(20_000) < chances[some]).astype(np.float64))
    assert worth_of_a_man(data) == pytest.approx(0.7, abs=0.05)


def test_both_sides_are_judged(data: Examples) -> None:
    """Who counts pieces sees as much for the mover as against it for the other side."""
    genome, half = np.zeros((1, 33), np.float32), len(data.points) // 2
    seen = prediction._rows(data.rows[:half], 1), prediction._rows(data.rows[:half][:, [1, 0, 2]], 0)
    points = np.concatenate([data.points[:half], 1 - data.points[:half]])
    task = Judging(CONFIG.network, genome, (1.5,), seen, points, 0.8)
    values = np.array(Evaluator(CONFIG.network, genome[0], 1.5).scores(positions(data)[:half], 0))
    assert judge(task) == pytest.approx([loss(0.8 * values, data.points[:half])], rel=1e-12)
    broken = np.full((1, 33), np.nan, np.float32)
    assert judge(Judging(CONFIG.network, broken, (1.5,), seen, points, 0.8)) == [math.inf]


def test_a_founder_learns_to_predict(data: Examples) -> None:
    """The results of the games that it learns from, here; others want more games."""
    toolbox = make_toolbox(CONFIG, WorkerProcesses.__new__(WorkerProcesses))
    toolbox.register("map", map)
    made = founders(CONFIG, no_arena, toolbox)
    bred = founders(toml.load("crownhead-1", settings=[*SETTINGS[5:]]), no_arena, toolbox)
    assert len(made) == len(bred) == 5
    assert (made[0].origin, made[0].parents) == ("founder", ())
    scale = worth_of_a_man(data)
    seen = prediction._rows(data.rows, 1), np.empty((0, 4), np.uint64)
    losses = [
        judge(Judging(CONFIG.network, np.asarray(one)[None], (one.king,), seen, data.points, scale))[0]
        for one in (made[0], bred[0])
    ]
    assert losses[0] < losses[1] - 0.003


@pytest.mark.check
def test_sessions_are_the_same_on_any_number_of_workers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [f"--set={each}" for each in (*SETTINGS, "optimiser.kind=snes")]
    for name, workers in (("one", 1), ("two", 2)):
        where = [f"--out={tmp_path}", f"--name={name}", f"--workers={workers}", "--generations=1", "--seed=1"]
        assert main.main(["evolve", "--preset=crownhead-1", *where, *given]) == 0
    assert results(tmp_path / "one") == results(tmp_path / "two")
    assert capsys.readouterr().err.count("training to predict the results of 400 own games\n") == 2
    assert digest(tmp_path / "one")[:12] == "29f646a1c64d"  # another one changes the results of every such run


def test_the_parents_of_a_population_stand_around_one_that_predicts() -> None:
    config = toml.load("cowan", settings=[*SETTINGS[:5], "network=blondie-1741", "population.parents=3", *NARROW])
    toolbox = make_toolbox(config, WorkerProcesses.__new__(WorkerProcesses))
    toolbox.register("map", map)
    made = founders(config, no_arena, toolbox)
    assert len(made) == config.population.size == 9
    assert {one.origin for one in made} == {"founder", "recombined"}
    assert not any(one.parents for one in made)
    first, *others = made[:3]
    assert np.abs(first).max() > 0.2
    assert {one.king for one in others} == {first.king} != {config.network.king}
    for one in others:
        away = np.asarray(one) - np.asarray(first)
        assert 0.009 < np.abs(away).max() <= 0.01 + 1e-6
    assert (others[0] != others[1]).any()


NARROW = ("founders.low=-0.01", "founders.high=0.01", "population.mutants=0", "stages=[{kind='round-robin'}]")


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(preset_files.ConfigError, match=r"founders\.rounds: has no effect"):
        toml.load("crownhead-1", settings=["founders.rounds=5"])


def test_a_generation_of_separable_cma_es_follows_the_formulas_of_the_tutorial() -> None:
    optimiser = SeparableCmaEs(step=0.3)
    mean = optimiser.begin(founder())
    for number in (1, 2, 3):
        before, made = mean, generation_of(optimiser, mean, number)
        result = ranked(made, [0, *philox(number).permutation(16)], parents=9)
        mean = optimiser.tell(result)
    assert before.state is not None
    assert mean.state is not None
    n, old, new = WEIGHTS, np.asarray(before.state, float), np.asarray(mean.state, float)
    factors = old[1 + 2 * n :]
    effective = 1 / (result.rank_weights**2).sum()
    c_s, c_c = (effective + 2) / (n + effective + 5), (4 + effective / n) / (n + 4 + 2 * effective / n)
    faster = (n + 2) / 3
    c_1 = faster * 2 / ((n + 1.3) ** 2 + effective)
    c_m = faster * 2 * (effective - 2 + 1 / effective) / ((n + 2) ** 2 + effective)
    damping = 1 + 2 * max(0, math.sqrt((effective - 1) / (n + 1)) - 1) + c_s
    ways = result.moves / old[0]
    way = result.weights @ ways / math.sqrt(((result.weights[0::2] - result.weights[1::2]) ** 2).sum())
    path_s = (1 - c_s) * old[1 : 1 + n] + math.sqrt(c_s * (2 - c_s)) * way / factors
    np.testing.assert_allclose(new[1 : 1 + n], path_s, rtol=1e-4, atol=1e-6)
    length = np.linalg.norm(path_s) / (math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n)))
    assert new[0] == pytest.approx(old[0] * math.exp(c_s / damping * (length - 1)), rel=1e-5)
    steady = length < 1.4 + 2 / (n + 1)
    path = (1 - c_c) * old[1 + n : 1 + 2 * n] + steady * math.sqrt(c_c * (2 - c_c)) * way
    np.testing.assert_allclose(new[1 + n : 1 + 2 * n], path, rtol=1e-4, atol=1e-6)
    kept = 1 - c_1 - c_m + (0 if steady else c_1 * c_c * (2 - c_c))
    expected = kept * factors**2 + c_1 * path**2 + c_m * result.weights @ ways**2
    np.testing.assert_allclose(new[1 + 2 * n :] ** 2, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("most", [1, 4])
def test_games_that_are_pure_chance_leave_the_step_size_where_it_is(most: int) -> None:
    """Also where half of all pairs are level: these move nothing, and must not look like a mean that wavers."""
    optimiser = SeparableCmaEs(step=0.2)
    steps = []
    for seed in range(6):
        mean = optimiser.begin(Individual(np.zeros(20)))
        for number in range(40):
            drawn = philox(100 * seed + number).integers(-most, most + 1, 16)
            points = [0, *np.stack([drawn, -drawn], axis=1).reshape(-1)]
            mean = optimiser.tell(ranked(generation_of(optimiser, mean, 1000 * seed + number, 16), points, 17))
        assert mean.state is not None
        steps.append(math.log(mean.state[0] / 0.2))
    assert abs(float(np.mean(steps))) < 0.35  # they walk at random by 0.5 in a run
