"""Student's t beside published tables, and means by hand."""

from __future__ import annotations

import math
import re

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from evolve.session import sweep_results
from evolve.strength import means
from evolve.strength.elo import PAIR_POINTS, score_interval
from evolve.strength.means import (
    LEVEL,
    Behind,
    SampleMean,
    cluster_interval,
    corrected,
    detected,
    difference_deviation,
    find_behind,
    holm,
    mean,
    quantile,
    seeds_to_detect,
    share_interval,
    upper_tail,
)
from tests.evolve.strength.simulated import pair_chances

# Two-sided 95 % points, from any table of the distribution.
TABLE = {1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 7: 2.3646, 10: 2.2281, 30: 2.0423, 120: 1.9799}


@pytest.mark.parametrize(("degrees", "t"), TABLE.items())
def test_points_of_the_table(degrees: int, t: float) -> None:
    assert quantile(degrees) == pytest.approx(t, abs=5e-5)
    assert upper_tail(t, degrees) == pytest.approx(0.025, abs=1e-5)


def test_tails_with_a_closed_form() -> None:
    """One degree is Cauchy's distribution; of two the distribution has a root and nothing else."""
    for t in (0.0, 0.1, 1.0, 3.0, 50.0):
        assert upper_tail(t, 1) == pytest.approx(0.5 - math.atan(t) / math.pi, abs=1e-12)
        assert upper_tail(t, 2) == pytest.approx(0.5 - t / (2 * math.sqrt(2 + t * t)), abs=1e-12)


def test_means_by_hand() -> None:
    result = mean([10.0, 20.0, 30.0])
    assert (result.value, result.count) == (20.0, 3)
    error = 10 / math.sqrt(3)
    assert result.low == pytest.approx(20 - 4.30265 * error, abs=1e-3)
    assert result.high == pytest.approx(20 + 4.30265 * error, abs=1e-3)
    assert result.probability == pytest.approx(2 * upper_tail(20 / error, 2))
    single = mean([5.0])
    assert (single.value, single.low, single.high) == (5.0, -math.inf, math.inf) and math.isnan(single.probability)
    assert mean([2.0, 2.0]).low == 2.0 and math.isnan(mean([2.0, 2.0]).probability)
    with pytest.raises(ValueError, match="at least one"):
        mean([])


def test_uncertain_numbers_are_a_floor() -> None:
    equal = mean([57.3, 57.3], [51.0, 48.0])
    half = 12.7062 * math.hypot(51.0, 48.0) / 2
    assert (equal.low, equal.high) == (pytest.approx(57.3 - half, abs=0.01), pytest.approx(57.3 + half, abs=0.01))
    assert equal.probability == pytest.approx(2 * upper_tail(57.3 / (math.hypot(51.0, 48.0) / 2), 1)) and (
        equal.probability > 0.3
    )
    scattered = [0.0, 200.0, 400.0]
    assert mean(scattered, [10.0] * 3) == mean(scattered)


def test_interval_has_its_coverage() -> None:
    drawn = np.random.default_rng(1).normal(7.0, 3.0, (2000, 4))
    held = [one.low <= 7.0 <= one.high for one in (mean(row.tolist()) for row in drawn)]
    assert 0.935 < sum(held) / len(held) < 0.965


