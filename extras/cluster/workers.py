"""A cluster with the interface of local worker processes.

Each worker of Dask has an actor of the session (`remote.SessionActor`), which the session asks without going through
the scheduler. Only workers that equal this program get tasks, and the tasks of a lost worker go to others.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from typing import Any, ClassVar

from evolve.kinds import plugins
from evolve.workers.processes import POLL_SECONDS, TRIES, NoWorkers, SharedRows, TaskFailure, TaskStream
from extras.cluster import remote
from extras.cluster.address import SILENCE, Cluster
from extras.cluster.remote import TaskAnswer
from game.errors import InputError, describe, one_line
from game.number_text import count_text

log = logging.getLogger(__name__)

AT_A_WORKER = 2
"""Number of tasks given out for each worker: the current one and the next."""
LOOK_SECONDS, CONNECT_SECONDS, CLOSE_SECONDS = 0.5, 5.0, 1.0
GRACE_SECONDS, WORKERS_SECONDS = 5.0, 60.0
"""Default time for which the scheduler or all workers may be missing; a killed worker is replaced within seconds."""
GONE = (OSError, CancelledError, asyncio.CancelledError, KeyError, RuntimeError)  # of a worker, or the actor on it


@dataclass(eq=False)
class _Worker:
    """A worker as this session sees it: its actor, and the version of the genomes that it has."""

    address: str
    name: str = "not compared yet"
    state: str = "joining"  # then ready, refused or lost
    actor: Any = None
    version: int | None = None
    sending: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __str__(self) -> str:
        return f"worker {self.address} ({self.name})"


class ClusterMachines(Cluster):
    """A cluster on which games are played (`evolve.workers.pool.Machines`)."""

    def workers(self, **options: Any) -> ClusterWorkers:
        """Return its workers as soon as one can play."""
        return ClusterWorkers(self, **options)


class ClusterWorkers:
    """The workers of a cluster; the constructor returns when one of them can play.

    The arguments are those of `evolve.workers.pool.open_workers`.

    Raises:
        NoWorkers: no worker can play.
    """

    overhead: ClassVar[float] = 0.0006  # measured: extras/cluster/cluster.md
    latency: ClassVar[float] = 0.004

    def __init__(
        self,
        cluster: Cluster,
        *,
        shared: SharedRows,
        load: Callable[[], object] | None = None,
        timeout: float,
        tick: Callable[[], None],
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._cluster, self._shared, self._timeout, self._tick = cluster, shared, timeout, tick
        self._plugins, self._conditions = plugins.loaded(), remote.conditions()
        self._load = remote.pack(remote.prepare, load)
        self._rows: tuple[int, bytes] = (0, b"")  # of this version, packed
        self.seconds = 0.0
        self._there: set[str] = set()  # addresses that the scheduler knows
        self._crew: dict[str, _Worker] = {}
        self._given: dict[Future[TaskAnswer], tuple[_Worker, int, float]] = {}  # tasks, and when they were given out
        self._done: queue.SimpleQueue[Future[TaskAnswer]] = queue.SimpleQueue()
        try:
            self._client = _client(cluster)
        except (OSError, ValueError, RuntimeError) as error:  # Dask raises any of these for a missing scheduler
            text = f"the scheduler at {cluster.address} does not answer: {one_line(describe(error))}"
            text += "; if it uses TLS, its address begins with tls://" if cluster.protocol == "tcp" else ""
            raise NoWorkers(text) from error
        self._there_at = time.monotonic()  # when there were workers that may be used, or the scheduler answered
        self._begin(self._watch())
        tell("waiting for workers of the cluster to load compiled code")
        try:
            while not self._ready():
                self._check()
                time.sleep(POLL_SECONDS)
        except BaseException:
            self.close(kill=True)
            raise
        log.info("cluster %s with %s", cluster.address, count_text(len(self), "worker"))

    def __len__(self) -> int:
        return max(1, len(self._ready()))

    def _ready(self) -> list[_Worker]:
        return [worker for worker in self._crew.values() if worker.state == "ready"]

    def _begin(self, work: Any) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._client.loop.asyncio_loop)

    async def _watch(self) -> None:  # as `_join` and `_do` in the thread of Dask's client
        while self._client.status not in ("closing", "closed"):
            with contextlib.suppress(Exception):  # the scheduler is gone
                self._there = set((await self._client.scheduler.identity(n_workers=-1))["workers"])
            await asyncio.sleep(LOOK_SECONDS)

    async def _join(self, worker: _Worker) -> None:
        """Compare a worker with this program, and make an actor there, which prepares itself."""
        key, where = f"crownhead-{uuid.uuid4().hex}", [worker.address]
        try:
            # Dask would close a worker that does not know the class of an actor.
            there = (await self._client.run(remote.conditions, workers=where))[worker.address]
            if differences := remote.difference(self._conditions, there):
                raise InputError(differences)
            with self._client.as_current():
                made = self._client.submit(remote.SessionActor, self._plugins, actor=True, workers=where, key=key)
                worker.actor = await made
            answer = await worker.actor.run(self._load)
        except (OSError, CancelledError, asyncio.CancelledError):
            worker.state = "lost"
            return
        except Exception as error:  # such as a module that is not there, as a checkout has other names than a wheel
            answer = TaskAnswer(False, f"{error}; use the same build on all machines")
        if answer.good:
            worker.name, worker.state = answer.value, "ready"
            log.info("%s is ready, %.1f s after it joined", worker, answer.seconds)
        else:
            worker.state = "refused"
            log.warning("%s is not used: %s", worker, one_line(answer.value))

    async def _do(self, worker: _Worker, packed: bytes, rows: tuple[int, bytes] | None) -> TaskAnswer:
        if rows is not None:
            async with worker.sending:
                if worker.version != rows[0]:
                    await worker.actor.put(rows[1])
                    worker.version = rows[0]
        return TaskAnswer(*await worker.actor.run(packed))

    def _check(self) -> None:
        """Let workers join, notice their loss, and raise an exception if waiting is of no use."""
        self._tick()
        if self._client.status in ("closing", "closed"):
            raise NoWorkers(f"the scheduler at {self._cluster.address} does not answer: the connection was lost")
        there = self._there
        for worker in list(self._crew.values()):
            if worker.address not in there or worker.state == "lost":
                self._drop(worker)
        for address in there - set(self._crew):
            self._crew[address] = _Worker(address)
            self._begin(self._join(self._crew[address]))
        refused = sum(worker.state == "refused" for worker in self._crew.values())
        if len(self._crew) > refused:
            self._there_at = time.monotonic()
        elif time.monotonic() - self._there_at > max(self._cluster.wait, WORKERS_SECONDS):
            unusable = f" that can be used ({refused} cannot)" if refused else ""
            raise NoWorkers(f"the cluster at {self._cluster.address} has no workers{unusable}")

    def _drop(self, worker: _Worker) -> None:
        if self._crew.get(worker.address) is worker:
            log.warning("%s is gone; its tasks go to others", worker)
            del self._crew[worker.address]
        for call in [call for call, (other, *_) in self._given.items() if other is worker]:
            call.cancel()

    def stream(
        self, function: Callable[[Any], Any], tasks: Iterable[Any], *, ahead: int | None = None
    ) -> Iterator[Any]:
        """Yield results in the order of the tasks, as `WorkerProcesses` does."""
        self._give_up()
        work = TaskStream(0, function, iter(tasks), ahead)
        while True:
            self._check()
            self._give_out(work)
            if work.is_finished():
                return
            self._end_hung()
            self._receive(work)
            for answer in work.in_order():
                self.seconds = answer.seconds
                yield answer.value

    def _give_up(self) -> None:
        for call in self._given:
            call.cancel()
        self._given, self._done = {}, queue.SimpleQueue()

    def _give_out(self, work: TaskStream) -> None:
        needs_rows = getattr(work.function, "refers_to_rows", False)
        if needs_rows and self._rows[0] != self._shared.version:
            self._rows = self._shared.version, remote.pack(self._shared.copy())
        busy = Counter(worker for worker, *_ in self._given.values())
        for at_once in range(AT_A_WORKER):
            for worker in self._ready():
                if busy[worker] > at_once:
                    continue
                if (number := work.next_task()) is None:
                    return
                packed = remote.pack(work.function, work.tasks[number])
                call = self._begin(self._do(worker, packed, self._rows if needs_rows else None))
                self._given[call] = worker, number, time.monotonic()
                call.add_done_callback(self._done.put)
                busy[worker] += 1

    def _end_hung(self) -> None:
        for call, (worker, number, began) in self._given.items():
            if (now := time.monotonic()) - began > AT_A_WORKER * self._timeout:
                log.warning("a worker gave no answer for %s s; its tasks go to others", self._timeout)
                self._given[call] = worker, number, now
                with contextlib.suppress(Exception):
                    self._client.restart_workers([worker.address], timeout=CONNECT_SECONDS, raise_for_error=False)

    def _receive(self, work: TaskStream) -> None:
        try:
            call = self._done.get(timeout=POLL_SECONDS)
        except queue.Empty:
            return
        worker, number, _ = self._given[call]
        first = next(call for call, (other, *_) in self._given.items() if other is worker) is call
        del self._given[call]
        try:
            answer = call.result()
        except GONE as error:
            log.debug("%r", error)
            self._drop(worker)
            work.waiting.append(number)
            work.tries[number] += first  # a task that only waited for another one is not the cause
            if work.tries[number] >= TRIES:
                raise TaskFailure(f"task {number}: its worker was lost, {TRIES} times in a row") from error
        except Exception as error:
            raise TaskFailure(f"task {number}: {type(error).__name__}: {one_line(str(error))}") from error
        else:
            if not answer.good:
                raise TaskFailure(f"task {number} failed in a worker of the cluster: {answer.value}")
            work.record_result(number, answer)

    def close(self, *, kill: bool = False) -> None:
        """Leave the cluster; with `kill`, without waiting for its answer."""
        self._give_up()
        with contextlib.suppress(Exception):
            self._client.close(0.0 if kill else CLOSE_SECONDS)


def _client(cluster: Cluster) -> Any:
    import dask
    from distributed import Client

    dask.config.set({"distributed.comm.timeouts.tcp": SILENCE})
    for name in ("distributed", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # the user sees our own messages
    options: dict[str, Any] = {"security": cluster.security(), "set_as_default": False, "direct_to_workers": True}
    # The time also applies whenever the scheduler is gone.
    return Client(cluster.address, timeout=max(cluster.wait, GRACE_SECONDS), **options)
