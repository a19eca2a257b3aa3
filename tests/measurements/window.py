"""The window: its first picture, frames while it thinks, its work while nothing happens, very large tables and runs.

Each figure comes from a process of its own, in which `tests.gui.scenes.measure` or `measure_runs` runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from extras.bench.figures import Probe, Sample
from game.installation import TREE
from tests.measurements.goals import Metric
from tests.synthetic import make_run

FIRST_FRAME = """
import main
main.build_parser().parse_args([])
from evolve.run.runs import DEFAULT_RUNS
from tests.gui.scenes import measure
measure.first_frame(DEFAULT_RUNS)
"""
FRAME_MS = 16.0
SCROLLED_MS = 16.7
DEPTH = 12
SCENES = {
    "play": f"a program thinks to depth {DEPTH}, and its expected line is shown",
    "analysis": f"all that can be shown comes from a search to depth {DEPTH}: bar, scores, graph, line, what it likes",
    "review": "a review goes on",
    "reading": "the window begins, and reads 10,000 kept games",
}
RESTING = {
    "home": "the first screen, 10,000 games kept",
    "play": "a game, where a person thinks and nobody else",
    "chooser": "the list of opponents",
    "climb": "the climb",
    "kept": "the list of 10,000 kept games",
    "home_session": "the first screen while a session completes a generation every two seconds",
    "session": "the screen of this session, its small boards at rest",
}


ROWS, WEIGHTS, GENERATIONS = 10_000, 5_000, 1000
QUICK_ROWS, QUICK_WEIGHTS, QUICK_GENERATIONS = 300, 300, 20
DIFFERENT = 16
"""Rows that differ in their weights; the others repeat them, which no reader notices."""

MOST_ROUNDS = 3
TABLE = f"a table of {ROWS:,} rows and {WEIGHTS:,} weights"
TABLE_KINDS = {
    "frame_ms": Metric(
        "table-frame", "ms", f"one frame while {TABLE} is scrolled", SCROLLED_MS, lower=True, scales=False
    ),
    "worst_ms": Metric("table-frame-worst", "ms", "the longest of 240 such frames", lower=True),
    "reading_ms": Metric("table-reading-worst", "ms", "the longest frame while the same file is read", lower=True),
    "memory_mb": Metric("table-memory", "MB", "resident, the window with this table", lower=True, scales=False),
}
SESSION_KINDS = {
    "frame_ms": Metric(
        "session-frame", "ms", f"one frame while the slider moves over {GENERATIONS:,} generations", SCROLLED_MS,
        lower=True, scales=False,
    ),
    "worst_ms": Metric("session-frame-worst", "ms", "the longest of 240 such frames", lower=True),
}  # fmt: skip


def _frame_kinds() -> dict[str, Metric]:
    """Figures of frames by the names that `tests.gui.scenes.measure` has for them."""
    results = {}
    for name, text in SCENES.items():
        goal = None if name == "reading" else FRAME_MS
        means = {
            "cpu": ("", "ms", f"processor time of a frame while {text}: 99th percentile", None),
            "worst_cpu": ("-worst", "ms", "the longest of these frames", goal),
            "pause": ("-garbage", "ms", "the longest look for garbage meanwhile", goal),
            "worst_wall": ("-wall", "ms", "the longest by the clock, with whatever else the machine does", None),
        }
        if name != "reading":
            means["nodes"] = ("-nodes", "nodes", "that the search visited meanwhile", None)
            means["depth"] = ("-depth", "plies", "that it reached", None)
        for key, (end, unit, words, limit) in means.items():
            results[f"{name}_{key}"] = Metric(
                f"frame-{name}{end}",
                unit,
                words,
                limit,
                lower=unit == "ms",
                scales=unit == "ms",
                alone=not end.endswith("wall"),
            )
    return results


def _idle_kinds() -> dict[str, Metric]:
    """The same of figures of idle windows."""
    text = "of a core, the window and its thinking process: "
    result = {
        f"idle_{name}": Metric(f"idle-{name.replace('_', '-')}", "%", text + words, 1.0, lower=True, alone=True)
        for name, words in RESTING.items()
    }
    return result | {
        "idle_session_live": Metric(
            "idle-session-live", "%", f"{text}the same while games are played there", lower=True, alone=True
        ),
        "memory_mb": Metric("window-memory", "MB", "resident, the window", lower=True),
        "thinker_mb": Metric("thinker-memory", "MB", "resident, its thinking process", lower=True),
    }


def probes(rounds: int, quick: bool, open_until: ExitStack) -> list[Probe]:
    """Return the probes of the window; files and runs are kept until `open_until`."""
    shown = (
        Metric("window-first-frame", "s", "main.py until its first frame is on the screen", 0.3, lower=True),
        Metric("window-first-cpu", "s", "the same by processor time", 0.3, lower=True, alone=True),
    )

    def once() -> Sample:
        _first_frame()  # whatever is read from disk has been read before
        return _first_frame

    results = [Probe("window", shown, once, rounds)]
    for what, kinds in (("idle", _idle_kinds()), ("frames", _frame_kinds())):
        results.append(
            Probe("window", tuple(kinds.values()), partial(_live, what, kinds), 0 if quick else min(rounds, 2))
        )
    return results + _large_probes(min(rounds, MOST_ROUNDS), quick, open_until)


def _large_probes(rounds: int, quick: bool, open_until: ExitStack) -> list[Probe]:
    def table() -> Sample:
        path = _folder(open_until) / "largest.csv"
        write_table(path, *((QUICK_ROWS, QUICK_WEIGHTS) if quick else (ROWS, WEIGHTS)))
        return lambda: _measure("table", path, TABLE_KINDS)

    def session() -> Sample:
        run = make_run(_folder(open_until), "long", QUICK_GENERATIONS if quick else GENERATIONS, rated=True)
        return lambda: _measure("session", run.path, SESSION_KINDS)

    return [
        Probe("window", tuple(TABLE_KINDS.values()), table, rounds),
        Probe("window", tuple(SESSION_KINDS.values()), session, rounds),
    ]


def _first_frame() -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="crownhead-bench-") as folder:
        environment = os.environ | {"CROWNHEAD_DATA_DIR": folder}
        started = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-c", FIRST_FRAME],
            cwd=TREE,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            line = process.stdout.readline()
            seconds = time.perf_counter() - started
            _, error = process.communicate()
    if not line.strip() or process.returncode:
        raise RuntimeError(f"the window ended with {process.returncode}: {error.strip()}")
    return {"window-first-frame": seconds, "window-first-cpu": float(line)}


def _live(what: str, kinds: dict[str, Metric]) -> Sample:
    def sample() -> dict[str, float]:
        command = [sys.executable, "-m", "tests.gui.scenes.measure", what]
        done = subprocess.run(command, cwd=TREE, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"the window ended with {done.returncode}: {done.stderr.strip()}")
        values: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        return {kind.name: values[name] for name, kind in kinds.items() if name in values}

    return sample


def _folder(open_until: ExitStack) -> Path:
    return Path(open_until.enter_context(tempfile.TemporaryDirectory(prefix="crownhead-bench-")))


def write_table(path: Path, rows: int, weights: int) -> None:
    """A CSV file of individuals, as anybody could write one: names and weights, at full length."""
    import numpy as np

    generator = np.random.Generator(np.random.Philox(1))
    values = generator.uniform(-1, 1, (DIFFERENT, weights)).astype(np.float32)
    texts = [",".join(f"{value:.9g}" for value in row) + "\n" for row in values.tolist()]
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("name," + ",".join(f"w{number}" for number in range(weights)) + "\n")
        for number in range(rows):
            file.write(f"one_{number:05d},{texts[number % DIFFERENT]}")


def _measure(what: str, path: Path, kinds: dict[str, Metric]) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.gui.scenes.measure_runs", what, str(path)]
    done = subprocess.run(command, cwd=TREE, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the window ended with {done.returncode}: {done.stderr.strip()}")
    values: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return {kind.name: values[name] for name, kind in kinds.items() if values[name] == values[name]}
