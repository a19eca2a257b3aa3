"""Means with 95 % intervals: of results over a few seeds, of differences between settings, and of positions of games.

The ratings of runs vary even if only the seed differs, so a single run per setting says little. Two settings are
compared seed by seed, which cancels the effect of the seed.

Sources: Student, The probable error of a mean (1908). Student's distribution is computed from the continued fraction of
the incomplete beta function: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.5.8 and 26.7.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.strength.elo import Estimate, score_interval

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

    Raises:
        ValueError: there is no number.
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


def upper_tail(t: float, degrees: int) -> float:
    """Return the probability of a number above `t` (0 or more) from Student's distribution."""
    return 0.5 * _beta_below(degrees / (degrees + t * t), degrees / 2, 0.5)


@cache
def quantile(degrees: int, tail: float = TAIL) -> float:
    """Return the number above which Student's distribution has the probability `tail` (below 1/2)."""
    low, high = 0.0, 1.0
    # The tail has no closed inverse: double a bound until it is far enough out, then halve the interval until no float
    # lies between its ends.
    while upper_tail(high, degrees) > tail:
        high *= 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if upper_tail(middle, degrees) > tail else (low, middle)
    return high


def _beta_below(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function."""
    if x <= 0.0 or x >= 1.0:
        return min(max(x, 0.0), 1.0)
    # The continued fraction converges fast below this point; beyond it, by symmetry, for the other tail.
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _beta_below(1.0 - x, b, a)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    tiny, fraction, above, below = 1e-300, 1.0, 1.0, 0.0
    for step in range(1000):  # Lentz's method for the continued fraction
        half = step // 2
        if step == 0:
            term = 1.0
        elif step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            term = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        # A denominator of 0 would end the recurrence; a tiny number in its place cancels out in the next step.
        below = 1.0 / _not_zero(1.0 + term * below, tiny)
        above = _not_zero(1.0 + term / above, tiny)
        factor = above * below
        fraction *= factor
        if abs(factor - 1.0) < 1e-15:
            break
    return math.exp(logarithm) / a * (fraction - 1.0)


def _not_zero(number: float, tiny: float) -> float:
    return number if abs(number) > tiny else tiny


def share_interval(hits: NDArray[np.bool_], games: NDArray[np.integer[Any]]) -> Estimate:
    """Return the share of hits, with a 95 % interval by Student's t that treats the positions of a game as dependent.

    The share is a ratio of two sums over games: the number of hits and the number of positions. The interval is never
    narrower than that of independent positions.

    Args:
        games: the number of the game of each position.

    Raises:
        ValueError: there is no position.

    Source: Cochran, Sampling Techniques (1977), 3.12: proportions in cluster sampling.
    """
    count, right = len(hits), int(hits.sum())
    independent = score_interval([count - right, 0, 0, 0, right])
    score = independent.score
    number = np.unique(games, return_inverse=True)[1]
    positions = np.bincount(number)
    excess = np.bincount(number, hits) - score * positions  # hits of each game above expectation; their sum is 0
    # The ratio estimator to first order: its variance is that of the mean excess of a game, per position.
    by_game = mean((score + excess / positions.mean()).tolist())
    return Estimate(score, max(0.0, min(independent.low, by_game.low)), min(1.0, max(independent.high, by_game.high)))
