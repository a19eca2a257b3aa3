"""Time until the program is ready: at the first start, at later ones, and for the help."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evolve.bench.measure import Metric, Probe, Sample
from game.installation import TREE

MAIN = TREE / "main.py"
READY = "ready after"
"""How the line begins that `evolve.session.reporters.LineReporter` prints right before the first game."""

SETTINGS = (
    "generations=0",
    "population.parents=4",
    "population.mutants=0",
    "stages=[{kind='elimination',rounds=2},{kind='round-robin'}]",
)


def probes(rounds: int, *, quick: bool) -> list[Probe]:
    """Starts of the program; with `quick` nothing is compiled anew."""

    def first_start() -> dict[str, float]:
        return {"start-first": _until_first_game(fresh=True)}

    def warm_start() -> dict[str, float]:
        return {"start-warm": _until_first_game(fresh=False)}

    def prepare() -> Sample:
        warm_start()  # a first start, where nothing was compiled yet
        return warm_start

    def show_help() -> dict[str, float]:
        started = time.perf_counter()
        subprocess.run([sys.executable, MAIN, "--help"], stdout=subprocess.DEVNULL, check=True)
        return {"help": time.perf_counter() - started}

    first = Metric("start-first", "s", "evolve until the first game, nothing compiled before", 5.0, lower=True)
    warm = Metric("start-warm", "s", "evolve until the first game, compiled before", 1.5, lower=True)
    asked = Metric("help", "s", "main.py --help", 0.1, lower=True)
    return [
        Probe("start", (first,), lambda: first_start, 0 if quick else min(rounds, 2)),
        Probe("start", (warm,), prepare, rounds),
        Probe("start", (asked,), lambda: show_help, rounds),
    ]


def _until_first_game(*, fresh: bool) -> float:
    with tempfile.TemporaryDirectory(prefix="crownhead-bench-") as folder:
        return _time_start(Path(folder), fresh=fresh)


def _time_start(folder: Path, *, fresh: bool) -> float:
    """Seconds from the start of `evolve` in a process of its own until all is ready to play.

    The population is small: nothing before the first game depends on its size but the shared memory.
    """
    environment = os.environ | ({"CROWNHEAD_CACHE_DIR": str(folder / "cache")} if fresh else {})
    arguments = ["evolve", "--out", str(folder), "--name", "start", "--seed", "1", "--workers", "2", "--json"]
    for setting in SETTINGS:
        arguments += ["--set", setting]
    started = time.perf_counter()
    seconds = None
    with subprocess.Popen(
        [sys.executable, MAIN, *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stderr is not None
        told = []
        for line in process.stderr:
            told.append(line)
            if seconds is None and line.startswith(READY):
                seconds = time.perf_counter() - started
    if seconds is None or process.returncode:
        raise RuntimeError(f"evolve ended with {process.returncode}: {''.join(told[-3:]).strip()}")
    return seconds
