"""Intervals of means whose parts are not independent: pairs of games on the same ballots, positions of the same games.

A champion that meets sixteen opponents which are near copies of one another plays much the same games against all of
them on each ballot: sixteen pairs tell little more than one. So ballots are drawn anew, not pairs: each draw takes as
many ballots as there are, with replacement, each with all pairs that were played on it. Opponents are not drawn anew:
the interval is about these.

Source: the bootstrap of whole clusters: Davison and Hinkley, Bootstrap Methods and their Application (1997), 3.8;
Cameron, Gelbach and Miller, Bootstrap-based improvements for inference with clustered errors, Review of Economics and
Statistics 90 (2008).

The share of positions in which something holds is a ratio of two sums over games, hits and positions.

Source: Cochran, Sampling Techniques (1977), 3.12: proportions in cluster sampling.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.strength import student
from evolve.strength.elo import PAIR_POINTS, Estimate, score_interval

SAMPLES = 4000
"""How often the ballots are drawn anew."""

SEED = 1
"""The same pairs give the same interval; the draws are whole numbers, so on every machine."""

_TAIL = 0.025  # on either side of a 95 % interval


def cluster_interval(points: Sequence[float], ballots: Sequence[Hashable]) -> Estimate:
    """The score of pairs of games, with a 95 % interval that counts pairs on one ballot as belonging together.

    It is never narrower than that of independent pairs (`evolve.strength.elo.score_interval`): few ballots that are all
    alike stay so however they are drawn, and are no proof for all that.

    Args:
        points: of each pair, one of `PAIR_POINTS`.
        ballots: of each pair, what it shares with those that it depends on.

    Raises:
        ValueError: no pair, or not as many ballots as pairs.
    """
    if len(points) != len(ballots):
        raise ValueError(f"ballots: expected one for each of {len(points)} pairs, got {len(ballots)}")
    alone = score_interval([points.count(each) for each in PAIR_POINTS])
    number = {ballot: index for index, ballot in enumerate(dict.fromkeys(ballots))}
    of = [number[ballot] for ballot in ballots]
    halves = np.bincount(of, 2 * np.asarray(points)).astype(np.int64)  # half points, which are whole numbers
    pairs = np.bincount(of)
    generator = np.random.Generator(np.random.Philox(SEED))
    drawn = generator.integers(0, len(pairs), (SAMPLES, len(pairs)))
    scores = np.sort(halves[drawn].sum(axis=1) / (4 * pairs[drawn].sum(axis=1)))
    cut = int(_TAIL * SAMPLES)
    low, high = float(scores[cut]), float(scores[SAMPLES - 1 - cut])
    return Estimate(alone.score, min(alone.low, low), max(alone.high, high))


def share_interval(hits: NDArray[np.bool_], games: NDArray[np.integer[Any]]) -> Estimate:
    """Return the share of hits, with a 95 % interval by Student's t that counts the positions of a game as belonging
    together. As that of `cluster_interval`, it is never narrower than that of independent positions.

    Args:
        hits: of each position, whether it is one.
        games: of each position, the number of its game.

    Raises:
        ValueError: no position.
    """
    count, right = len(hits), int(hits.sum())
    alone = score_interval([count - right, 0, 0, 0, right])
    number = np.unique(games, return_inverse=True)[1]
    positions = np.bincount(number)
    apart = np.bincount(number, hits) - alone.score * positions  # hits of a game above the share; their sum is 0
    mean = student.mean((alone.score + apart / positions.mean()).tolist())
    return Estimate(alone.score, max(0.0, min(alone.low, mean.low)), min(1.0, max(alone.high, mean.high)))
