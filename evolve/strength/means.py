"""Means with 95 % intervals: of results over a few seeds, and of differences between settings.

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

from evolve.strength.elo import find_root

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
