"""The sequential test: games are played until it is clear which of two hypotheses about their strength holds.

The hypotheses are Elo differences; what they say is the mean score, and any distribution of the results of a pair
with that mean belongs to them. So the test is the generalised one: each hypothesis is judged by the likelihood of
the distribution that explains the pairs best, as in `evolve.strength.elo`.

Source: Wald, Sequential Tests of Statistical Hypotheses (1945), for the bounds; the generalised test over pentanomial
counts is that of the fishtest framework of Stockfish.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evolve.strength.elo import PAIR_POINTS, expected_score, find_root
from game.errors import InputError

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
        """A test as people write it, such as ``0,10``.

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
        """Logarithm of the likelihood of H1 over that of H0; 0 without pairs.

        Args:
            counts: pairs by points made, in the order of `evolve.strength.elo.PAIR_POINTS`.
        """
        return log_likelihood(counts, expected_score(self.elo1)) - log_likelihood(counts, expected_score(self.elo0))

    def verdict(self, llr: float) -> str:
        """The hypothesis that this ratio accepts: `H0`, `H1` or `UNDECIDED`."""
        return H1 if llr >= self.upper else H0 if llr <= self.lower else UNDECIDED


def log_likelihood(counts: Sequence[int], mean: float) -> float:
    """The largest log-likelihood that a mean score leaves possible, less the largest there is: 0 at the observed mean.

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
