"""Means over a few seeds: how sure they are, and whether two differ, by Student's t.

Ratings of runs that differ in nothing but their seed scatter, so one run of each setting says little. Runs of two
settings that share their seeds are compared pair by pair: what the seed does to both cancels.

Source: Student, The probable error of a mean (1908). The distribution by the continued fraction of the incomplete beta
function: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.5.8 and 26.7.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

TAIL = 0.025
"""Probability above an interval of 95 %, and as much below."""


@dataclass(frozen=True)
class Mean:
    """A mean with its 95 % interval.

    Attributes:
        value: the mean.
        low: lower end; -inf of a single number.
        high: upper end.
        probability: of a mean at least as far from 0 if the true one were 0 (two-sided); NaN if the numbers do not say
            how they scatter.
        count: how many numbers.
    """

    value: float
    low: float
    high: float
    probability: float
    count: int


def mean(numbers: Sequence[float], errors: Sequence[float] = ()) -> Mean:
    """Return the mean of numbers that are taken to be normally distributed.

    Args:
        numbers: at least one.
        errors: standard error of each number; empty if they are exact. What these leave of the mean's own standard
            error is its floor: numbers that happen to be equal do not make it 0.

    Raises:
        ValueError: no number.
    """
    count = len(numbers)
    if not count:
        raise ValueError("expected at least one number")
    value = math.fsum(numbers) / count
    if count == 1:
        return Mean(value, -math.inf, math.inf, math.nan, 1)
    variance = math.fsum((number - value) ** 2 for number in numbers) / (count - 1)
    error = max(math.sqrt(variance / count), math.hypot(*errors) / count)
    if error == 0:
        return Mean(value, value, value, math.nan, count)
    half = quantile(count - 1) * error
    return Mean(value, value - half, value + half, 2 * upper_tail(abs(value) / error, count - 1), count)


def upper_tail(t: float, degrees: int) -> float:
    """Probability of a number above `t` (0 or more) from Student's distribution."""
    return 0.5 * _beta_below(degrees / (degrees + t * t), degrees / 2, 0.5)


@cache
def quantile(degrees: int, tail: float = TAIL) -> float:
    """Return the number above which Student's distribution has this probability (below 1/2)."""
    low, high = 0.0, 1.0
    while upper_tail(high, degrees) > tail:
        high *= 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if upper_tail(middle, degrees) > tail else (low, middle)
    return high


def _beta_below(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function."""
    if x <= 0.0 or x >= 1.0:
        return min(max(x, 0.0), 1.0)
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _beta_below(1.0 - x, b, a)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    tiny, fraction, above, below = 1e-300, 1.0, 1.0, 0.0
    for step in range(1000):  # Lentz's way through the continued fraction
        half = step // 2
        if step == 0:
            term = 1.0
        elif step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            term = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        below = 1.0 / _not_zero(1.0 + term * below, tiny)
        above = _not_zero(1.0 + term / above, tiny)
        factor = above * below
        fraction *= factor
        if abs(factor - 1.0) < 1e-15:
            break
    return math.exp(logarithm) / a * (fraction - 1.0)


def _not_zero(number: float, tiny: float) -> float:
    return number if abs(number) > tiny else tiny
