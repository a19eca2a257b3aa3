"""A process that compiles while this one compiles something else, or plays: what it has done is found in the cache.

Nothing depends on it. Where it cannot be started, fails or is ended, whoever needs the code compiles it.
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

from game import compiling

log = logging.getLogger(__name__)

ASK_TO_STOP = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
POLL_SECONDS = 0.1


class CompileProcess:
    """Loads, and so compiles and keeps, one thing after the other in a process of its own, which ends with this one.

    Args:
        tasks: functions that load something; such as can be pickled, unless the start method is fork.
        start_method: fork, forkserver or spawn. Nothing may be compiled at this moment.
    """

    def __init__(self, tasks: Sequence[Callable[[], object]], *, start_method: str) -> None:
        self._done = 0
        self._process: Any = None
        self._pipe: Any = None
        context: Any = multiprocessing.get_context(start_method)
        with contextlib.suppress(OSError):  # no more processes, no more open files
            self._pipe, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(theirs, tasks), name="compiler", daemon=True)
            with signals_held():
                process.start()
            self._process = process
            theirs.close()  # so that the end of the process is the end of the file

    @property
    def pid(self) -> int | None:
        """The number of the process; None if there is none."""
        return None if self._process is None else self._process.pid

    def wait(self, tasks: int, tick: Callable[[], None]) -> None:
        """Wait until so many tasks are done, or nobody does them any more.

        Args:
            tasks: the first so many.
            tick: called about ten times a second; it may raise to give up.
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
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Let signals that ask to stop wait; a process that starts here inherits that, until it can ignore them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ASK_TO_STOP)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def obey_parent_alone() -> None:
    """In a new process: end with the parent, and leave to it what signals mean that reach both."""
    for number in ASK_TO_STOP:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _work(pipe: Any, tasks: Sequence[Callable[[], object]]) -> None:
    """The life of the process."""
    obey_parent_alone()
    with compiling.notify(lambda kernel, number: None), contextlib.suppress(OSError):  # the parent tells what it does
        for number, task in enumerate(tasks):
            try:
                task()
            except Exception as error:  # it is told where the code is needed
                log.debug("not compiled: %r", error)
            pipe.send(number)
