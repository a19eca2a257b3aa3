"""Student's t beside published tables, and means by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evolve.strength.elo import PAIR_POINTS, score_interval
from evolve.strength.means import clustered, mean, quantile, upper_tail
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
