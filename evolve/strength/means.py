"""Means with their intervals: over a few seeds, of settings compared with each other, and of clusters.

Ratings of runs that differ in nothing but their seed scatter, so one run of each setting says little. Runs of two
settings that share their seeds are compared pair by pair, which cancels the effect of the seed.

Source: Student, The probable error of a mean (1908). The distribution by the continued fraction of the incomplete beta
function: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.5.8 and 26.7.1.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.strength.elo import PAIR_POINTS, Estimate, score_interval

TAIL = 0.025
"""Probability above an interval of 95 %, and as much below."""


@dataclass(frozen=True)
class SampleMean:
    """A mean with its 95 % interval.

    Attributes:
        value: the mean.
        low: lower end; -inf of a single number.
        high: upper end.
        probability: of a mean at least as far from 0 if the true one were 0 (two-sided); NaN if the numbers do not say
            how they scatter.
        count: of the numbers.
    """

    value: float
    low: float
    high: float
    probability: float
    count: int


def mean(numbers: Sequence[float], errors: Sequence[float] = ()) -> SampleMean:
    """Return the mean of numbers that are assumed to be normally distributed.

    Args:
        numbers: at least one.
        errors: standard error of each number; empty if they are exact. The standard error of the mean is at least
            the one that follows from these, so that numbers which happen to be equal do not make it 0.

    Raises:
        ValueError: no number.
    """
    count = len(numbers)
    if not count:
        raise ValueError("expected at least one number")
    value = math.fsum(numbers) / count
    if count == 1:
        return SampleMean(value, -math.inf, math.inf, math.nan, 1)
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
    """Return the number above which Student's distribution has this probability (below 1/2)."""
    low, high = 0.0, 1.0
    while upper_tail(high, degrees) > tail:
        high *= 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if upper_tail(middle, degrees) > tail else (low, middle)
    return high


def _beta_below(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function."""
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


LEVEL = 0.05
"""Probability that a sweep of equal settings stops any of them, at most."""

POWER = 0.8
"""Probability with which a sweep detects the difference that it is said to detect."""

RUN_DEVIATION = 50.0
"""Approximate standard deviation, in Elo, of runs that differ only in their seed. Measured."""

RATING_DEVIATION = 400.0
"""Standard deviation, in Elo, of a rating from one game; with n games, divided by the square root of n. Measured."""


Behind = NDArray[np.bool_]
"""Of shape (..., settings, settings): whether the first is behind the second."""


def find_behind(ratings: NDArray[np.float64], errors: NDArray[np.float64], share: float, before: Behind) -> Behind:
    """Compare all settings of a sweep at one look, by ratings of runs that share their seeds.

    Two settings are compared by Student's t for the differences of their ratings, seed by seed. Any two may differ in
    how much they scatter, so each pair has its own standard error. A difference also has to be larger than the games of
    its ratings explain: ratings of few games are coarse, so differences that are equal by chance would seem to be
    exact. Three effects would make equal settings look different too often, and each is corrected for:

    * The best setting is chosen by the same ratings. So all pairs are compared, and not only those with the best.
    * There are many pairs: Holm's step-down procedure.
    * There are several looks. Each look may spend its share of the probability, which is fixed before the first, so
      that no assumption is needed on how the ratings of one run in two generations depend on each other. A pair that is
      decided at one look hands its share on to the others at later looks (a group sequential Holm procedure).

    So the probability that any two equal settings are ever taken for different is at most `LEVEL`, whatever the others
    are.

    Args:
        ratings: float64 of shape (..., settings, seeds), all of one generation; NaN for a setting without them.
        errors: standard errors of the ratings, of the same shape.
        share: the part of `LEVEL` that this look may spend.
        before: result of the look before; all False at the first.

    Returns:
        bool of shape (..., settings, settings): whether the row's setting is behind the column's, by this or an
            earlier look.

    Source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
    Lan and DeMets, Discrete sequential boundaries for clinical trials, Biometrika 70 (1983). Ye, Li, Liu and Yao, A
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
    # The number of pairs by which the probability may be divided so that a pair still differs; 0 for none.
    tails = [share / 2 / pairs for pairs in range(1, len(first) + 1)]
    passed = np.minimum(
        np.searchsorted([quantile(seeds - 1, tail) for tail in tails], _ratio(mean, scatter)),
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
    """Return the size of a mean in standard errors; 0 if it is unknown, infinite if the error is 0."""
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
    """Return the approximate standard deviation, in Elo, of the difference of two runs that N games rate each."""
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
    bound, margin = (quantile(seeds - 1, tail) for tail in (LEVEL / 2 / comparisons, 1 - POWER))
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


SAMPLES = 4000
"""Bootstrap samples of the ballots."""

SEED = 1
"""The same pairs give the same interval; the draws are whole numbers, so on every machine."""


def cluster_interval(points: Sequence[float], ballots: Sequence[Hashable]) -> Estimate:
    """Return the score of pairs of games, with a 95 % interval that treats pairs on one ballot as dependent.

    A champion that meets sixteen opponents which are near copies of one another plays much the same games against all
    of them on each ballot: sixteen pairs say little more than one. So ballots are resampled, not pairs: each sample
    takes as many ballots as there are, with replacement, each with all pairs that were played on it. Opponents are not
    resampled: the interval is about these.

    It is never narrower than that of independent pairs (`evolve.strength.elo.score_interval`): a few ballots that are
    all alike look the same in every sample, which does not make them exact.

    Args:
        points: of each pair, one of `PAIR_POINTS`.
        ballots: of each pair, the ballot, equal for pairs that depend on each other.

    Raises:
        ValueError: no pair, or not as many ballots as pairs.

    Source: the bootstrap of whole clusters: Davison and Hinkley, Bootstrap Methods and their Application (1997), 3.8;
    Cameron, Gelbach and Miller, Bootstrap-based improvements for inference with clustered errors, Review of Economics
    and Statistics 90 (2008).
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
    cut = int(TAIL * SAMPLES)
    low, high = float(scores[cut]), float(scores[SAMPLES - 1 - cut])
    return Estimate(alone.score, min(alone.low, low), max(alone.high, high))


def share_interval(hits: NDArray[np.bool_], games: NDArray[np.integer[Any]]) -> Estimate:
    """Return the share of hits, with a 95 % interval by Student's t that treats the positions of a game as dependent.

    The share is a ratio of two sums over games, hits and positions. As in `cluster_interval`, the interval is never
    narrower than that of independent positions.

    Args:
        hits: of each position, whether it is one.
        games: of each position, the number of its game.

    Raises:
        ValueError: no position.

    Source: Cochran, Sampling Techniques (1977), 3.12: proportions in cluster sampling.
    """
    count, right = len(hits), int(hits.sum())
    alone = score_interval([count - right, 0, 0, 0, right])
    number = np.unique(games, return_inverse=True)[1]
    positions = np.bincount(number)
    apart = np.bincount(number, hits) - alone.score * positions  # hits of a game above the share; their sum is 0
    within = mean((alone.score + apart / positions.mean()).tolist())
    return Estimate(alone.score, max(0.0, min(alone.low, within.low)), min(1.0, max(alone.high, within.high)))
