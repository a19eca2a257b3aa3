"""Child processes of this program: their pipes, how they are ended, and how they end with their parent."""

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
    """A child process and a pipe to it. When the process has ended for any reason, reading the pipe raises EOFError.

    Args:
        target: called in the process with its end of the pipe and the arguments.

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
            theirs.close()  # otherwise the pipe would stay open after the end of the child

    def kill(self) -> None:
        """End the process at once, if it still runs, and close the pipe."""
        self.process.kill()
        self.process.join(KILL_SECONDS)
        self.pipe.close()


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Block signals that ask to stop, within this context. A process started in it inherits the blocked signals."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ASK_TO_STOP)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def obey_parent_alone() -> None:
    """Let this new process end with its parent, and ignore signals that ask to stop, which also reach the parent."""
    for number in ASK_TO_STOP:
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(RuntimeError):  # at the limit of threads, it ends when it next reads the pipe
        threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
