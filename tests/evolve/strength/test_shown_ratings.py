"""Ratings as people see them: never below 0."""

from __future__ import annotations

import pytest

from evolve.config.anchors import shown, shown_interval, shown_text
from evolve.strength.levels import RANDOM


@pytest.mark.parametrize(
    ("rating", "text", "brief", "value"),
    [
        (-1541.0, "below random moves", "< 0", 0.0),
        (-1500.6, "below random moves", "< 0", 0.0),
        (-1500.4, "0", "0", 0.0),
        (RANDOM, "332", "332", 332.0),
        (122.0, "1622", "1622", 1622.0),
    ],
)
def test_a_rating_is_never_negative(rating: float, text: str, brief: str, value: float) -> None:
    assert (shown_text(rating), shown_text(rating, brief=True)) == (text, brief)
    assert shown(rating) == pytest.approx(value, abs=0.5)


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (-1700.0, -1600.0, "below random moves"),
        (-1700.0, -1000.0, "below 500"),
        (-1400.0, -1000.0, "100 to 500"),
    ],
)
def test_an_interval_names_no_negative_end(low: float, high: float, text: str) -> None:
    assert shown_interval(low, high) == text
