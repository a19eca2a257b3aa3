"""What a cluster on this machine costs: two of its workers against two processes, and a task by itself."""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from evolve.config import toml
from evolve.config.model import Config
from evolve.workers.processes import NoWorkers, SharedRows
from extras.bench.figures import Probe, Sample
from extras.cluster.address import EXTRA, Cluster
from extras.cluster.tests.machines import free_port
from game.installation import has_extra
from tests.measurements.goals import Metric
from tests.measurements.sessions import WORKERS, Moments, play_session

TASKS, ANSWERS = 1000, 20
JOIN_SECONDS = 60.0
LAST = {"cowan": 15, "blondie24": 17}
FIRST = 2
"""Generation from which on they are timed: by then it is known how long games take."""


def probes(rounds: int, quick: bool, open_until: ExitStack) -> list[Probe]:
    """Sessions and tasks on a cluster that lives as long as `open_until`; nothing where Dask is not installed."""
    kinds = (
        Metric("cluster-task", "ms", "a task of nothing, one of many, on two workers of a cluster", lower=True),
        Metric("cluster-answer", "ms", "such a task alone, until its answer is there", lower=True),
        _ratio("blondie24", 1.05),
        _ratio("cowan", 1.20),
    )
    return [Probe("cluster", kinds, lambda: _open(quick, open_until), rounds if has_extra(EXTRA) else 0)]


def _ratio(preset: str, goal: float) -> Metric:
    text = f"a generation of {preset}, unrated: time on two workers of a cluster on this machine against two processes"
    return Metric(f"cluster-{preset}", "ratio", text, goal, lower=True, scales=False)


def _open(quick: bool, open_until: ExitStack) -> Sample:
    if not has_extra(EXTRA):
        return dict
    from extras.cluster.local import LocalCluster
    from extras.cluster.workers import ClusterMachines, ClusterWorkers

    cluster = ClusterMachines("tcp", "127.0.0.1", free_port())
    logs = open_until.enter_context(tempfile.TemporaryDirectory(prefix="crownhead-bench-"))
    open_until.enter_context(LocalCluster(cluster, WORKERS, logs=Path(logs)))
    workers = ClusterWorkers(cluster, shared=SharedRows(1, 0), timeout=600.0, tick=lambda: None)
    open_until.callback(workers.close, kill=True)
    end = time.monotonic() + JOIN_SECONDS
    while len(workers) < WORKERS:
        if time.monotonic() > end:
            raise NoWorkers(f"not all {WORKERS} workers are ready after {JOIN_SECONDS:.0f} s")
        time.sleep(0.1)

    def tasks() -> dict[str, float]:
        started = time.perf_counter()
        workers.map(abs, range(TASKS))
        each, answers = (time.perf_counter() - started) / TASKS, []
        for number in range(ANSWERS):
            started = time.perf_counter()
            workers.map(abs, [number])
            answers.append(time.perf_counter() - started)
        return {"cluster-task": 1000 * each, "cluster-answer": 1000 * median(answers)}

    def sample() -> dict[str, float]:
        result = tasks()
        for preset, last in LAST.items():
            config = toml.load(preset, settings=["seed=1", "rating.every=0", f"generations={4 if quick else last}"])
            result[f"cluster-{preset}"] = _generation(config, cluster) / _generation(config)
        return result

    return sample


def _generation(config: Config, cluster: Cluster | None = None) -> float:
    """Seconds that each takes, from `FIRST` on."""
    moments = Moments()
    play_session(config, moments, cluster)
    return (moments.seen[-1] - moments.seen[FIRST]) / (len(moments.seen) - 1 - FIRST)
