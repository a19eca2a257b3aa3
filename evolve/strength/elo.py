"""Strength in Elo with confidence intervals, and the sequential test.

Games of a match come in pairs: both players have both colours on one opening. The two games of a pair are not
independent (a lopsided opening gives one win each), but the pairs are. All statistics here therefore count pairs, by
the points that a player made in them: 0, 1/2, 1, 1 1/2 or 2 (the pentanomial counts of chess engine testing).

The sequential test is a generalised likelihood ratio test: a hypothesis is a mean score, and stands for the
distribution with this mean that fits the observed pairs best.

Sources: for the logistic scale of 400 points, Elo, The Rating of Chessplayers (1978); for pentanomial counts and the
generalised test over them, the fishtest framework of Stockfish; for the interval, Owen, Empirical likelihood ratio
confidence intervals for a single functional, Biometrika 75 (1988), and Empirical Likelihood (2001); for the bounds of
the test, Wald, Sequential Tests of Statistical Hypotheses (1945).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from game.errors import InputError
from game.number_text import percent_text, signed_text

SCALE = 400.0
"""Elo points between players whose odds are 10 to 1."""

PAIR_POINTS = (0.0, 0.5, 1.0, 1.5, 2.0)
"""Points that a player can make in a pair of games, in the order of the pentanomial counts."""

THRESHOLD = 3.841458820694124
"""The 95 % point of the chi-squared distribution with one degree of freedom."""

_BISECTIONS = 60  # more than the 53 bits of a float, for a root in [0, 1]
_FARTHEST = 10_000.0  # Elo; beyond this, a score rounds to 0 or 1


def elo(score: float) -> float:
    """Return the Elo difference that corresponds to a mean score from 0 to 1; -inf for 0 and inf for 1."""
    if not 0.0 <= score <= 1.0:
        raise ValueError(f"score: expected 0 to 1 points a game, got {score}")
    if score in (0.0, 1.0):
        return math.copysign(math.inf, score - 0.5)
    return SCALE * (math.log10(score) - math.log10(1.0 - score))


def expected_score(difference: float) -> float:
    """Return the expected points per game, from 0 to 1, for an Elo difference: the inverse of `elo`."""
    # The exponent is never positive, so the power cannot overflow.
    odds = math.pow(10.0, -abs(difference) / SCALE)
    return (1.0 if difference >= 0 else odds) / (1.0 + odds)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score in points per game, from 0 to 1, with its 95 % interval, which has a width unless all was won or lost."""

    score: float
    low: float
    high: float

    def __repr__(self) -> str:
        return f"Estimate({self.text})"

    @property
    def text(self) -> str:
        """The score and Elo with its interval, such as ``73.0 %, +173 Elo (110 to 246)``."""
        return f"{percent_text(self.score)}, {_elo_text(self.elo, self.elo_low, self.elo_high)}"

    @property
    def elo(self) -> float:
        """The score as an Elo difference; infinite if every game was won or lost."""
        return elo(self.score)

    @property
    def elo_low(self) -> float:
        return elo(self.low)

    @property
    def elo_high(self) -> float:
        return elo(self.high)


def standard_error(low: float, high: float) -> float:
    """Return the standard error of a value from the ends of its 95 % interval, which are 1.96 of them to each side."""
    return (high - low) / (2 * math.sqrt(THRESHOLD))


def score_interval(counts: Sequence[int], threshold: float = THRESHOLD) -> Estimate:
    """Return the score of a match and its confidence interval, from the results of its pairs of games.

    A pair has five possible results, and a distribution gives each of them a probability, also if it was not observed.
    The interval contains the mean scores of all distributions whose log-likelihood is at most `threshold` / 2 below the
    maximum. Unlike a normal approximation, it stays within 0 to 1 and never has zero width: even if both games of all
    n pairs were won, it contains every score above exp(-threshold / 2n).

    Args:
        counts: number of pairs by points, in the order of `PAIR_POINTS`.
        threshold: quantile of the chi-squared distribution with one degree of freedom, by default for 95 %.

    Raises:
        ValueError: there are not five counts, one is negative, all are 0, or the threshold is not positive.

    Source: the empirical likelihood of a mean, Owen (1988, 2001). It is extended to results that were not observed,
    since all possible results are known here.
    """
    if len(counts) != len(PAIR_POINTS) or min(counts) < 0 or sum(counts) == 0:
        raise ValueError(f"counts: expected five numbers of pairs and a sum above 0, got {list(counts)}")
    if not threshold > 0.0:
        raise ValueError(f"threshold: expected a number above 0, got {threshold}")
    points = sum(count * value for count, value in zip(counts, PAIR_POINTS, strict=True))
    score = points / (2 * sum(counts))

    def is_likely(mean: float) -> bool:
        return -2 * log_likelihood(counts, mean) <= threshold

    low = find_root(lambda mean: not is_likely(mean), 0.0, score)
    high = find_root(is_likely, score, 1.0)
    return Estimate(score, min(low, score), max(high, score))  # rounding must not exclude the score


