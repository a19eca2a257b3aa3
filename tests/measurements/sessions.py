"""Speed of evolution besides `bench`: generations, and the start of the program."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from evolve.config import toml
from evolve.config.model import Config
from evolve.run.folder import Run
from evolve.run.status import lock
from evolve.session import create, evolution
from evolve.session.reporters import GenerationReport, Reporter
from extras.bench.figures import Probe, Sample
from game.installation import START
from tests.measurements.goals import Metric

WORKERS = 2
LAST_OF_BLONDIE24 = 3
BLONDIE24_SECONDS = round((300 - 43 * 0.3) / 841, 3)
"""Goal for a generation: all 841 take five minutes, including 43 ratings of 0.3 s each."""
POLL_SECONDS = 0.0005

READY = "ready after"
"""Start of the line that `evolve.session.reporters.LineReporter` prints right before the first game."""

START_SETTINGS = ("generations=0",)


def probes(rounds: int, quick: bool, open_until: ExitStack) -> list[Probe]:
    return [*_sessions(rounds, quick), *_starts(rounds, quick)]


class Moments(Reporter):
    """A reporter that records when generations are complete.

    Attributes:
        seen: the times of completion, in seconds.
    """

    def __init__(self) -> None:
        self.run: Run | None = None
        self.seen: list[float] = []

    def on_generation(self, report: GenerationReport) -> None:
        while self.run is not None and self.run.manifest().newest < report.generation:
            time.sleep(POLL_SECONDS)
        self.seen.append(time.perf_counter())


def play_session(config: Config, moments: Moments, *, on_disk: bool = False) -> float:
    """Play a session in a temporary folder and return its duration in seconds.

    Args:
        on_disk: whether to begin a generation only after the previous one has been saved.
    """
    with tempfile.TemporaryDirectory(prefix="crownhead-bench-") as folder:
        run = create.create(Path(folder), "bench", config)
        if on_disk:
            moments.run = run
        with lock(run.path):
            summary = evolution.evolve(run, config, moments, workers=WORKERS)
    if summary.signal is not None:
        raise KeyboardInterrupt
    return summary.seconds


def _cowan(quick: bool) -> Config:
    settings = ["seed=1", *(["population.parents=4", "population.mutants=0", "generations=2"] if quick else [])]
    if quick:
        settings += ["stages=[{kind='elimination',rounds=2},{kind='round-robin'}]"]
    return toml.load(settings=settings)


def _blondie24(quick: bool) -> Config:
    tiny = ["population.parents=2", "search.depth=2"] if quick else []
    # No ratings: a run rates only every 20th generation, so one rating among so few would distort the mean.
    settings = ["seed=1", "rating.every=0", f"generations={LAST_OF_BLONDIE24}", *tiny]
    return toml.load("blondie24", settings=settings)


def _sessions(rounds: int, quick: bool) -> list[Probe]:
    cowan, blondie24 = _cowan(quick), _blondie24(quick)

    def one() -> dict[str, float]:
        moments = Moments()
        play_session(cowan, moments, on_disk=True)
        return {"generation": float(np.median(np.diff(moments.seen)))}

    def mean_of_some() -> dict[str, float]:
        return {"generation-blondie24": play_session(blondie24, Moments()) / (LAST_OF_BLONDIE24 + 1)}

    text = "preset cowan, two workers: one generation bred, played, ranked and on disk, without overlap"
    first = Metric("generation", "s", text, 0.06, lower=True)
    text = "preset blondie24, two workers: one generation, 150 games with 4-ply search, without a rating"
    second = Metric("generation-blondie24", "s", text, BLONDIE24_SECONDS, lower=True)
    return [
        Probe("sessions", (first,), lambda: one, rounds),
        Probe("sessions", (second,), lambda: mean_of_some, rounds),
    ]


def _starts(rounds: int, quick: bool) -> list[Probe]:
    def prepare() -> Sample:
        _time_start(fresh=False)  # compiles what is missing in the cache
        return lambda: {"start-warm": _time_start(fresh=False)}

    def show_help() -> dict[str, float]:
        started = time.perf_counter()
        subprocess.run([*START, "--help"], stdout=subprocess.DEVNULL, check=True)
        return {"help": time.perf_counter() - started}

    first = Metric("start-first", "s", "evolve until the first game, with an empty code cache", 5.0, lower=True)
    warm = Metric("start-warm", "s", "evolve until the first game, with all code compiled", 1.5, lower=True)
    asked = Metric("help", "s", "main.py --help", 0.1, lower=True)
    return [
        Probe(
            "start", (first,), lambda: lambda: {"start-first": _time_start(fresh=True)}, 0 if quick else min(rounds, 2)
        ),
        Probe("start", (warm,), prepare, rounds),
        Probe("start", (asked,), lambda: show_help, rounds),
    ]


def _time_start(*, fresh: bool) -> float:
    """Return the seconds from the start of a process that runs `evolve` until its first game."""
    with tempfile.TemporaryDirectory(prefix="crownhead-bench-") as folder:
        environment = os.environ | ({"CROWNHEAD_CACHE_DIR": f"{folder}/cache"} if fresh else {})
        arguments = ["evolve", "--out", folder, "--name", "start", "--seed", "1", "--workers", "2", "--json"]
        for setting in START_SETTINGS:
            arguments += ["--set", setting]
        started = time.perf_counter()
        seconds = None
        with subprocess.Popen(
            [*START, *arguments],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        ) as process:
            assert process.stderr is not None
            lines = []
            for line in process.stderr:
                lines.append(line)
                if seconds is None and line.startswith(READY):
                    seconds = time.perf_counter() - started
    if seconds is None or process.returncode:
        raise RuntimeError(f"evolve ended with {process.returncode}: {''.join(lines[-3:]).strip()}")
    return seconds
