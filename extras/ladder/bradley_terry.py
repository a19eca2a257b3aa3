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
from game.errors import InputError

SAMPLES = 1000
"""Bootstrap samples for the intervals."""

_TAIL = 0.025  # probability on either side of a 95 % interval
_RIDGE = 1e-9  # a tiny pull of each rating towards 0, which keeps unbounded ratings finite
_LONGEST_STEP = 2.0  # longest step of Newton's method, in units of SCALE / ln 10; a longer one might overshoot
_STEPS = 200
_CLOSE = 1e-10
_BLOCK_BYTES = 64 << 20  # memory for samples fitted together; each has a matrix of players by players

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

    Raises:
        InputError: there is no match, a match has no pairs, or an index is out of range.
    """
    if not matches or not 0 <= zero < players:
        raise InputError(f"ratings: expected matches, and player 0 to {players - 1} as zero, got {zero}")
    for match in matches:
        if not (0 <= match.a < players and 0 <= match.b < players and match.a != match.b and sum(match.counts) > 0):
            raise InputError(f"ratings: expected pairs of games between two of {players} players, got {match}")
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
    model = _Model(players, meetings, pairs, given)
    rows = max(1, _BLOCK_BYTES // model.bytes_of_a_row)
    natural = np.concatenate([model.natural(scores[start : start + rows]) for start in range(0, len(scores), rows)])
    above, below = _reach(players, meetings, scores, list(given))
    ratings = natural * (SCALE / math.log(10))
    ratings[:, list(given)] = list(given.values())  # undoes rounding
    # Points won on a chain to a given rating bound a rating from below; points lost bound it from above.
    low = np.where(above, np.where(below, ratings, np.inf), -np.inf)
    high = np.where(below, np.where(above, ratings, -np.inf), np.inf)
    return low, high


class _Sums:
    """Adds up the columns of an array that belong to the same place.

    Rows are summed separately, so results do not depend on how they are divided into blocks.
    """

    def __init__(self, places: Any) -> None:
        self._order = np.argsort(places, kind="stable")
        self.places, self._starts = np.unique(places[self._order], return_index=True)

    def __call__(self, values: Floats) -> Floats:
        """Return the sums in the order of `places`, of shape (rows, places)."""
        return np.add.reduceat(values[:, self._order], self._starts, axis=1)


class _Model:
    """Newton's method for many rows of scores of the same matches at once.

    A match affects two ratings, and four cells of the matrix of second derivatives. The matrix is therefore a sum over
    matches, and no array of matches by players is needed.
    """

    def __init__(self, players: int, meetings: Any, pairs: Floats, given: Mapping[int, float]) -> None:
        self._a, self._b = meetings[:, 0], meetings[:, 1]
        self._pairs = pairs
        self._start = np.zeros(players)
        self._start[list(given)] = np.array(list(given.values())) * (math.log(10) / SCALE)
        others = ~np.isin(np.arange(players), list(given))
        self._others = np.flatnonzero(others)
        free = np.cumsum(others) - 1  # a player's place among the others
        a, b, size = free[self._a], free[self._b], len(self._others)
        first, second = others[self._a], others[self._b]
        self._ends = np.flatnonzero(first), np.flatnonzero(second), np.flatnonzero(first & second)
        one, other, both = self._ends
        self._slopes = _Sums(np.concatenate((a[one], b[other])))
        diagonal = size + 1
        inner = a[both] * size + b[both], b[both] * size + a[both]
        self._cells = _Sums(np.concatenate((a[one] * diagonal, b[other] * diagonal, *inner)))

    @property
    def bytes_of_a_row(self) -> int:
        return 8 * (len(self._others) ** 2 + 12 * len(self._pairs))

    def natural(self, scores: Floats) -> Floats:
        """Return the ratings for each row of scores, in units of SCALE / ln 10; of shape (rows, players)."""
        ratings = np.tile(self._start, (len(scores), 1))
        unfinished = np.arange(len(scores))  # rows that have not converged
        for _ in range(_STEPS):
            now = ratings[unfinished]
            slope, curve = self._derivatives(now, scores[unfinished])
            # Every row of scores has its own matrix; all systems are solved in one call.
            step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
            longest = np.abs(step).max(axis=1, keepdims=True, initial=_CLOSE)
            # The likelihood is nearly flat where ratings are far apart; a full step could end there.
            now[:, self._others] += step * np.minimum(1.0, _LONGEST_STEP / longest)
            ratings[unfinished] = now
            unfinished = unfinished[longest[:, 0] > _CLOSE]
            if not len(unfinished):
                break
        return ratings

    def _derivatives(self, natural: Floats, scores: Floats) -> tuple[Floats, Floats]:
        rows, size = len(natural), len(self._others)
        one, other, both = self._ends
        expected = 1.0 / (1.0 + np.exp(natural[:, self._b] - natural[:, self._a]))
        more = self._pairs * (scores - expected)
        # The log-likelihood of Bradley and Terry is concave; its slope at a player is points made less points expected.
        slope = -_RIDGE * natural[:, self._others]
        slope[:, self._slopes.places] += self._slopes(np.concatenate((more[:, one], -more[:, other]), axis=1))
        # A match curves the likelihood by p (1 - p) for each of its two players, and by the opposite where they meet.
        weight = self._pairs * expected * (1.0 - expected)
        shares = weight[:, one], weight[:, other], -weight[:, both], -weight[:, both]
        curve = np.zeros((rows, size * size))
        curve[:, self._cells.places] = self._cells(np.concatenate(shares, axis=1))
        # Without it, the matrix would be singular if a rating is not bounded.
        curve[:, :: size + 1] += _RIDGE
        return slope, curve.reshape(rows, size, size)


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
