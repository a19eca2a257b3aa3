"""Ratings of several players from the matches between them.

The model: the expected score of a game depends on the difference of two ratings alone, by the logistic curve of
`evolve.strength.elo`; a draw is half a point, and how often a pair of players draws does not matter. The ratings are
those at which each player's expected points equal its actual points: for games without draws the maximum likelihood
fit.

The intervals do not use the model's distribution, since the two games of a pair depend on each other. Instead pairs of
games are resampled with replacement within each match (bootstrap) and fitted again. No interval is narrower than the
one that a player's own matches give it against opponents whose ratings are exact.

Source: Bradley and Terry, Rank analysis of incomplete block designs, Biometrika 39 (1952); when a fit exists: Ford,
Solution of a ranking problem from binary comparisons, American Mathematical Monthly 64 (1957); the bootstrap: Efron and
Tibshirani, An Introduction to the Bootstrap (1993), percentiles.
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

_TAIL = 0.025  # on either side of a 95 % interval
_RIDGE = 1e-9  # times the slope of one game between equals; keeps unbounded ratings finite
_LONGEST_STEP = 2.0  # of Newton's method, in units of SCALE / ln 10; the curve is no parabola beyond it
_STEPS = 200
_CLOSE = 1e-10
_BLOCK_BYTES = (
    64 << 20
)  # for samples that are fitted together; thousands of matrices of players by players are too many

Floats = NDArray[np.float64]
NONE: Mapping[int, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Match:
    """The result of two players against each other.

    Attributes:
        a: index of the player whose points are counted.
        b: index of the other.
        counts: pairs of games by A's points, in the order of `evolve.strength.elo.PAIR_POINTS`.
    """

    a: int
    b: int
    counts: tuple[int, ...]


def fit_bradley_terry(
    players: int, matches: Sequence[Match], *, zero: int = 0, known: Mapping[int, float] = NONE, seed: int = 0
) -> list[RatingEstimate]:
    """Fit the ratings of all players, with that of player `zero` exactly 0.

    A rating is infinite if the player took no point, or gave none away, on any chain of matches to player `zero`; its
    other bound comes from its matches against players with finite ratings, which are taken as exact. It is NaN if no
    chain leads to `zero` at all. An end of an interval is infinite if it is unbounded in more than one of forty
    samples.

    Args:
        players: their number.
        matches: at least one; two players may meet more than once.
        zero: the player whose rating is the zero of the scale.
        known: ratings of other players that are taken as exact, by index.
        seed: of the samples; the same gives the same intervals.

    Raises:
        InputError: no match, a match without pairs, or an index beyond the players.
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
    scores = np.empty((1 + SAMPLES, len(matches)))  # the first row is what was played
    for column, n, row in zip(scores.T, pairs, counts, strict=True):
        drawn = generator.multinomial(n, row / n, SAMPLES)
        column[:] = np.vstack((row, drawn)) @ np.array(PAIR_POINTS) / 2 / n
    low, high = _fits(players, meetings, pairs.astype(np.float64), scores, given)
    low[1:].sort(axis=0)
    high[1:].sort(axis=0)
    cut = math.floor(_TAIL * SAMPLES)
    fit = [one if one == other else math.nan for one, other in zip(low[0].tolist(), high[0].tolist(), strict=True)]
    found = []
    for player, value in enumerate(fit):
        # Percentiles of a skewed sample may leave out the fit itself; no interval does.
        ends = min(low[1 + cut, player], low[0, player]), max(high[SAMPLES - cut, player], high[0, player])
        found.append(RatingEstimate(value, float(ends[0]), float(ends[1])))
    return [each if player in given else _bounded(player, each, fit, matches) for player, each in enumerate(found)]


