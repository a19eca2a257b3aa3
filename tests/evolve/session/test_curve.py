"""The curve of ratings on a terminal."""

from __future__ import annotations

import math

import pytest

from evolve.session.curve import rating_curve


def places(lines: list[str]) -> dict[int, int]:
    """Return the row of the rating in each column of a curve."""
    return {column - 7: row for row, line in enumerate(lines[:-1]) for column, mark in enumerate(line) if mark == "●"}


def test_ratings_are_drawn_to_scale() -> None:
    lines = rating_curve({0: -1000.0, 5: -500.0, 10: 0.0}, 10, rows=11, columns=21)
    assert places(lines) == {0: 10, 10: 5, 20: 0}
    assert lines[0].startswith(" 1500 │") and lines[10].startswith("  500 │")
    assert lines[-1] == "      └generation 0────── 10"
    assert [line.split()[-1] for line in lines if "·" in line] == ["Strong", "Club", "Casual", "Beginner"]


def test_a_curve_leaves_room_for_later_generations() -> None:
    assert places(rating_curve({0: -1000.0, 5: 0.0}, 10, columns=21)) == {0: 11, 10: 0}


@pytest.mark.parametrize("ratings", [{}, {0: 1.0}, {0: -math.inf, 1: 1.0}])
def test_a_single_rating_has_no_curve(ratings: dict[int, float]) -> None:
    assert rating_curve(ratings, 10) == []


def test_equal_ratings() -> None:
    assert places(rating_curve({0: 3.0, 1: 3.0}, 1, columns=2)) == {0: 0, 1: 0}
