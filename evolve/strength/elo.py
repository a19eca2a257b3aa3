"""Strength in Elo with confidence intervals, and the sequential test.

Games of a match come in pairs: both players have both colours on one opening. The two games of a pair are not
independent (a lopsided opening gives one win each), but the pairs are. So all statistics here count pairs, by a
player's points in them: 0, 1/2, 1, 1 1/2 or 2 (the pentanomial counts of chess engine testing).

In the sequential test, games are played until one of two hypotheses is accepted. The hypotheses are Elo differences,
that is, mean scores; any distribution of pair results with that mean belongs to them. So the test is the generalised
one: each hypothesis is judged by the likelihood of the distribution that fits the pairs best.

Source: the logistic scale of 400 points is Elo, The Rating of Chessplayers (1978). Pentanomial counts and the
generalised test over them: the fishtest framework of Stockfish. The interval: Owen, Empirical likelihood ratio
confidence intervals for a single functional, Biometrika 75 (1988), and Empirical Likelihood (2001). The bounds of the
test: Wald, Sequential Tests of Statistical Hypotheses (1945).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from game.errors import InputError

SCALE = 400.0
"""Elo points between players whose odds are 10 to 1."""

PAIR_POINTS = (0.0, 0.5, 1.0, 1.5, 2.0)
"""Points that a player can make in a pair of games, in the order of the pentanomial counts."""

CONFIDENCE = 0.95

THRESHOLD = 3.841458820694124
"""The 95 % point of the chi-squared distribution with one degree of freedom."""

_BISECTIONS = 60  # more than the 53 bits of a float, for a root in [0, 1]
_FARTHEST = 10_000.0  # Elo; a score beyond that is 0 or 1 in a float


def elo(score: float) -> float:
    """Return the Elo difference of a mean score; -inf for 0 and inf for 1.

    Args:
        score: points a game, from 0 to 1.

    Raises:
        ValueError: a score outside 0 to 1.
    """
    if not 0.0 <= score <= 1.0:
        raise ValueError(f"score: expected 0 to 1 points a game, got {score}")
    if score in (0.0, 1.0):
        return math.copysign(math.inf, score - 0.5)
    return SCALE * (math.log10(score) - math.log10(1.0 - score))


def expected_score(difference: float) -> float:
    """Return the expected points per game of an Elo difference, from 0 to 1: the inverse of `elo`."""
    # Written for either sign, so that the power never overflows.
    odds = math.pow(10.0, -abs(difference) / SCALE)
    return (1.0 if difference >= 0 else odds) / (1.0 + odds)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A strength with its 95 % interval.

    Attributes:
        score: points a game, from 0 to 1.
        low: lower end of the interval of the score; below `score`, or 0 with it.
        high: upper end; above `score`, or 1 with it.
    """

    score: float
    low: float
    high: float

    @property
    def elo(self) -> float:
        """The score as an Elo difference; infinite if every game was won or lost."""
        return elo(self.score)

    @property
    def elo_low(self) -> float:
        """Lower end in Elo; -inf only if every game was lost."""
        return elo(self.low)

    @property
    def elo_high(self) -> float:
        """Upper end in Elo; inf only if every game was won."""
        return elo(self.high)


def score_interval(counts: Sequence[int], threshold: float = THRESHOLD) -> Estimate:
    """Return the score of a match with the confidence interval from its pairs of games.

    The interval holds each mean score of a distribution over the five results of a pair, unobserved results included,
    whose likelihood is not too far below the maximum: twice the difference of their logarithms is at most `threshold`.
    Unlike a normal approximation it never leaves 0 to 1 and never has zero width: n pairs, all won twice, still leave
    every score above exp(-threshold / 2n) possible.

    Args:
        counts: pairs by points, in the order of `PAIR_POINTS`.
        threshold: quantile of the chi-squared distribution with one degree of freedom, by default for 95 %.

    Raises:
        ValueError: not five counts, a negative one, no pair at all, or a threshold that is not positive.

    Source: Owen (1988, 2001), the empirical likelihood of a mean; here all possible results are known, so unobserved
    ones take part.
    """
    if len(counts) != len(PAIR_POINTS) or min(counts) < 0 or sum(counts) == 0:
        raise ValueError(f"counts: expected five numbers of pairs and a sum above 0, got {list(counts)}")
    if not threshold > 0.0:
        raise ValueError(f"threshold: expected a number above 0, got {threshold}")
    points = sum(count * value for count, value in zip(counts, PAIR_POINTS, strict=True))
    score = points / (2 * sum(counts))
    # Exchanging the players turns the lower bound into an upper one.
    low = 1.0 - _upper_bound(tuple(reversed(counts)), threshold)
    high = _upper_bound(tuple(counts), threshold)
    return Estimate(score, min(low, score), max(high, score))  # rounding must not push one past the score


