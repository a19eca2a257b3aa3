"""A process that compiles code into the cache while this process compiles other code, or plays.

Nothing depends on it: if it cannot be started, fails or is killed, the process that needs the code compiles it.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import connection
from typing import Any

from game.compiled import compiling

log = logging.getLogger(__name__)

ASK_TO_STOP = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
POLL_SECONDS = 0.1


class CompileProcess:
    """A child process that runs tasks one after the other, and ends with its parent.

    Args:
        tasks: functions that load, and thereby compile, code; they must be picklable unless the start method is fork.
        start_method: fork, forkserver or spawn. Nothing may be compiling when the process starts.
    """

    def __init__(self, tasks: Sequence[Callable[[], object]], *, start_method: str) -> None:
        self._done = 0
        self._process: Any = None
        self._pipe: Any = None
        context: Any = multiprocessing.get_context(start_method)
        with contextlib.suppress(OSError):  # the limit of processes or open files is reached
            self._pipe, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(theirs, tasks), name="compiler", daemon=True)
            with signals_held():
                process.start()
            self._process = process
            theirs.close()  # so that this end reads EOF when the process ends

    @property
    def pid(self) -> int | None:
        """The process id; None if there is no process."""
        return None if self._process is None else self._process.pid

    def wait(self, tasks: int, tick: Callable[[], None]) -> None:
        """Wait until the first `tasks` tasks are done, or the process has ended.

        Args:
            tasks: the number of tasks to wait for.
            tick: called about ten times a second; it may raise an exception to stop waiting.
        """
        while self._process is not None and self._done < tasks:
            tick()
            try:
                if self._pipe.poll(POLL_SECONDS):
                    self._pipe.recv()
                    self._done += 1
            except (EOFError, OSError):
                self.close()

    def close(self) -> None:
        """Kill the process if it is running."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Block the signals that ask a process to stop. A process started within inherits the mask until it resets it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ASK_TO_STOP)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def obey_parent_alone() -> None:
    """Make a new process end with its parent, and ignore signals that ask to stop: they reach the parent, too."""
    for number in ASK_TO_STOP:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _work(pipe: Any, tasks: Sequence[Callable[[], object]]) -> None:
    obey_parent_alone()
    with compiling.notify(lambda kernel, number: None), contextlib.suppress(OSError):  # the parent reports progress
        for number, task in enumerate(tasks):
            try:
                task()
            except Exception as error:  # the process that needs the code will fail again, and report it
                log.debug("not compiled: %r", error)
            pipe.send(number)
