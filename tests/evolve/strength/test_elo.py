"""Elo, its interval and Student's t: closed forms, an independent solution, and how often it holds the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.strength import elo as ratings
from evolve.strength.elo import PAIR_POINTS, THRESHOLD, Estimate, elo, expected_score, rate_against, score_interval
from evolve.strength.means import clustered, mean, quantile, upper_tail
from tests.cases import for_each
from tests.evolve.strength.simulated import pair_chances

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
COUNTS = st.lists(st.one_of(st.integers(0, 3), st.integers(0, 500)), min_size=5, max_size=5).filter(any)


def test_known_elo_differences() -> None:
    """The logistic curve by hand: odds of 10 to 1 are 400 points, of 100 to 1 are 800."""
    assert elo(0.5) == 0.0
    assert math.copysign(1.0, elo(0.5)) == 1.0  # never written as -0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(1 / 101) == pytest.approx(-800)
    assert elo(0.75) == pytest.approx(190.848501887865)  # 400 log10(3)
    assert (elo(0.0), elo(1.0)) == (-math.inf, math.inf)
    assert expected_score(400) == pytest.approx(10 / 11)
    assert expected_score(0) == 0.5


def test_expected_scores_of_any_difference() -> None:
    assert (expected_score(math.inf), expected_score(-math.inf)) == (1.0, 0.0)
    assert (expected_score(1e6), expected_score(-1e6)) == (1.0, 0.0)  # no overflow on the way


@given(st.floats(-2000, 2000))
def test_elo_and_back(difference: float) -> None:
    assert elo(expected_score(difference)) == pytest.approx(difference, abs=1e-6)
    assert expected_score(-difference) == pytest.approx(1 - expected_score(difference), abs=1e-15)


@for_each(
    ("function", "given", "text"),
    [
        *((elo, (score,), "score") for score in (-0.1, 1.1, math.nan, math.inf)),
        *((score_interval, (counts,), "counts") for counts in ((), (1, 2, 3), (0,) * 5, (1, 1, 1, 1, -1), (0,) * 6)),
        *((score_interval, ((1,) * 5, threshold), "threshold") for threshold in (0.0, -1.0, math.nan)),
    ],
)
def test_impossible_numbers_are_refused(function: Callable[..., object], given: tuple[object, ...], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        function(*given)


@pytest.mark.parametrize("pairs", [1, 2, 10, 100, 12345])
def test_the_interval_of_games_that_are_all_won_is_that_of_the_formula(pairs: int) -> None:
    """With mean m the best distribution gives two wins the probability m, so n log m >= -threshold / 2."""
    won = score_interval((0, 0, 0, 0, pairs))
    assert (won.score, won.high, won.elo, won.elo_high) == (1.0, 1.0, math.inf, math.inf)
    assert won.low == pytest.approx(math.exp(-THRESHOLD / 2 / pairs), abs=1e-14)
    assert math.isfinite(won.elo_low)
    lost = score_interval((pairs, 0, 0, 0, 0))
    assert (lost.score, lost.low, lost.elo, lost.elo_low) == (0.0, 0.0, -math.inf, -math.inf)
    assert lost.high == pytest.approx(1 - math.exp(-THRESHOLD / 2 / pairs), abs=1e-14)
    assert math.isfinite(lost.elo_high)


@for_each("pairs", [1, 2, 10, 100, 12345])
@for_each("index", [1, 2, 3])
def test_the_interval_of_pairs_that_are_all_alike_is_that_of_the_formula(index: int, pairs: int) -> None:
    """All pairs score s: mean m > s needs w = (m-s)/(1-s) of two wins, and n log(1 - w) >= -threshold / 2."""
    counts = [0] * 5
    counts[index] = pairs
    result = score_interval(counts)
    moved = 1 - math.exp(-THRESHOLD / 2 / pairs)
    assert result.score == SCORES[index]
    assert result.high == pytest.approx(SCORES[index] + (1 - SCORES[index]) * moved, abs=1e-14)
    assert result.low == pytest.approx(SCORES[index] * (1 - moved), abs=1e-14)


@given(COUNTS)
def test_bounds_in_order_and_never_of_zero_width(counts: list[int]) -> None:
    result = score_interval(counts)
    assert 0 <= result.low <= result.score <= result.high <= 1
    assert result.low < result.high
    assert (result.low == 0) == (result.score == 0)
    assert (result.high == 1) == (result.score == 1)


@given(COUNTS, st.sampled_from([0.5, 2.705543454095404, THRESHOLD, 6.634896601021213]))
def test_bounds_equal_those_of_the_dual(counts: list[int], threshold: float) -> None:
    result = score_interval(counts, threshold)
    for bound in (result.low, result.high):
        if 0 < bound < 1:
            assert dual_statistic(counts, bound) == pytest.approx(threshold, abs=1e-6)


def dual_statistic(counts: Sequence[int], mean: float) -> float:
    """Twice the largest sum of n log(1 + x (a - mean)), x from -1 / (1 - mean) to 1 / mean (Owen)."""
    seen = [(count, score - mean) for count, score in zip(counts, SCORES, strict=True) if count]

    def value(x: float) -> float:
        if min(1 + x * distance for _, distance in seen) <= 0:
            return -math.inf
        return sum(count * math.log1p(x * distance) for count, distance in seen)

    def slope_is_up(x: float) -> bool:
        below = [distance for _, distance in seen if 1 + x * distance <= 0]
        if below:  # beyond a pole: the way back is towards 0
            return below[0] > 0
        return sum(count * distance / (1 + x * distance) for count, distance in seen) > 0

    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope_is_up(middle) else (low, middle)
    return 2 * max(value(low), value(high))


@pytest.mark.parametrize(
    ("pairs", "truth", "draws", "lopsided"),
    [
        pytest.param(30, -150, 0.5, 0.15, marks=pytest.mark.check),
        pytest.param(100, 300, 0.3, 0.1, marks=pytest.mark.check),
        (20, 0, 0.8, 0.0),
    ],
)
def test_the_interval_holds_a_known_strength(pairs: int, truth: float, draws: float, lopsided: float) -> None:
    """From single games on: wins, draws and losses, on openings that favour a colour. It errs to both sides alike."""
    chances = pair_chances(truth, draws=draws, lopsided=lopsided)
    assert sum(p * a for p, a in zip(chances, SCORES, strict=True)) == pytest.approx(expected_score(truth))
    random, known, below, above = Random(1952), dict[tuple[int, ...], Estimate](), 0, 0
    for _ in range(500):
        drawn = random.choices(range(5), chances, k=pairs)
        counts = tuple(drawn.count(index) for index in range(5))
        if counts not in known:
            known[counts] = score_interval(counts)
        below += truth < known[counts].elo_low
        above += truth > known[counts].elo_high
    assert 0.93 <= 1 - (below + above) / 500 <= 0.98
    assert max(below, above) / 500 <= 0.04


def test_the_threshold_is_the_square_of_the_normal_quantile() -> None:
    """The probability of |z| <= sqrt(threshold) is the confidence that the reports name."""
    assert math.erf(math.sqrt(THRESHOLD / 2)) == pytest.approx(0.95, abs=1e-12)


@given(COUNTS, st.floats(-1000, 1000))
def test_one_opponent_moves_the_estimate(counts: list[int], rating: float) -> None:
    """The same interval by another algorithm: a multiplier instead of tilted results."""
    single, result = score_interval(counts), rate_against([(rating, counts)])
    for mine, its in ((result.value, single.elo), (result.low, single.elo_low), (result.high, single.elo_high)):
        assert mine == pytest.approx(its + rating, abs=1e-5)


@given(COUNTS, COUNTS)
def test_two_opponents_of_one_rating_are_one_match_with_less_doubt(one: list[int], other: list[int]) -> None:
    """Within each match the results may be distributed in their own way, so no interval is wider than that of all."""
    both = score_interval([a + b for a, b in zip(one, other, strict=True)])
    result = rate_against([(7.0, one), (7.0, other)])
    assert result.value == pytest.approx(both.elo + 7, abs=1e-5)
    assert result.low >= both.elo_low + 7 - 1e-5
    assert result.high <= both.elo_high + 7 + 1e-5


def test_uninformative_matches_do_not_narrow_intervals() -> None:
    """A hopeless opponent and a hopeless match have next to no slope: what is left is the even one."""
    even = (5, 9, 12, 8, 6)
    alone = rate_against([(100.0, even)])
    beside = rate_against([(100.0, even), (-9000.0, (0, 0, 0, 0, 40)), (9000.0, (40, 0, 0, 0, 0))])
    assert beside.value == pytest.approx(alone.value, abs=1e-4)
    assert beside.low <= alone.low
    assert beside.high >= alone.high


def test_expected_points_are_the_points_made() -> None:
    known = [(-200.0, (0, 1, 2, 5, 12)), (0.0, (3, 4, 5, 4, 4)), (300.0, (9, 5, 1, 0, 0))]
    made = sum(n * p / 2 for _, counts in known for n, p in zip(counts, ratings.PAIR_POINTS, strict=True))
    result = rate_against(known)
    assert made == pytest.approx(sum(sum(counts) * expected_score(result.value - rating) for rating, counts in known))
    assert result.low < result.value < result.high


def test_all_won_or_lost_against_all() -> None:
    """n pairs, all won: exp(-threshold / 2n) of the points stay possible, over all matches together."""
    won, lost = (0, 0, 0, 0, 10), (10, 0, 0, 0, 0)
    best, worst = rate_against([(0.0, won), (0.0, won)]), rate_against([(0.0, lost), (0.0, lost)])
    assert (best.value, best.high) == (math.inf, math.inf)
    assert best.low == pytest.approx(elo(math.exp(-THRESHOLD / 40)), abs=1e-6)
    assert (worst.value, worst.low) == (-math.inf, -math.inf)
    assert worst.high == pytest.approx(-best.low)


@pytest.mark.parametrize("known", [[], [(0.0, (0, 0, 0, 0, 0))], [(0.0, (1, 1, 1, 1, 1)), (0.0, (1, 1))]])
def test_no_known_opponents(known: list[tuple[float, tuple[int, ...]]]) -> None:
    with pytest.raises(ValueError, match=r"known|counts"):
        rate_against(known)


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


@pytest.mark.parametrize("count", [4, pytest.param(30, marks=pytest.mark.check)])
def test_positions_of_a_game_belong_together(count: int) -> None:
    """Games differ in how well they are predicted, and in length: positions alone promise far too much."""
    generator = np.random.default_rng(7)
    held = alone = 0
    for _ in range(RUNS := 160):
        lengths = generator.integers(30, 90, count)
        games = np.repeat(np.arange(count) * 3, lengths)  # other games have no such positions
        hits = generator.random(len(games)) < np.repeat(generator.beta(6, 4, count), lengths)
        result, right = clustered(hits, games), int(hits.sum())
        assert result.score == pytest.approx(hits.mean())
        positions = score_interval([len(hits) - right, 0, 0, 0, right])
        held += result.low <= 0.6 <= result.high
        alone += positions.low <= 0.6 <= positions.high
    assert held >= 0.92 * RUNS
    assert alone < 0.75 * RUNS


def test_few_games_prove_little() -> None:
    one = clustered(np.array([True, False, True]), np.zeros(3, int))
    assert (one.low, one.high) == (0, 1)
    alike = clustered(np.ones(40, bool), np.repeat([0, 1], 20))
    assert alike.low == score_interval([0, 0, 0, 0, 40]).low < alike.high == 1


def test_pairs_on_ballots_of_their_own_are_independent() -> None:
    points = np.random.default_rng(1).choice(PAIR_POINTS, 400, p=pair_chances(30))
    counts = [int((points == each).sum()) for each in PAIR_POINTS]
    result, pairs = clustered(points / 2, np.arange(400)), score_interval(counts)
    assert result.score == pairs.score
    assert (result.low, result.high) == pytest.approx((pairs.low, pairs.high), abs=0.003)


def test_clusters_may_have_any_names() -> None:
    points = [1.0, 1.0, 0.75, 1.0, 0.25, 0.5]
    assert clustered(points, list("aabbcc")) == clustered(points, np.array([5, 5, 1, 1, 7, 7]))