def _upper_bound(counts: tuple[int, ...], threshold: float) -> float:
    """Return the largest mean score whose likelihood ratio statistic is at most `threshold`.

    Among all distributions with a given mean above the observed one, the most likely is p_i = c n_i / (1 - r a_i),
    where a_i = 0 ... 1 is the score of a pair and 0 <= r < 1 (Lagrange's rule). So one number, r, runs through all
    candidates, and mean and statistic grow with it. When no pair was won twice, r reaches 1, and from there on the mean
    grows by moving probability w from the observed results to two wins, which costs -2 n log(1 - w).
    """
    pairs = sum(counts)
    if counts[-1] == pairs:
        return 1.0
    if counts[-1] == 0:
        mean, statistic = _tilted(counts, 0.0)
        if statistic <= threshold:
            moved = -math.expm1(-(threshold - statistic) / (2 * pairs))
            return mean + (1.0 - mean) * moved
    # What is bisected is 1 - r, because the solution can be near 0, where floats are fine.
    near, far = 1.0, 0.0
    for _ in range(_BISECTIONS):
        middle = 0.5 * (near + far)
        if _tilted(counts, middle)[1] <= threshold:
            near = middle
        else:
            far = middle
    return _tilted(counts, near)[0]


def _tilted(counts: tuple[int, ...], rest: float) -> tuple[float, float]:
    """Return mean score and likelihood ratio statistic of p_i = c n_i / (1 - r a_i), for `rest` = 1 - r.

    `rest` may be 0 if no pair was won twice: results that did not occur have no probability here.
    """
    pairs = sum(counts)
    seen = [
        (count, points / 2, (1.0 - points / 2) + rest * (points / 2))
        for count, points in zip(counts, PAIR_POINTS, strict=True)
        if count
    ]
    total = sum(count / divisor for count, _, divisor in seen)
    mean = sum(score * count / divisor for count, score, divisor in seen) / total
    statistic = 2 * sum(count * (math.log(divisor) + math.log(total / pairs)) for count, _, divisor in seen)
    return mean, statistic


@dataclass(frozen=True, slots=True)
class RatingEstimate:
    """A place on a scale of ratings, with its 95 % interval.

    Attributes:
        value: Elo above the zero of the scale; infinite if nothing bounds it.
        low: lower end of the interval.
        high: upper end.
    """

    value: float
    low: float
    high: float


def rate_against(known: Sequence[tuple[float, Sequence[int]]], threshold: float = THRESHOLD) -> RatingEstimate:
    """Estimate the rating of a player from matches against opponents of known ratings.

    At the estimate, the expected points equal the actual points (a draw is half a point). The interval holds each
    rating whose expected points belong to a possible set of distributions, one for each opponent, by the measure of
    `score_interval`; with one opponent it is the interval of `score_interval`, shifted by the opponent's rating. The
    ratings of the opponents are taken as exact.

    Args:
        known: for each opponent its rating, and the pairs by points against it in the order of `PAIR_POINTS`.
        threshold: quantile of the chi-squared distribution with one degree of freedom, by default for 95 %.

    Raises:
        ValueError: no opponent, or counts that `score_interval` refuses.
    """
    if not known:
        raise ValueError("known: expected at least one opponent")
    for _, counts in known:
        score_interval(counts, threshold)  # checks them
    matches = [tuple(counts) for _, counts in known]
    total = sum(map(sum, matches))
    points = sum(n * value / 2 for counts in matches for n, value in zip(counts, PAIR_POINTS, strict=True))
    mirrored = [tuple(reversed(counts)) for counts in matches]
    low, high = total - _largest_total(mirrored, threshold), _largest_total(matches, threshold)
    ratings = [rating for rating, _ in known]
    sizes = [sum(counts) for counts in matches]
    return RatingEstimate(*(_rating_of(ratings, sizes, each) for each in (points, min(low, points), max(high, points))))


def _rating_of(ratings: Sequence[float], sizes: Sequence[int], points: float) -> float:
    """Return the rating with `points` expected points in these pairs (each counted as one game)."""

    def expected(rating: float) -> float:
        return sum(n * expected_score(rating - other) for n, other in zip(sizes, ratings, strict=True))

    if points <= 0.0 or points >= sum(sizes):
        return -math.inf if points <= 0.0 else math.inf
    low, high = min(ratings) - _FARTHEST, max(ratings) + _FARTHEST
    return find_root(lambda rating: expected(rating) < points, low, high)


def _largest_total(matches: Sequence[tuple[int, ...]], threshold: float) -> float:
    """Return the largest expected points over all matches whose likelihood ratio statistic is at most `threshold`.

    The most likely distributions with a given total have one multiplier x >= 0 in common: in each match p_i = f_i / (v
    - x a_i), where v makes the sum 1. If no pair was won twice, v is at least x, and the rest of the sum goes to two
    wins.
    """
    if all(counts[-1] == sum(counts) for counts in matches):
        return float(sum(map(sum, matches)))
    high = 1.0
    while sum(_shifted(counts, high)[1] for counts in matches) <= threshold:
        high *= 2
    x = find_root(lambda x: sum(_shifted(counts, x)[1] for counts in matches) <= threshold, 0.0, high)
    return sum(sum(counts) * _shifted(counts, x)[0] for counts in matches)


