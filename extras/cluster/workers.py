"""A cluster with the interface of local worker processes.

Dask's scheduler distributes the tasks, and gives those of a lost worker to others. What is added here: only workers
that equal this program get tasks, an idle worker gets a copy of a task that another has had for too long, and all tasks
are given out again if the scheduler, or the last worker, was gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import math
import queue
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from evolve.workers.logs import QUIETLY
from evolve.workers.processes import POLL_SECONDS, TRIES, NoWorkers, SharedRows, TaskFailure, TaskStream
from extras.cluster import remote
from extras.cluster.address import Cluster
from extras.cluster.local import SILENCE
from extras.cluster.remote import TaskAnswer
from game.errors import describe, one_line
from game.number_text import count_text

if TYPE_CHECKING:
    from distributed import Client, Future

    from evolve.kinds.plugins import Plugin

log = logging.getLogger(__name__)

AT_A_WORKER = 2
"""Number of tasks given out for each worker: the current one and the next."""
LATE, LATE_SECONDS = 3.0, 0.5
"""An idle worker gets a copy of a task that was given out this multiple of the usual time plus these seconds ago."""
LOOK_SECONDS = 0.5
CONNECT_SECONDS = 5.0
CLOSE_SECONDS = 1.0
GRACE_SECONDS = 5.0
"""Default number of seconds that the scheduler may be missing."""
WORKERS_SECONDS = 60.0
"""Default number of seconds that all workers may be missing. A killed worker is restarted within a few seconds."""
LOST = f"task {{}}: its worker was lost, {TRIES} times in a row"
OTHER_BUILD = "a checkout and an installed program cannot share a cluster: use the same on all machines"


class _Given(NamedTuple):
    """A task that was given out: its number, the time, and Dask's future."""

    number: int
    began: float
    future: Future


class ClusterMachines(Cluster):
    """A cluster on which games are played (`evolve.workers.pool.Machines`)."""

    def workers(
        self,
        *,
        shared: SharedRows,
        load: Callable[[], object] | None,
        timeout: float,
        tick: Callable[[], None],
        tell: Callable[[str], None],
    ) -> ClusterWorkers:
        """Return its workers as soon as one can play."""
        from evolve.kinds import plugins

        own = plugins.loaded()
        return ClusterWorkers(self, shared=shared, plugins=own, load=load, timeout=timeout, tick=tick, tell=tell)


