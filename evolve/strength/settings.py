"""Which settings of a sweep are behind others, by ratings of runs that share their seeds.

Two settings are compared by Student's t for the differences of their ratings, seed by seed. Any two may differ in how
much they scatter, so each pair has its own standard error. A difference also has to be larger than the games of its
ratings explain: ratings of few games are coarse, so differences that are equal by chance would seem to be exact.
Three things would make equal settings look different too often, and each is corrected for:

* The best setting is chosen by the same ratings. So all pairs are compared, and not only those with the best.
* There are many pairs: Holm's step-down procedure.
* There are several looks. Each look may spend its share of the probability, which is fixed before the first, so
  that no assumption is needed on how the ratings of one run in two generations depend on each other. A pair that is
  decided at one look hands its share on to the others at later looks (a group sequential Holm procedure).

So the probability that any two equal settings are ever taken for different is at most `LEVEL`, whatever the others are.

Source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979). Lan
and DeMets, Discrete sequential boundaries for clinical trials, Biometrika 70 (1983). Ye, Li, Liu and Yao, A group
sequential Holm procedure with multiple primary endpoints, Statistics in Medicine 32 (2013).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from evolve.strength import student

LEVEL = 0.05
"""Probability that a sweep of equal settings stops any of them, at most."""

POWER = 0.8
"""Part of sweeps in which a difference is detected that a sweep is said to detect."""

RUN_DEVIATION = 50.0
"""Elo, by which runs that differ in their seed alone scatter, about. Measured."""

RATING_DEVIATION = 400.0
"""Elo, by which a rating of one game would scatter; of n games the square root of n less. Measured."""


Behind = NDArray[np.bool_]
"""Of shape (..., settings, settings): whether the first is behind the second."""


def find_behind(ratings: NDArray[np.float64], errors: NDArray[np.float64], share: float, before: Behind) -> Behind:
    """Compare all settings at one look.

    Args:
        ratings: float64 of shape (..., settings, seeds), all of one generation; NaN for a setting without them.
        errors: standard errors of the ratings, of the same shape.
        share: of `LEVEL`, what this look may spend.
        before: result of the look before; all False at the first.

    Returns:
        Which settings are behind which, by this look or an earlier one.
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
    # By how many pairs the probability may be divided so that a pair still differs, 0 for none.
    tails = [share / 2 / pairs for pairs in range(1, len(first) + 1)]
    passed = np.minimum(
        np.searchsorted([student.quantile(seeds - 1, tail) for tail in tails], _ratio(mean, scatter)),
        np.searchsorted([-NormalDist().inv_cdf(tail) for tail in tails], _ratio(mean, of_games)),
    )
    passed[decided] = 0
    # Holm: the surest first, each by the number of pairs that are left, until one does not differ.
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
    """The size of a mean in standard errors; 0 where it is not known, infinite where the error is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.abs(mean) / error, nan=0.0, posinf=math.inf)


def holm(probabilities: Sequence[float]) -> list[float]:
    """Correct p values for their number, in the order in which they are given; NaN counts, and stays."""
    corrected, largest = [math.nan] * len(probabilities), 0.0
    order = sorted((one, at) for at, one in enumerate(probabilities) if not math.isnan(one))
    for rank, (probability, at) in enumerate(order):
        largest = max(largest, min(1.0, probability * (len(probabilities) - rank)))
        corrected[at] = largest
    return corrected


def difference_deviation(games: int) -> float:
    """Return by how much Elo differences of two runs scatter, about, if each is rated by this number of games."""
    return math.sqrt(2.0) * math.hypot(RUN_DEVIATION, RATING_DEVIATION / math.sqrt(games))


def detected(seeds: int, deviation: float, comparisons: int) -> float:
    """Return the difference that is detected with probability `POWER`; infinite with a single seed.

    Args:
        seeds: of each setting.
        deviation: of the difference of two runs that share a seed.
        comparisons: number of comparisons that p is corrected for.
    """
    if seeds < 2:
        return math.inf
    bound, margin = (student.quantile(seeds - 1, tail) for tail in (LEVEL / 2 / comparisons, 1 - POWER))
    return (bound + margin) * deviation / math.sqrt(seeds)


def seeds_to_detect(difference: float, deviation: float, comparisons: int) -> int:
    """Return the number of seeds with which a difference is detected with probability `POWER`."""
    high = 2
    while detected(high, deviation, comparisons) > difference:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if detected(middle, deviation, comparisons) <= difference else (middle, high)
    return high