def _bounded(player: int, rating: RatingEstimate, fit: Sequence[float], matches: Sequence[Match]) -> RatingEstimate:
    """Return a rating with the bounds from its own matches: both of an infinite one, the narrowest of a finite one.

    A few pairs that are all alike look the same in every resample, which does not make them exact.
    """
    if math.isnan(rating.value):
        return rating
    known = [(fit[match.b], match.counts) for match in matches if match.a == player and math.isfinite(fit[match.b])]
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
    """Return lower and upper ratings for each row of scores, each of shape (rows, players); -inf and inf if unknown."""
    model = _Model(players, meetings, pairs, given)
    rows = max(1, _BLOCK_BYTES // model.bytes_of_a_row)
    natural = np.concatenate([model.natural(scores[start : start + rows]) for start in range(0, len(scores), rows)])
    above, below = _reach(players, meetings, scores, list(given))
    ratings = natural * (SCALE / math.log(10))
    ratings[:, list(given)] = list(given.values())  # to the last bit
    # A player that takes points from zero's side is bounded from below, one that loses some to it from above.
    low = np.where(above, np.where(below, ratings, np.inf), -np.inf)
    high = np.where(below, np.where(above, ratings, -np.inf), np.inf)
    return low, high


class _Sums:
    """Sums columns of an array that belong to the same place, row by row: results do not depend on blocks."""

    def __init__(self, places: Any) -> None:
        self._order = np.argsort(places, kind="stable")
        self.places, self._starts = np.unique(places[self._order], return_index=True)

    def __call__(self, values: Floats) -> Floats:
        """Return the sums in the order of `places`, of shape (rows, places)."""
        return np.add.reduceat(values[:, self._order], self._starts, axis=1)


class _Model:
    """Newton's method for several rows of scores of the same matches at once.

    A match touches two ratings, so four cells of the matrix of second derivatives; nothing here is as large as
    matches by players.
    """

    def __init__(self, players: int, meetings: Any, pairs: Floats, given: Mapping[int, float]) -> None:
        self._a, self._b = meetings[:, 0], meetings[:, 1]
        self._pairs = pairs
        self._players = players
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
        found = np.tile(self._start, (len(scores), 1))
        at_work = np.arange(len(scores))
        for _ in range(_STEPS):
            now = found[at_work]
            slope, curve = self._derivatives(now, scores[at_work])
            step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
            longest = np.abs(step).max(axis=1, keepdims=True, initial=_CLOSE)
            now[:, self._others] += step * np.minimum(1.0, _LONGEST_STEP / longest)
            found[at_work] = now
            at_work = at_work[longest[:, 0] > _CLOSE]
            if not len(at_work):
                break
        return found

    def _derivatives(self, natural: Floats, scores: Floats) -> tuple[Floats, Floats]:
        rows, size = len(natural), len(self._others)
        one, other, both = self._ends
        expected = 1.0 / (1.0 + np.exp(natural[:, self._b] - natural[:, self._a]))
        more = self._pairs * (scores - expected)
        slope = -_RIDGE * natural[:, self._others]
        slope[:, self._slopes.places] += self._slopes(np.concatenate((more[:, one], -more[:, other]), axis=1))
        weight = self._pairs * expected * (1.0 - expected)
        shares = weight[:, one], weight[:, other], -weight[:, both], -weight[:, both]
        curve = np.zeros((rows, size * size))
        curve[:, self._cells.places] = self._cells(np.concatenate(shares, axis=1))
        curve[:, :: size + 1] += _RIDGE
        return slope, curve.reshape(rows, size, size)


def _reach(
    players: int, meetings: Any, scores: Floats, given: Sequence[int]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the players with a chain of points to `given`, and those with a chain of losses; bool (rows, players)."""
    above, below = np.zeros((2, players, len(scores)), np.bool_)
    above[given] = below[given] = True
    took, gave = scores.T > 0.0, scores.T < 1.0
    matches = [(match, one, other) for match, (one, other) in enumerate(meetings.tolist())]
    before, known = 0, 1
    while before < known:  # every pass but the last adds a player
        matches.reverse()  # to and fro, since most chains lie in the order of the matches or against it
        for match, one, other in matches:
            above[one] |= took[match] & above[other]
            above[other] |= gave[match] & above[one]
            below[other] |= took[match] & below[one]
            below[one] |= gave[match] & below[other]
        before, known = known, int(above.sum() + below.sum())
    return above.T, below.T
