"""Progress and results of a session, in lines, in the live view, and as a curve."""

from __future__ import annotations

import io
import math
import re
from dataclasses import replace

import pytest

from evolve.session.reporters import (
    CountingLine,
    GenerationLines,
    GenerationReport,
    LineReporter,
    Reporter,
    Speedometer,
    TerminalReporter,
    rating_curve,
)
from tests.cases import for_each
from tests.screen import Screen


def report(generation: int = 3, games: int = 1717, seconds: float = 0.5, last: int = 15) -> GenerationReport:
    return GenerationReport(
        generation=generation, champion=f"Gen{generation:02d}_0521", individuals=1024, games=games, draws=678,
        failures=0, plies=90_000, evaluations=400_000, best_points=56, mean_points=4.4, worst_points=0, distinct=1024,
        diversity=12.346, seconds=seconds, last=last,
    )  # fmt: skip


def line(report: GenerationReport) -> str:
    return GenerationLines(15).line(report)


@for_each(
    ("value", "low", "high", "shown", "words"),
    [
        (None, None, None, (None, None), ""),
        (None, None, None, (4, 1), ""),
        (-57.2, -134.4, 3.1, (4, 3), "  rating 1443 (1366 to 1503): beats Club"),
        (-57.2, -134.4, 3.1, (4, 1), "  rating 1443 (1366 to 1503)"),
        (-457.2, -534.4, -397.0, (4, 1), "  rating 1043 (966 to 1103): below Club, which generation 1 beats"),
        (-57.2, -134.4, 3.1, (0, None), "  rating 1443 (1366 to 1503)"),
        (-57.2, -134.4, 3.1, (None, None), "  rating 1443 (1366 to 1503): rated above Club"),
        (-math.inf, -math.inf, -512.0, (None, None), "  rating below 988"),
        (math.inf, 210.4, math.inf, (None, None), "  rating above 1710: rated above Strong"),
    ],
)
def test_a_rating_without_an_end_is_printed_as_a_bound(
    value: float | None, low: float | None, high: float | None, shown: tuple[int | None, int | None], words: str
) -> None:
    numbers = dict(zip(("beaten", "beaten_by"), shown, strict=True))
    rated = replace(report(), rating=value, rating_low=low, rating_high=high, numbers=numbers)
    assert line(rated) == line(report()) + words


def test_pace_is_the_mean_of_the_last_ten_generations() -> None:
    pace = Speedometer()
    assert pace.games_a_second == 0
    assert pace.seconds_left(5) == 0
    pace.add(report(games=100, seconds=100.0))  # a slow start is forgotten
    for _ in range(10):
        pace.add(report(games=200, seconds=0.5))
    assert pace.games_a_second == pytest.approx(400)
    assert pace.seconds_left(4) == pytest.approx(2.0)


def test_a_generation_is_one_line_under_the_headings() -> None:
    table = GenerationLines(15)
    table.pace.add(report())
    text = table.line(report())
    assert text.split() == [
        *("3", "Gen03_0521", "1,717", "39.5", "%", "56/4.4/0"),
        *("1,024", "12.346", "3,434", "0:06"),
    ]
    heads = table.headings()
    assert len(text) == len(heads)
    for heading, value in (("champion", "Gen03_0521"), ("distinct", "1,024"), ("left", "0:06"), ("games/s", "3,434")):
        place = heads.index(heading)
        result = text.index(value)
        assert result == place or result + len(value) == place + len(heading)  # in the column of its heading


@pytest.mark.parametrize("width", [40, 60, 80, 130])
def test_a_rated_generation_is_one_line_of_a_terminal(width: int) -> None:
    """Columns go, as in the headings; the rating stays, and so do name and number of the generation."""
    rated = replace(report(1000), champion="Gen1000_0521", rating=-652.4, rating_low=-762.0, rating_high=-534.0)
    rated = replace(rated, numbers={"beaten": 2, "beaten_by": 1000})
    table = GenerationLines(1000)
    for each in (report(1000), rated):
        text = table.line(each, width)
        assert len(text) <= width
        assert text.startswith("1000  Gen1000_0521")
    beats = ": beats Beginner" if width >= 60 else ""
    assert table.line(rated, width).endswith(f"848 (738 to 966){beats}")
    assert set(table.headings(width).split()) <= set(table.headings().split())
    assert table.headings() == table.headings(140)
    assert ("distinct" in table.headings(width)) == (width > 115)


