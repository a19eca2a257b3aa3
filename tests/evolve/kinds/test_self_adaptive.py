"""Self-adaptive mutation against its formula, worked out by hand and by counting; and the exponential it stands on."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve.breeding.inheritance import individual_name
from evolve.breeding.loop import make_toolbox, vary
from evolve.config import toml
from evolve.kinds.individual import Individual
from evolve.kinds.variation import HUGE, TINY, OnePoint, SelfAdaptive, default_tau, exponential, lognormal_king
from evolve.streams import Draw, stream
from evolve.workers.processes import WorkerProcesses

STRICT = toml.load("blondie24-1999")
TOOLBOX = make_toolbox(STRICT, WorkerProcesses.__new__(WorkerProcesses))
WEIGHTS = STRICT.network.weights
no_arena: Any = None
"""An arena that is not asked."""


class Drawn:
    """A generator that gives these normal numbers, in order."""

    def __init__(self, *numbers: float) -> None:
        self.left = list(numbers)

    def standard_normal(self, shape: tuple[int, ...] | None = None) -> Any:
        count = 1 if shape is None else math.prod(shape)
        taken, self.left = self.left[:count], self.left[count:]
        return taken[0] if shape is None else np.array(taken).reshape(shape)


def generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def mutated(weights: list[float], steps: list[float], numbers: list[float], **rules: float) -> tuple[Any, Any]:
    """Weights and step sizes after a mutation with these normal numbers."""
    individual, draw = Individual(weights, steps=steps), Drawn(*numbers)
    (same,) = SelfAdaptive(**rules).mutate(individual, draw)  # type: ignore[arg-type]
    assert same is individual
    assert draw.left == []
    assert individual.dtype == individual.steps.dtype == np.float32
    return np.asarray(individual), individual.steps


@pytest.mark.parametrize(("weights", "tau"), [(1741, 0.109468), (5046, 0.083897), (4, 0.5), (1, 0.707107)])
def test_the_default_tau(weights: int, tau: float) -> None:
    """By hand: sqrt(1741) = 41.7253, twice that 83.4506, whose root is 9.13513; 1 / 9.13513 = 0.109468."""
    assert default_tau(weights) == pytest.approx(tau, abs=1e-6)


def test_a_mutation_by_hand() -> None:
    """tau = 1/2; normal numbers 0, 2 and -2 for the steps, 1, -1 and 3 for the weights.

    Factors are 1, e and 1/e: steps 0.05, 0.05 e = 0.135914 and 0.5 / e = 0.183940; weights 1 + 0.05, 0 - 0.135914 and
    -2 + 3 * 0.183940 = -1.448180.
    """
    weights, steps = mutated([1.0, 0.0, -2.0], [0.05, 0.05, 0.5], [0, 2, -2, 1, -1, 3], tau=0.5)
    assert steps == pytest.approx([0.05, 0.135914, 0.183940], abs=1e-6)
    assert weights == pytest.approx([1.05, -0.135914, -1.448180], abs=1e-6)


def test_weights_move_by_the_new_step_sizes_as_they_are_saved() -> None:
    numbers = generator(1).standard_normal(2000).tolist()
    weights, steps = mutated([0.1] * 1000, [0.05] * 1000, numbers, tau=0.1)
    for index in range(1000):
        step = np.float32(float(np.float32(0.05)) * math.exp(0.1 * numbers[index]))
        assert abs(float(steps[index]) - float(step)) <= float(np.spacing(step))  # an ulp between two exponentials
        weight = float(np.float32(0.1)) + float(steps[index]) * numbers[1000 + index]
        assert weights[index] == np.float32(weight)


def test_bounds_of_step_sizes() -> None:
    numbers = [2, -2, 0, 1, 1, 1]
    weights, steps = mutated([0.0] * 3, [1.0] * 3, numbers, tau=0.5, step_low=0.5, step_high=2.0)
    assert steps.tolist() == [2.0, 0.5, 1.0]
    assert weights.tolist() == [2.0, 0.5, 1.0]  # the bounded steps are those that are taken
    _, low = mutated([0.0] * 3, [1.0] * 3, numbers, tau=0.5, step_low=0.5)
    _, high = mutated([0.0] * 3, [1.0] * 3, numbers, tau=0.5, step_high=2.0)
    assert low == pytest.approx([math.e, 0.5, 1.0])
    assert high == pytest.approx([2.0, 1 / math.e, 1.0])


def test_decay_takes_its_share_of_every_weight_first() -> None:
    weights, steps = mutated([8.0, -4.0], [0.5, 0.5], [0, 0, 1, 0], tau=0.5, decay=0.25)
    assert weights.tolist() == [6.5, -3.0]
    assert steps.tolist() == [0.5, 0.5]


def test_numbers_stay_finite_even_without_bounds() -> None:
    individual, draw = Individual(np.zeros(100), steps=np.full(100, 0.05)), generator(6)
    for _ in range(300):
        SelfAdaptive(10.0).mutate(individual, draw)
    assert np.isfinite(individual).all()
    assert individual.steps is not None
    assert individual.steps.min() >= np.float32(TINY)
    assert individual.steps.max() <= np.float32(HUGE)
    assert (individual.steps > 0).all()
    assert np.abs(individual).max() <= np.float32(HUGE)


def twin(value: float) -> float:
    """The same operations one by one in Python's numbers, which round like every processor's."""
    power = round(value * (1.0 / math.log(2.0)))
    rest = (value - power * 0.693147180369123816490) - power * 1.90821492927058770002e-10
    result = 1.0 / math.factorial(13)
    for term in range(12, -1, -1):
        result = result * rest + 1.0 / math.factorial(term)
    return math.ldexp(result, power)


VALUES = np.concatenate([generator(7).normal(0, width, 20_000) for width in (1e-9, 0.1, 1.0, 30.0)])


def test_the_exponential_is_about_a_last_place_off_at_most() -> None:
    exact = np.exp(VALUES.astype(np.longdouble))
    result = exponential(VALUES)
    assert np.max(np.abs(result - exact) / np.spacing(result)) < 1.25
    assert exponential(np.array([0.0])) == 1.0


def test_the_exponential_is_the_same_operations_everywhere() -> None:
    assert exponential(VALUES).tolist() == [twin(value) for value in VALUES.tolist()]
    # Whatever the length: vectors and what is left of them run through different instructions.
    for count in (1, 2, 3, 7, 8, 9, 31, 33):
        assert exponential(VALUES[:count]).tolist() == [twin(value) for value in VALUES[:count].tolist()]


@pytest.mark.parametrize(
    ("king", "number", "after"),
    [
        (2.0, 0.0, 2.0),
        (2.0, 0.5, 2.848238),  # 2 exp(0.353553)
        (2.0, 0.6, 3.0),  # 3.0569 is too much
        (2.0, -0.9, 1.058392),  # 2 exp(-0.636396)
        (2.0, -1.0, 1.0),  # 0.9862 is too little
        (1.0, 1.0, 2.028115),
    ],
)
def test_a_lognormal_king_value_by_hand(king: float, number: float, after: float) -> None:
    individual = Individual([0.0], king=king)
    (same,) = lognormal_king(individual, Drawn(number))  # type: ignore[arg-type]
    assert same is individual
    assert individual.king == pytest.approx(after, abs=1e-5)
    assert individual.king == np.float32(individual.king)  # a file keeps it to the bit


def test_step_sizes_go_with_their_weights() -> None:
    first = Individual(np.arange(10), steps=np.arange(10) / 8)
    second = Individual(-np.arange(10), steps=10 + np.arange(10) / 8)
    OnePoint().recombine(first, second, generator(9))
    for child in (first, second):
        assert child.steps is not None
        for weight, step in zip(child.tolist()[1:], child.steps.tolist()[1:], strict=True):
            assert (weight < 0) == (step >= 10)
            assert abs(weight) == 8 * (step % 10)
    assert 0 < (first < 0).sum() < 9


def some_parents() -> list[Individual]:
    draw = generator(10)
    return [
        Individual(
            draw.uniform(-1, 1, WEIGHTS), individual_name(4, index), king=2.0, steps=draw.uniform(0.01, 0.1, WEIGHTS)
        )
        for index in range(15)
    ]


def steps_of(individual: Individual) -> NDArray[np.float32]:
    assert individual.steps is not None
    return individual.steps


def test_each_of_15_parents_has_one_child() -> None:
    parents = some_parents()
    before = copy.deepcopy(parents)
    made = vary(parents, 5, STRICT, TOOLBOX)
    assert [one.origin for one in made] == ["survivor"] * 15 + ["mutated"] * 15
    for old, parent, survivor, child in zip(before, parents, made[:15], made[15:], strict=True):
        for same in (parent, survivor):
            assert same.tobytes() == old.tobytes()
            assert steps_of(same).tobytes() == steps_of(old).tobytes()
        assert survivor.parents == child.parents == (parent.name,)
        assert not np.shares_memory(steps_of(child), steps_of(parent))
        assert (steps_of(child) != steps_of(parent)).mean() > 0.99
        noise = (np.asarray(child, np.float64) - np.asarray(parent)) / steps_of(child)
        assert noise.std() == pytest.approx(1.0, rel=0.1)
        logs = np.log(steps_of(child) / steps_of(parent))
        assert logs.std() == pytest.approx(0.1095, rel=0.1)
        assert 1.0 <= child.king <= 3.0
    assert len({child.king for child in made[15:]}) > 5
    assert len({child.tobytes() for child in made}) == 30


def test_a_child_comes_from_its_own_stream() -> None:
    parents = some_parents()
    made = vary(parents, 5, STRICT, TOOLBOX)
    for index in (0, 7, 14):
        draw = stream(STRICT.seed, 5, Draw.MUTATION, index, 0)
        child = copy.deepcopy(parents[index])
        SelfAdaptive().mutate(child, draw)
        lognormal_king(child, draw)
        assert child.tobytes() == made[15 + index].tobytes()
        assert steps_of(child).tobytes() == steps_of(made[15 + index]).tobytes()
        assert child.king == made[15 + index].king
