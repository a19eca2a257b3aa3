"""Child processes of this program: their pipe, their end, and how they treat signals and the end of their parent."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from multiprocessing import connection
from typing import Any

ASK_TO_STOP = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
KILL_SECONDS = 5.0


class Child:
    """A child process and a pipe to it; after its end, whatever the cause, reading the pipe raises EOFError.

    Args:
        context: as from `multiprocessing.get_context`.
        target: called in the process with its end of the pipe and the arguments.
        duplex: False if only the child writes.

    Raises:
        OSError: the limit of processes or of open files is reached; nothing is left open.
    """

    def __init__(
        self, context: Any, target: Callable[..., object], arguments: tuple[Any, ...], name: str, *, duplex: bool = True
    ) -> None:
        pipe, theirs = context.Pipe(duplex)
        self.pipe: connection.Connection = pipe
        self.process: Any = context.Process(target=target, args=(theirs, *arguments), name=name, daemon=True)
        try:
            self.process.start()
        except OSError:
            self.pipe.close()
            raise
        finally:
            theirs.close()  # a copy of the child's end would keep the pipe open when the child has ended

    def kill(self) -> None:
        """End the process at once, if it still runs, and close the pipe."""
        self.process.kill()
        self.process.join(KILL_SECONDS)
        self.pipe.close()


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
