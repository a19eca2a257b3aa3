"""Time and memory of reports on a long run, a large generation and many runs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from extras.bench.figures import Probe, Sample
from game.installation import TREE
from tests.measurements.goals import Metric
from tests.synthetic import make_run

GENERATIONS = 2000
RUNS = 200
SURVIVORS, MUTANTS = 256, 255
"""Of the large generation: 65,536 individuals."""


def probes(rounds: int, quick: bool, open_until: ExitStack) -> list[Probe]:
    """Measure the verb `inspect` on synthetic runs, which are kept until `open_until`."""
    generations, runs, survivors = (20, 5, 4) if quick else (GENERATIONS, RUNS, SURVIVORS)

    def prepare() -> Sample:
        folder = Path(open_until.enter_context(tempfile.TemporaryDirectory(prefix="crownhead-bench-")))
        make_run(folder / "one", "long", generations, rated=True)
        make_run(folder / "one", "wide", 0, survivors=survivors, mutants=MUTANTS)
        names = [f"run-{number}" for number in range(runs)]
        for number, name in enumerate(names):
            make_run(folder / "many", name, 3, seed=number // 2, high=0.1 + number % 2 / 1000, rated=True)

        def sample() -> dict[str, float]:
            result = report("open-run", folder / "one", "long", "--games=0")
            result |= report("open-individual", folder / "one", "wide@0", "--games=0")
            result |= report("list-runs", folder / "many")
            return result | report("compare-runs", folder / "many", *names)

        sample()  # so that its files are in memory, as those of a run in progress are
        return sample

    subjects = {
        "open-run": (f"inspect a run of {GENERATIONS:,} generations, without games", 10.0),
        "open-individual": (f"inspect a generation of {SURVIVORS * (1 + MUTANTS):,} individuals, without games", 10.0),
        "list-runs": (f"list {RUNS} runs", 2.0),
        "compare-runs": (f"compare {RUNS} runs", 5.0),
    }
    kinds = tuple(
        kind
        for name, (text, goal) in subjects.items()
        for kind in (
            Metric(name, "s", f"{text}: processor time of the process", goal, lower=True),
            Metric(f"{name}-memory", "MB", "the same: most memory that the process held", lower=True, scales=False),
        )
    )
    return [Probe("runs", kinds, prepare, rounds)]


REPORT = """
import pathlib, sys, time
sys.path.insert(0, sys.argv[1])
import main
code = main.main(["inspect", "--runs", *sys.argv[2:]])
status = pathlib.Path("/proc/self/status")  # what others tell of a child can be the memory of its parent
lines = status.read_text().splitlines() if status.exists() else []
memory = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
print(time.process_time(), *memory, file=sys.stderr)
sys.exit(code)
"""


def report(name: str, folder: Path, *words: str) -> dict[str, float]:
    """Measure processor time and memory of one report; memory only on Linux."""
    command = [sys.executable, "-c", REPORT, str(TREE), str(folder), *words]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    seconds, *memory = done.stderr.split()[-2:] if sys.platform == "linux" else done.stderr.split()[-1:]
    return {name: float(seconds)} | {f"{name}-memory": int(size) / 1024 for size in memory}
