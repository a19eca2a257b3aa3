"""The window: when its first picture is there, what a frame costs, what it takes while nothing happens.

`evolve` knows nothing of windows: each figure comes from a process of its own, in which
`tests.gui.scenes.measure` runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

from evolve.bench.measure import Metric, Probe, Sample
from evolve.bench.start import MAIN

FIRST_FRAME = """
import main
main.build_parser().parse_args([])
from evolve.commands.options import RUNS
from tests.gui.scenes import measure
measure.first_frame(RUNS)
"""
KINDS = (
    Metric(
        "window-frame", "ms", "one frame drawn while the opponent thinks at depth 10", 16.7, lower=True, scales=False
    ),
    Metric("window-frame-worst", "ms", "the longest of 120 such frames", lower=True),
    Metric(
        "window-idle", "%", "of a core while nothing happens, with its thinking process", 1.0, lower=True, scales=False
    ),
    Metric("window-memory", "MB", "resident, the window", lower=True),
    Metric("thinker-memory", "MB", "resident, its thinking process", lower=True),
)
NAMES = dict(zip(("frame_ms", "worst_ms", "idle_percent", "memory_mb", "thinker_mb"), KINDS, strict=True))


def probes(rounds: int, *, quick: bool) -> list[Probe]:
    """The first frame, and a window that lives for some seconds; with `quick` only the first frame."""
    shown = Metric("window-first-frame", "s", "main.py until its first frame is on the screen", 0.5, lower=True)

    def once() -> Sample:
        _first_frame()  # whatever is read from disk has been read before
        return lambda: {shown.name: _first_frame()}

    def live() -> Sample:
        return _live

    return [Probe("window", (shown,), once, rounds), Probe("window", KINDS, live, 0 if quick else min(rounds, 3))]


def _first_frame() -> float:
    with tempfile.TemporaryDirectory(prefix="crownhead-bench-") as folder:
        environment = os.environ | {"CROWNHEAD_DATA_DIR": folder}
        started = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-c", FIRST_FRAME],
            cwd=MAIN.parent,
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
    return seconds


def _live() -> dict[str, float]:
    command = [sys.executable, "-m", "tests.gui.scenes.measure"]
    done = subprocess.run(command, cwd=MAIN.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the window ended with {done.returncode}: {done.stderr.strip()}")
    values: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return {kind.name: values[name] for name, kind in NAMES.items() if name in values}
