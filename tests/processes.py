"""Processes of tests: which of them live, asked in a way that does not fail when they end meanwhile."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import psutil


@contextlib.contextmanager
def running(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A process that ends with the context at the latest: a test that fails does not wait for it."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def alive(pid: int) -> bool:
    """Whether there is such a process that is not only waiting to be taken from the system."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone(pids: Iterable[int], within: float = 10.0) -> bool:
    """Whether they have all ended, or do within so many seconds."""
    left = list(pids)
    end = time.monotonic() + within
    while (left := [pid for pid in left if alive(pid)]) and time.monotonic() < end:
        time.sleep(0.01)
    return not left


def children(pid: int) -> list[int]:
    """Living processes that this process has started itself; none if it is gone."""
    try:
        return [child.pid for child in psutil.Process(pid).children() if alive(child.pid)]
    except psutil.NoSuchProcess:
        return []