@dataclass(frozen=True, slots=True)
class RatingEstimate:
    """A rating in Elo above the zero of the scale, with its 95 % interval; infinite if nothing bounds it."""

    value: float
    low: float
    high: float

    def __repr__(self) -> str:
        return f"RatingEstimate({_elo_text(self.value, self.low, self.high)})"


def _elo_text(value: float, low: float, high: float) -> str:
    """Return Elo with its interval, ``+173 Elo (110 to 246)``, or its bound if it is infinite, ``above +246 Elo``."""
    if math.isinf(value):
        return f"above {signed_text(low)} Elo" if value > 0 else f"below {signed_text(high)} Elo"
    return f"{signed_text(value)} Elo ({low:.0f} to {high:.0f})"


def rate_against(known: Sequence[tuple[float, Sequence[int]]]) -> RatingEstimate:
    """Estimate the rating of a player from matches against opponents of known ratings.

    At the estimate, expected points equal actual points (a draw is half a point). The interval generalises
    `score_interval` to one distribution per opponent: it contains a rating if sufficiently likely distributions have
    together the expected points of this rating. With one opponent it is the interval of `score_interval` in Elo,
    shifted by the opponent's rating. The ratings of the opponents are taken as exact.

    Args:
        known: the rating of each opponent, and the number of pairs by points in the order of `PAIR_POINTS`.

    Raises:
        ValueError: there is no opponent, or `score_interval` refuses the counts.
    """
    if not known:
        raise ValueError("known: expected at least one opponent")
    for _, counts in known:
        score_interval(counts)  # checks them
    matches = [tuple(counts) for _, counts in known]
    total = sum(map(sum, matches))
    points = sum(n * value / 2 for counts in matches for n, value in zip(counts, PAIR_POINTS, strict=True))
    # The lower end is the upper end of the opponents' points.
    mirrored = [tuple(reversed(counts)) for counts in matches]
    low, high = total - _largest_total(mirrored), _largest_total(matches)
    # Expected points grow with the rating, so the ends of the interval of points are those of the interval of ratings.
    ratings = [rating for rating, _ in known]
    sizes = [sum(counts) for counts in matches]
    ends = (points, min(low, points), max(high, points))  # rounding must not exclude the points
    return RatingEstimate(*(_rating_of(ratings, sizes, end) for end in ends))


def _rating_of(ratings: Sequence[float], sizes: Sequence[int], points: float) -> float:
    """Return the rating whose expected points are `points`, counting each pair as one game."""

    def expected(rating: float) -> float:
        return sum(n * expected_score(rating - other) for n, other in zip(sizes, ratings, strict=True))

    # No finite rating has expected points of none or all.
    if points <= 0.0 or points >= sum(sizes):
        return -math.inf if points <= 0.0 else math.inf
    low, high = min(ratings) - _FARTHEST, max(ratings) + _FARTHEST
    return find_root(lambda rating: expected(rating) < points, low, high)


def _largest_total(matches: Sequence[tuple[int, ...]]) -> float:
    """Return the largest expected points in all matches for a likelihood ratio statistic of at most `THRESHOLD`.

    The statistic is the sum over the matches. The most likely distributions with a given total of points have the same
    Lagrange multiplier x >= 0: in each match, p_i = f_i / (v - x a_i), where f_i are observed frequencies and v makes
    the sum 1. If no pair had two wins, v cannot fall below x, and two wins get the remaining probability.
    """
    if all(counts[-1] == sum(counts) for counts in matches):
        return float(sum(map(sum, matches)))
    high = 1.0
    # The statistic grows with x without bound unless every pair was won twice, so some x brackets the root.
    while sum(_shifted(counts, high)[1] for counts in matches) <= THRESHOLD:
        high *= 2
    x = find_root(lambda x: sum(_shifted(counts, x)[1] for counts in matches) <= THRESHOLD, 0.0, high)
    return sum(sum(counts) * _shifted(counts, x)[0] for counts in matches)