class ClusterWorkers:
    """The workers of a cluster; the constructor returns when one of them can play.

    Args:
        plugins: the user's own files, which each worker loads before its first task.
        load: loads or compiles the code that tasks need, likewise; None for nothing.
        timeout: seconds after which a task counts as hung.

    Attributes:
        seconds: the time that the task of the last result took.

    Raises:
        NoWorkers: no worker can play.
    """

    overhead: ClassVar[float] = 0.003  # measured: extras/cluster/cluster.md
    latency: ClassVar[float] = 0.013

    def __init__(
        self,
        cluster: Cluster,
        *,
        shared: SharedRows,
        plugins: tuple[Plugin, ...] = (),
        load: Callable[[], object] | None = None,
        timeout: float,
        tick: Callable[[], None],
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._cluster, self._shared, self._plugins = cluster, shared, plugins
        self._load, self._timeout, self._tick = remote.pack(load), timeout, tick
        self.seconds = 0.0
        self._session = f"crownhead-{uuid.uuid4().hex}"
        self._numbers = itertools.count()
        self._sent: int | None = None
        self._given: dict[str, _Given] = {}
        self._answers: queue.SimpleQueue[tuple[Any, Any]] = queue.SimpleQueue()
        self._names: dict[str, str] = {}
        self._joining: dict[str, asyncio.Task[None]] = {}
        self._refused: set[str] = set()
        self._there_at = math.inf  # when there were workers, or the scheduler answered for the first time
        self._here = remote.conditions()
        try:
            self._client = _client(cluster, max(cluster.wait, GRACE_SECONDS))
        except (OSError, ValueError, RuntimeError) as error:  # Dask raises any of these for a missing scheduler
            text = f"the scheduler at {cluster.address} does not answer: {one_line(describe(error))}"
            raise NoWorkers(text) from error
        self._client.loop.add_callback(self._watch)
        tell("waiting for workers of the cluster to load compiled code")
        try:
            while not self._names:
                self._check()
                time.sleep(POLL_SECONDS)
        except BaseException:
            self.close(kill=True)
            raise
        log.info("cluster %s with %s", cluster.address, count_text(len(self), "worker"))

    def _check(self) -> None:
        """Raise an exception if waiting is of no use."""
        self._tick()
        if self._client.status in ("closing", "closed"):
            raise NoWorkers(f"the scheduler at {self._cluster.address} does not answer: the connection was lost")
        missing = time.monotonic() - self._there_at
        if not (self._names or self._joining) and missing > max(self._cluster.wait, WORKERS_SECONDS):
            unusable = f" that can be used ({len(self._refused)} cannot)" if self._refused else ""
            raise NoWorkers(f"the cluster at {self._cluster.address} has no workers{unusable}")

    def __len__(self) -> int:
        return max(1, len(self._names))

    # In the thread of Dask's client -------------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Let workers join, and notice their loss, until the client is closed."""
        while self._client.status not in ("closing", "closed"):
            with contextlib.suppress(Exception):  # the scheduler is gone
                there = set((await self._client.scheduler.identity(n_workers=-1))["workers"])
                if self._names or self._joining or self._there_at == math.inf:
                    self._there_at = time.monotonic()
                self._drop(set(self._names) - there)
                for address in set(self._joining) - there:
                    self._joining.pop(address).cancel()
                self._refused &= there
                for address in there - {*self._names, *self._joining, *self._refused}:
                    self._joining[address] = asyncio.create_task(self._join(address))
            await asyncio.sleep(LOOK_SECONDS)

    def _drop(self, gone: set[str]) -> None:
        for address in gone:
            log.warning("worker %s is gone; its tasks go to others", self._described(address))
            del self._names[address]
        if gone and not self._names:
            self._answers.put((None, None))  # Dask keeps their tasks for workers that will not come back

    def _described(self, address: str) -> str:
        return f"{address} ({self._names.get(address, 'not compared yet')})"

    async def _join(self, address: str) -> None:
        """Compare a worker with this program, and let it prepare itself."""
        try:
            there = (await self._client.run(remote.conditions, workers=[address], on_error="return"))[address]
            if isinstance(there, Exception):
                raise there
            answer = TaskAnswer(False, remote.difference(self._here, there))
            if not answer.value:
                answer = await self._call(remote.join, self._session, self._plugins, self._load, workers=[address])
        except (OSError, asyncio.CancelledError, CancelledError):  # it is gone, or is asked again
            self._joining.pop(address, None)
            return
        except Exception as error:
            other = f"; {OTHER_BUILD}" if "No module named" in str(error) else ""
            answer = TaskAnswer(False, f"{type(error).__name__}: {error}{other}")
        self._joining.pop(address, None)
        if answer.good:
            self._names[address] = answer.value
            log.info("worker %s is ready, %.1f s after it joined", self._described(address), answer.seconds)
        else:
            self._refused.add(address)
            log.warning("worker %s is not used: %s", self._described(address), one_line(answer.value))

    async def _await(self, future: Future) -> None:
        try:
            answer = await future
        except (Exception, asyncio.CancelledError) as error:
            answer = error
        self._answers.put((future.key, answer))

    # In the thread of the caller ----------------------------------------------------------------------------------

    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        return list(self.stream(function, tasks))

    def stream(
        self, function: Callable[[Any], Any], tasks: Iterable[Any], *, ahead: int | None = None
    ) -> Iterator[Any]:
        """Yield the results of `map` one by one, as `WorkerProcesses` does.

        Raises:
            TaskFailure: a task raised an exception, or three workers were lost on it.
            NoWorkers: no worker is left that can play.
        """
        self._take_back()
        self._answers = queue.SimpleQueue()
        work = TaskStream(0, function, iter(tasks), ahead)
        times: dict[int, float] = {}
        total, returned = 0.0, 0
        while True:
            self._check()
            self._give_out(work)
            if work.is_finished():
                return
            self._hasten(work, total / len(times) if times else math.inf)
            for number, answer in self._arrived(work):
                times[number] = answer.seconds
                total += answer.seconds
                work.record_result(number, answer.value)
            for result in work.in_order():
                self.seconds = times[returned]
                returned += 1
                yield result

    def _give_out(self, work: TaskStream) -> None:
        while self._names and self._client.status == "running":
            if not work.waiting and len(work.tasks) >= AT_A_WORKER * len(self):
                return
            if (number := work.next_task()) is None:
                return
            try:
                if number in work.tasks:
                    self._submit(work, number)
            except OSError as error:  # the scheduler is gone
                log.debug("%r", error)
                work.waiting.appendleft(number)
                return

    def _submit(self, work: TaskStream, number: int) -> None:
        version = None
        if getattr(work.function, "refers_to_rows", False):
            version = self._shared.version
            if self._sent != version:
                self._client.set_metadata([self._session], (version, remote.pack(self._shared.copy())))
                self._sent = version
        packed = remote.pack(work.function, work.tasks[number])
        arguments = (self._session, self._plugins, version, packed)
        future = self._call(remote.run_task, *arguments, resources={self._session: 1.0})
        self._given[future.key] = _Given(number, time.monotonic(), future)
        self._client.loop.add_callback(self._await, future)

    def _hasten(self, work: TaskStream, usual: float) -> None:
        """Give a copy of a late task to an idle worker, and end a worker that has hung on its task.

        A generation thus does not wait for the slowest machine, or for a lost one before its loss is noticed.
        """
        now, late = time.monotonic(), LATE * AT_A_WORKER * usual + LATE_SECONDS
        for key, given in list(self._given.items()):
            if now - given.began > AT_A_WORKER * self._timeout:
                log.warning("a worker gave no answer for %s s; its tasks go to others", self._timeout)
                with contextlib.suppress(Exception):
                    addresses = [address for address, keys in self._client.processing().items() if key in keys]
                    self._client.restart_workers(addresses, timeout=CONNECT_SECONDS, raise_for_error=False)
                self._given[key] = given._replace(began=time.monotonic())
            elif now - given.began > late and len(self._given) < len(self) and self._held(work, given.number) == 1:
                work.waiting.append(given.number)

    def _held(self, work: TaskStream, number: int) -> int:
        return [*(given.number for given in self._given.values()), *work.waiting].count(number)

    def _arrived(self, work: TaskStream) -> Iterator[tuple[int, TaskAnswer]]:
        """Wait a moment for an answer; yield it with the number of its task if it is the first one.

        Raises:
            TaskFailure: the task failed.
        """
        from distributed import KilledWorker

        try:
            key, answer = self._answers.get(timeout=POLL_SECONDS)
        except queue.Empty:
            return
        if key is None:  # all workers are gone
            for number in sorted(self._take_back()):
                work.waiting.append(number)
                work.tries[number] += 1
                if work.tries[number] >= TRIES:
                    raise TaskFailure(LOST.format(number))
        given = self._given.pop(key, None)
        if given is None:
            return
        number = given.number
        if isinstance(answer, TaskAnswer):
            if not answer.good:
                raise TaskFailure(f"task {number} failed in a worker of the cluster: {answer.value}")
            self._take_back(number)
            yield number, answer
        elif isinstance(answer, KilledWorker):
            raise TaskFailure(LOST.format(number)) from answer
        elif isinstance(answer, (OSError, CancelledError, asyncio.CancelledError)):
            self._sent = None  # perhaps it is another scheduler
            if not self._held(work, number):
                work.waiting.append(number)
        else:
            raise TaskFailure(f"task {number}: {type(answer).__name__}: {one_line(str(answer))}") from answer

    def _take_back(self, number: int | None = None) -> set[int]:
        """Take back all tasks that are given out, or those with a number; return their numbers."""
        taken = {key: given for key, given in self._given.items() if number in (None, given.number)}
        for key, given in taken.items():
            del self._given[key]
            given.future.release()
        return {given.number for given in taken.values()}

    def close(self, *, kill: bool = False) -> None:
        """Leave the cluster; with `kill`, without waiting for its answer."""
        self._take_back()
        with contextlib.suppress(Exception):
            if not kill and self._client.status == "running":
                leaving = [self._call(remote.leave, self._session, workers=[address]) for address in list(self._names)]
                self._client.set_metadata([self._session], None)
                for future in leaving:
                    future.result(CLOSE_SECONDS)
        with contextlib.suppress(Exception):
            self._client.close(CLOSE_SECONDS)

    def _call(self, function: Callable[..., Any], *arguments: Any, **where: Any) -> Future:
        return self._client.submit(function, *arguments, key=f"{self._session}-{next(self._numbers)}", **where)


def _client(cluster: Cluster, timeout: float) -> Client:
    """Return a client that is connected to a scheduler.

    Args:
        timeout: seconds for which the client tries to connect, also whenever the scheduler is gone.
    """
    import dask
    from distributed import Client
    from distributed.security import Security

    security = None
    if cluster.protocol == "tls":
        certificate, key = cluster.key_files()
        security = Security(
            tls_ca_file=certificate, tls_client_cert=certificate, tls_client_key=key, require_encryption=True
        )
    dask.config.set({"distributed.comm.timeouts.tcp": SILENCE})
    for name in ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio"):
        logger = logging.getLogger(name)  # Dask adds a handler to each of them
        logger.handlers, logger.propagate = [_ToLog(logging.WARNING)], False
    return Client(cluster.address, security=security, timeout=timeout, set_as_default=False)


class _ToLog(logging.Handler):
    """A handler that writes Dask's messages only to the session's log, since the user sees our own messages."""

    def emit(self, record: logging.LogRecord) -> None:
        log.info("%s: %s", record.name, one_line(record.getMessage()), extra=QUIETLY)
