"""Standard streams that are missing or lose their reader, text that fits a terminal, and numbers as people read them.

Parts of a line without room are omitted whole.
"""

from __future__ import annotations

import contextlib
import errno
import io
import math
import os
import random
import sys
from pathlib import Path

import pytest

import main
from game import number_text, terminal
from game.terminal import USUAL_WIDTH, OptionalStream, fit_columns, fit_parts, output_width, terminal_width, wrap_lines
from tests.cases import for_each


def test_width_is_that_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns, width in (("", USUAL_WIDTH), ("52", 52), ("0", USUAL_WIDTH), ("x", USUAL_WIDTH)):
        monkeypatch.setenv("COLUMNS", columns)
        assert terminal_width(io.StringIO()) == width
        assert terminal_width(None) == width
    assert output_width() is None  # tests write to no terminal


@for_each("width", range(1, 60))
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


class Gone(io.StringIO):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error, self.writes = error, 0

    def write(self, text: str) -> int:
        self.writes += 1
        if self.writes > 1:
            raise self.error
        return super().write(text)


@for_each(
    "error",
    [
        *(OSError(number, os.strerror(number)) for number in (errno.EPIPE, errno.EIO, errno.ENOSPC)),
        ValueError("I/O operation on closed file"),
    ],
)
def test_unread_output_is_reported_once(error: Exception) -> None:
    below, result = Gone(error), list[Exception]()
    stream = OptionalStream(below, result.append)
    for text in ("first", "second", "third"):
        print(text, file=stream, end="", flush=True)
    assert below.getvalue() == "first"
    assert below.writes == 2
    assert result == [error]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_full_disk_leaves_no_buffered_output() -> None:
    messages = list[Exception]()
    with open("/dev/full", "w", encoding="utf-8") as full:
        print("text", file=OptionalStream(full, messages.append), flush=True)
        full.flush()
    assert [getattr(each, "errno", None) for each in messages] == [errno.ENOSPC]


def test_closed_pipe_is_handled() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as pipe, open(os.devnull, "w", encoding="utf-8") as other:
        pipe.write("text")
        terminal.settle(pipe, other)
        print("more", file=pipe, flush=True)


def test_missing_streams_become_the_null_device(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    terminal.open_missing()
    print("text")
    print("text", file=sys.stderr)
    assert sys.stdin is None and not sys.stderr.isatty()  # that it is closed is told by who reads it
    made = sys.stdout, sys.stderr
    terminal.open_missing()
    assert made == (sys.stdout, sys.stderr)
    for stream in made:
        stream.close()


@pytest.mark.parametrize("stream", ["pipe", "disk", "none"])
def test_unread_result_ends_quietly(
    stream: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    if stream == "disk" and not os.path.exists("/dev/full"):
        pytest.skip("a device of Linux")
    code, text = {"pipe": (0, ""), "disk": (74, "main.py: No space left on device\n"), "none": (0, "")}[stream]
    with open(writing, "w", encoding="utf-8") as pipe, contextlib.ExitStack() as stack:
        if stream == "none":
            for name in ("stdin", "stdout", "stderr"):
                monkeypatch.setattr(sys, name, None)
        else:
            full = stack.enter_context(open("/dev/full", "w", encoding="utf-8")) if stream == "disk" else pipe
            monkeypatch.setattr(sys, "stdout", full)
        assert main.main(["move", "random"]) == code
        sys.stdout.flush()  # as Python does at its end
        for name in ("stdout", "stderr") if stream == "none" else ():
            getattr(sys, name).close()
    monkeypatch.undo()
    assert capsys.readouterr().err == text


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
