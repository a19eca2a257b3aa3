"""The rating of a player from single games against opponents of known ratings, such as a person's.

`elo.rate_against` needs many games: its interval is asymptotic. Here a career may be one game long, and the next
opponent depends on earlier results. So the interval is found by tests instead: it holds each rating at which the points
made are neither improbably many nor improbably few.

Source: Clopper and Pearson, The use of confidence or fiducial limits illustrated in the case of the binomial,
Biometrika 26 (1934), for games whose chances differ; with half the probability of the points made (mid-P; Lancaster,
Biometrika 39, 1952).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from evolve.strength.elo import RatingEstimate, expected_score, find_root

TAIL = 0.02
"""Probability on each side of the interval. It is less than 2.5 % since the test takes as known what is not quite: how
often games are drawn, and opponents that were chosen by earlier results. So 95 % of simulated careers are covered."""

USUAL_GAMES = 4.0
"""Decisive games that are added before the share of draws is estimated, so that few games do not overstate it."""

MOST_DRAWS = 0.5
"""Largest share of draws between equal players; above it a weaker player would have no chance left to win."""

ACCURACY = 0.1  # Elo
_FARTHEST = 4_000.0  # Elo beyond all opponents; nothing is bounded there


def rate_games(games: Sequence[tuple[float, float]], prior: float, weight: float) -> RatingEstimate:
    """Estimate a rating from single games, with a 95 % interval that one game suffices for.

    The value is the rating at which the expected points equal the points made, both including a prior: `weight` drawn
    games against an opponent rated `prior`. The interval does not use the prior. It is unbounded above if every game
    was won, and below if every game was lost.

    Args:
        games: the rating of each opponent, and the points made: 0, 1/2 or 1.
        prior: rating of the opponent of the prior.
        weight: number of its games, above 0.
    """
    value = expected_rating(games, prior, weight)
    draws, points = _share_of_draws(games, value), sum(each for _, each in games)
    low = -math.inf if points == 0 else _end(games, draws, value, upper=False)
    high = math.inf if points == len(games) else _end(games, draws, value, upper=True)
    return RatingEstimate(value, low, high)


def expected_rating(games: Sequence[tuple[float, float]], prior: float, weight: float) -> float:
    """Return the value of `rate_games`, without its interval."""
    known = [prior, *(rating for rating, _ in games)]
    points = weight / 2 + sum(each for _, each in games)

    def too_low(rating: float) -> bool:
        expected = sum(expected_score(rating - other) for other in known[1:])
        return weight * expected_score(rating - prior) + expected < points

    return find_root(too_low, min(known) - _FARTHEST, max(known) + _FARTHEST, ACCURACY)


def _share_of_draws(games: Sequence[tuple[float, float]], rating: float) -> float:
    """The share of draws between equal players; between others it falls with the variance of a decisive game."""
    draws = sum(points == 0.5 for _, points in games)
    evenness = sum(4.0 * each * (1.0 - each) for other, _ in games for each in [expected_score(rating - other)])
    return min(draws / (evenness + USUAL_GAMES), MOST_DRAWS)


def _end(games: Sequence[tuple[float, float]], draws: float, value: float, *, upper: bool) -> float:
    """Return the rating beyond which the points made are improbable: too few above it, or too many below."""
    sign = 1.0 if upper else -1.0

    def probable(distance: float) -> bool:
        return _tail(games, draws, value + sign * distance, few=upper) >= TAIL

    far = 100.0
    while probable(far):
        far *= 2.0
        if far > 2 * _FARTHEST:
            return sign * math.inf
    return value + sign * find_root(probable, 0.0, far, ACCURACY)


def _tail(games: Sequence[tuple[float, float]], draws: float, rating: float, *, few: bool) -> float:
    """The probability at a rating of fewer (or more) points than were made, and half that of just as many."""
    chances = [1.0]  # by half points
    for other, _ in games:
        score = expected_score(rating - other)
        drawn = draws * 4.0 * score * (1.0 - score)
        won, lost = score - drawn / 2, 1.0 - score - drawn / 2
        grown = [0.0] * (len(chances) + 2)
        for at, chance in enumerate(chances):
            grown[at] += chance * lost
            grown[at + 1] += chance * drawn
            grown[at + 2] += chance * won
        chances = grown
    made = round(2 * sum(points for _, points in games))
    return sum(chances[:made] if few else chances[made + 1 :]) + chances[made] / 2
