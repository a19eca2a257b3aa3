"""The worker pool of a command, which starts processes only when there is enough work for them."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from game.errors import InputError
from game.installation import PROGRAM, cores

if TYPE_CHECKING:
    from evolve.workers.processes import SharedRows, Workers


def follow(
    results: Iterable[Any],
    sizes: Sequence[int],
    what: str,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Iterator[Any]:
    """Yield results as they come, and report progress."""
    done, total = 0, sum(sizes)
    progress(what, 0, total)
    for result, size in zip(results, sizes, strict=True):
        done += size
        progress(what, done, total)
        yield result


class Interrupted(BaseException):
    """A request to stop; half-finished work is discarded."""


class Interruption:
    """A context manager that turns the first Ctrl-C or SIGTERM into `Interrupted`, raised only within `allowed`."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._allowed = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) is not signal.SIG_IGN:  # a shell ignores it for background commands
                    self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if isinstance(error, Interrupted):
            if sys.stderr is not None:
                with contextlib.suppress(OSError):
                    print(f"{PROGRAM}: stopped before there was a result", file=sys.stderr, flush=True)
            sys.exit(self.exit_code)

    @property
    def exit_code(self) -> int:
        """The exit code of a command that ends here: 0, or 128 plus the number of the signal."""
        return 0 if self.signal is None else 128 + self.signal

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self.signal is not None:
            if number == signal.SIGINT:
                raise KeyboardInterrupt
            sys.exit(128 + number)
        self.signal = number
        if self._allowed:
            raise Interrupted

    def check(self) -> None:
        if self.signal is not None:
            raise Interrupted

    @contextlib.contextmanager
    def allowed(self) -> Iterator[None]:
        """Let a signal interrupt the code within this context at once, or before it."""
        self._allowed = True
        try:
            self.check()
            yield
        finally:
            self._allowed = False


class Machines(Protocol):
    """Other machines on which games can be played, such as a cluster."""

    @property
    def address(self) -> str: ...

    def workers(
        self,
        *,
        shared: SharedRows,
        load: Callable[[], object] | None,
        timeout: float,
        tick: Callable[[], None],
        tell: Callable[[str], None],
    ) -> Workers:
        """Return their workers as soon as one can play; the arguments are those of `open_workers`."""
        ...


def open_workers(
    count: int,
    machines: Machines | None,
    *,
    shared: SharedRows,
    timeout: float,
    tick: Callable[[], None],
    start_method: str = "auto",
    threads: bool = False,
    load: Callable[[], object] | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Workers:
    """Start worker processes, or connect to other machines as soon as one of them can play.

    Args:
        machines: play instead of local processes; None for none.
        timeout: seconds after which a task counts as hung.
        tick: called about ten times a second while waiting; it may raise an exception to give up.
        load: loads the code for tasks on other machines; for local processes, it must be loaded already.

    Raises:
        OSError: the processes cannot be started.
        NoWorkers: none of the machines can play.
    """
    from evolve.workers.processes import NoSharedMemory, ThisProcess, WorkerProcesses, choose_start_method

    if machines is None:
        method = choose_start_method(start_method, threads=threads)
        try:
            return WorkerProcesses(count, start_method=method, shared=shared, timeout=timeout, tick=tick)
        except NoSharedMemory as error:
            tell(f"{error.filename}: {error.strerror}; everything is done in this process, with the same results")
            return ThisProcess(shared, tick)
    return machines.workers(shared=shared, load=load, timeout=timeout, tick=tick, tell=tell)


MAX_WORKERS = 1024
WARMUP_SECONDS = 1.0 if sys.platform == "linux" else 4.0
"""Seconds of work after which workers are started. Starting one takes 0.04 s by fork, otherwise 2-3 s."""

AHEAD = 2
"""Maximum number of tasks per worker that are begun before the first of their results is returned."""


def worker_count(wanted: int | None) -> int:
    """Return `wanted`, or the number of cores if it is None."""
    if wanted is None:
        return cores()
    if not 1 <= wanted <= MAX_WORKERS:
        raise InputError(f"--workers: expected 1 to {MAX_WORKERS}, got {wanted}")
    return wanted


class Pool:
    """A pool that does tasks; a context manager that leaves no process behind.

    Args:
        warmup: seconds of work after which workers are started, by default `WARMUP_SECONDS`.
        load: loads the code for tasks on other machines.
    """

    def __init__(
        self,
        count: int = 1,
        warmup: float | None = None,
        interruption: Interruption | None = None,
        *,
        machines: Machines | None = None,
        load: Callable[[], object] | None = None,
    ) -> None:
        self._count, self._machines, self._load = count, machines, load
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
        """The maximum number of processes that do tasks."""
        return self._count if self._machines is None or self._workers is None else len(self._workers)

    def results(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
        """Yield ``function(task)`` for each task, in order.

        `tasks` is read a few items ahead. The caller may stop reading results at any time.

        Raises:
            TaskFailure: a task cannot be done in a worker; without workers its own exception is raised.
            Interrupted: a signal asked to stop.
        """
        tasks = iter(tasks)
        while self._workers is None:
            if self._machines is not None or (self._count > 1 and self._worked > self._warmup):
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
        from evolve.workers.processes import SharedRows

        # No timeout for tasks: players limit their own time.
        return open_workers(
            self._count,
            self._machines,
            shared=SharedRows(1, 0),
            timeout=float("inf"),
            tick=self.interruption.check,
            load=self._load,
        )
