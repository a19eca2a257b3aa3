"""Numbers as people read them: each form, at its limits."""

from __future__ import annotations

import math
import random

import pytest

from game import number_text
from tests.cases import for_each


def test_counts_and_signs() -> None:
    assert [number_text.count_text(n, "game") for n in (0, 1, 1024)] == ["0 games", "1 game", "1,024 games"]
    assert [number_text.signed_text(n) for n in (-0.4, 0.4, 0.6, -12.6)] == ["0", "0", "+1", "-13"]
    assert [number_text.value_text(n) for n in (-1234, 0.123456, -2.5)] == ["−1,234", "0.12346", "−2.5"]
    assert [number_text.rate_text(n) for n in (None, 0.0, 0.25, 12345.6)] == ["–", "0", "0.2", "12,346"]
    assert [number_text.finite_or_none(n) for n in (1.5, math.inf, math.nan)] == [1.5, None, None]


@pytest.mark.parametrize(("seconds", "text"), [(7, "0:07"), (59.6, "1:00"), (7389, "2:03:09")])
def test_seconds_are_written_like_a_clock(seconds: float, text: str) -> None:
    assert number_text.clock_text(seconds) == text


@for_each(
    ("seconds", "text"),
    [(-3, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min 59 s"), (3600, "1 h"), (3660, "1 h 1 min"),
     (86399, "23 h 59 min"), (86400, "1 d"), (273600, "3 d 4 h")],
)  # fmt: skip
def test_span_has_the_two_largest_units(seconds: float, text: str) -> None:
    assert number_text.span_text(seconds) == text


@pytest.mark.parametrize(("size", "text"), [(999, "999 B"), (1000, "1.0 kB"), (3_500_000, "3.5 MB"), (2e9, "2.0 GB")])
def test_bytes_are_written_with_their_unit(size: float, text: str) -> None:
    assert number_text.size_text(size) == text


def test_results_are_counted_in_words() -> None:
    assert number_text.results_text((1, 1, 0, 0, -1)) == "1 game: 1 won, 0 drawn, 0 lost; −1 point"
    assert number_text.results_text((1200, 1000, 150, 50, 3150)) == (
        "1,200 games: 1,000 won, 150 drawn, 50 lost; 3,150 points"
    )


@pytest.mark.parametrize(
    ("shares", "least", "wanted"),
    [
        ((0.99, 0.006, 0.004), 1, (98, 1, 1)),
        ((0.99, 0.006, 0.004), 0, (99, 1, 0)),
        ((1 / 3, 1 / 3, 1 / 3), 0, (34, 33, 33)),
        ((0.5, 0.25, 0.25), 1, (50, 25, 25)),
        ((1.0, 0.0, 0.0), 0, (100, 0, 0)),
        ((3.0, 1.0), 0, (75, 25)),
        ((0.0, 0.0, 0.0), 1, (0, 0, 0)),
    ],
)
def test_whole_percentages_sum_to_100(shares: tuple[float, ...], least: int, wanted: tuple[int, ...]) -> None:
    assert number_text.whole_percents(shares, least) == wanted


@for_each("seed", range(50))
@for_each("least", [0, 1])
def test_whole_percentages_are_within_one_of_the_shares(seed: int, least: int) -> None:
    generator = random.Random(seed)
    shares = [generator.random() ** 4 for _ in range(3)]
    parts = number_text.whole_percents(shares, least)
    assert sum(parts) == 100 and min(parts) >= least
    assert all(abs(part - 100 * share / sum(shares)) < 1 + 2 * least for part, share in zip(parts, shares, strict=True))
