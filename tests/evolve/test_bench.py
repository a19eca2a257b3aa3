"""The verb `bench` runs and names all it promises, and the signature of behaviour; no time is asserted."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import main
from evolve.bench import calibration, engine, measure, peers, report, signature
from game.networks import forward
from game.networks.shipped import CNN_247
from tests.game.networks.network_samples import BY_MOVER
from tests.notices import without_notice

ROOT = Path(__file__).parents[2]

SIGNATURE = 191988021778529631
"""What the program does. A commit that changes it says `Bench: N` in its message; see the module."""

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
    "perft",
    "perft-no-bulk",
    "evaluations-cnn-247",
    "evaluations-blondie-1741",
    "evaluations-anaconda-5046",
    "evaluations-tiny",
    "evaluations-example",
    "evaluations-deep",
    "tiny-ratio",
    "example-ratio",
    "deep-ratio",
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
    "cluster-task",
    "cluster-answer",
    "cluster-blondie24",
    "cluster-cowan",
    "start-first",
    "start-warm",
    "help",
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


@pytest.mark.check
def test_quick_bench_has_every_figure() -> None:
    done = subprocess.run(
        [sys.executable, "main.py", "bench", "--quick", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, without_notice(done.stderr)) == (0, "")
    result = json.loads(done.stdout)
    assert set(result) == {"machine", "quick", "calibration", "figures", "peers", "signature"}
    assert {figure["name"] for figure in result["figures"]} == FIGURES
    for figure in result["figures"]:
        assert set(figure) == {
            "name", "unit", "text", "median", "low", "high", "rounds", "better", "goal", "goal_here"
        }  # fmt: skip
        if figure["rounds"]:
            assert 0 < figure["low"] <= figure["median"] <= figure["high"]
    without = {figure["name"] for figure in result["figures"] if not figure["rounds"]}
    memory = {name for name in FIGURES if name.endswith("-memory")}
    assert without <= {"start-first", "workers-cpu"} | memory | LIVE_WINDOW  # not on every system, or slow
    assert [peer["name"] for peer in result["peers"]] == [peer.name for peer in peers.PEERS]
    assert result["signature"] == SIGNATURE
    for clock in ("clock_ghz", "clock_alone_ghz"):
        assert result["calibration"][clock]["median"] > 0
    shown = report.text(result)
    assert all(name in shown for name in FIGURES)
    assert f"{result['calibration']['speed_alone']:.2f} by processor time" in shown
    assert f"Bench: {SIGNATURE}" in shown


def test_a_missing_peer_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers.importlib.util, "find_spec", lambda name: None)
    result = report.measure(quick=True, only=["peers"], show=lambda text: None)
    assert result["figures"] == []
    assert [peer["installed"] for peer in result["peers"]] == [False, False]
    assert report.text(result).count("not installed") == 2


def test_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["bench", "--quick", "--only", "help, perft-no-bulk", "--json"]) == main.DONE
    result = json.loads(capsys.readouterr().out)
    names = [figure["name"] for figure in result["figures"]]
    assert names == ["perft-no-bulk", "help"]
    assert result["signature"] is None


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--only", "perfd"], "--only: 'perfd': no such figure, known are cluster, "),
        (["--only", "perft,zz,,aa"], "--only: 'aa', 'zz': no such figure, known are cluster, "),
        (["--only", ""], "--only: expected names of figures, known are cluster, "),
        (["--only", " , ", "--quick", "--json"], "--only: expected names of figures, known are cluster, "),
        (["--signature", "--only", "perfd"], "--only: not together with --signature"),
        (["--signature", "--only", ""], "--only: not together with --signature"),
        (["--signature", "--only", "perft", "--json"], "--only: not together with --signature"),
        (["--signature", "--quick"], "--quick: not together with --signature"),
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
        shown = report._row(figure | {"better": better, "median": median})
        assert shown[6] == verdict


def test_rounds_are_interleaved_and_goals_scale_with_the_clock() -> None:
    told: list[str] = []

    def probe(name: str, values: list[float], rounds: int, **kind: Any) -> measure.Probe:
        left = iter(values)

        def sample() -> dict[str, float]:
            told.append(name)
            return {name: next(left)}

        return measure.Probe(name, (measure.Metric(name, "s", "", **kind),), lambda: sample, rounds)

    probes = [
        probe("rate", [10, 30, 20], 3, goal=25),
        probe("time", [2.0], 1, goal=4.0, lower=True),
        probe("ratio", [], 0, goal=1.9, scales=False),
    ]
    rate, seconds, ratio = measure.run_interleaved(probes, lambda: told.append("calibrate"))
    assert told == ["calibrate", "rate", "time", "calibrate", "rate", "calibrate", "rate"]
    assert (rate.median, rate.goal_here(0.5)) == (20, 12.5)
    assert (seconds.median, seconds.goal_here(0.5)) == (2, 8)
    assert (ratio.median, ratio.goal_here(0.5)) == (None, 1.9)


def test_work_is_what_a_move_takes() -> None:
    assert engine.work_of(CNN_247) == 2 * 48 + 4 * 27 * 3 + 12 * 6 + 6
    assert engine.work_of(engine.TINY) == 2 * 20 + 20 * 5 + 5 * 5 + 5
    assert [engine.work_of(spec) for spec in BY_MOVER[:2]] == [2, 2 * 5 + 4]
    assert engine.work_of(replace(BY_MOVER[0], phases=2, patterns=True)) == 2 * 2 + 9 * 2
    assert engine.work_of(engine.DEEP) == 2 * 32 + 5 * 32 * 32 + 32


def test_plain_network_agrees_with_the_definition() -> None:
    """The baseline plays the same network as ours: otherwise the ratio would mean nothing."""
    genome = signature.make_genome(CNN_247, 4)
    for position in engine.middle_game_positions(5, 8):
        values = forward.encode(CNN_247, position, position.side)
        plain = peers.PlainNetwork(genome).values(values.reshape(1, 8, 8).astype("f4"))
        value = forward.value(CNN_247, genome, position, position.side)
        assert plain[0] == pytest.approx(1 / (1 + math.exp(-value)), abs=1e-5)


def test_chains_agree() -> None:
    import numpy as np

    from game import timing_kernels

    found = timing_kernels.integer_chain(1000, np.uint64(calibration._FACTOR), np.uint64(calibration._MASK))
    assert int(found) == calibration.python_chain(1000)
    memory = np.full(32, 0.5, np.float32)
    timing_kernels.vector_sums(10, memory.ctypes.data)
    assert memory.tolist() == [0.5] * 16 + [10 * 8 * 0.25 + 4] * 16
