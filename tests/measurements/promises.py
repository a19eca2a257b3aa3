"""Whether sessions end in the time that they promise, and how good estimates are, by the clock of an idle machine.

    python -m tests.measurements.promises [--trials PRESET:MINUTES,...]
    python -m tests.measurements.promises --estimates [PRESET:GENERATIONS,...]

A trial does what the form of the window does when a time is chosen: an estimate chooses the last generation, and a
session with a random seed begins with this number and this time. Ten trials over three presets take ten minutes. With
``--estimates``, the time of each run is estimated and measured; of some runs only the first generations are played, and
the rest of the time is concluded from the evaluations in the log of the shipped run (`FROM_LOG`).

Times are those by the clock from the first game to the last file, as sessions report them, then those of the whole
process, then its processor time. The code of each preset is compiled before.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from typing import Any

from evolve.config import toml
from evolve.run.runs import SHIPPED_RUNS
from game.installation import START

TRIALS = "first:1,blondie24:1,crownhead-1:1,first:1,blondie24:1,crownhead-1:1,first:1,blondie24:1,crownhead-1:1,first:1"
ESTIMATES = (
    "first:2,first:20,first:112,cowan:2,cowan:20,cowan:15,blondie24:2,blondie24:20,cast:2,cast:20,cast:400,zero:2,"
    "zero:20,zero:240"
)
FROM_LOG = {"cast": 20, "zero": 20}
"""The last generation that is played of a longer run, whose shipped log says how its evaluations go on."""
CLOSE = {"trials": 0.15, "estimates": 0.25}
HEADINGS = "preset       expected  last    session  process  processor      off"


def run(preset: str, *options: str) -> tuple[dict[str, Any], float, float]:
    """Run a session or an estimate; return its JSON, and seconds of the process by the clock and of processors."""
    verb = toml.load(preset, own=None).verb
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [*START, verb, f"--preset={preset}", "--json", *options], stdout=subprocess.PIPE, check=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), time.monotonic() - began, spent


def play(preset: str, *options: str) -> tuple[dict[str, Any], float, float]:
    """Play a session in a temporary folder, as `run` does."""
    with tempfile.TemporaryDirectory(prefix="crownhead-promise-") as folder:
        return run(preset, f"--out={folder}", *options)


def work(preset: str, last: int) -> float:
    """Return the evaluations up to a generation in the log of the shipped run, or as many more as it has fewer."""
    with (SHIPPED_RUNS / preset / "log.csv").open(encoding="utf-8", newline="") as file:
        counts = [int(row["evaluations"]) for row in csv.DictReader(file)]
    counts += counts[-1:] * (last + 1 - len(counts))
    return float(sum(counts[: last + 1]))


def compare(preset: str, expected: float, last: int, times: tuple[float, float, float], close: float) -> bool:
    """Print a row; return whether the first of the times is as close to what was expected as it should be."""
    off = times[0] / expected - 1
    text = "{:8.1f}  {:>5}  {:8.1f}  {:7.1f}  {:9.1f}".format(expected, last, *times)
    print(f"{preset:<12} {text}  {off:+6.1%}{'' if abs(off) <= close else '  too far'}", flush=True)
    return abs(off) <= close


def try_promise(preset: str, minutes: float) -> bool:
    """Choose a time as in the window, and play the session."""
    chosen, _, _ = run(preset, "--estimate", f"--minutes={minutes:g}")
    summary, process, spent = play(preset, f"--generations={chosen['generations']}", f"--minutes={minutes:g}")
    times = summary["seconds"], process, spent
    return compare(preset, 60 * minutes, summary["generations"], times, CLOSE["trials"])


def try_estimate(preset: str, generations: int) -> bool:
    """Estimate a run, and play it or its beginning."""
    expected, _, _ = run(preset, "--estimate", f"--generations={generations}")
    played = min(generations, FROM_LOG.get(preset, generations))
    summary, process, spent = play(preset, f"--generations={played}", "--seed=1")
    factor = work(preset, generations) / work(preset, played) if played < generations else 1.0
    times = factor * summary["seconds"], process, spent
    return compare(preset, expected["seconds"], generations, times, CLOSE["estimates"])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements.promises")
    parser.add_argument("--trials", default=TRIALS, metavar="PRESET:MINUTES,...", help="times to keep")
    parser.add_argument(
        "--estimates", nargs="?", const=ESTIMATES, metavar="PRESET:GENERATIONS,...", help="compare estimates instead"
    )
    options = parser.parse_args(arguments)
    given = (options.estimates or options.trials).split(",")
    pairs = [(preset, float(number)) for preset, _, number in (each.partition(":") for each in given)]
    for preset in dict.fromkeys(preset for preset, _ in pairs):
        play(preset, "--generations=0")  # compiles its code
    print(HEADINGS, flush=True)
    if options.estimates:
        kept = [try_estimate(preset, int(number)) for preset, number in pairs]
    else:
        kept = [try_promise(preset, number) for preset, number in pairs]
    print(f"{sum(kept)} of {len(kept)}")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
