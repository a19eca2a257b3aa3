"""A process that compiles code into the cache while this process compiles other code, or plays.

Nothing depends on it: if it cannot be started, fails or is killed, the process that needs the code compiles it.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
from collections.abc import Callable, Sequence
from typing import Any

from game.child import Child, obey_parent_alone, signals_held
from game.compiled import compiling

log = logging.getLogger(__name__)

POLL_SECONDS = 0.1


class CompileProcess:
    """A child process that runs tasks one after the other, and ends with its parent.

    Args:
        tasks: functions that load, and thereby compile, code; they must be picklable unless the start method is fork.
        start_method: fork, forkserver or spawn. Nothing may be compiling when the process starts.
    """

    def __init__(self, tasks: Sequence[Callable[[], object]], *, start_method: str) -> None:
        self._done = 0
        self._child: Child | None = None
        context = multiprocessing.get_context(start_method)
        with contextlib.suppress(OSError), signals_held():
            self._child = Child(context, _work, (tasks,), "compiler", duplex=False)

    @property
    def pid(self) -> int | None:
        """The process id; None if there is no process."""
        return None if self._child is None else self._child.process.pid

    def wait(self, tasks: int, tick: Callable[[], None]) -> None:
        """Wait until the first `tasks` tasks are done, or the process has ended.

        Args:
            tasks: the number of tasks to wait for.
            tick: called about ten times a second; it may raise an exception to stop waiting.
        """
        while self._child is not None and self._done < tasks:
            tick()
            try:
                if self._child.pipe.poll(POLL_SECONDS):
                    self._child.pipe.recv()
                    self._done += 1
            except (EOFError, OSError):
                self.close()

    def close(self) -> None:
        """Kill the process if it is running."""
        if self._child is not None:
            self._child.kill()
            self._child = None


def _work(pipe: Any, tasks: Sequence[Callable[[], object]]) -> None:
    obey_parent_alone()
    with compiling.notify(lambda kernel, number: None), contextlib.suppress(OSError):  # the parent reports progress
        for number, task in enumerate(tasks):
            try:
                task()
            except Exception as error:  # the process that needs the code will fail again, and report it
                log.debug("not compiled: %r", error)
            pipe.send(number)
