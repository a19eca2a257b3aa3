"""Recombination and mutation: what they make, and that nothing but the generator they are given decides it."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import numpy as np
import pytest

from evolve.kinds.individual import Individual
from evolve.kinds.variation import Intermediate, OnePoint, Uniform, step_king
from evolve.streams import Draw, stream, streams
from tests.cases import for_each

one_point = OnePoint().recombine

WEIGHTS = 247


class Fixed:
    """A generator that draws one number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def integers(self, low: int, high: int) -> int:
        assert low <= self.number < high
        return self.number


def pair(length: int = WEIGHTS) -> tuple[Individual, Individual]:
    """Two genomes that share no weight."""
    return Individual(np.arange(length), "a"), Individual(-1 - np.arange(length), "b")


def generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


@pytest.mark.parametrize("cut", [1, 2, 123, 245, 246])
def test_both_children_have_the_parts_of_both(cut: int) -> None:
    first, second = pair()
    before, other = copy.deepcopy(first), copy.deepcopy(second)
    made = one_point(first, second, Fixed(cut))  # type: ignore[arg-type]
    assert made[0] is first
    assert made[1] is second
    # With numpy views and no copy both children would end alike: DEAP's operators do that.
    assert first.tolist() == [*before[:cut], *other[cut:]]
    assert second.tolist() == [*other[:cut], *before[cut:]]
    assert sorted([*first, *second]) == sorted([*before, *other])  # no weight lost, none doubled
    for child in made:
        assert 0 < (child < 0).sum() < WEIGHTS


def test_every_cut_from_1_to_246_is_drawn_and_no_other() -> None:
    cuts = set()
    draw = generator(1)
    for _ in range(6000):  # each of 246 is missed with a chance of e**-24
        first, second = pair()
        one_point(first, second, draw)
        cuts.add(int((first >= 0).sum()))
    assert cuts == set(range(1, WEIGHTS))


@pytest.mark.parametrize(("one", "other"), [(3, 4), (1, 1), (0, 0)])
def test_genomes_that_cannot_be_cut(one: int, other: int) -> None:
    with pytest.raises(ValueError, match=f"equal length, at least 2, got {one} and {other}"):
        one_point(Individual(np.zeros(one)), Individual(np.zeros(other)), generator(0))


def test_intermediate_children_lie_between_their_parents() -> None:
    first, second = pair()
    before, other = (np.asarray(one).copy() for one in (first, second))
    first.steps, second.steps = np.full(WEIGHTS, 0.25, np.float32), np.full(WEIGHTS, 0.75, np.float32)
    Intermediate().recombine(first, second, generator(1))
    share = (before - first) / (before - other)
    assert ((share >= 0) & (share < 1)).all()
    assert len(np.unique(share)) > 0.9 * WEIGHTS  # each weight lies elsewhere
    assert 0.4 < share.mean() < 0.6
    assert np.allclose(first + second, before + other)
    assert np.allclose(first.steps, 0.25 + 0.5 * share)
    assert np.allclose(first.steps + second.steps, 1.0)
    same, twin = Individual(before), Individual(before)
    Intermediate().recombine(same, twin, generator(2))
    assert same.tolist() == twin.tolist() == before.tolist()  # what parents have in common stays


def test_noise_is_uniform_over_all_weights() -> None:
    draws = np.stack(
        [
            np.asarray(Uniform(-0.1, 0.1).mutate(Individual(np.zeros(WEIGHTS)), generator(seed))[0])
            for seed in range(400)
        ]
    )
    assert len(np.unique(draws)) > 0.99 * draws.size  # each weight has a number of its own
    assert (draws.min(axis=0) < -0.09).all()  # and all of the range is reached by each
    assert (draws.max(axis=0) > 0.09).all()
    counts, _ = np.histogram(draws, 10, (-0.1, 0.1))
    expected = draws.size / 10
    assert ((counts - expected) ** 2 / expected).sum() < 27.9  # chi-square of 9 degrees of freedom, p = 0.001


def test_a_king_value_goes_a_step_up_or_down_or_stays() -> None:
    draw = generator(2)
    steps: Counter[float] = Counter()
    for _ in range(3000):
        individual = Individual(np.zeros(3), king=2.0)
        (stepped,) = step_king(individual, draw)
        assert stepped is individual
        assert not individual.any()
        steps[individual.king] += 1
    assert set(steps) == {float(np.float32(1.9)), 2.0, float(np.float32(2.1))}
    assert all(870 < count < 1130 for count in steps.values())  # 1,000 expected, 5 deviations are 129


def test_a_stream_is_a_function_of_its_key() -> None:
    """These numbers are part of the results of every run: they may never change."""
    assert stream(1, 2, Draw.MUTATION, 3, 4).integers(0, 2**32, 4).tolist() == [
        646098109,
        2317407541,
        1004986163,
        979863611,
    ]


@for_each("seed", [0, 1, 2**32, 2**63 - 1, 2**127])
@for_each("indexes", [[], [(0,), (119,)], [(0, 0), (0, 1), (1023, 2**32 - 1)]])
def test_streams_in_bulk_are_the_same(seed: int, indexes: list[tuple[int, ...]]) -> None:
    def drawn(generator: np.random.Generator) -> list[Any]:
        # An odd number of 32 bits leaves half a word behind, which is not for the next stream.
        whole = generator.integers(0, 2**32, 3, dtype=np.uint32).tolist()
        return [*whole, *generator.standard_normal(9), *generator.uniform(-1, 1, 2)]

    one_by_one = [drawn(stream(seed, 7, Draw.MUTATION, *index)) for index in indexes]
    assert [drawn(each) for each in streams(seed, 7, Draw.MUTATION, indexes)] == one_by_one


def test_the_purposes_of_streams_keep_their_numbers() -> None:
    assert {draw.name: draw.value for draw in Draw} == {
        "FOUNDERS": 0, "FOUNDER_GAMES": 1, "RECOMBINATION": 2, "MUTATION": 3, "TOURNAMENT": 4, "BALLOTS": 5,
        "CHAMPIONS": 6, "RATING": 7, "OWN_GAMES": 9, "PREDICTION": 10, "LEARNING": 13, "LEARNING_GAMES": 14,
        "SELECTION": 15, "GATE": 16, "LEVEL": 17,
    }  # fmt: skip
