"""The measurements run and have every figure; no time is asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from extras.bench import speed
from game.networks.named import CNN_247
from tests.game.networks.network_samples import BY_MOVER
from tests.measurements import goals, kernels, timing_kernels
from tests.notices import without_notice

ROOT = Path(__file__).parents[2]
GROUPS = "evaluations,search-probes,workers,sessions,start,networks,trees,nodes,engine,runs,window"

LIVE_WINDOW = {
    *(
        f"idle-{screen}"
        for screen in ("home", "play", "chooser", "climb", "kept", "home-session", "session", "session-live")
    ),
    *(f"frame-reading{what}" for what in ("", "-worst", "-garbage", "-wall")),
    *(
        f"frame-{scene}{what}"
        for scene in ("play", "analysis", "review")
        for what in ("", "-worst", "-garbage", "-wall", "-nodes", "-depth")
    ),
    "window-memory",
    "thinker-memory",
}
FIGURES = LIVE_WINDOW | {
    *(f"evaluations-{name}" for name in ("tiny", "example", "deep")),
    *(f"{name}-ratio" for name in ("tiny", "example", "deep")),
    *(f"evaluations-{name}" for name in ("cnn-247", "blondie-1741", "anaconda-5046")),
    "search-probes",
    "generation",
    "generations-15",
    "generation-blondie24",
    "workers-speed",
    "workers-cpu",
    "start-first",
    "start-warm",
    "help",
    "tree-games",
    "tree-evaluations",
    "zero-node",
    "engine-move",
    "open-run",
    "open-run-memory",
    "open-individual",
    "open-individual-memory",
    "list-runs",
    "list-runs-memory",
    "compare-runs",
    "compare-runs-memory",
    "window-first-frame",
    "window-first-cpu",
    "table-frame",
    "table-frame-worst",
    "table-reading-worst",
    "table-memory",
    "session-frame",
    "session-frame-worst",
}


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
    assert {figure["name"] for figure in figures} == FIGURES
    assert all(0 < figure["low"] <= figure["median"] <= figure["high"] for figure in figures if figure["rounds"])
    without = {figure["name"] for figure in figures if not figure["rounds"]}
    memory = {name for name in FIGURES if name.endswith("-memory")}
    assert without <= memory | LIVE_WINDOW


def test_work_is_that_of_a_move() -> None:
    assert kernels.work_of(CNN_247) == 2 * 48 + 4 * 27 * 3 + 12 * 6 + 6
    assert kernels.work_of(kernels.TINY) == 2 * 20 + 20 * 5 + 5 * 5 + 5
    assert [kernels.work_of(spec) for spec in BY_MOVER[:2]] == [2, 2 * 5 + 4]
    assert kernels.work_of(replace(BY_MOVER[0], phases=2, patterns=True)) == 2 * 2 + 9 * 2
    assert kernels.work_of(kernels.DEEP) == 2 * 32 + 5 * 32 * 32 + 32


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


def test_chains_agree() -> None:
    result = timing_kernels.integer_chain(1000, np.uint64(goals._FACTOR), np.uint64(goals._MASK))
    assert int(result) == goals.python_chain(1000)
    memory = np.full(32, 0.5, np.float32)
    timing_kernels.vector_sums(10, memory.ctypes.data)
    assert memory.tolist() == [0.5] * 16 + [10 * 8 * 0.25 + 4] * 16
