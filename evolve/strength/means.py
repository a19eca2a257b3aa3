"""Means with 95 % intervals: of results over a few seeds, of differences between settings, and of dependent results.

The ratings of runs vary even if only the seed differs, so a single run per setting says little. Two settings are
compared seed by seed, which cancels the effect of the seed.

Sources: Student, The probable error of a mean (1908); Abramowitz and Stegun, Handbook of Mathematical Functions (1964),
26.7.3 and 26.7.4, for the series.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evolve.strength.elo import PAIR_POINTS, Estimate, find_root, score_interval

TAIL = 0.025
"""Probability on each side of a 95 % interval."""


@dataclass(frozen=True)
class SampleMean:
    """A mean with its 95 % interval.

    Attributes:
        low: lower end of the interval; -inf for a single number.
        probability: two-sided p value: the probability of a mean at least as far from 0 if the true mean is 0; NaN if
            the scatter of the numbers is unknown.
    """

    value: float
    low: float
    high: float
    probability: float
    count: int


def mean(numbers: Sequence[float], errors: Sequence[float] = ()) -> SampleMean:
    """Return the mean of numbers that are assumed to be normally distributed.

    Args:
        errors: standard error of each number; empty if the numbers are exact. They give a lower bound for the
            standard error of the mean, which would otherwise be 0 if all numbers happen to be equal.
    """
    count = len(numbers)
    if not count:
        raise ValueError("expected at least one number")
    value = math.fsum(numbers) / count
    if count == 1:
        return SampleMean(value, -math.inf, math.inf, math.nan, 1)
    # Divided by one less than the count, since the deviations are from the mean of the same numbers, which is nearer to
    # them than the true mean.
    variance = math.fsum((number - value) ** 2 for number in numbers) / (count - 1)
    error = max(math.sqrt(variance / count), math.hypot(*errors) / count)
    if error == 0:
        return SampleMean(value, value, value, math.nan, count)
    half = quantile(count - 1) * error
    return SampleMean(value, value - half, value + half, 2 * upper_tail(abs(value) / error, count - 1), count)


def clustered(points: ArrayLike, clusters: Sequence[str] | NDArray[np.integer[Any]]) -> Estimate:
    """Return the mean of points, with a 95 % interval by Student's t that treats those of a cluster as dependent.

    If sixteen opponents are near copies of each other, a champion plays much the same games against all of them on a
    ballot, and sixteen pairs say little more than one. The mean is a ratio of two sums over clusters: the points, and
    their number. The interval is never narrower than that of independent points.

    Args:
        points: half of the points of each pair of games (`PAIR_POINTS`), or 1 for a hit and 0 for a miss.
        clusters: the cluster of each, such as its ballot or its game.

    Source: Cochran, Sampling Techniques (1977), 3.12: proportions in cluster sampling.
    """
    halves = np.asarray(points, np.float64)
    independent = score_interval([int(np.count_nonzero(halves == each / 2)) for each in PAIR_POINTS])
    score, number = independent.score, np.unique(clusters, return_inverse=True)[1]
    sizes = np.bincount(number)
    excess = np.bincount(number, halves) - score * sizes  # of each cluster above expectation; their sum is 0
    # The ratio estimator to first order: its variance is that of the mean excess of a cluster, per point.
    by_cluster = mean((score + excess / sizes.mean()).tolist())
    return Estimate(
        score, max(0.0, min(independent.low, by_cluster.low)), min(1.0, max(independent.high, by_cluster.high))
    )


def upper_tail(t: float, degrees: int) -> float:
    """Return the probability of a number above `t` (0 or more) from Student's distribution."""
    # The distribution has a closed form for whole degrees: a finite series in the cosine of this angle.
    angle = math.atan2(t, math.sqrt(degrees))
    sine, cosine = math.sin(angle), math.cos(angle)
    term, total = (cosine, angle) if degrees % 2 else (1.0, 0.0)
    for power in range(1 + degrees % 2, degrees, 2):
        total += sine * term
        term *= cosine * cosine * power / (power + 1)
    return max(0.5 - total / (math.pi if degrees % 2 else 2.0), 0.0)


@cache
def quantile(degrees: int, tail: float = TAIL) -> float:
    """Return the number above which Student's distribution has the probability `tail` (below 1/2)."""
    high = 1.0
    while upper_tail(high, degrees) > tail:
        high *= 2
    return find_root(lambda t: upper_tail(t, degrees) > tail, 0.0, high)
