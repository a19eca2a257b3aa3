"""The comparison of settings: how often equal ones are stopped, p values by hand, and detected differences."""

from __future__ import annotations

import math
import re

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from evolve.strength import means
from evolve.strength.means import SampleMean, mean, quantile
from extras.sweeps import results
from extras.sweeps.comparing import (
    LEVEL,
    Behind,
    corrected,
    detected,
    difference_deviation,
    find_behind,
    holm,
    seeds_to_detect,
)

LOOKS = 4
RUN, RATING = 50.0, 50.0
KEPT = 0.7
"""Correlation of what runs differ in by their seeds, from look to look."""
SWEEPS = 2000
DETECTED = {  # in %, as in sweeps.md: by number of settings, with 3, 5 and 8 seeds
    2: (46, 95, 100),
    3: (34, 93, 100),
    5: (22, 86, 100),
    10: (11, 69, 100),
}


def play(settings: int, seeds: int, gap: float = 0.0, sweeps: int = SWEEPS, looks: int = LOOKS) -> Behind:
    """Which settings are stopped in how many sweeps; the last setting is worse by `gap` Elo."""
    generator = np.random.default_rng([settings, seeds, round(gap)])
    shape = (sweeps, settings, seeds)
    strength = np.zeros((settings, 1))
    strength[-1] = -gap
    behind = np.zeros((sweeps, settings, settings), np.bool_)
    runs = generator.normal(0, RUN, shape)
    for _ in range(looks):
        ratings = strength + runs + generator.normal(0, RATING, shape)
        ratings[behind.any(axis=-1)] = np.nan
        behind = find_behind(ratings, np.full(shape, RATING), LEVEL / looks, behind)
        runs = KEPT * runs + math.sqrt(1 - KEPT**2) * generator.normal(0, RUN, shape)
    return behind.any(axis=-1)


@pytest.mark.parametrize("settings", [2, 3, 5, pytest.param(10, marks=pytest.mark.check)])
def test_equal_settings_are_seldom_stopped(settings: int) -> None:
    for seeds in range(3, 9):
        assert play(settings, seeds).any(axis=-1).mean() <= 0.05


@pytest.mark.parametrize("settings", [2, 3, 5, pytest.param(10, marks=pytest.mark.check)])
def test_settings_far_behind_are_stopped(settings: int) -> None:
    results = [play(settings, seeds, gap=200.0) for seeds in (3, 5, 8)]
    assert results[-1][:, -1].mean() >= 0.8
    assert [each[:, :-1].any(axis=-1).mean() <= 0.05 for each in results] == [True] * 3
    assert [100 * each[:, -1].mean() for each in results] == pytest.approx(DETECTED[settings], abs=3)


def test_equal_differences_are_not_exact() -> None:
    """Ratings of few games are coarse, so differences are often equal."""
    ratings = np.array([[100.0] * 8, [50.0] * 8])
    none = np.zeros((2, 2), np.bool_)
    for error, sure in ((55.0, False), (45.0, True)):  # 50 Elo are 1.8 and 2.2 standard errors of the mean difference
        result = find_behind(ratings, np.full((2, 8), error), 0.05, none)
        assert result.tolist() == [[False, False], [sure, False]]


def test_pairs_are_decided_by_hand() -> None:
    """Three settings: b and c are behind a, for the first look only by the bound that Holm's second step has."""
    generator = np.random.default_rng(3)
    ratings, errors = generator.normal(0, 40, (3, 6)), np.full((3, 6), 1.0)
    ratings[0] += 150
    ratings[1] += 50
    size = {}
    for first, second in ((0, 1), (0, 2), (1, 2)):
        mean = means.mean((ratings[first] - ratings[second]).tolist())
        size[first, second] = mean.value / ((mean.high - mean.value) / means.quantile(5))
    by_p = sorted(size, key=lambda pair: -size[pair])
    for share in (0.5, 0.1, 0.05, 0.02, 0.01, 0.001, 0.0001):
        expected = set()
        for pairs, pair in zip((3, 2, 1), by_p, strict=True):
            if abs(size[pair]) <= means.quantile(5, share / 2 / pairs):
                break
            expected.add(pair if size[pair] < 0 else pair[::-1])
        result = find_behind(ratings, errors, share, np.zeros((3, 3), np.bool_))
        assert {(int(one), int(other)) for one, other in zip(*np.nonzero(result), strict=True)} == expected
    # Earlier decisions stay, and make the others easier.
    before = np.zeros((3, 3), np.bool_)
    before[2, 0] = True
    ratings[2] = np.nan
    t = abs(size[0, 1])
    share = next(share for share in np.geomspace(0.5, 1e-6, 2000) if t <= means.quantile(5, share / 2 / 2))
    assert find_behind(ratings, errors, 1.01 * share, before)[1, 0]
    assert not find_behind(ratings, errors, 1.01 * share, np.zeros((3, 3), np.bool_))[1, 0]


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.4]) == [0.8, 0.8]
    result = holm([0.02, math.nan])
    assert result[0] == 0.04 and math.isnan(result[1])
    assert holm([]) == []


def test_the_difference_that_is_detected_is() -> None:
    """In about 80 % of simulated sweeps, by the p of the table."""
    deviation = difference_deviation(60)
    assert deviation == pytest.approx(100, rel=0.05)
    for seeds, comparisons in ((5, 1), (8, 4), (20, 9)):
        gap = detected(seeds, deviation, comparisons)
        drawn = np.random.default_rng(seeds).normal(gap, deviation, (2000, seeds))
        results = [means.mean(row.tolist()).probability < LEVEL / comparisons for row in drawn]
        assert np.mean(results) == pytest.approx(0.8, abs=0.05)
    assert math.isinf(detected(1, deviation, 1))
    for difference in (20.0, 50.0, 500.0):
        seeds = seeds_to_detect(difference, deviation, 4)
        assert detected(seeds, deviation, 4) <= difference < detected(seeds - 1, deviation, 4)


NUMBERS = st.lists(st.floats(-300, 300, width=16), min_size=2, max_size=6)


@hypothesis.settings(max_examples=100)
@hypothesis.given(st.lists(NUMBERS, min_size=1, max_size=6))
def test_corrected_intervals_exclude_0_exactly_if_p_is_small(samples: list[list[float]]) -> None:
    found = [mean(sample, [7.0] * len(sample)) for sample in samples]
    for one, probability in zip(found, holm([each.probability for each in found]), strict=True):
        both = corrected(one, probability)
        assert (both.low > 0 or both.high < 0) == (both.probability < LEVEL)
        assert both.low <= one.low < one.value < one.high <= both.high and both.value == one.value
        cell = results._difference(both)
        low, high = map(float, re.findall(r"\((\S+) to (\S+)\)", cell)[0])
        shown = float(cell.rpartition(" ")[2])
        assert (low > 0 or high < 0) == (shown < LEVEL or "<" in cell.rpartition("p")[2])


def test_a_corrected_interval_by_hand() -> None:
    one = SampleMean(87.0, 6.0, 168.0, 0.041, 6)
    both = corrected(one, 0.082)
    error = 81 / quantile(5)
    assert (both.low, both.high) == pytest.approx((87 - error * quantile(5, 0.0125), 87 + error * quantile(5, 0.0125)))
    assert both.low < 0 and results._difference(both).endswith(", p = 0.082")
    assert math.isnan(corrected(mean([5.0]), math.nan).probability)
