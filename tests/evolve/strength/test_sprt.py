"""The sequential test: closed forms, an independent solution, and how often it errs."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.strength.elo import (
    ALPHA,
    BETA,
    H0,
    H1,
    THRESHOLD,
    UNDECIDED,
    Sprt,
    elo,
    expected_score,
    log_likelihood,
    score_interval,
)
from game.errors import InputError
from tests.cases import for_each

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
COUNTS = st.lists(st.one_of(st.integers(0, 3), st.integers(0, 300)), min_size=5, max_size=5).filter(any)
MEANS = st.floats(0.01, 0.99)


def test_bounds_by_hand() -> None:
    """Wald: log(19) either way for two chances of error of 1 in 20."""
    assert (ALPHA, BETA) == (0.05, 0.05)
    assert Sprt(0, 10).upper == pytest.approx(math.log(19))
    assert Sprt(0, 10).lower == pytest.approx(-math.log(19))


def test_a_verdict_comes_at_its_bound() -> None:
    test = Sprt(0, 10)
    assert test.verdict(test.upper) == H1
    assert test.verdict(test.lower) == H0
    assert test.verdict(math.nextafter(test.upper, 0)) == test.verdict(math.nextafter(test.lower, 0)) == UNDECIDED


@for_each("pairs", [1, 7, 300])
@for_each("mean", [0.2, 0.5, 0.9])
def test_all_pairs_alike(pairs: int, mean: float) -> None:
    """All pairs score s: below s the rest of the mean must be lost pairs, above it won ones, at 1 - mean / s."""
    for index, score in enumerate(SCORES):
        counts = [0] * 5
        counts[index] = pairs
        kept = mean / score if mean < score else (1 - mean) / (1 - score) if mean > score else 1.0
        assert log_likelihood(counts, mean) == pytest.approx(pairs * math.log(kept), abs=1e-9)


def test_the_ratio_of_a_coin_is_that_of_wald() -> None:
    """60 pairs won and 40 lost: 60 log(s1 / s0) + 40 log((1 - s1) / (1 - s0))."""
    test = Sprt(0, 40)
    s1 = expected_score(40)
    assert test.llr((40, 0, 0, 0, 60)) == pytest.approx(60 * math.log(s1 / 0.5) + 40 * math.log((1 - s1) / 0.5))
    # Drawn games in between: only the pairs' points count, not how single games went.
    assert test.llr((0, 0, 100, 0, 0)) == pytest.approx(100 * math.log((1 - s1) / 0.5))


@given(COUNTS, MEANS)
def test_the_largest_likelihood_is_that_of_the_primal_problem(counts: list[int], mean: float) -> None:
    """No distribution with this mean is likelier, and the best of many comes close: p_i = c n_i / (1 - r a_i)."""
    largest = log_likelihood(counts, mean)
    pairs = sum(counts)
    observed = sum(n * a for n, a in zip(counts, SCORES, strict=True)) / pairs
    assert largest <= 1e-9
    # The weights of a mixture of the observed distribution and one extreme result, which has this mean.
    extreme, share = (1.0, (mean - observed) / (1 - observed)) if mean > observed else (0.0, 1 - mean / observed)
    mixed = sum(
        n * math.log(1 - share + (share * pairs / n if a == extreme else 0.0))
        for n, a in zip(counts, SCORES, strict=True)
        if n and (share < 1 or a == extreme)
    )
    assert mixed <= largest + 1e-6


@given(COUNTS)
def test_the_likelihood_is_that_of_the_interval(counts: list[int]) -> None:
    """At the ends of the 95 % interval twice the lost likelihood is the threshold: another way of computing it."""
    interval = score_interval(counts)
    for bound in (interval.low, interval.high):
        if 0 < bound < 1:
            assert -2 * log_likelihood(counts, bound) == pytest.approx(THRESHOLD, abs=1e-6)


def test_sprt_without_pairs_is_undecided() -> None:
    assert Sprt(0, 10).llr((0, 0, 0, 0, 0)) == 0
    assert Sprt(0, 10).verdict(0) == UNDECIDED


def simulated(chances: tuple[float, ...], test: Sprt, random: Random) -> str:
    counts = [0] * 5
    verdict = UNDECIDED
    while verdict == UNDECIDED:
        counts[random.choices(range(5), chances)[0]] += 1
        verdict = test.verdict(test.llr(counts))
    return verdict


@pytest.mark.parametrize(
    "spread",
    [
        (0.16, 0.2, 0.28, 0.2, 0.16),  # as independent games give
        (0.02, 0.13, 0.70, 0.13, 0.02),  # lopsided openings: most pairs are split
        (0.5, 0.0, 0.0, 0.0, 0.5),  # the better player always wins both
    ],
)
@pytest.mark.check
def test_errors_are_as_rare_as_promised(spread: tuple[float, ...]) -> None:
    """At each hypothesis 5 % may err; 5 % and three standard deviations of 400 tests are 8.3 %."""
    random, test = Random(1945), Sprt(0, 120)
    for truth, wrong in ((0.0, H1), (120.0, H0)):
        # Tilt the symmetric distribution until it has the mean of the hypothesis.
        low, high = -10.0, 10.0
        for _ in range(60):
            tilt = (low + high) / 2
            weights = [p * math.exp(tilt * a) for p, a in zip(spread, SCORES, strict=True)]
            mean = sum(w * a for w, a in zip(weights, SCORES, strict=True)) / sum(weights)
            low, high = (tilt, high) if mean < expected_score(truth) else (low, tilt)
        chances = tuple(w / sum(weights) for w in weights)
        assert elo(sum(p * a for p, a in zip(chances, SCORES, strict=True))) == pytest.approx(truth, abs=1e-6)
        assert sum(simulated(chances, test, random) == wrong for _ in range(400)) / 400 <= 0.083


@for_each("text", ["", "0", "0,10,20", "a,b", "0;10", "10,0", "5,5", "nan,5", "0,inf", "0,2001", "0," * 99])
def test_texts_that_are_no_hypotheses_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="--sprt: expected") as caught:
        Sprt.parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(("text", "test"), [("0,10", Sprt(0, 10)), (" -5.5 , 0 ", Sprt(-5.5, 0))])
def test_hypotheses_as_people_write_them(text: str, test: Sprt) -> None:
    assert Sprt.parse(text) == test
