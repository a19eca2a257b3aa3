"""The sequential test of a level and its spending of the error over a run."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from evolve.strength.betting import BETS, ROUND, ROUNDS, RUNS, bound, decide
from tests.simulated_verdicts import share_of_runs


def evidence(pairs: Sequence[int]) -> Fraction:
    """Return the mean capital of the bets, by the formula in the docstring of `evolve.strength.betting`."""
    capitals = (
        math.prod(1 + Fraction(bet, 2) * (Fraction(pair, 4) - Fraction(1, 2)) for pair in pairs) for bet in BETS
    )
    return sum(capitals, Fraction()) / len(BETS)


def test_a_verdict_needs_the_evidence_of_its_bound() -> None:
    """In the first round, which ends no test before its last pair."""
    generator, proved = np.random.default_rng(1), 0
    for _ in range(150):
        pairs = generator.choice(5, ROUND - 1, p=(0.02, 0.03, 0.25, 0.2, 0.5)).tolist()
        unproven = int(generator.integers(3))
        enough = [evidence(pairs[:end]) >= bound(unproven) for end in range(1, ROUND)]
        assert [decide(pairs[:end], unproven) is True for end in range(1, ROUND)] == [
            any(enough[:end]) for end in range(1, ROUND)
        ]
        proved += any(enough)
    assert 40 < proved < 145


def test_evidence_does_not_grow_on_average_if_the_players_are_level() -> None:
    """Exactly, over all sequences of three pairs from several distributions with a mean score of one half."""
    for chances in ((1, 0, 0, 0, 1), (0, 0, 1, 0, 0), (1, 2, 4, 2, 1), (3, 0, 0, 4, 1), (0, 3, 2, 1, 1)):
        total = sum(chances)
        assert 2 * sum(chance * points for points, chance in enumerate(chances)) == 4 * total
        mean = Fraction()
        for pairs in itertools.product(range(5), repeat=3):
            mean += math.prod(Fraction(chances[pair], total) for pair in pairs) * evidence(pairs)
        assert mean == 1


def test_bounds_spend_one_twentieth_in_the_longest_run() -> None:
    spent = sum(Fraction(1, bound(unproven)) for unproven in range(1000))
    assert Fraction(1, RUNS) - spent == Fraction(1, RUNS * 1001)
    assert [bound(unproven) for unproven in range(4)] == [40, 120, 240, 400]


def test_wins_decide_after_as_few_pairs_as_the_bound_asks_for() -> None:
    def pairs_needed(unproven: int) -> int:
        return next(pairs for pairs in range(1, 99) if decide([4] * pairs, unproven) is True)

    needed = [pairs_needed(unproven) for unproven in (0, 1, 10, 100)]
    assert needed == sorted(needed) and 6 <= needed[0] <= 9 and needed[-1] <= 24
    assert decide([4] * 5, 0) is None


def test_a_verdict_does_not_depend_on_pairs_after_it() -> None:
    wins = [4] * ROUND
    assert decide([*wins, *[0] * ROUND], 0) is True
    losses = [0] * ROUND
    assert decide([*losses, *[4] * 5 * ROUND], 0) is False


def test_a_test_gives_up_a_player_that_is_not_ahead() -> None:
    assert decide([2] * (ROUND - 1), 0) is None
    assert decide([2] * ROUND, 0) is False
    barely = [2, 2, 2, 3] * (ROUND // 4)  # a sixteenth ahead in each pair
    assert decide(barely, 0) is None
    assert decide([2] * (ROUND * ROUNDS), 0) is False


def test_no_test_is_longer_than_its_rounds() -> None:
    ahead = [1, 4, 2, 3] * (ROUND * ROUNDS // 4)
    assert [decide(ahead[:end], 10**9) for end in (ROUND * ROUNDS - 1, ROUND * ROUNDS)] == [None, False]


def test_equal_players_seldom_pass_a_level() -> None:
    """Beyond 1/20 by less than chance; without the spending, about one run in five has a false verdict."""
    share, _ = share_of_runs(0, runs=100, generations=30, always=True, seed=1)
    assert share <= 0.05
    unspent, _ = share_of_runs(0, runs=60, generations=30, always=True, seed=1, spending=False)
    assert unspent > 0.1


def test_better_players_usually_pass_a_level() -> None:
    share, pairs = share_of_runs(150, runs=100, generations=8, seed=2)
    assert share > 0.95 and pairs < 60
