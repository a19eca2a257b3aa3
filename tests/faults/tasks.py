"""What workers are given to do in trials: module-level functions, so that every way of starting workers finds them."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from multiprocessing import connection
from pathlib import Path
from typing import Any

log = logging.getLogger("evolve.faults")
"""Below a name whose records workers send to their parent."""


def echo(task: Any) -> Any:
    return task


def hang(_task: Any) -> None:
    time.sleep(1e6)


def freeze(_task: Any) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def die(_task: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail(task: Any) -> None:
    raise ValueError(f"task {task} cannot be done")


def die_twice(task: tuple[str, int]) -> int:
    """Take two workers down; the third succeeds."""
    path, value = task
    with Path(path).open("ab") as file:
        file.write(b".")
    if Path(path).stat().st_size <= 2:
        die(None)
    return value


def die_while_answering(task: tuple[str, int]) -> bytes:
    """Take the worker down while its answer of some megabytes is on its way; the second succeeds."""
    path, size = task
    if not Path(path).exists():
        Path(path).touch()
        threading.Timer(0.001, die, [None]).start()
    return b"x" * size


def freeze_while_answering(task: tuple[str, int]) -> bytes:
    """Stop the worker when half of its answer is written; the second succeeds."""
    path, size = task

    def half(pipe: Any, data: Any, *_: Any) -> None:
        whole = len(data) < size  # the length goes first
        os.write(pipe.fileno(), bytes(data)[: len(data) if whole else size // 100])
        if not whole:
            freeze(None)

    if not Path(path).exists():
        Path(path).touch()
        connection.Connection._send = half  # type: ignore[attr-defined]
    return b"x" * size


def freeze_before_the_next(task: tuple[str, bytes]) -> int:
    """Answer, but stop the worker before it takes another task; the second worker goes on."""
    path, data = task
    if not Path(path).exists():
        Path(path).touch()
        connection.Connection._recv = lambda *_: freeze(None)  # type: ignore[attr-defined]
    return len(data)


def flood(task: tuple[int, int]) -> int:
    """Log so many records at full rate, each with a number of its own."""
    first, count = task
    for number in range(first, first + count):
        log.info("record %d", number)
    return count


def flood_for(seconds: float) -> int:
    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:
        log.info("noise %d", count)
        count += 1
    return count
