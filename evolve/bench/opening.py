"""Time and memory of a report on a long run."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from evolve.bench.measure import Metric, Probe, Sample
from evolve.bench.start import MAIN
from evolve.bench.synthetic import make_run

GENERATIONS = 1000


def probes(rounds: int, *, quick: bool, open_until: ExitStack) -> list[Probe]:
    """The verb `inspect` on a run of many generations, which is kept until `open_until`."""
    generations = 20 if quick else GENERATIONS

    def prepare() -> Sample:
        folder = open_until.enter_context(tempfile.TemporaryDirectory(prefix="crownhead-bench-"))
        make_run(Path(folder), "long", generations, rated=True)

        def sample() -> dict[str, float]:
            return open_report(folder)

        sample()  # so that its files are in memory, as those of a run in progress are
        return sample

    text = f"inspect a run of {GENERATIONS:,} generations, without games: from start to end of the process"
    kinds = (
        Metric("open-run", "s", text, 2.0, lower=True),
        Metric("open-run-memory", "MB", "the same: most memory that the process held", lower=True, scales=False),
    )
    return [Probe("runs", kinds, prepare, rounds)]


REPORT = """
import pathlib, sys
sys.path.insert(0, sys.argv[1])
import main
code = main.main(["inspect", "long", "--games=0", "--runs=" + sys.argv[2]])
status = pathlib.Path("/proc/self/status")  # what others tell of a child can be the memory of its parent
lines = status.read_text().splitlines() if status.exists() else []
print(*(line.split()[1] for line in lines if line.startswith("VmHWM:")), file=sys.stderr)
sys.exit(code)
"""


def open_report(folder: str) -> dict[str, float]:
    """Time and memory of one report; memory only on Linux."""
    command = [sys.executable, "-c", REPORT, str(MAIN.parent), folder]
    started = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    found = {"open-run": time.perf_counter() - started}
    return found | ({"open-run-memory": int(done.stderr) / 1024} if done.stderr.strip() else {})
