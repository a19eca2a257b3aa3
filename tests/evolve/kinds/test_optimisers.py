"""Optimisers: what all of them promise, arithmetic by hand, and that each finds what there is to find."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from evolve.kinds.individual import Individual
from evolve.kinds.optimisers.optimiser import Distribution, Mean, Optimiser, RankedGeneration, logarithm
from evolve.kinds.optimisers.snes import Snes
from evolve.kinds.variation import Normal, mean_of, mirror

WEIGHTS = 6
KINDS = [kind() for kind in Optimiser.kinds.values()]
LEARNING = [kind() for kind in Optimiser.kinds.values() if issubclass(kind, Distribution)]


def philox(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def founder(weights: int = WEIGHTS) -> Individual:
    return Individual(philox(1).normal(size=weights), king=1.5)


def generation_of(optimiser: Optimiser, mean: Individual, seed: int, pairs: int = 8) -> list[Individual]:
    made = [mean]
    for pair in range(pairs):
        mutant = optimiser.ask(mean, philox(1000 * seed + pair), seed, Normal(0.1).mutate)
        made += [mutant, mirror(mutant, mean)]
    return made


def ranked(made: list[Individual], points: Any, parents: int, stride: float = 1.0) -> RankedGeneration[Individual]:
    """The mean first, then mutants by their points, then by their places."""
    points = np.asarray(points, np.int64)
    order = np.concatenate([[0], 1 + np.argsort(-points[1:], kind="stable")])
    return RankedGeneration([made[at] for at in order], order, points[order], parents, stride)


@pytest.mark.parametrize("optimiser", KINDS, ids=lambda each: each.kind)
def test_every_optimiser_keeps_its_word(optimiser: Optimiser) -> None:
    assert optimiser.problem(WEIGHTS) == ""
    assert optimiser.describe()
    assert all(rule["text"] for rule in optimiser.rules().values())
    first = founder()
    mean = optimiser.begin(first)
    assert mean.tobytes() == first.tobytes()
    assert first.state is None
    for number in range(4):
        size = 0 if mean.state is None else len(mean.state)
        assert size == optimiser.state_size(WEIGHTS)
        before = mean.tobytes(), None if mean.state is None else mean.state.tobytes()
        made, again = (generation_of(optimiser, mean, number) for _ in range(2))
        assert [one.tobytes() for one in made] == [one.tobytes() for one in again]
        assert len({one.tobytes() for one in made}) == len(made)
        result = ranked(made, [0, *philox(number).integers(-4, 5, 16)], parents=9)
        mean, same = optimiser.tell(result), optimiser.tell(copy.deepcopy(result))
        assert mean.tobytes() == same.tobytes() != before[0]
        assert mean.dtype == np.float32
        assert np.isfinite(mean).all()
        assert (made[0].tobytes(), None if made[0].state is None else made[0].state.tobytes()) == before
        if mean.state is not None:
            assert same.state is not None
            assert mean.state.dtype == np.float32
            assert np.isfinite(mean.state).all()
            assert mean.state.tobytes() == same.state.tobytes()


def test_the_mean_is_that_of_the_parents() -> None:
    made = generation_of(Mean(), founder(), 3)
    result = ranked(made, [0, *range(16)], parents=5, stride=0.7)
    assert Mean().tell(result).tobytes() == mean_of([made[at] for at in (0, 16, 15, 14, 13)], 0.7).tobytes()


def test_weights_by_rank_are_those_of_the_source() -> None:
    made = generation_of(Snes(), Snes().begin(founder()), 1, pairs=3)
    raw = [math.log(3.5) - math.log(rank) for rank in (1, 2, 3)]
    weights = ranked(made, [0, 5, 6, 1, 2, 4, 3], parents=4).weights
    assert weights[[1, 0, 4]].tolist() == pytest.approx([each / sum(raw) for each in raw], abs=1e-14)
    assert weights[[5, 3, 2]].tolist() == [0, 0, 0]


def test_equal_points_share_their_weights() -> None:
    made = generation_of(Snes(), Snes().begin(founder()), 1, pairs=3)
    result = ranked(made, [0, 2, -2, 0, 0, 2, -2], parents=4)
    assert (
        result.weights[0]
        == result.weights[4]
        == pytest.approx(0.5 * (result.rank_weights[0] + result.rank_weights[1]), abs=1e-15)
    )
    assert result.weights[2] == result.weights[3] == pytest.approx(0.5 * result.rank_weights[2], abs=1e-15)
    # Of the level pair nothing is left: it lies on both sides of the mean.
    expected = np.asarray(made[0], float) + result.weights[0] * (result.moves[0] + result.moves[4])
    np.testing.assert_allclose(Snes().tell(result), expected, atol=1e-6)


def test_logarithms_are_exact_to_the_last_places() -> None:
    values = np.concatenate([np.arange(1.0, 3001), 2.0 ** np.linspace(-900, 900, 1000), 1 + np.linspace(-1, 1, 99)[1:]])
    np.testing.assert_allclose(logarithm(values), np.log(values), rtol=1e-14, atol=1e-16)


def test_kings_move_with_the_weights_and_stay_where_they_may_be() -> None:
    made = generation_of(Snes(), Snes().begin(founder()), 1, pairs=1)
    made[1].king, made[2].king = 1.75, 1.25
    assert Snes().tell(ranked(made, [0, 1, -1], parents=2)).king == 1.75
    assert Snes().tell(ranked(made, [0, -1, 1], parents=2, stride=4)).king == 1.0
    for one in made:
        one.king = 5.0  # of a network whose value does not evolve
    assert Snes().tell(ranked(made, [0, 1, -1], parents=2)).king == 5.0


def test_snes_by_hand() -> None:
    """Steps grow where the winners lie further out than the others do."""
    snes, mean = Snes(step=0.5), Snes(step=0.5).begin(Individual([0.0, 0.0]))
    ways = [[1.0, 0.25], [-1.0, -0.25], [0.25, 0.5], [-0.25, -0.5]]
    made = [mean, *(Individual(way) for way in ways)]
    after = snes.tell(ranked(made, [0, 4, -4, 1, -1], parents=3))
    raw = np.array([math.log(2.5), math.log(2.5) - math.log(2)])
    first, second = raw / raw.sum()
    np.testing.assert_allclose(after, [first * 1.0 + second * 0.25, first * 0.25 + second * 0.5], rtol=1e-6)
    numbers = np.square(np.array(ways) / 0.5) - 1
    gradient = (np.array([first, 0, second, 0]) - 0.25) @ numbers
    rate = (3 + math.log(2)) / (5 * math.sqrt(2))
    assert after.state is not None
    np.testing.assert_allclose(after.state, 0.5 * np.exp(0.5 * rate * gradient), rtol=1e-6)


def test_steps_shrink_besides_and_have_a_bound() -> None:
    snes = Snes(step=0.5, halving=10, step_low=0.3, rate=0.0)
    mean = snes.begin(founder())
    for _ in range(5):
        mean = snes.tell(ranked(generation_of(snes, mean, 1), np.zeros(17), parents=9))
    np.testing.assert_allclose(mean.state, 0.5 * 2**-0.5, rtol=1e-5)
    for _ in range(5):
        mean = snes.tell(ranked(generation_of(snes, mean, 1), np.zeros(17), parents=9))
    np.testing.assert_allclose(mean.state, 0.3, rtol=1e-6)
    assert "optimiser.step: expected at least" in Snes(step=0.1, step_low=0.2).problem(5)


def searched(optimiser: Optimiser, value: Callable[[Individual], float], weights: int, generations: int) -> Individual:
    """The mean after so many generations of 16 pairs, ranked by a value, of which the lowest is the best."""
    mean = optimiser.begin(Individual(np.ones(weights)))
    for number in range(generations):
        made = generation_of(optimiser, mean, number, pairs=16)
        order = np.argsort([value(one) for one in made])
        points = np.empty(len(made), np.int64)
        points[order] = -np.arange(len(made))
        mean = optimiser.tell(ranked(made, points, parents=17))
    return mean


def bowl(one: Individual) -> float:
    """Of weights that matter more and less."""
    scale = 10.0 ** np.linspace(0, 2, len(one))
    return float((scale * np.asarray(one, float) ** 2).sum())


@pytest.mark.parametrize("optimiser", LEARNING, ids=lambda each: each.kind)
def test_each_finds_the_lowest_point_of_a_bowl(optimiser: Distribution) -> None:
    result = searched(optimiser, bowl, 10, 150)
    assert bowl(result) < 1e-4 * bowl(Individual(np.ones(10)))


def test_snes_learns_which_weights_matter() -> None:
    state = searched(Snes(), bowl, 10, 60).state
    assert state[0] > 2 * state[-1]