LOOKS = 4
RUN, RATING = 50.0, 50.0
KEPT = 0.7
"""Correlation of what runs differ in by their seeds, from look to look."""
SWEEPS = 2000
DETECTED = {  # in %, as in docs/presets.md: by number of settings, with 3, 5 and 8 seeds
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
    # What was decided before stays, and makes the others easier.
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


BALLOTS, OPPONENTS = 100, 16


@pytest.mark.check
def test_near_copies_are_covered_as_often_as_promised() -> None:
    """Sixteen opponents that mostly do the same on a ballot: pairs alone promise far too much."""
    generator = np.random.default_rng(2022)
    chances = np.array(pair_chances(60, draws=0.4))
    truth = float(chances @ np.array(PAIR_POINTS)) / 2
    on = [ballot for _ in range(OPPONENTS) for ballot in range(BALLOTS)]
    held = alone = wider = 0
    for _ in range(RUNS := 200):
        alike = generator.choice(PAIR_POINTS, BALLOTS, p=chances)
        apart = generator.choice(PAIR_POINTS, (OPPONENTS, BALLOTS), p=chances)
        own_game = generator.random((OPPONENTS, BALLOTS)) < 0.7
        points = np.where(own_game, apart, alike).reshape(-1).tolist()
        result = cluster_interval(points, on)
        pairs = score_interval([points.count(each) for each in PAIR_POINTS])
        held += result.low <= truth <= result.high
        alone += pairs.low <= truth <= pairs.high
        wider += result.high - result.low > 1.2 * (pairs.high - pairs.low)
    assert 0.915 * RUNS <= held <= 0.985 * RUNS
    assert alone < 0.87 * RUNS
    assert wider > 0.95 * RUNS


def test_pairs_on_ballots_of_their_own_are_independent() -> None:
    """As wide as without ballots, but for the chance of the draws."""
    points = np.random.default_rng(1).choice(PAIR_POINTS, 400, p=pair_chances(30)).tolist()
    result, pairs = cluster_interval(points, range(400)), score_interval([points.count(each) for each in PAIR_POINTS])
    assert result.score == pairs.score
    assert (result.low, result.high) == pytest.approx((pairs.low, pairs.high), abs=0.003)


def test_it_is_the_same_always_and_never_narrower_than_that_of_pairs() -> None:
    points, ballots = [2.0, 2.0, 1.5, 2.0, 0.5, 1.0], list("aabbcc")
    assert cluster_interval(points, ballots) == cluster_interval(points, ["x", "x", "y", "y", "z", "z"])
    won = cluster_interval([2.0] * 8, list("aaaabbbb"))
    assert won == score_interval([0, 0, 0, 0, 8])
    assert won.low < won.score == won.high == 1.0


def test_a_ballot_for_each_pair() -> None:
    with pytest.raises(ValueError, match="one for each of 2 pairs, got 1"):
        cluster_interval([1.0, 1.0], ["a"])


@pytest.mark.parametrize("count", [4, 30])
def test_positions_of_a_game_belong_together(count: int) -> None:
    """Games differ in how well they are predicted, and in length: positions alone promise far too much."""
    generator = np.random.default_rng(7)
    held = alone = 0
    for _ in range(RUNS := 400):
        lengths = generator.integers(30, 90, count)
        games = np.repeat(np.arange(count) * 3, lengths)  # other games have no such positions
        hits = generator.random(len(games)) < np.repeat(generator.beta(6, 4, count), lengths)
        result, right = share_interval(hits, games), int(hits.sum())
        assert result.score == pytest.approx(hits.mean())
        positions = score_interval([len(hits) - right, 0, 0, 0, right])
        held += result.low <= 0.6 <= result.high
        alone += positions.low <= 0.6 <= positions.high
    assert held >= 0.92 * RUNS
    assert alone < 0.75 * RUNS


def test_few_games_prove_little() -> None:
    one = share_interval(np.array([True, False, True]), np.zeros(3, int))
    assert (one.low, one.high) == (0, 1)
    alike = share_interval(np.ones(40, bool), np.repeat([0, 1], 20))
    assert alike.low == score_interval([0, 0, 0, 0, 40]).low < alike.high == 1


NUMBERS = st.lists(st.floats(-300, 300, width=16), min_size=2, max_size=6)


@hypothesis.settings(max_examples=100)
@hypothesis.given(st.lists(NUMBERS, min_size=1, max_size=6))
def test_corrected_intervals_exclude_0_exactly_if_p_is_small(samples: list[list[float]]) -> None:
    results = [mean(sample, [7.0] * len(sample)) for sample in samples]
    for one, probability in zip(results, holm([each.probability for each in results]), strict=True):
        both = corrected(one, probability)
        assert (both.low > 0 or both.high < 0) == (both.probability < LEVEL)
        assert both.low <= one.low < one.value < one.high <= both.high and both.value == one.value
        cell = sweep_results._difference(both)
        low, high = map(float, re.findall(r"\((\S+) to (\S+)\)", cell)[0])
        shown = float(cell.rpartition(" ")[2])
        assert (low > 0 or high < 0) == (shown < LEVEL or "<" in cell.rpartition("p")[2])


def test_a_corrected_interval_by_hand() -> None:
    one = SampleMean(87.0, 6.0, 168.0, 0.041, 6)
    both = corrected(one, 0.082)
    error = 81 / quantile(5)
    assert (both.low, both.high) == pytest.approx((87 - error * quantile(5, 0.0125), 87 + error * quantile(5, 0.0125)))
    assert both.low < 0 and sweep_results._difference(both).endswith(", p = 0.082")
    assert math.isnan(corrected(mean([5.0]), math.nan).probability)
