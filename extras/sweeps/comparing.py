"""Comparing the settings of a sweep: corrected p values, and differences that are detected."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import replace

from evolve.strength.means import TAIL, SampleMean, quantile

LEVEL = 0.05
"""Probability below which a difference counts as one."""

POWER = 0.8
"""Probability with which a sweep detects the difference that it reports as detectable."""

RUN_DEVIATION = 50.0
"""Approximate standard deviation, in Elo, of runs that differ only in their seed. Measured."""

RATING_DEVIATION = 400.0
"""Standard deviation, in Elo, of a rating from one game; for n games, divide it by the square root of n. Measured."""


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
    # More seeds detect smaller differences, so the numbers are in order.
    return bisect.bisect_left(
        range(1 << 30), True, lo=2, key=lambda seeds: detected(seeds, deviation, comparisons) <= difference
    )
