"""A cluster with the interface of local worker processes."""

from __future__ import annotations

import logging
import math
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar

from evolve.workers.cluster.address import Cluster
from evolve.workers.cluster.crew import AT_A_WORKER, Crew
from evolve.workers.cluster.member import Job
from evolve.workers.cluster.remote import Preparation, TaskAnswer
from evolve.workers.processes import POLL_SECONDS, Rows, SharedRows, TaskFailure, TaskStream
from game.number_text import count_text

log = logging.getLogger(__name__)

CLOSE_SECONDS = 10.0


class ClusterWorkers:
    """The workers of a cluster; the constructor returns when one of them can play.

    Args:
        cluster: the address of its scheduler.
        shared: genomes that the tasks refer to.
        preparation: done by each worker before its first task.
        timeout: seconds after which a task counts as hung.
        tick: called about ten times a second while waiting; it may raise an exception to give up.
        tell: called with messages about waiting.

    Attributes:
        lost: the number of workers that have disappeared, or were given up because they hung.
        seconds: the time that the task of the last result took.

    Raises:
        NoWorkers: no worker can play.
    """

    overhead: ClassVar[float] = 0.0007  # measured: docs/cluster.md
    latency: ClassVar[float] = 0.002

    def __init__(
        self,
        cluster: Cluster,
        *,
        shared: SharedRows,
        preparation: Preparation,
        timeout: float,
        tick: Callable[[], None],
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._shared, self._tick = shared, tick
        self.seconds = 0.0
        self._streams = 0
        self._rows: tuple[int, Rows] | None = None
        self._answers: queue.SimpleQueue[tuple[Job, TaskAnswer] | Exception | None] = queue.SimpleQueue()
        self._crew = Crew(
            cluster,
            preparation,
            timeout if math.isfinite(timeout) else None,
            lambda job, answer: self._answers.put((job, answer)),
            self._answers.put,
        )
        self._thread = threading.Thread(target=self._crew.run, name="cluster", daemon=True)
        self._thread.start()
        try:
            self._wait_for_one(tell)
        except BaseException:
            self.close(kill=True)
            raise
        log.info("cluster %s with %s", cluster.address, count_text(len(self), "worker"))

    def _wait_for_one(self, tell: Callable[[str], None]) -> None:
        reported = ""
        while not self._crew.ready:
            text = "waiting for workers of the cluster"
            if self._crew.preparing:
                text = f"waiting for {count_text(self._crew.preparing, 'worker')} of the cluster to load compiled code"
            if text != reported:
                tell(text)
                reported = text
            self._tick()
            self._next_answer()

    def __len__(self) -> int:
        return max(1, self._crew.ready)

    @property
    def lost(self) -> int:
        """The number of workers that have disappeared, or were given up because they hung."""
        return self._crew.lost

    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        """Return ``function(task)`` for each task, in order.

        Raises:
            TaskFailure: a task raised an exception, or three workers were lost on it.
        """
        return list(self.stream(function, tasks))

    def stream(
        self, function: Callable[[Any], Any], tasks: Iterable[Any], *, ahead: int | None = None
    ) -> Iterator[Any]:
        """Yield the results of `map` one by one, each as soon as it and all earlier ones are complete.

        If the caller stops reading before the end, the results of unfinished tasks are discarded.

        Args:
            function: applied to each task.
            tasks: read as workers become free.
            ahead: maximum number of tasks that are taken but whose results are not yet returned; None for no limit.

        Raises:
            TaskFailure: a task raised an exception, or three workers were lost on it.
            NoWorkers: no worker is left that can play.
        """
        self._streams += 1
        work = TaskStream(self._streams, function, iter(tasks), ahead)
        rows = self._rows_now() if getattr(function, "refers_to_rows", False) else None
        seconds: dict[int, float] = {}
        given = in_hand = 0
        while True:
            self._tick()
            jobs = []
            while in_hand < 2 * AT_A_WORKER * len(self) and (number := work.next_task()) is not None:
                jobs.append(Job((self._streams, number), function, work.tasks[number], rows))
                in_hand += 1
            if jobs:
                self._crew.add(jobs)
            if work.is_finished():
                return
            arrived = self._next_answer()
            if arrived is not None and arrived[0].key[0] == self._streams:
                (_, number), answer = arrived[0].key, arrived[1]
                if not answer.good:
                    raise TaskFailure(f"task {number} failed in a worker of the cluster: {answer.value}")
                in_hand -= 1
                seconds[number] = answer.seconds
                work.record_result(number, answer.value)
            for result in work.in_order():
                self.seconds = seconds.pop(given)
                given += 1
                yield result

    def _rows_now(self) -> tuple[int, Rows]:
        """Return a copy of the current genomes, made once for each version."""
        if self._rows is None or self._rows[0] != self._shared.version:
            self._rows = (self._shared.version, self._shared.copy())
        return self._rows

    def _next_answer(self) -> tuple[Job, TaskAnswer] | None:
        """Return the next answer; None if none arrives within a moment.

        Raises:
            TaskFailure: the crew has ended.
        """
        try:
            arrived = self._answers.get(timeout=POLL_SECONDS)
        except queue.Empty:
            return None
        if isinstance(arrived, tuple):
            return arrived
        raise arrived or TaskFailure("the cluster was closed")

    def close(self, *, kill: bool = False) -> None:
        """Leave the cluster; with `kill`, without waiting for the connection to end."""
        self._crew.close()
        self._thread.join(0.0 if kill else CLOSE_SECONDS)
