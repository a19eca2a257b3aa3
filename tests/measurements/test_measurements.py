"""The measurements run and have every figure; no time is asserted."""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.notices import without_notice
from tests.processes import completed

measurements = pytest.importorskip("tests.measurements.__main__", reason="they need several extras")
goals = pytest.importorskip("tests.measurements.goals")
blind = pytest.importorskip("tests.measurements.blind")
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
    file.write_text("1. 11-15 23-19 *\n")
    with pytest.raises(SystemExit) as ended:
        blind.main([str(file), "-o", str(tmp_path / "page.html")])
    needed = "expected 20 different games of 40 plies or more from the start, found 0"
    assert ended.value.code == 2 and capsys.readouterr().err.endswith(f"{file}: {needed}\n")


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
