"""Scores of pairs of games that depend on each other, with 95 % intervals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from evolve.strength.elo import PAIR_POINTS, Estimate, score_interval
from evolve.strength.means import TAIL

SAMPLES = 4000
"""Number of bootstrap samples of the ballots."""

SEED = 1
"""Seed of the samples. It is fixed and the samples are whole numbers, so intervals are the same on every machine."""


def cluster_interval(points: Sequence[float], ballots: Sequence[Hashable]) -> Estimate:
    """Return the score of pairs of games, with a 95 % interval that treats pairs on one ballot as dependent.

    If sixteen opponents are near copies of each other, a champion plays much the same games against all of them on a
    ballot, and sixteen pairs say little more than one. Therefore ballots, with all pairs that were played on them, are
    resampled instead of single pairs. Opponents are not resampled: the interval applies only to these opponents.

    The interval is never narrower than that of independent pairs (`evolve.strength.elo.score_interval`): if all ballots
    have the same result, so do all samples, but this does not make the score exact.

    Args:
        points: A's points in each pair, one of `PAIR_POINTS`.
        ballots: the ballot of each pair; pairs on the same ballot may depend on each other.

    Sources: the bootstrap of whole clusters: Davison and Hinkley, Bootstrap Methods and their Application (1997), 3.8;
    Cameron, Gelbach and Miller, Bootstrap-based improvements for inference with clustered errors, Review of Economics
    and Statistics 90 (2008).
    """
    independent = score_interval([points.count(result) for result in PAIR_POINTS])
    number = {ballot: index for index, ballot in enumerate(dict.fromkeys(ballots))}
    cluster_of = [number[ballot] for ballot in ballots]
    halves = np.bincount(cluster_of, 2 * np.asarray(points)).astype(np.int64)  # half points are whole numbers
    pairs = np.bincount(cluster_of)
    # Draw ballots with replacement, and divide the points of all their pairs by the number of these pairs: ballots with
    # more pairs weigh more, in a sample as in the data.
    generator = np.random.Generator(np.random.Philox(SEED))
    drawn = generator.integers(0, len(pairs), (SAMPLES, len(pairs)))
    scores = np.sort(halves[drawn].sum(axis=1) / (4 * pairs[drawn].sum(axis=1)))
    # The interval is between the samples that have 2.5 % of all samples below and above them.
    cut = int(TAIL * SAMPLES)
    low, high = float(scores[cut]), float(scores[SAMPLES - 1 - cut])
    return Estimate(independent.score, min(independent.low, low), max(independent.high, high))
