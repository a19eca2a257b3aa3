"""A sequential test that a player beats another one, and the chance of a false verdict in a run of many such tests.

**One test** bets on the score x of pairs of games, from 0 to 1. If the player scores at most 1/2 on average, the
capital 1 of a gambler who multiplies it by 1 + bet (x - 1/2) for each pair does not grow on average, whatever the
distribution of x, so it ever reaches C with a probability of at most 1 / C (Ville's inequality). The test may therefore
look at its evidence, the capital, after each pair, and may give up at any time. The best bet depends on the true score;
a quarter of the capital is put on each of four bets, which makes the evidence their mean.

**The levels** are tested in fixed order, the weakest first, each with the same bound, until one is not beaten.
Only the first level that the player does not truly beat can be the first false verdict, so further levels cost nothing.

**The generations of a run** have new champions, so there may be many tests. Each test that ends without a verdict makes
the next ones stricter: after k of them the bound is 20 (k + 1) (k + 2), which allows a false verdict with a probability
of 1/20 (1/(k+1) - 1/(k+2)). The sum over all k is 1/20: **in at most one run of twenty, however long, any level is said
to be beaten that the champion at that time does not beat.** A test that ends with a true verdict costs nothing.

Sources: Ville, Étude critique de la notion de collectif (1939); Waudby-Smith and Ramdas, Estimating means of bounded
random variables by betting, JRSS B 86 (2024), also for mixtures of bets; Maurer, Hothorn and Lehmacher, Multiple
comparisons in drug clinical trials and preclinical assays: a-priori ordered hypotheses (1995), for the fixed order; Lan
and DeMets, Discrete sequential boundaries for clinical trials, Biometrika 70 (1983), and Foster and Stine,
Alpha-investing, JRSS B 70 (2008), for spending the error over a sequence of tests.
"""

from __future__ import annotations

from collections.abc import Iterable

from evolve.strength.elo import PAIR_POINTS

RUNS = 20
"""At most one run of so many has a false verdict."""

BETS = (1, 2, 3, 4)
"""The bets, in halves; the largest loses everything with a pair in which both games are lost."""

UNIT = 8
"""The whole number that stands for an unchanged capital: 1 + (bet / 2) (points / 2 - 1/2) is a multiple of 1/8."""

EVEN = PAIR_POINTS.index(1.0)
"""The result of a pair in which both players score the same, as an index into `PAIR_POINTS`."""

ROUND, ROUNDS = 16, 6
"""Pairs between two decisions whether to go on, and the largest number of such rounds."""


def bound(unproven: int) -> int:
    """Return the evidence that a test needs after this number of tests without a verdict in the same run."""
    return RUNS * (unproven + 1) * (unproven + 2)


def decide(pairs: Iterable[int], unproven: int) -> bool | None:
    """Return the verdict of a test: True if the player beats the other, False if the test gives up, None to go on.

    A test goes on only if the player has won more games than it has lost: after the first round at least one more,
    after the second four more, after the third eight more, and so on. So a player that is level with the other is given
    up early, while one that is 100 Elo better seldom is.

    Args:
        pairs: results of the pairs in order, as indexes into `PAIR_POINTS`.
        unproven: number of tests without a verdict before this one in the same run.
    """
    # Whole numbers: capitals are counted in units of 8**-n after n pairs, and the bound grows with the unit. The
    # evidence is the mean of the bets' capitals, so their sum is compared with that many bounds.
    capitals, ahead, needed = [1] * len(BETS), 0, bound(unproven) * len(BETS)
    for number, pair in enumerate(pairs, 1):
        capitals = [capital * (UNIT + bet * (pair - EVEN)) for capital, bet in zip(capitals, BETS, strict=True)]
        needed, ahead = needed * UNIT, ahead + pair - EVEN
        # Ville's inequality allows a look after each pair.
        if sum(capitals) >= needed:
            return True
        # Giving up is allowed at any time, since it can only forgo a verdict.
        rounds, within = divmod(number, ROUND)
        if not within and (rounds == ROUNDS or ahead < 4 * (rounds - 1) or ahead <= 0):
            return False
    return None
