"""The warning about ratings that fall: courses that show it, and courses that do not."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.run.folder import Run
from evolve.run.log import read_history
from extras.warnings.findings import FindingKind, Ratings, check_fall


def course(values: Any, half: float = 97.0, every: int = 10) -> Ratings:
    """Ratings of every tenth generation, and their intervals."""
    rated = np.full(len(values) * every, math.nan)
    rated[::every] = values
    return rated, rated - half, rated + half


def test_a_last_champion_below_an_earlier_one() -> None:
    result = check_fall(course([-900, -652, -800, -909], 83, every=5))
    assert result is not None and result.kind == FindingKind.DECLINED
    assert "generation 5 is rated 848 (765 to 931), the champion of generation 15 591 (508 to 674)" in result.text
    assert "choose generation 5." in result.text
    assert check_fall(course([-900, -652, -909, -800], 83, every=5)) is None  # the intervals of the last just meet
    assert check_fall(course([0, 100, 300], 20)) is None
    assert check_fall(course([])) is None and check_fall(course([math.inf] * 20)) is None
    # One rating of thirty is apart by luck rather easily: it has to be further apart.
    many = np.zeros(30)
    many[3], many[-1] = 98, -98
    assert check_fall(course(many)) is None
    many[3], many[-1] = 120, -120
    assert check_fall(course(many)) is not None


@pytest.mark.addition(
    "warning of `inspect`",
    "a function of plain numbers in `extras/warnings/findings.py`; tests with data that trigger it and data that"
    " almost do",
)
@pytest.mark.parametrize("count", [8, 60])
def test_luck_is_no_fall(count: int) -> None:
    """Ratings that are constant or rise, with errors as large as their intervals say."""
    for values in (np.zeros(count), np.linspace(0, 300, count)):
        errors = [np.random.Generator(np.random.Philox(seed)).standard_normal(count) for seed in range(40)]
        falls = [check_fall(course(values + 97 / 1.96 * each)) for each in errors]
        assert sum(each is not None for each in falls) <= 3


def test_the_shipped_champion_did_not_fall() -> None:
    run = Run(Path("populations/crownhead-1"))
    known = read_history(run, run.manifest()).interval("rating")
    assert known is not None and check_fall(known) is None
