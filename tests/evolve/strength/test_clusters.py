"""Intervals of pairs that share ballots, and of positions that share games: how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.strength.clusters import cluster_interval, share_interval
from evolve.strength.elo import PAIR_POINTS, score_interval
from tests.evolve.strength.simulated import pair_chances

BALLOTS, OPPONENTS = 100, 16


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
        found = cluster_interval(points, on)
        pairs = score_interval([points.count(each) for each in PAIR_POINTS])
        held += found.low <= truth <= found.high
        alone += pairs.low <= truth <= pairs.high
        wider += found.high - found.low > 1.2 * (pairs.high - pairs.low)
    assert 0.915 * RUNS <= held <= 0.985 * RUNS
    assert alone < 0.87 * RUNS
    assert wider > 0.95 * RUNS


def test_pairs_on_ballots_of_their_own_are_independent() -> None:
    """As wide as without ballots, but for the chance of the draws."""
    points = np.random.default_rng(1).choice(PAIR_POINTS, 400, p=pair_chances(30)).tolist()
    found, pairs = cluster_interval(points, range(400)), score_interval([points.count(each) for each in PAIR_POINTS])
    assert found.score == pairs.score
    assert (found.low, found.high) == pytest.approx((pairs.low, pairs.high), abs=0.003)


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
        found, right = share_interval(hits, games), int(hits.sum())
        assert found.score == pytest.approx(hits.mean())
        positions = score_interval([len(hits) - right, 0, 0, 0, right])
        held += found.low <= 0.6 <= found.high
        alone += positions.low <= 0.6 <= positions.high
    assert held >= 0.92 * RUNS
    assert alone < 0.75 * RUNS


def test_few_games_prove_little() -> None:
    one = share_interval(np.array([True, False, True]), np.zeros(3, int))
    assert (one.low, one.high) == (0, 1)
    alike = share_interval(np.ones(40, bool), np.repeat([0, 1], 20))
    assert alike.low == score_interval([0, 0, 0, 0, 40]).low < alike.high == 1
