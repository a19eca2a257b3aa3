"""The window with very much to show: the largest table while it is read and scrolled, a run of many generations.

`evolve` knows nothing of windows: each figure comes from a process of its own, in which
`tests.gui.scenes.measure_runs` runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from evolve.bench.measure import Metric, Probe, Sample
from evolve.bench.start import MAIN
from evolve.bench.synthetic import make_run

ROWS, WEIGHTS, GENERATIONS = 10_000, 5_000, 1000
QUICK_ROWS, QUICK_WEIGHTS, QUICK_GENERATIONS = 300, 300, 20
DIFFERENT = 16
"""Rows that differ in their weights; the others repeat them, which no reader notices."""

MOST_ROUNDS = 3
FRAME_MS = 16.7
TABLE = f"a table of {ROWS:,} rows and {WEIGHTS:,} weights"
TABLE_KINDS = {
    "frame_ms": Metric("table-frame", "ms", f"one frame while {TABLE} is scrolled", FRAME_MS, lower=True, scales=False),
    "worst_ms": Metric("table-frame-worst", "ms", "the longest of 240 such frames", lower=True),
    "reading_ms": Metric("table-reading-worst", "ms", "the longest frame while the same file is read", lower=True),
    "memory_mb": Metric("table-memory", "MB", "resident, the window with this table", lower=True, scales=False),
}
SESSION_KINDS = {
    "frame_ms": Metric(
        "session-frame", "ms", f"one frame while the slider moves over {GENERATIONS:,} generations", FRAME_MS,
        lower=True, scales=False,
    ),
    "worst_ms": Metric("session-frame-worst", "ms", "the longest of 240 such frames", lower=True),
}  # fmt: skip


def probes(rounds: int, *, quick: bool, open_until: ExitStack) -> list[Probe]:
    """Both screens; the file and the run are kept until `open_until`."""

    def table() -> Sample:
        path = _folder(open_until) / "largest.csv"
        write_table(path, *((QUICK_ROWS, QUICK_WEIGHTS) if quick else (ROWS, WEIGHTS)))
        return lambda: _measure("table", path, TABLE_KINDS)

    def session() -> Sample:
        run = make_run(_folder(open_until), "long", QUICK_GENERATIONS if quick else GENERATIONS, rated=True)
        return lambda: _measure("session", run.path, SESSION_KINDS)

    rounds = min(rounds, MOST_ROUNDS)
    return [
        Probe("window", tuple(TABLE_KINDS.values()), table, rounds),
        Probe("window", tuple(SESSION_KINDS.values()), session, rounds),
    ]


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
    done = subprocess.run(command, cwd=MAIN.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the window ended with {done.returncode}: {done.stderr.strip()}")
    values: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return {kind.name: values[name] for name, kind in kinds.items() if values[name] == values[name]}
