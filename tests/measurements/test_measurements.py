"""The measurements run and have every figure; no time is asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from extras.bench import speed
from tests.measurements import goals
from tests.measurements.__main__ import SOURCES
from tests.notices import without_notice

ROOT = Path(__file__).parents[2]
GROUPS = "search-probes,sessions,start,trees,engine"


@pytest.mark.check
def test_quick_measurements_have_every_figure() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.measurements", "--quick", "--only", GROUPS, "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, without_notice(done.stderr)) == (0, "")
    figures = json.loads(done.stdout)["figures"]
    with ExitStack() as files:
        probes = [probe for source in SOURCES for probe in source(1, True, files)]
    wanted = {probe.metrics: probe.rounds for probe in probes if probe.group in GROUPS.split(",")}
    listed = {metric.name for metrics in wanted for metric in metrics} | {"search-probes", "generations-15"}
    assert {figure["name"] for figure in figures} == listed
    assert all(0 < figure["low"] <= figure["median"] <= figure["high"] for figure in figures if figure["rounds"])
    assert {figure["name"] for figure in figures if not figure["rounds"]} <= {
        metric.name for metrics, rounds in wanted.items() if not rounds for metric in metrics
    }


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
        metric.name for probe in speed.probes(1, True, ExitStack()) for metric in probe.metrics
    }
