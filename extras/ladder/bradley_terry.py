"""Ratings of several players from the matches between them.

In the model, the expected score of a game depends only on the difference of two ratings, by the logistic curve of
`evolve.strength.elo`. The fit makes each player's expected points equal its actual points.

The intervals do not use the model's distribution, since the two games of a pair depend on each other. Instead, pairs of
games are resampled with replacement within each match and the ratings are fitted again (bootstrap). No interval is
narrower than the one `rate_against` gives for the player's own matches, with the opponents' ratings taken as exact.

Sources: Bradley and Terry, Rank analysis of incomplete block designs, Biometrika 39 (1952). Conditions for a fit: Ford,
Solution of a ranking problem from binary comparisons, American Mathematical Monthly 64 (1957). Percentile bootstrap:
Efron and Tibshirani, An Introduction to the Bootstrap (1993).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.strength.elo import PAIR_POINTS, SCALE, RatingEstimate, rate_against

SAMPLES = 1000
"""Bootstrap samples for the intervals."""

_TAIL = 0.025  # probability on either side of a 95 % interval
_RIDGE = 1e-9  # a tiny pull of each rating towards 0, which keeps unbounded ratings finite
_LONGEST_STEP = 2.0  # longest step of Newton's method, in units of SCALE / ln 10; a longer one might overshoot
_STEPS = 200
_CLOSE = 1e-10
_BLOCK_BYTES = 64 << 20  # memory for samples fitted together; each has a matrix of matches by players

Floats = NDArray[np.float64]
NONE: Mapping[int, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Match:
    """The result of a match between two players.

    Attributes:
        a: index of the player whose points are counted.
        counts: number of game pairs by A's points, in the order of `evolve.strength.elo.PAIR_POINTS`.
    """

    a: int
    b: int
    counts: tuple[int, ...]


def fit_bradley_terry(
    players: int, matches: Sequence[Match], *, zero: int = 0, known: Mapping[int, float] = NONE, seed: int = 0
) -> list[RatingEstimate]:
    """Fit the ratings of all players on a scale where player `zero` has rating 0.

    A chain of matches from a player to `zero`, or to a player in `known`, bounds its rating from below if each player
    of the chain took points from the next, and from above if each lost points to the next. A rating with only one of
    these bounds is infinite; its finite bound then comes from the player's own matches against players with finite
    ratings, taken as exact. A rating with neither bound is NaN. A bound of an interval is infinite if more than one in
    forty samples leaves the rating unbounded on that side.

    Args:
        known: ratings of other players by index, taken as exact.
    """
    given = {**known, zero: 0.0}
    counts = np.array([match.counts for match in matches], np.int64)
    pairs = counts.sum(axis=1)
    meetings = np.array([(match.a, match.b) for match in matches], np.int64)
    generator = np.random.Generator(np.random.Philox(seed))
    scores = np.empty((1 + SAMPLES, len(matches)))  # the first row has the actual scores, the others are samples
    for column, n, row in zip(scores.T, pairs, counts, strict=True):
        drawn = generator.multinomial(n, row / n, SAMPLES)
        # Pairs, not games, are drawn again: the two games of a pair depend on each other.
        column[:] = np.vstack((row, drawn)) @ np.array(PAIR_POINTS) / 2 / n
    low, high = _fits(players, meetings, pairs.astype(np.float64), scores, given)
    # The first row is the fit itself. Of the samples, each player has its own order: percentiles are taken by player.
    low[1:].sort(axis=0)
    high[1:].sort(axis=0)
    cut = math.floor(_TAIL * SAMPLES)
    fit = [one if one == other else math.nan for one, other in zip(low[0].tolist(), high[0].tolist(), strict=True)]
    ratings = []
    for player, value in enumerate(fit):
        # The percentiles of a skewed sample may exclude the fit itself, which the interval must contain.
        ends = min(low[1 + cut, player], low[0, player]), max(high[SAMPLES - cut, player], high[0, player])
        ratings.append(RatingEstimate(value, float(ends[0]), float(ends[1])))
    return [
        rating if player in given else _bounded(player, rating, fit, matches) for player, rating in enumerate(ratings)
    ]


def _bounded(player: int, rating: RatingEstimate, fit: Sequence[float], matches: Sequence[Match]) -> RatingEstimate:
    """Widen an interval to include the one from the player's own matches; an infinite rating takes its bounds from it.

    If all pairs of a match have the same result, so do all its samples, but this does not make the rating exact.
    """
    if math.isnan(rating.value):
        return rating
    known = [(fit[match.b], match.counts) for match in matches if match.a == player and math.isfinite(fit[match.b])]
    # As the second player of a match sees it, the order of the results is reversed.
    known += [
        (fit[match.a], match.counts[::-1]) for match in matches if match.b == player and math.isfinite(fit[match.a])
    ]
    bounds = rate_against(known) if known else RatingEstimate(math.nan, -math.inf, math.inf)
    if math.isfinite(rating.value):
        return RatingEstimate(rating.value, min(rating.low, bounds.low), max(rating.high, bounds.high))
    low, high = (-math.inf, bounds.high) if rating.value < 0 else (bounds.low, math.inf)
    return RatingEstimate(rating.value, low, high)


def _fits(
    players: int, meetings: Any, pairs: Floats, scores: Floats, given: Mapping[int, float]
) -> tuple[Floats, Floats]:
    """Return lower and upper bounds of the ratings for each row of scores, each of shape (rows, players)."""
    rows = max(1, _BLOCK_BYTES // (8 * players * (players + len(pairs))))
    blocks = [scores[start : start + rows] for start in range(0, len(scores), rows)]
    natural = np.concatenate([_natural(players, meetings, pairs, block, given) for block in blocks])
    above, below = _reach(players, meetings, scores, list(given))
    ratings = natural * (SCALE / math.log(10))
    ratings[:, list(given)] = list(given.values())  # undoes rounding
    # Points won on a chain to a given rating bound a rating from below; points lost bound it from above.
    low = np.where(above, np.where(below, ratings, np.inf), -np.inf)
    high = np.where(below, np.where(above, ratings, -np.inf), np.inf)
    return low, high


def _natural(players: int, meetings: Any, pairs: Floats, scores: Floats, given: Mapping[int, float]) -> Floats:
    """Return the ratings for each row of scores, in units of SCALE / ln 10, by Newton's method for all rows at once."""
    signs = np.zeros((len(pairs), players))  # of each match: 1 for its first player, -1 for its second
    signs[np.arange(len(pairs)), meetings[:, 0]], signs[np.arange(len(pairs)), meetings[:, 1]] = 1.0, -1.0
    others = np.flatnonzero(~np.isin(np.arange(players), list(given)))
    free = signs[:, others]
    ratings = np.zeros((len(scores), players))
    ratings[:, list(given)] = np.array(list(given.values())) * (math.log(10) / SCALE)
    for _ in range(_STEPS):
        expected = 1.0 / (1.0 + np.exp(-ratings @ signs.T))
        # The log-likelihood of Bradley and Terry is concave; its slope at a player is points made less points expected.
        slope = (pairs * (scores - expected)) @ free - _RIDGE * ratings[:, others]
        # A match curves the likelihood by p (1 - p) for each of its two players, and by the opposite where they meet.
        # Without the ridge, the matrix would be singular if a rating is not bounded.
        weight = pairs * expected * (1.0 - expected)
        curve = free.T @ (weight[:, :, None] * free) + _RIDGE * np.eye(len(others))
        # Every row of scores has its own matrix; all systems are solved in one call.
        step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True, initial=_CLOSE)
        # The likelihood is nearly flat where ratings are far apart; a full step could end there.
        ratings[:, others] += step * np.minimum(1.0, _LONGEST_STEP / longest)
        if longest.max() <= _CLOSE:
            break
    return ratings


def _reach(
    players: int, meetings: Any, scores: Floats, given: Sequence[int]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whether each rating is bounded from below, and from above, by a chain of matches to a `given` rating.

    `fit_bradley_terry` describes these chains. Both arrays are bool of shape (rows, players).
    """
    above, below = np.zeros((2, players, len(scores)), np.bool_)
    above[given] = below[given] = True
    took, gave = scores.T > 0.0, scores.T < 1.0
    matches = [(match, one, other) for match, (one, other) in enumerate(meetings.tolist())]
    before, known = 0, 1
    while before < known:  # every pass but the last adds a player
        matches.reverse()  # alternating directions takes fewer passes: most chains follow the matches or reverse them
        for match, one, other in matches:
            above[one] |= took[match] & above[other]
            above[other] |= gave[match] & above[one]
            below[other] |= took[match] & below[one]
            below[one] |= gave[match] & below[other]
        before, known = known, int(above.sum() + below.sum())
    return above.T, below.T
