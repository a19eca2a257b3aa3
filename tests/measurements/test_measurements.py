"""The measurements run and have every figure; no time is asserted."""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from game.board import Position
from game.endgame.tables import open_tables
from game.moves import parse_move
from game.pdn.game import Game
from tests.called import without_notice
from tests.processes import completed

measurements = pytest.importorskip("tests.measurements.__main__", reason="they need several extras")
goals = pytest.importorskip("tests.measurements.goals")
blind = pytest.importorskip("tests.measurements.blind")
kings = pytest.importorskip("tests.measurements.kings")
people = pytest.importorskip("tests.measurements.people")
write_own_games = pytest.importorskip("extras.learning.tests.own_games").write_own_games

ROOT = Path(__file__).parents[2]
GROUPS = "search-probes,sessions,start,trees,engine"


@pytest.mark.check
def test_quick_measurements_have_every_figure() -> None:
    done = completed(
        [sys.executable, "-m", "tests.measurements", "--quick", "--only", GROUPS, "--json"], cwd=ROOT, timeout=600
    )
    assert (done.returncode, without_notice(done.stderr)) == (0, "")
    figures = json.loads(done.stdout)["figures"]
    with ExitStack() as files:
        probes = [probe for source in measurements.SOURCES for probe in source(1, True, files)]
    wanted = {probe.metrics: probe.rounds for probe in probes if probe.group in GROUPS.split(",")}
    listed = {metric.name for metrics in wanted for metric in metrics} | {"search-probes", "generations-15"}
    assert {figure["name"] for figure in figures} == listed
    assert all(0 < figure["low"] <= figure["median"] <= figure["high"] for figure in figures if figure["rounds"])
    assert {figure["name"] for figure in figures if not figure["rounds"]} <= {
        metric.name for metrics, rounds in wanted.items() if not rounds for metric in metrics
    }


def test_a_figure_that_does_not_exist_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        measurements.main(["--only", "nosuch"])
    error = capsys.readouterr().err
    assert ended.value.code == 2 and error.count("\n") == 1 and "'nosuch': no such figure" in error


@pytest.mark.check
def test_a_blind_trial_has_twenty_short_games_without_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, pages = write_own_games(tmp_path / "games.pdn", 40), list[str]()
    for seed in ("1", "1", "2"):
        blind.main([str(file), "-o", str(tmp_path / "page.html"), "--seed", seed])
        pages.append((tmp_path / "page.html").read_text())
    assert pages[0] == pages[1] != pages[2]
    solution = pages[0].split("<li>")[1:]
    assert len(solution) == pages[0].count("<iframe ") == 20
    assert Counter(each.partition("<")[0] for each in solution) == {
        "people": 10, "Beginner": 3, "Casual": 3, "Club": 2, "Strong": 2,
    }  # fmt: skip
    assert "material" not in pages[0].lower() and "1-0" not in pages[0]
    moves = blind.usable(str(file))[0]
    assert len(moves) == blind.PLIES


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        ("", "people", "games.pdn: there is no such file"),
        ("1. 11-15 23-19 *", "people", "it has too few games with a choice of moves to hold some out"),
        ("1. 11-15 23-19 *", "people --given-away 1", "expected 60 games or more"),
        ("1. 11-15 23-19 *", "people --positions 0", "--positions, --given-away: expected a number above 0"),
        ("1. 11-15 23-19 *", "nosuch --given-away 1", "no run 'nosuch'"),
        ("1. 11-15 23-19 *", "-o page.html", "expected 20 different games of 40 plies or more from the start, found 0"),
        ("1. 11-15 23-19 *", "-o no/page.html", "found 0"),
    ],
)
def test_measurements_of_people_refuse_bad_input_in_one_line(
    text: str, options: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.pdn"
    if text:
        file.write_text(text)
    with pytest.raises(SystemExit) as ended:
        (blind if "page" in options else people).main([str(file), *options.split()])
    error = capsys.readouterr().err
    assert ended.value.code == 2 and error.count("\n") == 1 and reason in error


def test_known_traps_lose_a_man_by_a_shot() -> None:
    one = people.taught("people")
    for position, move in people.traps().items():
        assert one.lost_men(position, 1)[move] < 1 <= one.lost_men(position, 7)[move]


def test_drawn_endings_that_a_move_loses_are_found() -> None:
    start = Position.from_fen("B:WK5,K10:BK1,K2")
    for text in ("1-6", "2-6"):
        played = parse_move(start, text)
        (found,) = people.lost_endings(Game((), start, (played,)), open_tables(4))
        assert found == (start, {parse_move(start, "1-6"), parse_move(start, "2-7")}, played)


def test_a_goal_that_only_the_clock_excuses_is_not_called_reached() -> None:
    figure = {"goal": 400, "goal_here": 360}
    for better, median, verdict in (
        ("higher", 371, "at this clock"), ("higher", 400, "reached"), ("higher", 359, "missed"),
        ("lower", 371, "reached"), ("lower", 401, "missed"),
    ):  # fmt: skip
        assert goals.verdict(figure | {"better": better, "median": median}) == verdict


def test_goals_scale_with_the_clock() -> None:
    assert goals.Metric("rate", "s", "", 25).goal_here(0.5) == 12.5
    assert goals.Metric("time", "s", "", 4.0, lower=True).goal_here(0.5) == 8
    assert goals.Metric("ratio", "s", "", 1.9, scales=False).goal_here(0.5) == 1.9
    assert goals.GOALS.keys() <= {
        metric.name for probe in measurements.speed.probes(1, True, ExitStack()) for metric in probe.metrics
    }


def test_proved_endings_with_kings_are_a_thousand_different_ones() -> None:
    rows = [line.split("\t") for line in kings.FILE.read_text().splitlines()]
    positions = {Position.from_fen(fen) for fen, *_ in rows}
    assert len(positions) == kings.COUNT and all(map(kings.suits, positions))
    assert {value for _, value, _ in rows} == {"-1", "0", "1"}
    assert kings.called_lost("crownhead", 100, -1, every=20) > 0 == kings.called_lost("crownhead", 100, 0, every=20)