def test_a_rating_that_follows(capsys: pytest.CaptureFixture[str]) -> None:
    """At the first start, where the code for it is compiled while the first games are played."""
    rated = replace(report(0), rating=-412.4, rating_low=-500.0, rating_high=-350.0)
    rated = replace(rated, numbers={"beaten": 3, "beaten_by": 0})
    waiting = replace(rated, rating=None, rating_follows=True)
    assert line(waiting).endswith("  rating follows")
    kinds: tuple[type[Reporter], ...] = (LineReporter, TerminalReporter)
    for kind in kinds:
        reporter = kind()
        reporter.on_loading("moves", 1, 4)
        reporter.on_compiling("", 0)
        reporter.on_loading("games", 2, 4)
        reporter.on_compiling("", 0)  # by another process
        reporter.on_started(0, 1, 2)
        reporter.on_generation(waiting)
        reporter.on_rating(rated)
        reporter.close()
        lines = capsys.readouterr().err.splitlines()
        assert [text.split("rating")[1:] for text in lines if "rating" in text] == [
            [" follows"],
            [" 1088 (1000 to 1150): beats Casual"],
        ]
        assert any(
            " ".join(text.split()) == f"0 {rated.champion} rating 1088 (1000 to 1150): beats Casual" for text in lines
        )


def passed(generation: int, last: int = 100) -> GenerationReport:
    """A rated generation whose champion has just been shown to beat random moves."""
    numbers = {"beaten": 1, "beaten_by": generation}
    return replace(report(generation, last=last), rating=0.0, rating_low=-9.0, rating_high=9.0, numbers=numbers)


@for_each(
    ("step", "silence", "result"),
    [
        (10, None, [0, 7, 10, 20, 30, 35]),
        (1, None, [0, 7, 16, 32, 35]),
        (0, None, [0, 7, 16, 32, 35]),
        (10, 0.0, [*range(36)]),
    ],
)
def test_generations_with_a_line(step: int, silence: float | None, result: list[int]) -> None:
    """Those that are rated or pass a level, and the last; one in 16 if a session rates all of them or none."""
    for kind in (LineReporter, TerminalReporter):
        stream = io.StringIO()
        reporter = kind(stream, silence, step=step)
        reporter.on_loading("moves", 1, 1)
        reporter.on_started(0, 35, 2)
        for number in range(36):
            reporter.on_generation(passed(number, 35) if number == 7 else report(number, last=35))
        reporter.close()
        lines = [text.split() for text in stream.getvalue().splitlines()]
        assert [int(words[0]) for words in lines if words[1:2] and words[1].startswith("Gen")] == result


def test_a_rating_that_follows_a_line_that_was_left_out() -> None:
    stream = io.StringIO()
    reporter = LineReporter(stream, step=10)
    reporter.on_started(0, 100, 2)
    for number in (3, 4):
        reporter.on_generation(replace(report(number, last=100), rating_follows=True))
    reporter.on_rating(replace(passed(4), numbers={}))
    reporter.on_rating(passed(4))
    assert [text.split()[0] for text in stream.getvalue().splitlines()[2:]] == ["4"]


def play_through(reporter: Reporter, compiled: tuple[int, ...] = ()) -> None:
    for number, what in enumerate(("moves", "networks", "games"), 1):
        reporter.on_loading(what, number, 3)
        for count in range(2 if number in compiled else 0):
            reporter.on_compiling("kernel", count + 1)
            reporter.on_compiling("", count + 1)
    reporter.on_started(0, 1, 2)
    reporter.on_message("made with deap 1.0, continuing with 2.0")
    for generation in (0, 1):
        for _ in range(3):
            reporter.on_games(100)
        reporter.on_generation(report(generation, last=1))
    reporter.close()


def test_lines_for_logs_and_pipes() -> None:
    stream = io.StringIO()
    play_through(LineReporter(stream))
    lines = stream.getvalue().splitlines()
    assert re.fullmatch(r"ready after \d+\.\d s; generations 0 to 1 on 2 workers", lines[0])
    assert lines[1] == GenerationLines(15).headings()
    assert lines[2] == "made with deap 1.0, continuing with 2.0"
    assert [text.split()[0] for text in lines[3:]] == ["0", "1"]
    assert "\x1b" not in stream.getvalue()
    assert "\r" not in stream.getvalue()


def test_long_generation_reports_progress() -> None:
    for silence, result in ((0.0, ["   3  own games: 0 of 1,500", "   3  own games: 1,500 of 1,500"]), (60.0, [])):
        stream = io.StringIO()
        reporter = LineReporter(stream, silence)
        reporter.on_started(0, 1, 2)
        for done in (0, 1500):
            reporter.on_work(3, "own games", done, 1500)
        assert stream.getvalue().splitlines()[2:] == result


