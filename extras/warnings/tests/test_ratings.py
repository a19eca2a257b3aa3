"""Warnings about ratings: courses that show them, and courses that do not."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.run.folder import Run
from evolve.run.log import read_history
from extras.warnings import ratings
from extras.warnings.findings import FindingKind
from extras.warnings.ratings import Ratings


def noise(count: int, seed: int = 1) -> Any:
    return 15 * np.random.Generator(np.random.Philox(seed)).standard_normal(count)


RISING = np.linspace(0, 300, 60)
SAW = np.concatenate([np.linspace(0, 200, 30), np.linspace(200, 0, 30)])


def kinds(values: Any) -> list[str]:
    return [result.kind for result in ratings.check_ratings(values)]


def test_ratings_that_cycle() -> None:
    assert kinds(np.tile(SAW, 2) + noise(120)) == [FindingKind.CYCLE, FindingKind.DECLINED]
    (result,) = ratings.check_ratings(np.concatenate([np.tile(SAW, 2), RISING]) + noise(180))
    assert "changed 4 times" in result.text


def test_past_its_best() -> None:
    (result,) = ratings.check_ratings(SAW + noise(60))
    assert result.kind == FindingKind.DECLINED
    assert "Past its best: champions of generations 25 to 29" in result.text
    assert kinds(np.concatenate([[math.nan] * 10, SAW + noise(60)])) == [FindingKind.DECLINED]


@pytest.mark.addition(
    "warning of `inspect`",
    "a function of plain numbers in `extras/warnings/findings.py`; tests with data that trigger it and data that"
    " almost do",
)
@pytest.mark.parametrize("seed", range(20))
def test_noise_is_no_finding(seed: int) -> None:
    assert kinds(RISING + noise(60, seed)) == []
    assert kinds(noise(1000, seed)) == []


# Few ratings, each with its interval --------------------------------------------------------------------------------


def course(values: Any, half: float = 97.0, every: int = 10) -> Ratings:
    """Ratings of every tenth generation, and their intervals."""
    rated = np.full(len(values) * every, math.nan)
    rated[::every] = values
    return rated, rated - half, rated + half


def seen(values: Ratings) -> list[str]:
    return [result.kind for result in ratings.check_course(values)]


def luck(count: int, seed: int) -> Any:
    """Errors of ratings with intervals of 97 to either side."""
    return 97 / 1.96 * np.random.Generator(np.random.Philox(seed)).standard_normal(count)


def test_the_shipped_champion_stands_still() -> None:
    run = Run(Path("populations/crownhead-1"))
    known = read_history(run, run.manifest()).interval("rating")
    assert known is not None
    (result,) = ratings.check_course(known)
    assert result.kind == FindingKind.NOT_RISEN
    assert "for 90 generations: by the 10 ratings from generation 10 on it changed by +57 (-34 to +148)" in result.text


def test_ratings_that_do_not_rise() -> None:
    flat = course(np.zeros(8))
    assert seen(flat) == [FindingKind.NOT_RISEN]
    assert "for 70 generations: by the 8 ratings from generation 0 on" in ratings.check_rise(flat)[0].text
    assert seen(course(np.zeros(7))) == []  # too few to say so
    assert seen(course(np.linspace(0, 80, 8))) == [FindingKind.NOT_RISEN]
    assert seen(course(np.linspace(0, 110, 8))) == []  # rises by more than its ratings are unsure of
    assert seen(course(np.minimum(np.arange(12) * 100, 300))) == [FindingKind.NOT_RISEN]
    assert seen(course(np.minimum(np.arange(12) * 100, 800))) == []  # for four ratings only
    assert ratings.check_rise(course([])) == []
    assert ratings.check_rise(course([math.inf] * 20)) == []


@pytest.mark.parametrize("count", [8, 11, 20, 60])
def test_a_rising_run_does_not_stand_still(count: int) -> None:
    shown = [seen(course(np.linspace(0, 300, count) + luck(count, seed))) for seed in range(25)]
    assert sum(FindingKind.NOT_RISEN in each for each in shown) <= 1
    level = [seen(course(np.minimum(np.linspace(0, 1500, count), 150) + luck(count, seed))) for seed in range(25)]
    assert sum(FindingKind.NOT_RISEN in each for each in level) >= (15 if count > 8 else 0)


def test_a_fall_between_two_ratings() -> None:
    (result,) = ratings.check_course(course([-900, -652, -909, -800], 83, every=5))
    assert result.kind == FindingKind.DECLINED
    assert "generation 5 is rated 848 (765 to 931), the champion of generation 10 591 (508 to 674)" in result.text
    assert "choose generation 5." in result.text
    assert seen(course([-900, -652, -817, -800], 83, every=5)) == []  # the intervals just meet
    assert seen(course([0, 100, 300], 20)) == []
    # One pair of ninety-one is apart by luck rather easily: it has to be further apart.
    many = np.zeros(14)
    many[3], many[9] = 98, -98
    assert FindingKind.DECLINED not in seen(course(many))
    many[3], many[9] = 120, -120
    assert FindingKind.DECLINED in seen(course(many))


def test_few_ratings_give_no_warnings() -> None:
    assert ratings.not_looked_for(4) == "Too few ratings to check for cycles (4 of 15) and for progress (4 of 8)."
    assert ratings.not_looked_for(8) == "Too few ratings to check for cycles (8 of 15)."
    few = "Too few ratings to check for cycles and a fall (1 of 15) and for progress (1 of 8)."
    assert ratings.not_looked_for(1) == few
    assert ratings.not_looked_for(15) == ""
    assert ratings.looked_for(1) == []
    assert ratings.looked_for(4) == ["a fall between two ratings"]
    assert ratings.looked_for(15) == ["cycles", "a fall", "ratings that do not rise"]