def _shifted(counts: tuple[int, ...], x: float) -> tuple[float, float]:
    """Return mean score and likelihood ratio statistic of one match for the multiplier `x`."""
    pairs = sum(counts)
    seen = [(count, points / 2) for count, points in zip(counts, PAIR_POINTS, strict=True) if count]

    def chance(v: float) -> float:
        return sum(count / pairs / (v - x * score) for count, score in seen)

    least = max(1.0, x)
    v = least
    if counts[-1] or chance(least) > 1.0:
        v = find_root(lambda v: chance(v) > 1.0, least, 1.0 + x)
    mean = sum(score * count / pairs / (v - x * score) for count, score in seen) + max(0.0, 1.0 - chance(v))
    return mean, 2 * sum(count * math.log(v - x * score) for count, score in seen)


def find_root(below: Callable[[float], bool], low: float, high: float, accuracy: float = 0.0) -> float:
    """Return where `below` turns from true to false, by bisection."""
    for _ in range(_BISECTIONS):
        if high - low <= accuracy:
            break
        middle = 0.5 * (low + high)
        if below(middle):
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


ALPHA = BETA = 0.05
"""Chance of accepting H1 where the difference is elo0, and of accepting H0 where it is elo1."""

MAX_ELO = 2000.0
"""Beyond this the scores of both hypotheses are nearly 0 or 1."""

H0, H1, UNDECIDED = "H0", "H1", "undecided"


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of H0, "the difference is `elo0`", against H1, "it is `elo1`".

    Attributes:
        elo0: the lower difference.
        elo1: the higher one.

    Raises:
        InputError: not two numbers in ascending order, at most `MAX_ELO` from 0.
    """

    elo0: float
    elo1: float

    def __post_init__(self) -> None:
        if not -MAX_ELO <= self.elo0 < self.elo1 <= MAX_ELO:  # false for NaN too
            raise InputError(
                f"--sprt: expected ELO0,ELO1, two ascending numbers from -{MAX_ELO:g} to {MAX_ELO:g}, "
                f"got {self.elo0:g},{self.elo1:g}"
            )

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """Parse a test, such as ``0,10``.

        Raises:
            InputError: anything else.
        """
        try:
            elo0, elo1 = map(float, text.split(","))
        except ValueError:
            raise InputError(f"--sprt: expected ELO0,ELO1 such as 0,10, got {text[:40]!r}") from None
        return cls(elo0, elo1)

    @property
    def lower(self) -> float:
        """Log-likelihood ratio at which H0 is accepted."""
        return math.log(BETA / (1 - ALPHA))

    @property
    def upper(self) -> float:
        """Log-likelihood ratio at which H1 is accepted."""
        return math.log((1 - BETA) / ALPHA)

    def llr(self, counts: Sequence[int]) -> float:
        """Return the logarithm of the likelihood of H1 over that of H0; 0 without pairs.

        Args:
            counts: pairs by points made, in the order of `evolve.strength.elo.PAIR_POINTS`.
        """
        return log_likelihood(counts, expected_score(self.elo1)) - log_likelihood(counts, expected_score(self.elo0))

    def verdict(self, llr: float) -> str:
        """Return the hypothesis that this ratio accepts: `H0`, `H1` or `UNDECIDED`."""
        return H1 if llr >= self.upper else H0 if llr <= self.lower else UNDECIDED


def log_likelihood(counts: Sequence[int], mean: float) -> float:
    """Return the largest log-likelihood with a mean score, minus the overall maximum: 0 at the observed mean.

    Args:
        counts: pairs by points made, in the order of `evolve.strength.elo.PAIR_POINTS`.
        mean: score a game, above 0 and below 1.

    The most likely distribution is p_i = f_i / (1 + x (a_i - mean)), where f_i is the observed frequency and a_i = 0
    ... 1 the score; x makes its mean right. The answer is the largest sum of n_i log(1 + x (a_i - mean)) over the x
    that give no result a negative chance, observed or not; at the ends of that range unobserved results get a chance.

    Source: Owen, Empirical Likelihood (2001), the dual problem of a mean.
    """
    seen = [(count, points / 2 - mean) for count, points in zip(counts, PAIR_POINTS, strict=True) if count]
    low, high = -1 / (1 - mean), 1 / mean
    x = find_root(lambda x: sum(count * distance / (1 + x * distance) for count, distance in seen) > 0, low, high)
    return -sum(count * math.log1p(x * distance) for count, distance in seen)
