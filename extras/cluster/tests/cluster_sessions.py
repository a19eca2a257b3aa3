"""Sessions and tasks on a cluster, for tests."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import main
from evolve.config.model import Config
from evolve.session.compiled_code import load_all
from evolve.workers.processes import SharedRows
from extras.cluster.tests.machines import Machines
from extras.cluster.workers import ClusterWorkers
from tests.called import evolve_cowan
from tests.evolve.tiny_sessions import TINY

GENERATIONS = 8
SESSION = evolve_cowan("--seed=5", f"--generations={GENERATIONS}", *TINY)


def call(out: Path, machines: Machines, *options: str) -> int:
    """With tasks of so many games, since a session plays few games itself when nobody says how many."""
    return main.main(
        [*SESSION, "--set=workers.chunk=5", f"--out={out}", "--name=one", f"--cluster={machines.address}", *options]
    )


def play(out: Path, machines: Machines, *options: str) -> Path:
    assert call(out, machines, *options) == 0
    return out / "one"


@contextlib.contextmanager
def in_the_middle(out: Path, disturb: Callable[[], object]) -> Iterator[None]:
    """Something happens when the session has its first two generations."""
    happened = []

    def wait() -> None:
        end = time.monotonic() + 60.0
        while time.monotonic() < end and not happened:
            if (out / "one" / "generation_0001.csv").exists():
                happened.append(disturb())
            time.sleep(0.005)

    thread = threading.Thread(target=wait)
    thread.start()
    yield
    thread.join()
    assert happened


def crew(machines: Machines, rows: int = 1, **options: Any) -> ClusterWorkers:
    given = {"shared": SharedRows(rows, 3), "timeout": 300.0, "tick": lambda: None}
    return ClusterWorkers(machines.cluster, **(given | options))


def until_ready(machines: Machines, count: int) -> None:
    for _ in range(count - len(machines.pids())):
        machines.workers()
    workers, end = crew(machines, load=functools.partial(load_all, Config())), time.monotonic() + 60.0
    try:
        while len(workers) < count and time.monotonic() < end:
            list(workers.stream(abs, []))  # it looks for more workers
            time.sleep(0.05)
        assert len(workers) >= count
    finally:
        workers.close()
