"""Lines and tables that fit a terminal: what has no room is left out whole."""

from __future__ import annotations

import io

import pytest

from game.terminal import USUAL_WIDTH, fit_columns, fit_parts, output_width, terminal_width, wrap_lines


def test_the_width_is_asked_where_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns, width in (("", USUAL_WIDTH), ("52", 52), ("0", USUAL_WIDTH), ("x", USUAL_WIDTH)):
        monkeypatch.setenv("COLUMNS", columns)
        assert terminal_width(io.StringIO()) == width
        assert terminal_width(None) == width
    assert output_width() is None  # tests write to no terminal


@pytest.mark.parametrize("width", range(1, 60))
def test_parts_are_left_out_whole(width: int) -> None:
    text = fit_parts(("1,234 of 5,000 games", "52.1 %", "(49.3 to 54.9)", "7 left"), width)
    assert len(text) <= width
    assert "1,234 of 5,000 games, 52.1 % (49.3 to 54.9), 7 left".startswith(text)
    words = ["1,234", "of", "5,000", "games,", "52.1", "%", "(49.3", "to", "54.9),", "7", "left"]
    assert [word.rstrip(",") for word in text.split()] == [word.rstrip(",") for word in words[: len(text.split())]]


def test_columns_of_lesser_worth_go_first() -> None:
    widths = {"a": 10, "b": 20, "c": 30}
    assert fit_columns(widths, None, ("b",)) == ["a", "b", "c"]
    assert fit_columns(widths, 60, ("b", "a")) == ["a", "b", "c"]
    assert fit_columns(widths, 59, ("b", "a", "no such")) == ["a", "c"]
    assert fit_columns(widths, 5, ("b", "a")) == ["c"]


@pytest.mark.parametrize("width", [40, 60, 80])
def test_lines_break_between_words(width: int) -> None:
    text = (
        "200 games in pairs with colours swapped, on random three-move openings, all different\n\n"
        "Score  70.0 %, with 95 % confidence between 62.8 % and 76.3 %, as of a match of two-hundred games\n"
        "       A is the stronger player: the whole interval lies above 0, and so on, and so on, and so on\n"
        "short"
    )
    wrapped = wrap_lines(text, width)
    assert max(map(len, wrapped.split("\n"))) <= width
    assert wrapped.split() == text.split()
    assert wrapped.count("\n       ") >= 2 + (width < 80)
    assert wrap_lines(text, 200) == text
    assert wrap_lines("x" * 100, width) == "x" * 100  # a name is not broken
