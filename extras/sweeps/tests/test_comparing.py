"""The comparison of settings: p values by hand, and detected differences."""

from __future__ import annotations

import math
import re

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from evolve.strength import means
from evolve.strength.means import mean
from extras.sweeps import results
from extras.sweeps.comparing import (
    LEVEL,
    corrected,
    detected,
    difference_deviation,
    holm,
    seeds_to_detect,
)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.4]) == [0.8, 0.8]
    result = holm([0.02, math.nan])
    assert result[0] == 0.04 and math.isnan(result[1])
    assert holm([]) == []


def test_the_difference_that_is_detected_is() -> None:
    deviation = difference_deviation(60)
    assert deviation == pytest.approx(100, rel=0.05)
    for seeds, comparisons in ((5, 1), (8, 4), (20, 9)):
        gap = detected(seeds, deviation, comparisons)
        drawn = np.random.default_rng(seeds).normal(gap, deviation, (2000, seeds))
        results = [means.mean(row.tolist()).probability < LEVEL / comparisons for row in drawn]
        assert np.mean(results) == pytest.approx(0.8, abs=0.05)
    assert math.isinf(detected(1, deviation, 1))
    for difference in (20.0, 50.0, 500.0):
        seeds = seeds_to_detect(difference, deviation, 4)
        assert detected(seeds, deviation, 4) <= difference < detected(seeds - 1, deviation, 4)


NUMBERS = st.lists(st.floats(-300, 300, width=16), min_size=2, max_size=6)


@hypothesis.settings(max_examples=100)
@hypothesis.given(st.lists(NUMBERS, min_size=1, max_size=6))
def test_corrected_intervals_exclude_0_exactly_if_p_is_small(samples: list[list[float]]) -> None:
    found = [mean(sample, [7.0] * len(sample)) for sample in samples]
    for one, probability in zip(found, holm([each.probability for each in found]), strict=True):
        both = corrected(one, probability)
        assert (both.low > 0 or both.high < 0) == (both.probability < LEVEL)
        assert both.low <= one.low < one.value < one.high <= both.high and both.value == one.value
        cell = results._difference(both)
        low, high = map(float, re.findall(r"\((\S+) to (\S+)\)", cell)[0])
        shown = float(cell.rpartition(" ")[2])
        assert (low > 0 or high < 0) == (shown < LEVEL or "<" in cell.rpartition("p")[2])
