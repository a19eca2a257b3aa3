"""Speed of evolution besides `bench`: generations, two workers compared with one, and the start of the program."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np

from evolve.config import toml
from evolve.config.model import Config
from evolve.run.folder import Run
from evolve.run.status import lock
from evolve.session import create, evolution
from evolve.session.compiled_code import CompiledCode
from evolve.session.reporters import GenerationReport, Reporter
from evolve.streams import Draw, stream
from evolve.tournament.arena import TournamentArena
from evolve.workers.processes import SharedRows, WorkerProcesses, choose_start_method
from extras.bench.figures import Probe, Sample
from game.installation import START
from game.networks.named import CNN_247
from tests.measurements.goals import Metric

WORKERS = 2
LAST = 15
LAST_OF_BLONDIE24 = 3
GENOMES = 1024
BLONDIE24_SECONDS = round((300 - 43 * 0.3) / 841, 3)
"""Goal for a generation: all 841 take five minutes, including 43 ratings of 0.3 s each."""
BATCH_SECONDS = 5.0
POLL_SECONDS = 0.0005

READY = "ready after"
"""Start of the line that `evolve.session.reporters.LineReporter` prints right before the first game."""

START_SETTINGS = ("generations=0",)


def probes(rounds: int, quick: bool, open_until: ExitStack) -> list[Probe]:
    return [*_sessions(rounds, quick), _workers(rounds, quick, open_until), *_starts(rounds, quick)]


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


def cpu_seconds(pids: list[int]) -> float | None:
    if not sys.platform.startswith("linux"):
        return None
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _workers(rounds: int, quick: bool, open_until: ExitStack) -> Probe:
    kinds = (
        Metric("workers-speed", "ratio", "games alone: time of one worker divided by time of two", 1.9, scales=False),
        Metric(
            "workers-cpu",
            "ratio",
            "the same: CPU time of two divided by CPU time of one",
            1.05,
            lower=True,
            scales=False,
        ),
    )
    return Probe("workers", kinds, lambda: _crews(quick, open_until), rounds)


def _crews(quick: bool, open_until: ExitStack) -> Sample:
    """Play the same batch with one worker, then with two, without saving anything."""
    config = replace(toml.load(), seed=1)
    CompiledCode(config).load_for_games()
    genomes = stream(1, 0, Draw.FOUNDERS).uniform(-1, 1, (GENOMES, CNN_247.weights)).astype(np.float32)
    crews: dict[int, tuple[TournamentArena, WorkerProcesses]] = {}
    for count in (1, 2):
        shared = SharedRows(GENOMES, CNN_247.weights)
        method = choose_start_method("auto")
        workers = WorkerProcesses(count, start_method=method, shared=shared, timeout=600.0, tick=lambda: None)
        open_until.callback(workers.close, kill=True)
        crews[count] = TournamentArena(config, workers.map, count, shared), workers
        shared.put(genomes, np.full(GENOMES, CNN_247.king, np.float32))

    def play(count: int, games: int) -> tuple[float, float | None]:
        arena, workers = crews[count]
        pairs = stream(2, 0, Draw.FOUNDERS).integers(0, GENOMES, (games, 2))
        pids = [os.getpid(), *workers.pids()]
        cpu, started = cpu_seconds(pids), time.perf_counter()
        arena.play(pairs, (0, Draw.BALLOTS, ()))
        seconds, after = time.perf_counter() - started, cpu_seconds(pids)
        return seconds, None if cpu is None or after is None else after - cpu

    for count in crews:
        play(count, 200)
    games = 0

    def sample() -> dict[str, float]:
        nonlocal games
        if not games:
            tried = 500 if quick else 10_000
            games = round(tried * (0.1 if quick else 1.1 * BATCH_SECONDS) / play(1, tried)[0])
        (wall_1, cpu_1), (wall_2, cpu_2) = play(1, games), play(2, games)
        speed = {"workers-speed": wall_1 / wall_2}
        return speed | ({"workers-cpu": cpu_2 / cpu_1} if cpu_1 and cpu_2 else {})

    return sample


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
