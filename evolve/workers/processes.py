"""Worker processes that end with their parent and lose no task.

When a worker is killed, `multiprocessing.Pool` hangs for ever and `ProcessPoolExecutor` becomes unusable. Here each
worker has a pipe of its own, so losing one does not affect the others: its task goes to a replacement. Tasks must be
idempotent, because some run twice.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import logging
import mmap
import multiprocessing
import os
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from evolve.workers.channel import Channel, wait_ready
from evolve.workers.logs import WorkerLog, log_to
from game.child import Child, obey_parent_alone, signals_held
from game.number_text import count_text

log = logging.getLogger(__name__)

TRIES = 3
POLL_SECONDS = 0.1


class TaskFailure(RuntimeError):
    """A task that cannot be done: it raised an exception, or its worker was lost or hung three times."""

    exit_code = 70


class NoWorkers(TaskFailure):
    """No worker is left to do tasks, though others may join later."""

    exit_code = 69


def choose_start_method(wanted: str, *, threads: bool = False) -> str:
    """Return `wanted`, or for ``auto`` the fastest safe method: fork on Linux (0.04 s per worker), else spawn (2-3 s).

    A process with `threads` is not forked, because locks held by a thread would stay locked in the worker.
    """
    if wanted != "auto":
        return wanted
    if threads and sys.platform == "linux":
        return "forkserver"
    return "fork" if sys.platform == "linux" else "spawn"


class NoSharedMemory(OSError):
    """Processes that are not forked cannot get memory that they share."""


class SharedRows:
    """Genomes and king values in anonymous shared memory, visible to all processes.

    The memory has no name by the time the constructor returns, so a killed process leaves nothing behind. It has none
    from the beginning where files in memory cannot be made, as in strict containers and below limits of file sizes;
    only forked processes inherit such memory.

    Attributes:
        version: number of calls of `put` in this process.
        used: number of rows that the last call wrote.
    """

    def __init__(self, rows: int, weights: int) -> None:
        self.shape = (rows, weights)
        self.version = self.used = 0
        self.trouble: OSError | None = None
        self._memory: Any
        numbers = rows * (weights + 1)
        try:
            self._memory = multiprocessing.RawArray(ctypes.c_float, numbers)
        except OSError as trouble:
            self.trouble = trouble
            try:
                self._memory = mmap.mmap(-1, 4 * numbers)
            except OSError as error:
                raise OSError(error.errno, error.strerror, f"{4 * numbers:,} bytes of shared memory") from error

    def check_visible(self, start_method: str) -> None:
        """Check that processes which are started by this method can see the memory."""
        if self.trouble is not None and start_method != "fork":
            raise NoSharedMemory(self.trouble.errno, self.trouble.strerror, "memory shared by processes")

    def put(self, genomes: Sequence[NDArray[np.float32]] | NDArray[np.float32], kings: NDArray[np.float32]) -> None:
        """Write genomes (rows, weights) and king values (rows,) over the old ones; no process may be reading."""
        self.version, self.used = self.version + 1, len(genomes)
        np.concatenate(list(genomes), out=self.genomes()[: len(genomes)].reshape(-1))  # ten times faster than rows
        self.kings()[: len(kings)] = kings

    def copy(self) -> Rows:
        """Return the rows written last, for processes that do not share this memory."""
        return Rows(self.genomes()[: self.used].copy(), self.kings()[: self.used].copy())

    def genomes(self) -> NDArray[np.float32]:
        """Return the genomes, float32 of shape (rows, weights); not a copy."""
        rows, weights = self.shape
        return self._floats()[: rows * weights].reshape(self.shape)

    def kings(self) -> NDArray[np.float32]:
        """Return the king values, float32 of shape (rows,); not a copy."""
        return self._floats()[-self.shape[0] :]

    def _floats(self) -> NDArray[np.float32]:
        return np.frombuffer(memoryview(self._memory).cast("B"), np.float32)


class Rows:
    """Genomes, float32 of shape (rows, weights), and king values that this process has received."""

    def __init__(self, genomes: NDArray[np.float32], kings: NDArray[np.float32]) -> None:
        self._genomes, self._kings = genomes, kings

    def genomes(self) -> NDArray[np.float32]:
        return self._genomes

    def kings(self) -> NDArray[np.float32]:
        return self._kings


_shared: SharedRows | Rows | None = None


def get_shared_rows() -> SharedRows | Rows:
    """Return the genomes that tasks refer to. Call it only in a worker."""
    assert _shared is not None
    return _shared


def share(rows: SharedRows | Rows) -> None:
    """Set the rows that `get_shared_rows` returns. Call it only in a worker."""
    global _shared  # noqa: PLW0603 (one per process, which does one task at a time)
    _shared = rows


Work = TypeVar("Work", bound=Callable[[Any], Any])


def refers_to_rows(function: Work) -> Work:
    """Mark a function that uses `get_shared_rows`, so that a cluster sends the genomes with its tasks."""
    function.__dict__["refers_to_rows"] = True
    return function


class Workers(Protocol):
    """Local processes, or a cluster, that do tasks."""

    overhead: ClassVar[float]
    """Seconds that each task costs the calling process, in addition to its work."""
    latency: ClassVar[float]
    """Seconds until the result of an instant task arrives."""

    @property
    def seconds(self) -> float:
        """The time that the task of the last result took in its worker; 0 if not measured."""

    def __len__(self) -> int:
        """Return the current number of workers."""

    def stream(
        self, function: Callable[[Any], Any], tasks: Iterable[Any], *, ahead: int | None = None
    ) -> Iterator[Any]:
        """Yield ``function(task)`` for each task, in order."""

    def close(self, *, kill: bool = False) -> None:
        """Stop all work; with `kill` at once."""


_Key = tuple[int, int]  # the numbers of a stream of tasks and of a task in it


class TaskStream:
    """Tasks that are done in any order, and their results, returned in the order of the tasks.

    Attributes:
        stream: the number of this stream. Results of an earlier one that was not read to its end may still arrive.
        waiting: the numbers of tasks whose worker was lost.
    """

    def __init__(self, stream: int, function: Any, source: Iterator[Any], ahead: int | None) -> None:
        self.stream, self.function = stream, function
        self.tasks: dict[int, Any] = {}
        self.tries: dict[int, int] = {}
        self.waiting: deque[int] = deque()
        self._source: Iterator[Any] | None = source
        self._ahead = ahead
        self._taken = self._given = 0
        self._results: dict[int, Any] = {}

    def next_task(self) -> int | None:
        """Return the next task to begin; None if there is none at present."""
        if self.waiting:
            return self.waiting.popleft()
        if self._source is None or (self._ahead is not None and self._taken - self._given >= self._ahead):
            return None
        for task in self._source:
            number = self._taken
            self.tasks[number], self.tries[number] = task, 0
            self._taken += 1
            return number
        self._source = None
        return None

    def record_result(self, number: int, result: Any) -> None:
        self._results[number] = result
        del self.tasks[number], self.tries[number]

    def in_order(self) -> Iterator[Any]:
        while self._given in self._results:
            result = self._results.pop(self._given)
            self._given += 1
            yield result

    def is_finished(self) -> bool:
        return self._source is None and self._given == self._taken


class _Worker:
    def __init__(self, number: int, shared: SharedRows) -> None:
        try:
            self.log = WorkerLog(f"log-{number}")
            with signals_held():
                self._child = Child(multiprocessing, _work, (shared, self.log.writer), f"worker-{number}")
        except (OSError, RuntimeError) as error:
            trouble = error if isinstance(error, OSError) else OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            raise OSError(trouble.errno, trouble.strerror, f"worker {number} cannot be started") from error
        self.process, self.channel = self._child.process, Channel(self._child.pipe)
        self.log.writer.close()
        self.task: _Key | None = None
        self.deadline = 0.0

    def end(self, *, kill: bool) -> None:
        if not kill:
            with contextlib.suppress(OSError):
                self.channel.put(None)
            self.process.join(2.0)
        kill = kill or self.process.is_alive()
        self._child.kill()
        self.log.abandon() if kill else self.log.close()


class WorkerProcesses:
    """A pool of worker processes.

    Args:
        timeout: seconds after which a task counts as hung.
        tick: called about ten times a second while tasks run; it may raise an exception to give up.

    Raises:
        NoSharedMemory: they cannot share the genomes with this process.
        OSError: the processes cannot be started; none is left running.
    """

    overhead: ClassVar[float] = 0.0  # too little to count
    latency: ClassVar[float] = 0.0

    def __init__(
        self, count: int, *, start_method: str, shared: SharedRows, timeout: float, tick: Callable[[], None]
    ) -> None:
        if multiprocessing.get_start_method(allow_none=True) != start_method:
            multiprocessing.set_start_method(start_method, force=True)  # multiprocessing-logging asks for it
        if start_method == "forkserver":
            multiprocessing.set_forkserver_preload([__name__])
        shared.check_visible(start_method)
        self._shared, self._timeout, self._tick = shared, timeout, tick
        self._started = self._streams = 0
        self.lost, self.seconds = 0, 0.0
        self._crew: list[_Worker] = []
        try:
            for _ in range(count):
                self._crew.append(self._start())
        except BaseException:
            # Workers ignore SIGTERM, so this process could not exit while they live.
            self.close(kill=True)
            raise
        log.info("%s (%s)", count_text(count, "worker"), start_method)

    def __len__(self) -> int:
        return len(self._crew)

    def _start(self) -> _Worker:
        self._started += 1
        return _Worker(self._started, self._shared)

    def pids(self) -> list[int]:
        return [worker.process.pid or 0 for worker in self._crew]

    def stream(
        self, function: Callable[[Any], Any], tasks: Iterable[Any], *, ahead: int | None = None
    ) -> Iterator[Any]:
        """Yield ``function(task)`` for each task, in order, as soon as it and all earlier ones are complete.

        If the caller stops reading before the end, the results of unfinished tasks are discarded.

        Args:
            ahead: maximum number of tasks that are taken but whose results are not yet returned; None for no limit.

        Raises:
            TaskFailure: a task raised an exception, or three workers were lost on it.
        """
        self._streams += 1
        work = TaskStream(self._streams, function, iter(tasks), ahead)
        while True:
            self._tick()
            for place, worker in enumerate(self._crew):
                if worker.task is None and (number := work.next_task()) is not None:
                    if self._hand(worker, work, number):
                        work.tries[number] += 1
                    else:  # it died while idle, so this task is not the cause
                        self._replace(place, work, "has died")
            if work.is_finished():
                return
            for place, worker in self._ready():
                try:
                    answers = worker.channel.step()
                except (EOFError, OSError):
                    self._replace(place, work, "has died")
                    continue
                for (stream, number), good, value in answers:
                    worker.task = None
                    if stream != work.stream:
                        continue
                    if not good:
                        raise TaskFailure(f"task {number} failed in {worker.process.name}: {value}")
                    work.record_result(number, value)
            now = time.monotonic()
            for place, worker in enumerate(self._crew):
                if worker.task is not None and now > worker.deadline:
                    self._replace(place, work, f"gave no answer for {self._timeout:g} s")
            yield from work.in_order()

    def _hand(self, worker: _Worker, work: TaskStream, number: int) -> bool:
        worker.task = (work.stream, number)
        worker.deadline = time.monotonic() + self._timeout
        try:
            worker.channel.put((worker.task, work.function, work.tasks[number]))
        except OSError:
            return False
        return True

    def _ready(self) -> list[tuple[int, _Worker]]:
        busy = {worker.channel: (place, worker) for place, worker in enumerate(self._crew) if worker.task is not None}
        return [busy[channel] for channel in wait_ready(list(busy), POLL_SECONDS)]

    def _replace(self, place: int, work: TaskStream, why: str) -> None:
        worker = self._crew[place]
        self.lost += 1
        log.warning("%s (process %d) %s; its task goes to another", worker.process.name, worker.process.pid, why)
        if worker.task is not None and worker.task[0] == work.stream:
            number = worker.task[1]
            if work.tries[number] >= TRIES:
                raise TaskFailure(f"task {number}: its worker {why}, {TRIES} times in a row")
            work.waiting.appendleft(number)
        worker.end(kill=True)
        self._crew[place] = self._start()

    def close(self, *, kill: bool = False) -> None:
        """End all workers; with `kill` at once, even if they are busy."""
        for worker in self._crew:
            worker.end(kill=kill or worker.task is not None)
        self._crew = []


class ThisProcess:
    """This process in the place of workers that cannot share memory with it."""

    overhead: ClassVar[float] = 0.0
    latency: ClassVar[float] = 0.0

    def __init__(self, shared: SharedRows, tick: Callable[[], None]) -> None:
        self._shared, self._tick = shared, tick
        self.seconds = 0.0

    def __len__(self) -> int:
        return 1

    def stream(
        self, function: Callable[[Any], Any], tasks: Iterable[Any], *, ahead: int | None = None
    ) -> Iterator[Any]:
        """Yield ``function(task)`` for each task, in order."""
        for number, task in enumerate(tasks):
            self._tick()
            share(self._shared)
            try:
                result = function(task)
            except Exception as error:
                log.exception("task %s failed", number)
                raise TaskFailure(f"task {number} failed: {type(error).__name__}: {error}") from error
            yield result

    def close(self, *, kill: bool = False) -> None:
        """Do nothing."""


def _work(pipe: Any, shared: SharedRows, records: Any) -> None:
    obey_parent_alone()  # the signals of Ctrl-C, a terminated group and a closed terminal reach every process
    log_to(records)
    share(shared)
    log.info("started")
    while (message := _next(pipe)) is not None:
        number, function, task = message
        try:
            answer = (number, True, function(task))
        except Exception as error:
            log.exception("task %s failed", number)
            place = traceback.extract_tb(error.__traceback__)[-1]
            answer = (number, False, f"{type(error).__name__}: {error} ({place.name}:{place.lineno})")
        pipe.send(answer)


def _next(pipe: Any) -> Any:
    try:
        return pipe.recv()
    except EOFError:
        return None
