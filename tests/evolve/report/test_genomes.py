"""Diversity against plain definitions, the rule of the sample, and near copies."""

from __future__ import annotations

import itertools
import math
import statistics as plain
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.report import genomes
from evolve.report.genomes import NEAR, SAMPLE, distances, group_near_copies, measure, sample
from evolve.session import saving


def drawn(count: int, width: int, seed: int = 1) -> np.ndarray:
    return np.random.Generator(np.random.Philox(seed)).uniform(-1, 1, (count, width)).astype(np.float32)


POPULATIONS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(st.floats(-2, 2, width=32), min_size=width, max_size=width), min_size=1, max_size=7)
)


@given(POPULATIONS)
def test_measures_are_their_definitions(population: list[list[float]]) -> None:
    weights = np.array(population, np.float32)
    result = measure(weights)
    apart = {(a, b): math.dist(weights[a], weights[b]) for a, b in itertools.permutations(range(len(weights)), 2)}
    assert (result.individuals, result.weights, result.measured) == (*weights.shape, len(weights))
    assert result.distinct == len({row.tobytes() for row in weights})
    assert result.length == pytest.approx(math.sqrt((weights.astype(float) ** 2).sum() / len(weights)), abs=1e-9)
    assert result.rms_distance == pytest.approx(saving.diversity(weights), abs=2e-6)
    if apart:
        assert result.mean_distance == pytest.approx(plain.mean(apart.values()), abs=1e-6)
        nearest = [min(apart[a, b] for b in range(len(weights)) if b != a) for a in range(len(weights))]
        assert result.nearest == pytest.approx(plain.median(nearest), abs=1e-6)
    else:
        assert (result.mean_distance, result.nearest) == (0.0, 0.0)
    assert sum(result.groups) == len(weights)
    assert list(result.groups) == sorted(result.groups, reverse=True)


def test_distances_of_near_copies_are_exact_far_from_zero() -> None:
    weights = np.full((3, 247), 100, np.float32)
    weights[1, 0] += np.float32(1 / 1024)
    apart = distances(weights)
    assert apart[0, 1] == pytest.approx(1 / 1024, rel=1e-4)
    assert apart[0, 2] < 1e-6


def test_sample_is_evenly_spaced_and_agrees_with_all() -> None:
    weights = drawn(3 * SAMPLE + 7, 5)
    weights[:, 0] = np.arange(len(weights)) / 1000
    some = sample(weights)
    assert len(some) == SAMPLE
    rows = [i * len(weights) // SAMPLE for i in range(SAMPLE)]
    assert rows[0] == 0 and {b - a for a, b in itertools.pairwise(rows)} == {3, 4}
    assert (some == weights[rows]).all()
    result = measure(weights)
    assert (result.individuals, result.measured) == (len(weights), SAMPLE)
    every = distances(weights)
    mean = every.sum() / (len(weights) * (len(weights) - 1))
    assert result.mean_distance == pytest.approx(mean, rel=0.01)
    assert result.rms_distance == pytest.approx(saving.diversity(weights), abs=2e-6)  # exact: no sample
    assert sample(weights[:SAMPLE]) is not weights and len(sample(weights[:SAMPLE])) == SAMPLE


def test_diversity_does_not_depend_on_blocks(limit: Callable[..., None]) -> None:
    weights = drawn(50, 33)
    before = measure(weights)
    limit(genomes, "_BLOCK", 100)
    assert measure(weights) == before


@pytest.mark.parametrize(
    ("places", "near", "sizes"),
    [
        ([0, 1, 2, 3], 0.5, (1, 1, 1, 1)),
        ([0, 0, 0, 0], 0.0, (4,)),
        ([0, 0.4, 0.8, 5], 0.5, (2, 1, 1)),  # the third is near the second, which leads nobody
        ([0.4, 0, 0.8, 5], 0.5, (3, 1)),
        ([0, 10, 0.1, 10.1, 0.2], 0.5, (3, 2)),
        ([7], 1, (1,)),
    ],
)
def test_near_copies_join_the_first_leader(places: list[float], near: float, sizes: tuple[int, ...]) -> None:
    assert group_near_copies(distances(np.array(places, np.float32)[:, None]), near) == sizes


def test_near_is_a_share_of_the_length() -> None:
    weights = np.repeat(drawn(1, 247), 4, axis=0)
    step = NEAR * float(np.linalg.norm(weights[0]))
    weights[2, 0] += 0.9 * step
    weights[3, 0] += 2.5 * step
    assert measure(weights).groups == (3, 1)
    assert measure(1000 * weights).groups == (3, 1)