def test_the_live_view_has_one_bar_while_code_is_loaded() -> None:
    reporter = TerminalReporter(io.StringIO())

    def bars() -> list[tuple[str, float, float | None]]:
        return [(bar.description, bar.completed, bar.total) for bar in reporter._progress.tasks]

    for total in (3, 4):  # announced again, for example when more turns out to be necessary
        reporter.on_loading("moves", 1, total)
        assert bars() == [("loading", 0, total)]
    reporter.on_compiling("", 0)
    reporter.on_loading("games", 2, 4)
    assert bars() == [("loading", 1, 4)]
    reporter.on_started(0, 1, 2)
    assert [name for name, _, _ in bars()] == ["generations", "games"]
    reporter.close()


def test_the_live_view_shows_work_besides_games() -> None:
    stream = io.StringIO()
    reporter = TerminalReporter(stream)
    reporter.on_loading("moves", 1, 1)
    reporter.on_started(0, 1, 2)

    def bar() -> tuple[str, float, float | None]:
        task = reporter._progress.tasks[-1]
        return task.description, task.completed, task.total

    reporter.on_work(0, "own games", 450, 1500)
    assert bar() == ("own games", 450, 1500)
    reporter.on_work(0, "own games", 1500, 1500)
    reporter.on_games(20)
    assert bar() == ("games", 20, 20)
    reporter.close()


def test_steps_to_compile_are_reported() -> None:
    stream = io.StringIO()
    play_through(LineReporter(stream), (2, 3))
    assert stream.getvalue().splitlines()[:2] == [
        "compiling networks (2 of 3; only the first time)",
        "compiling games (3 of 3; only the first time)",
    ]
    assert stream.getvalue().splitlines()[2].startswith("ready after")


def test_the_live_view_goes_to_standard_error_and_ends(capsys: pytest.CaptureFixture[str]) -> None:
    play_through(TerminalReporter(), (1, 3))
    captured = capsys.readouterr()
    assert captured.out == ""
    for text in ("Gen00_0521", "Gen01_0521", "champion", "made with deap 1.0, continuing with 2.0"):
        assert text in captured.err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [40, 60, 80, 132])
def test_a_counting_line_is_written_over_at_every_width(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    stream, screen = Terminal(), Screen(width)
    counting = CountingLine(stream=stream)
    seen = []
    for parts in (
        ("528 of 1,200 games", "A 52.1 % (49.3 to 54.9)", "210 won 130 drawn 188 lost", "672 left"),
        ("696 of 1,200 games", "crownhead-1@100,depth=4 and material,depth=8,quiescence=yes"),
        ("word " * 40,),
        ("x" * 200,),
        ("short",),
        ("",),
    ):
        counting.count(*parts)
        counting.step("1 of 3")
        screen.feed(stream.getvalue())
        stream.seek(0)
        stream.truncate()
        assert len(screen.lines) == 1  # nothing wrapped
        seen.append(screen.lines[0].rstrip())
        whole = ", ".join(part.strip() for part in parts)
        assert whole.startswith(seen[-1])
        assert whole[len(seen[-1]) :][:1] in ("", ",", " ") or not seen[-1]  # no word or number in part
    assert (
        seen[0]
        == {
            40: "528 of 1,200 games",
            60: "528 of 1,200 games, A 52.1 % (49.3 to 54.9)",
            80: "528 of 1,200 games, A 52.1 % (49.3 to 54.9), 210 won 130 drawn 188 lost",
            132: "528 of 1,200 games, A 52.1 % (49.3 to 54.9), 210 won 130 drawn 188 lost, 672 left",
        }[width]
    )
    assert seen[-3:] == ["", "short", ""]


def places(lines: list[str]) -> dict[int, int]:
    return {column - 7: row for row, line in enumerate(lines[:-1]) for column, mark in enumerate(line) if mark == "●"}


def test_ratings_are_drawn_to_scale() -> None:
    lines = rating_curve({0: -1000.0, 5: -500.0, 10: 0.0}, 10, rows=11, columns=21)
    assert places(lines) == {0: 10, 10: 5, 20: 0}
    assert lines[0].startswith(" 1500 │") and lines[10].startswith("  500 │")
    assert lines[-1] == "      └generation 0────── 10"
    assert [line.split()[-1] for line in lines if "·" in line] == ["Strong", "Club", "Casual", "Beginner"]


def test_a_curve_leaves_room_for_later_generations() -> None:
    assert places(rating_curve({0: -1000.0, 5: 0.0}, 10, columns=21)) == {0: 11, 10: 0}
