"""The processes that do the work of a verb: this one at first, and workers as soon as they are worth starting.

No result depends on it. A match of a moment costs no processes, and a long one gets all cores.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from evolve.workers.interruption import Interruption
from game.errors import InputError
from game.resources import cores

if TYPE_CHECKING:
    from evolve.workers.cluster.address import Cluster
    from evolve.workers.processes import Workers

MAX_WORKERS = 1024
WARMUP_SECONDS = 1.0 if sys.platform == "linux" else 4.0
"""Seconds of work after which workers are started; they take 0.04 s each by fork, 2-3 s otherwise."""

AHEAD = 2
"""Tasks for each worker that may be done or in work before their turn."""


def worker_count(wanted: int | None) -> int:
    """`wanted` processes; one per core if None.

    Raises:
        InputError: not from 1 to `MAX_WORKERS`.
    """
    if wanted is None:
        return cores()
    if not 1 <= wanted <= MAX_WORKERS:
        raise InputError(f"--workers: expected 1 to {MAX_WORKERS}, got {wanted}")
    return wanted


class Pool:
    """Does tasks; a context manager that leaves no process behind.

    Args:
        count: processes at most; 1 is this process alone.
        warmup: seconds of work after which they are started, by default `WARMUP_SECONDS`.
        interruption: wishes to end, which are heard while tasks are done and nowhere else.
        cluster: does all tasks instead of processes of this machine; None for no cluster.
        load: loads there what the tasks need.
    """

    def __init__(
        self,
        count: int = 1,
        warmup: float | None = None,
        interruption: Interruption | None = None,
        *,
        cluster: Cluster | None = None,
        load: Callable[[], object] | None = None,
    ) -> None:
        self._count, self._cluster, self._load = count, cluster, load
        self.interruption = interruption or Interruption()
        self._warmup = WARMUP_SECONDS if warmup is None else warmup
        self._worked = 0.0
        self._workers: Workers | None = None

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._workers is not None:
            self._workers.close(kill=kind is not None)
            self._workers = None

    @property
    def count(self) -> int:
        """How many do the tasks, at most."""
        return self._count if self._cluster is None or self._workers is None else len(self._workers)

    def results(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
        """``function(task)`` for each task, in order; tasks are taken a few at a time, as they can be begun.

        The iterator may be left before its end. Tasks may be done twice.

        Raises:
            TaskFailure: a task cannot be done in a worker. In this process its own error is raised.
            Interrupted: somebody wishes the end.
        """
        tasks = iter(tasks)
        while self._workers is None:
            if self._cluster is not None or (self._count > 1 and self._worked > self._warmup):
                self._workers = self._started()
                break
            for task in tasks:
                began = time.perf_counter()
                with self.interruption.allowed():
                    result = function(task)
                self._worked += time.perf_counter() - began
                yield result
                break
            else:
                return
        yield from self._workers.stream(function, tasks, ahead=AHEAD * self.count)

    def _started(self) -> Workers:
        from evolve.workers.opening import open_workers
        from evolve.workers.processes import SharedRows

        # No timeout for tasks: players limit their own time.
        return open_workers(
            self._count,
            self._cluster,
            shared=SharedRows(1, 0),
            timeout=float("inf"),
            tick=self.interruption.check,
            load=self._load,
        )
