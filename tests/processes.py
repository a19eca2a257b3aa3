"""Processes in tests: which of them are alive, without failing when one ends in the meantime."""

from __future__ import annotations

import contextlib
import functools
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import psutil


@contextlib.contextmanager
def running(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Run a process until the end of the context at the latest, so that a failing test does not wait for it.

    Ctrl+C works there, even if the tests run in the background of a shell, which ignores it.
    """
    if sys.platform != "win32":
        options |= {"preexec_fn": functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)}
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def alive(pid: int) -> bool:
    """Return whether there is a process with this id that is not a zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone(pids: Iterable[int], within: float = 10.0) -> bool:
    """Return whether all of them have ended, or end within this number of seconds."""
    left = list(pids)
    end = time.monotonic() + within
    while (left := [pid for pid in left if alive(pid)]) and time.monotonic() < end:
        time.sleep(0.01)
    return not left


def children(pid: int) -> list[int]:
    """Return the living child processes of a process; none if it is gone."""
    try:
        return [child.pid for child in psutil.Process(pid).children() if alive(child.pid)]
    except psutil.NoSuchProcess:
        return []
