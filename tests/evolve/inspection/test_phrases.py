"""How values are said: many parents, ratings beyond all measure."""

from __future__ import annotations

import math

import pytest

from evolve.inspection.phrases import (
    founders_text,
    groups_text,
    interval_text,
    parents_text,
    rating_text,
    say_no_warnings,
)
from evolve.report.ancestry import Ancestor, FounderShares
from evolve.run.row_index import Head
from game.number_text import signed_text


@pytest.mark.parametrize(
    ("origin", "parents", "text"),
    [
        ("founder", 0, "a founder, without parents in this run"),
        ("mutated", 1, "by mutation, from P0"),
        ("recombined", 2, "by recombination of P0 and P1"),
        ("recombined", 4, "by recombination of P0 and P1 and P2 and P3"),
        ("recombined", 65, "by recombination of P0, P1, P2 and 62 more"),
    ],
)
def test_parents(origin: str, parents: int, text: str) -> None:
    names = tuple(f"P{number}" for number in range(parents))
    assert parents_text(Head("A", 1, origin, names)) == text


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ((1, 1, 1), "none closer than 10 % of a genome's length"),
        ((2, 1, 1), "1 group of 2, closer than 10 % of a genome's length"),
        ((9, 4, 3, 2, 1), "4 groups, the largest of 9, 4, 3, closer than 10 % of a genome's length"),
    ],
)
def test_near_copies(sizes: tuple[int, ...], text: str) -> None:
    assert groups_text(sizes) == text


def test_good_runs_have_no_warnings() -> None:
    assert say_no_warnings(["cycles", "a fall"]) == "No warnings. Checked for: cycles, a fall."
    assert say_no_warnings([]) == "No checks were made, since no games were played."


def test_ratings() -> None:
    assert [rating_text(value) for value in (-3.4, math.inf, math.nan)] == ["1497", "-", "-"]
    nan, end = math.nan, math.inf
    pairs = ((-20.2, 45.0), (120.0, end), (-end, -7.0), (-end, end), (nan, nan))
    assert [interval_text(*pair) for pair in pairs] == ["1480 to 1545", "above 1620", "below 1493", "", ""]
    assert rating_text(45.2, signed_text) == "+45" and interval_text(-7.0, end, signed_text) == "above -7"


@pytest.mark.parametrize(
    ("shares", "ancestors", "exact", "text"),
    [
        ([0.7, 0.3], 11, True, "2 of 11 ancestors in generation 0: F0 (70.0 %), F1 (30.0 %)"),
        ([1], 1, True, "1 of 1 ancestor in generation 0: F0 (100.0 %)"),
        ([0.5, 0.5], 2, False, "2 ancestors in generation 0, expected shares: F0 (50 %), F1 (50 %)"),
        (
            [0.3, 0.2, 0.2, 0.1, 0.1, 0.1],
            9,
            True,
            "6 of 9 ancestors in generation 0: F0 (30.0 %), F1 (20.0 %), F2 (20.0 %), F3 (10.0 %) and 2 more",
        ),
    ],
)
def test_founders(shares: list[float], ancestors: int, exact: bool, text: str) -> None:
    result = tuple(Ancestor(0, f"F{number}", share=share) for number, share in enumerate(shares))
    assert founders_text(FounderShares(result, ancestors, exact)) == text


def test_lines_that_are_lost_are_counted() -> None:
    result = (Ancestor(3, "A", share=0.75), Ancestor(0, "B", share=0.25))
    text = "2 of 4 ancestors: A (75.0 %), B (25.0 %); 1 line cannot be followed to generation 0"
    assert founders_text(FounderShares(result, 4, True)) == text
