"""Intervals of pairs of games that depend on their ballots."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.strength.elo import PAIR_POINTS, score_interval
from extras.progress.clusters import cluster_interval
from tests.evolve.strength.simulated import pair_chances


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
