"""Comparing the settings of a sweep: which are behind others, corrected p values, and differences that are detected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from evolve.strength.means import TAIL, SampleMean, quantile

LEVEL = 0.05
"""Maximum probability that a sweep stops any setting if all are equal."""

POWER = 0.8
"""Probability with which a sweep detects the difference that it reports as detectable."""

RUN_DEVIATION = 50.0
"""Approximate standard deviation, in Elo, of runs that differ only in their seed. Measured."""

RATING_DEVIATION = 400.0
"""Standard deviation, in Elo, of a rating from one game; for n games, divide it by the square root of n. Measured."""


Behind = NDArray[np.bool_]
"""Array of shape (..., settings, settings): True where the setting of the row is behind the setting of the column."""


def find_behind(ratings: NDArray[np.float64], errors: NDArray[np.float64], share: float, before: Behind) -> Behind:
    """Find the settings of a sweep that are behind others, by the ratings of runs with the same seeds.

    A sweep makes this comparison at several generations, called looks. Each look compares every pair of settings by two
    tests. The settings count as different only if both tests are significant:

    * Student's t test of the differences between their ratings, one difference for each seed. The scatter may differ
      from pair to pair, so each pair has its own standard error.
    * A test with the standard errors of the ratings themselves. Ratings from few games are coarse, so the differences
      of all seeds may be equal by chance; the first test alone would then take them as exact.

    Three effects would make equal settings look different too often, and each has its remedy:

    * The best setting is chosen by the same ratings. Therefore all pairs are compared, not only those with the best.
    * There are many pairs. Therefore the tests follow Holm's step-down procedure.
    * There are several looks. Therefore each look may spend only a share of `LEVEL`, fixed before the first look.
      This assumes nothing about how a run's ratings in different generations depend on each other. When a pair is
      decided, its part of the probability goes to the other pairs at later looks (a group sequential Holm procedure).

    Thus the probability that any two equal settings are ever considered different is at most `LEVEL`, even if other
    settings differ.

    Args:
        ratings: float64 of shape (..., settings, seeds), all from one generation; NaN for a setting without ratings.
        errors: standard errors of the ratings, of the same shape.
        share: the part of `LEVEL` that this look may spend, as a probability.
        before: the result of the previous look; all False at the first.

    Returns:
        bool of shape (..., settings, settings): True where the setting of the row is behind the setting of the
            column, by this or an earlier look.

    Sources: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979);
    Lan and DeMets, Discrete sequential boundaries for clinical trials, Biometrika 70 (1983); Ye, Li, Liu and Yao, A
    group sequential Holm procedure with multiple primary endpoints, Statistics in Medicine 32 (2013).
    """
    settings, seeds = ratings.shape[-2:]
    first, second = np.triu_indices(settings, 1)
    if seeds < 2 or not len(first):
        return before
    differences = ratings[..., first, :] - ratings[..., second, :]
    mean = differences.mean(axis=-1)
    scatter = differences.std(axis=-1, ddof=1) / math.sqrt(seeds)
    of_games = np.sqrt((errors[..., first, :] ** 2 + errors[..., second, :] ** 2).sum(axis=-1)) / seeds
    decided = (before | np.swapaxes(before, -1, -2))[..., first, second]
    # For each pair, the largest number by which its probability can be divided so that it still differs; 0 if none.
    tails = [share / 2 / pairs for pairs in range(1, len(first) + 1)]
    passed = np.minimum(
        np.searchsorted([quantile(seeds - 1, tail) for tail in tails], _ratio(mean, scatter)),
        np.searchsorted([-NormalDist().inv_cdf(tail) for tail in tails], _ratio(mean, of_games)),
    )
    passed[decided] = 0
    # Holm: in order of significance, divide by the number of pairs that are left, until a pair does not differ.
    order = np.argsort(-passed, axis=-1)
    left = len(first) - decided.sum(axis=-1, keepdims=True) - np.arange(len(first))
    sure = (left > 0) & (np.take_along_axis(passed, order, axis=-1) >= left)
    differ = np.zeros(sure.shape, np.bool_)
    np.put_along_axis(differ, order, np.logical_and.accumulate(sure, axis=-1), axis=-1)
    behind = before.copy()
    behind[..., first, second] |= differ & (mean < 0)
    behind[..., second, first] |= differ & (mean > 0)
    return behind


def _ratio(mean: NDArray[np.float64], error: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the absolute value of a mean in standard errors; 0 if it is unknown, infinite if the error is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.abs(mean) / error, nan=0.0, posinf=math.inf)


def holm(probabilities: Sequence[float]) -> list[float]:
    """Correct p values for multiple comparisons; a NaN stays NaN but counts as a comparison."""
    corrected, largest = [math.nan] * len(probabilities), 0.0
    # The smallest p is multiplied by the number of all comparisons, the next by one less, and so on; none may end up
    # below a smaller one.
    order = sorted((one, at) for at, one in enumerate(probabilities) if not math.isnan(one))
    for rank, (probability, at) in enumerate(order):
        largest = max(largest, min(1.0, probability * (len(probabilities) - rank)))
        corrected[at] = largest
    return corrected


def corrected(found: SampleMean, probability: float) -> SampleMean:
    """Return a mean with a corrected p value, and with the interval that is wider by the same correction.

    The interval excludes 0 exactly if the corrected p value is below 1 - 95 %: both then say the same about the mean.
    """
    if not 0 < found.probability < probability:  # also NaN, if the scatter is unknown
        return replace(found, probability=probability)
    degrees = found.count - 1
    error = (found.high - found.value) / quantile(degrees)
    half = error * quantile(degrees, TAIL * found.probability / probability)
    return replace(found, low=found.value - half, high=found.value + half, probability=probability)


def difference_deviation(games: int) -> float:
    """Return the approximate standard deviation (Elo) of the difference of two runs with this many games per rating."""
    return math.sqrt(2.0) * math.hypot(RUN_DEVIATION, RATING_DEVIATION / math.sqrt(games))


def detected(seeds: int, deviation: float, comparisons: int) -> float:
    """Return the difference that is detected with probability `POWER`; infinite for a single seed.

    Args:
        seeds: number of seeds of each setting.
        deviation: standard deviation of the difference of two runs with the same seed.
        comparisons: number of comparisons for which p is corrected.
    """
    if seeds < 2:
        return math.inf
    # The difference lies `margin` standard errors above the bound of the test, so that it exceeds it with this
    # probability.
    bound, margin = (quantile(seeds - 1, tail) for tail in (LEVEL / 2 / comparisons, 1 - POWER))
    return (bound + margin) * deviation / math.sqrt(seeds)


def seeds_to_detect(difference: float, deviation: float, comparisons: int) -> int:
    """Return the number of seeds needed to detect a difference with probability `POWER`."""
    high = 2
    while detected(high, deviation, comparisons) > difference:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if detected(middle, deviation, comparisons) <= difference else (middle, high)
    return high