def _shifted(counts: tuple[int, ...], x: float) -> tuple[float, float]:
    """Return mean score and likelihood ratio statistic of one match for the multiplier `x`."""
    pairs = sum(counts)
    seen = [(count, points / 2) for count, points in zip(counts, PAIR_POINTS, strict=True) if count]

    def chance(v: float) -> float:
        return sum(count / pairs / (v - x * score) for count, score in seen)

    # The sum of the chances falls as v grows. At the least v it may be below 1 only if two wins were not observed.
    least = max(1.0, x)
    v = least
    if counts[-1] or chance(least) > 1.0:
        v = find_root(lambda v: chance(v) > 1.0, least, 1.0 + x)
    mean = sum(score * count / pairs / (v - x * score) for count, score in seen) + max(0.0, 1.0 - chance(v))
    return mean, 2 * sum(count * math.log(v - x * score) for count, score in seen)


def find_root(below: Callable[[float], bool], low: float, high: float, accuracy: float = 0.0) -> float:
    """Return the number at which `below` turns from true to false, by bisection."""
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
"""Probability of accepting H1 if the difference is elo0, and of accepting H0 if it is elo1."""

MAX_ELO = 2000.0
"""Largest Elo difference of a hypothesis; beyond it, scores are nearly 0 or 1."""

H0, H1, UNDECIDED = "H0", "H1", "undecided"


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of H0, "the difference is `elo0`", against H1, "it is `elo1`"."""

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
        """Parse a test, such as ``0,10``."""
        try:
            elo0, elo1 = map(float, text.split(","))
        except ValueError:
            raise InputError(f"--sprt: expected ELO0,ELO1 such as 0,10, got {text[:40]!r}") from None
        return cls(elo0, elo1)

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is accepted."""
        return math.log(BETA / (1 - ALPHA))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return math.log((1 - BETA) / ALPHA)

    def llr(self, counts: Sequence[int]) -> float:
        """Return the logarithm of the likelihood ratio of H1 to H0 for pairs by points; 0 without any."""
        return log_likelihood(counts, expected_score(self.elo1)) - log_likelihood(counts, expected_score(self.elo0))

    def verdict(self, llr: float) -> str:
        """Return the hypothesis that this ratio accepts: `H0`, `H1` or `UNDECIDED`."""
        return H1 if llr >= self.upper else H0 if llr <= self.lower else UNDECIDED


def log_likelihood(counts: Sequence[int], mean: float) -> float:
    """Return the maximum log-likelihood for a mean score, relative to the overall maximum (at the observed mean).

    The most likely distribution is p_i = f_i / (1 + x (a_i - mean)), where f_i is the observed frequency, a_i the score
    of a pair, from 0 to 1, and x gives it the requested mean. By duality, the result is minus the maximum of sum n_i
    log(1 + x (a_i - mean)) over all x for which no result, observed or not, has a negative probability. If the maximum
    is at an end of this range, the remaining probability goes to a result that was not observed.

    Args:
        counts: number of pairs by points, in the order of `PAIR_POINTS`.
        mean: points per game, above 0 and below 1.

    Source: Owen, Empirical Likelihood (2001), the dual problem of a mean.
    """
    seen = [(count, points / 2 - mean) for count, points in zip(counts, PAIR_POINTS, strict=True) if count]
    # Beyond the lower end, two wins would have a negative probability; beyond the upper end, two losses. The sum below
    # is the derivative of a concave function: it falls, and its root, or else an end of the range, is the maximum.
    low, high = -1 / (1 - mean), 1 / mean
    x = find_root(lambda x: sum(count * distance / (1 + x * distance) for count, distance in seen) > 0, low, high)
    return -sum(count * math.log1p(x * distance) for count, distance in seen)
