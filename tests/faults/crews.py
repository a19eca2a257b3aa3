"""Tasks that cannot be done, and workers killed while they log; without a session around them."""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evolve.workers.processes import SharedRows, TaskFailure, WorkerProcesses
from tests.faults import tasks
from tests.faults.harness import children, kill, wait_until


def crew(
    method: str, count: int = 2, timeout: float = 300.0, tick: Callable[[], None] = lambda: None
) -> WorkerProcesses:
    return WorkerProcesses(count, start_method=method, shared=SharedRows(1, 1), timeout=timeout, tick=tick)


def fails(method: str, task: Callable[[Any], Any], timeout: float, words: str, lost: int) -> str:
    """What is wrong with how a crew deals with a task that cannot be done; empty if nothing is."""
    before = set(children(os.getpid()))
    workers = crew(method, timeout=timeout)
    try:
        list(workers.stream(task, [1]))
        return "no failure"
    except TaskFailure as error:
        text = str(error)
    finally:
        workers.close(kill=True)
    if words not in text or workers.lost != lost:
        return f"{text!r}, {workers.lost} workers lost"
    # What forkserver and spawn keep for themselves stays; it comes with the first worker.
    wait_until(lambda: len(set(children(os.getpid())) - before) <= (0 if method == "fork" else 2))
    left = set(children(os.getpid())) - before
    return "" if len(left) <= (0 if method == "fork" else 2) else f"left: {left}"


def thaws(method: str, task: Callable[[Any], Any], path: Path) -> str:
    """What is wrong with how a crew deals with a worker that stops between two bytes; empty if nothing is."""
    size = 8_000_000  # far more than a pipe holds
    ticks: list[None] = []
    timeout = 2.0 if method == "fork" else 5.0  # if a loaded machine takes longer, another worker is lost, too
    workers = crew(method, 1, timeout=timeout, tick=lambda: ticks.append(None))
    try:
        if task is tasks.freeze_while_answering:
            good = list(workers.stream(task, [(str(path), size)])) == [b"x" * size]
        else:
            good = list(workers.stream(task, [(str(path), b""), (str(path), b"x" * size)])) == [0, size]
    finally:
        workers.close()
    return "" if good and workers.lost and len(ticks) >= 5 else f"{good}, {workers.lost} lost, {len(ticks)} beats"


def succeeds(method: str, task: Callable[[Any], Any], path: Path) -> tuple[bool, str]:
    """Whether a crew gets all results, although one task takes workers down before it can be done."""
    workers = crew(method)
    try:
        size = 8_000_000 if task is tasks.die_while_answering else 5
        (result,) = workers.stream(task, [(str(path), size)])
        rest = list(workers.stream(tasks.echo, range(100)))
    finally:
        workers.close()
    good = result == (b"x" * size if task is tasks.die_while_answering else 5)
    return good and rest == list(range(100)) and workers.lost > 0, f"{task.__name__}: {workers.lost} lost"


class Counter(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[int] = []

    def emit(self, record: logging.LogRecord) -> None:
        word, _, number = record.getMessage().partition(" ")
        if word == "record":
            self.numbers.append(int(number))


def killed_while_logging(method: str, times: int, draw: random.Random, records: int) -> tuple[int, list[int]]:
    """Kill workers while they log at full rate; then how many were lost, and the records that their successors sent."""
    counter = Counter()
    logger = logging.getLogger("evolve")  # not that of the tasks: a forked worker would call what it inherits
    logger.addHandler(counter)
    logger.setLevel(logging.INFO)
    due = 0.0
    killed: set[int] = set()

    def tick() -> None:
        nonlocal due
        if due and time.monotonic() > due:
            due = 0.0
            killed.update(kill([draw.choice(workers.pids())]))

    workers = crew(method, tick=tick)
    try:
        while len(killed) < times:
            due = time.monotonic() + draw.uniform(0.02, 0.25)
            list(workers.stream(tasks.flood_for, [0.3] * len(workers)))
        share = records // 8
        list(workers.stream(tasks.flood, [(turn * share, share) for turn in range(8)]))
    finally:
        workers.close()
        logger.removeHandler(counter)
    return workers.lost, counter.numbers
