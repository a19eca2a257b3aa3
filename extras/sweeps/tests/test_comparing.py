"""The comparison of settings: p values by hand, and intervals corrected as they are."""

from __future__ import annotations

import math

import hypothesis
import pytest
from hypothesis import strategies as st

from evolve.strength.means import mean
from extras.sweeps.results import LEVEL, corrected, holm


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.4]) == [0.8, 0.8]
    result = holm([0.02, math.nan])
    assert result[0] == 0.04 and math.isnan(result[1])
    assert holm([]) == []


NUMBERS = st.lists(st.floats(-300, 300, width=16), min_size=2, max_size=6)


@hypothesis.settings(max_examples=100)
@hypothesis.given(st.lists(NUMBERS, min_size=1, max_size=6))
def test_corrected_intervals_exclude_0_exactly_if_p_is_small(samples: list[list[float]]) -> None:
    matches = [mean(sample, [7.0] * len(sample)) for sample in samples]
    for one, probability in zip(matches, holm([each.probability for each in matches]), strict=True):
        both = corrected(one, probability)
        assert (both.low > 0 or both.high < 0) == (both.probability < LEVEL)
        assert both.low <= one.low < one.value < one.high <= both.high and both.value == one.value
