"""How values are said: many parents, ratings beyond all measure."""

from __future__ import annotations

import math

import pytest

from evolve.inspection.words import groups_text, interval_text, parents_text, rating_text, say_no_warnings
from evolve.run.row_index import Head


@pytest.mark.parametrize(
    ("origin", "parents", "told"),
    [
        ("founder", 0, "a founder: its weights were drawn"),
        ("mutated", 1, "by mutation, from P0"),
        ("recombined", 2, "by recombination of P0 and P1"),
        ("recombined", 4, "by recombination of P0 and P1 and P2 and P3"),
        ("recombined", 65, "by recombination of P0, P1, P2 and 62 more"),
    ],
)
def test_parents(origin: str, parents: int, told: str) -> None:
    names = tuple(f"P{number}" for number in range(parents))
    assert parents_text(Head("A", 1, origin, names)) == told


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ((1, 1, 1), "none nearer to each other than 10 % of a length"),
        ((2, 1, 1), "1 group of 2 nearer to each other than 10 % of a length"),
        ((9, 4, 3, 2, 1), "4 groups, the largest of 9, 4, 3, nearer to each other than 10 % of a length"),
    ],
)
def test_near_copies(sizes: tuple[int, ...], told: str) -> None:
    assert groups_text(sizes) == told


def test_where_no_warning_is_due() -> None:
    assert say_no_warnings(["cycles", "a fall"]) == "Nothing of what is looked for: cycles, a fall."
    assert say_no_warnings([]) == "Nothing is looked for without games."


def test_ratings() -> None:
    assert [rating_text(value) for value in (-3.4, math.inf, math.nan)] == ["-3", "-", "-"]
    nan, end = math.nan, math.inf
    pairs = ((-20.2, 45.0), (120.0, end), (-end, -7.0), (-end, end), (nan, nan))
    assert [interval_text(*pair) for pair in pairs] == ["-20 to 45", "above 120", "below -7", "", ""]
