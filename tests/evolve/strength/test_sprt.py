"""The sequential test: closed forms, an independent solution, how often it errs; and what a run beats."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.run.log import LOG_COLUMNS, Log
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
from evolve.strength.levels import RANDOM
from evolve.strength.verdict import OPPONENTS, WORTH_TESTING, LevelState, RunVerdict
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


NAN = math.nan


def log_of(folder: Path, *rows: dict[str, object]) -> Log:
    """Return a log with these values; other columns are 1 or, if they belong to ratings, empty."""
    lines = [",".join(LOG_COLUMNS)]
    for generation, row in enumerate(rows):
        values = {name: "1" for name in LOG_COLUMNS} | dict.fromkeys(LOG_COLUMNS[-7:-1], "")
        values |= {"generation": str(generation), "champion": f"Gen{generation:02d}_0000"}
        values |= {name: str(value) for name, value in row.items()}
        lines.append(",".join(values.values()))
    (folder / "log.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    log = Log(folder)
    while log.step().more:
        pass
    assert not log.trouble and len(log) == len(rows)
    return log


def test_the_weakest_opponent_that_is_not_beaten_is_tested_next() -> None:
    state = LevelState()
    assert state.next(RANDOM) is None and state.next(RANDOM + 1) == 0
    assert state.next(5000.0) == 0  # a strong champion does not skip weak opponents
    for index in range(len(OPPONENTS)):
        assert state.next(5000.0) == index
        state = state.after(True, 7, 5000.0)
    assert state.next(5000.0) is None and state.unproven == 0
    assert LevelState().next(math.nan) is None and LevelState().next(-math.inf) is None


def test_a_failed_test_is_repeated_only_with_a_higher_rating() -> None:
    state = LevelState(beaten=3, by=2).after(False, 5, -200.0)
    assert (state.unproven, state.by, state.beaten) == (1, 2, 3)
    assert [state.next(low) for low in (-250.0, -200.0, -199.9)] == [None, None, 3]
    higher = state.after(True, 9, -100.0)
    assert (higher.unproven, higher.by, higher.beaten) == (1, 9, 4)
    assert higher.next(WORTH_TESTING[4] + 1) == 4  # another opponent, so the rating at the vain test means nothing


def test_the_state_is_read_from_the_log(tmp_path: Path) -> None:
    """As tests left it, one by one, in generations with and without ratings."""
    state, rows = LevelState(), list[dict[str, object]]()
    for generation, (low, verdicts) in enumerate(
        [(-1500.0, []), (-600.0, [True, True]), (-500.0, [True]), (NAN, []), (-200.0, [False]), (-250.0, []),
         (-150.0, [True]), (40.0, [False]), (60.0, [False])]
    ):  # fmt: skip
        for verdict in verdicts:
            assert state.next(low) is not None
            state = state.after(verdict, generation, low)
        numbers = {name: "" if value is None else value for name, value in state.numbers().items()}
        rated = {"rating": low + 80, "rating_low": low, "rating_high": low + 160} | numbers
        rows.append({} if math.isnan(low) else rated)
        assert LevelState.of_log(log_of(tmp_path, *rows)) == state
    assert state == LevelState(beaten=4, by=6, unproven=3, tried=60.0)


def test_a_proof_and_a_failed_test_in_one_generation_are_both_read(tmp_path: Path) -> None:
    state = LevelState().after(True, 0, 40.0).after(False, 0, 40.0)
    row = {"rating": 100, "rating_low": 40, "rating_high": 160} | state.numbers()
    assert LevelState.of_log(log_of(tmp_path, row)) == state


def numbers(rating: float, low: float, beaten: float | None, by: float | None) -> dict[str, float | None]:
    return {"rating": rating, "rating_low": low, "beaten": beaten, "beaten_by": by}


@for_each(
    ("given", "text", "short"),
    [
        (numbers(130, 56, 4, 9), "generation 9 beats Club", "beats Club"),
        (numbers(130, 56, 4, 3), "generation 3 beats Club", ""),
        (numbers(-290, -350, 4, 3), "generation 3 beats Club, but generation 9 is rated below it",
         "below Club, which generation 3 beats"),
        (numbers(130, 56, 0, None), "", ""),
        (numbers(-math.inf, -math.inf, 1, 3), "generation 3 beats random moves, but generation 9 is rated below it",
         "below random moves, which generation 3 beats"),
        (numbers(900, 860, 7, 9), "generation 9 beats Champion", "beats Champion"),
        (numbers(130, 56, None, None), "generation 9 is rated above Strong", "rated above Strong"),
        (numbers(-1100, -1167, None, None), "generation 9 is rated above random moves", "rated above random moves"),
        (numbers(math.inf, 210, None, None), "generation 9 is rated above Strong", "rated above Strong"),
        (numbers(130, 56, 99, 9), "generation 9 beats Champion", "beats Champion"),  # a log made by hand
        ({}, "", ""),
    ],
)  # fmt: skip
def test_verdicts_have_these_words(given: dict[str, float | None], text: str, short: str) -> None:
    verdict = RunVerdict.of(9, given)
    assert (verdict.text, verdict.short) == (text, short)


def test_only_generation_0_owes_its_strength_to_a_built_in_piece_count() -> None:
    first = RunVerdict.of(0, numbers(-82, -150, 4, 0), counting=True)
    assert first.short == "beats Club by its built-in piece count"
    assert first.text == "generation 0 beats Club by its built-in piece count"
    later = RunVerdict.of(20, numbers(-82, -150, 4, 0), counting=True)
    assert (later.text, later.short) == (first.text, "")
    assert RunVerdict.of(20, numbers(-82, -150, 4, 20), counting=True).short == "beats Club"
    assert RunVerdict.of(0, numbers(-82, -150, 4, 0)).short == "beats Club"


def test_the_newest_rating_decides(tmp_path: Path) -> None:
    rows = ({"rating": -700, "rating_low": -760, "rating_high": -640, "beaten": 2, "beaten_by": 0}, {})
    fallen = {"rating": -900, "rating_low": -960, "rating_high": -840, "beaten": 2, "beaten_by": 0}
    verdict = RunVerdict.last(log_of(tmp_path, *rows).column, counting=False)
    assert verdict is not None and verdict.text == "generation 0 beats Beginner"
    verdict = RunVerdict.last(log_of(tmp_path, *rows, fallen).column, counting=False)
    assert verdict.text == "generation 0 beats Beginner, but generation 2 is rated below it"
    assert RunVerdict.last(log_of(tmp_path, {}).column, counting=False) is None


def test_a_level_that_an_untested_run_passed_and_lost_again_is_named(tmp_path: Path) -> None:
    rows = [{"rating": low + 80, "rating_low": low, "rating_high": low + 160} for low in (-200, 40, -200, -1500)]
    for count, text in (
        (2, "generation 1 is rated above Strong"),
        (3, "generation 1 is rated above Strong, generation 2 above Club"),
        (4, "generation 1 is rated above Strong"),
    ):
        verdict = RunVerdict.last(log_of(tmp_path, *rows[:count]).column, counting=False)
        assert verdict is not None and verdict.text == text
