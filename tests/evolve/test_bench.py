"""The verb `bench` runs and names all it promises, and the signature of behaviour; no time is asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import main
from evolve.bench import figures, signature
from game.networks.named import CNN_247
from tests.evolve.bench_helpers import SIGNATURE
from tests.notices import without_notice

ROOT = Path(__file__).parents[2]


FIGURES = {
    "perft",
    "perft-no-bulk",
    "evaluations-cnn-247",
    "evaluations-blondie-1741",
    "evaluations-anaconda-5046",
    "games",
    "game-plies",
    "game-evaluations",
    "search-material",
    "search-nodes-material",
    "search-cnn-247",
    "search-nodes-cnn-247",
    "search-anaconda-5046",
    "search-nodes-anaconda-5046",
    "search-probes",
    "generation",
    "generations-15",
    "generation-blondie24",
    "workers-speed",
    "workers-cpu",
    "start-first",
    "start-warm",
    "help",
}
GROUPS = ("perft", "evaluations", "games", "search", "sessions", "workers", "start", "signature")


def test_signature(capsys: pytest.CaptureFixture[str]) -> None:
    """The same at the second time; for other processors test_golden.py asks for it."""
    assert main.main(["bench", "--signature"]) == main.DONE
    assert capsys.readouterr().out == f"{SIGNATURE}\n"
    assert main.main(["bench", "--signature", "--json"]) == main.DONE
    assert json.loads(capsys.readouterr().out) == {"signature": SIGNATURE}


def test_signature_sees_one_bit_of_one_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    made = signature.make_genome

    def changed(spec: Any, seed: int) -> Any:
        genome = made(spec, seed)
        if spec == CNN_247:
            genome.view("u4")[-1] ^= 1
        return genome

    monkeypatch.setattr(signature, "make_genome", changed)
    assert signature.signature() != SIGNATURE


@pytest.mark.addition(
    "figure of `bench`",
    "a `Metric` in `evolve/bench/`, or in `tests/measurements/` for the window, large runs and clusters",
)
@pytest.mark.check
def test_quick_bench_has_every_figure() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.measurements", "--quick", "--only", ",".join(GROUPS), "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, without_notice(done.stderr)) == (0, "")
    result = json.loads(done.stdout)
    assert set(result) == {"machine", "quick", "calibration", "figures", "signature"}
    assert {figure["name"] for figure in result["figures"]} == FIGURES
    for figure in result["figures"]:
        assert set(figure) == {
            "name", "unit", "text", "median", "low", "high", "rounds", "better", "goal", "goal_here"
        }  # fmt: skip
        if figure["rounds"]:
            assert 0 < figure["low"] <= figure["median"] <= figure["high"]
    without = {figure["name"] for figure in result["figures"] if not figure["rounds"]}
    assert without <= {"start-first", "workers-cpu"}  # slow, or not on every system
    assert result["signature"] == SIGNATURE
    for clock in ("clock_ghz", "clock_alone_ghz"):
        assert result["calibration"][clock]["median"] > 0
    shown = figures.text(result)
    assert all(name in shown for name in FIGURES)
    assert f"{result['calibration']['speed_alone']:.2f} times." in shown
    assert f"Bench: {SIGNATURE}" in shown


def test_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["bench", "--only", "help", "--json"]) == main.DONE
    result = json.loads(capsys.readouterr().out)
    assert [figure["name"] for figure in result["figures"]] == ["help"]
    assert result["signature"] is None


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--only", "perfd"], "--only: 'perfd': no such figure; known are evaluations, "),
        (["--only", "perft,zz,,aa"], "--only: 'aa', 'zz': no such figure; known are evaluations, "),
        (["--only", ""], "--only: expected names of figures; known are evaluations, "),
        (["--only", " , ", "--json"], "--only: expected names of figures; known are evaluations, "),
        (["--signature", "--only", "perfd"], "--only: not together with --signature"),
        (["--signature", "--only", ""], "--only: not together with --signature"),
        (["--signature", "--only", "perft", "--json"], "--only: not together with --signature"),
    ],
)
def test_figures_that_there_are_not(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["bench", *arguments]) == main.MISTAKE
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = without_notice(err).splitlines()
    assert line.startswith(f"main.py: {text}")


def test_a_goal_that_only_the_clock_excuses_is_not_called_reached() -> None:
    figure = {"name": "perft", "unit": "million/s", "text": "", "low": 366, "high": 391, "goal": 400, "goal_here": 360}
    for better, median, verdict in (
        ("higher", 371, "at this clock"), ("higher", 400, "reached"), ("higher", 359, "missed"),
        ("lower", 371, "reached"), ("lower", 401, "missed"),
    ):  # fmt: skip
        shown = figures._row(figure | {"better": better, "median": median})
        assert shown[6] == verdict


def test_rounds_are_interleaved_and_goals_scale_with_the_clock() -> None:
    calls: list[str] = []

    def probe(name: str, values: list[float], rounds: int, **kind: Any) -> figures.Probe:
        left = iter(values)

        def sample() -> dict[str, float]:
            calls.append(name)
            return {name: next(left)}

        return figures.Probe(name, (figures.Metric(name, "s", "", **kind),), lambda: sample, rounds)

    probes = [
        probe("rate", [10, 30, 20], 3, goal=25),
        probe("time", [2.0], 1, goal=4.0, lower=True),
        probe("ratio", [], 0, goal=1.9, scales=False),
    ]
    rate, seconds, ratio = figures.run_interleaved(probes, lambda: calls.append("calibrate"))
    assert calls == ["calibrate", "rate", "time", "calibrate", "rate", "calibrate", "rate"]
    assert (rate.median, rate.goal_here(0.5)) == (20, 12.5)
    assert (seconds.median, seconds.goal_here(0.5)) == (2, 8)
    assert (ratio.median, ratio.goal_here(0.5)) == (None, 1.9)


def test_chains_agree() -> None:
    import numpy as np

    from game import timing_kernels

    result = timing_kernels.integer_chain(1000, np.uint64(figures._FACTOR), np.uint64(figures._MASK))
    assert int(result) == figures.python_chain(1000)
    memory = np.full(32, 0.5, np.float32)
    timing_kernels.vector_sums(10, memory.ctypes.data)
    assert memory.tolist() == [0.5] * 16 + [10 * 8 * 0.25 + 4] * 16
