"""F11 and F12: tasks that cannot be done, and workers killed while they log; without a session around them."""

from __future__ import annotations

import itertools
import logging
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing import get_all_start_methods
from pathlib import Path
from typing import Any

from evolve.workers.processes import SharedRows, TaskFailure, WorkerProcesses
from tests.faults import tasks
from tests.faults.harness import TINY, Bench, children, differences, kill, marked, wait_until
from tests.faults.report import Report, Row

START_METHODS = sorted(get_all_start_methods())
RECORDS = 10_000
BOUND = 60.0
"""Seconds within which everything here must end, on any machine."""


def crew(
    method: str, count: int = 2, timeout: float = 300.0, tick: Callable[[], None] = lambda: None
) -> WorkerProcesses:
    """Workers with nothing to share."""
    return WorkerProcesses(count, start_method=method, shared=SharedRows(1, 1), timeout=timeout, tick=tick)


def fails(method: str, task: Callable[[Any], Any], timeout: float, words: str, lost: int) -> str:
    """What is wrong with how a crew deals with a task that cannot be done; empty if nothing is."""
    before = set(children(os.getpid()))
    began = time.monotonic()
    workers = crew(method, timeout=timeout)
    try:
        workers.map(task, [1])
        return "no failure"
    except TaskFailure as error:
        text = str(error)
    finally:
        workers.close(kill=True)
    seconds = time.monotonic() - began
    if words not in text or workers.lost != lost or seconds > BOUND:
        return f"{text!r} after {seconds:.1f} s, {workers.lost} workers lost"
    # What forkserver and spawn keep for themselves stays; it comes with the first worker.
    wait_until(lambda: len(set(children(os.getpid())) - before) <= (0 if method == "fork" else 2), 10.0)
    left = set(children(os.getpid())) - before
    return "" if len(left) <= (0 if method == "fork" else 2) else f"left: {left}"


def impossible_tasks(report: Report, bench: Bench) -> None:
    """F11, tried on a crew of workers."""
    for method in START_METHODS:
        with report.row("F11", f"a task that hangs, freezes, kills its worker, raises ({method}): named error") as row:
            for task, timeout, words, lost in (
                (tasks.hang, 0.5, "gave no answer for 0.5 s, 3 times", 3),
                (tasks.freeze, 0.5, "gave no answer for 0.5 s, 3 times", 3),
                (tasks.die, 300.0, "has died, 3 times", 3),
                (tasks.fail, 300.0, "ValueError: task 1 cannot be done", 0),
            ):
                wrong = fails(method, task, timeout, words, lost)
                row.check(not wrong, f"{task.__name__}: {wrong}")
        with report.row("F11", f"a task that succeeds at the third try ({method}): all results") as row:
            for task, name in ((tasks.die_twice, "twice"), (tasks.die_while_answering, "answering")):
                row.check(*succeeds(method, task, bench.work / f"{method}-{name}"))
        with report.row(
            "F11", f"a worker freezes in half an answer, or before a large task ({method}): replaced"
        ) as row:
            for number, task in enumerate((tasks.freeze_while_answering, tasks.freeze_before_the_next)):
                wrong = thaws(method, task, bench.work / f"{method}-frozen-{number}")
                row.check(not wrong, f"{task.__name__}: {wrong}")


def thaws(method: str, task: Callable[[Any], Any], path: Path) -> str:
    """What is wrong with how a crew deals with a worker that stops between two bytes; empty if nothing is."""
    size = 8_000_000  # far more than a pipe holds
    ticks: list[float] = []
    timeout = 0.5 if method == "fork" else 5.0  # to start takes time, too
    workers = crew(method, 1, timeout=timeout, tick=lambda: ticks.append(time.monotonic()))
    try:
        if task is tasks.freeze_while_answering:
            good = workers.map(task, [(str(path), size)]) == [b"x" * size]
        else:
            good = workers.map(task, [(str(path), b""), (str(path), b"x" * size)]) == [0, size]
    finally:
        workers.close()
    pause = max(after - before for before, after in itertools.pairwise(ticks))
    beats = len(ticks) >= 5 and pause < BOUND
    return "" if good and workers.lost == 1 and beats else f"{good}, {workers.lost} lost, {pause:.1f} s without a beat"


def succeeds(method: str, task: Callable[[Any], Any], path: Path) -> tuple[bool, str]:
    """Whether a crew gets all results, although one task takes workers down before it can be done."""
    workers = crew(method)
    try:
        size = 8_000_000 if task is tasks.die_while_answering else 5
        (result,) = workers.map(task, [(str(path), size)])
        rest = workers.map(tasks.echo, list(range(100)))
    finally:
        workers.close()
    good = result == (b"x" * size if task is tasks.die_while_answering else 5)
    return good and rest == list(range(100)) and workers.lost > 0, f"{task.__name__}: {workers.lost} lost"


WRAPPER = """
import os, sys, time
sys.path.insert(0, {root!r})
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"
from evolve.tournament import arena
from tests.faults import tasks
real = arena.play_chunk
def play_chunk(chunk):
    if os.path.exists({trigger!r}):
        tasks.{task}("of this chunk")
    return real(chunk)
play_chunk.__module__ = "evolve.tournament.arena"
arena.play_chunk = play_chunk
import main
sys.exit(main.main(sys.argv[1:]))
"""


def impossible_games(report: Report, bench: Bench) -> None:
    """F11 in a session: from some time on no game can be played."""
    arguments = ("--generations", 12)
    reference = bench.reference(*arguments, settings=TINY)
    root = str(Path(__file__).parents[2])
    with report.row("F11", "the same in a session: exit 70, one line; resumed: same digest") as row:
        for task in ("die", "hang", "freeze", "fail")[:: 3 if bench.quick else 1]:
            trigger = bench.work / f"trigger-{task}"
            code = WRAPPER.format(root=root, trigger=str(trigger), task=task)
            session = bench.start(
                *arguments,
                settings=[*TINY, "workers.timeout=1.0", "workers.start_method=fork"],
                wrapper=[sys.executable, "-c", code],
            )
            session.process.wait_for(lambda session=session: session.newest() >= 2)
            trigger.touch()
            ended = session.process.end()
            result = ended.code == 70 and ended.clean and len(ended.complaints) == 1
            wrong = "" if result and "continue with evolve --resume" in ended.complaints[0] else ended.summary()
            wrong = wrong or (f"alive: {left}" if (left := marked(session.process.mark)) else "")
            newest = session.newest()
            if not wrong:
                session = bench.start(resume=session.folder.name)
                ended = session.process.end()
                wrong = ended.summary() if ended.code else differences(session.folder, reference.folder)
            row.check(not wrong and 2 <= newest < 12, f"{task} at generation {newest}: {wrong}")


def frozen(report: Report, bench: Bench) -> None:
    """F11: a worker that is stopped, and a whole session that is stopped and continued."""
    import signal

    reference = bench.reference("--workers", 2)
    settings = ["workers.timeout=1.0"]
    draw = bench.draw("F11 frozen")
    with report.row("F11", "SIGSTOP one worker of a full session (tasks may take 1 s): replaced, same digest") as row:
        for _ in range(bench.times(3, 1)):
            session = bench.start("--workers", 2, settings=settings)
            session.wait_ready()
            time.sleep(draw.uniform(0.0, 0.5 * reference.playing))
            kill(children(session.process.pid)[:1], signal.SIGSTOP)
            ended = session.process.end()
            log = (session.folder / "session.log").read_text(encoding="utf-8")
            wrong = ended.summary() if ended.code else differences(session.folder, reference.folder)
            row.check(not wrong and "gave no answer for 1 s" in log, f"{wrong}; in the log: {'no answer' in log}")
    with report.row("F11", "SIGSTOP a whole session for longer than tasks may take, SIGCONT: same digest") as row:
        for _ in range(bench.times(2, 1)):
            session = bench.start("--workers", 2, settings=settings)
            session.wait_ready()
            time.sleep(draw.uniform(0.0, 0.5 * reference.playing))
            session.process.signal(signal.SIGSTOP, group=True)
            time.sleep(1.5)
            session.process.signal(signal.SIGCONT, group=True)
            ended = session.process.end()
            wrong = ended.summary() if ended.code else differences(session.folder, reference.folder)
            row.check(not wrong, wrong)


# F12 --------------------------------------------------------------------------------------------------------------


class Counter(logging.Handler):
    """Counts what arrives in the parent."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[int] = []
        self.noise = 0

    def emit(self, record: logging.LogRecord) -> None:
        word, _, number = record.getMessage().partition(" ")
        if word == "record":
            self.numbers.append(int(number))
        else:
            self.noise += 1


def killed_while_logging(method: str, times: int, draw: random.Random, records: int = RECORDS) -> tuple[int, list[int]]:
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
            workers.map(tasks.flood_for, [0.3] * len(workers))
        share = records // 8
        workers.map(tasks.flood, [(turn * share, share) for turn in range(8)])
    finally:
        workers.close()
        logger.removeHandler(counter)
    return workers.lost, counter.numbers


def _check_logging(row: Row, method: str, times: int, draw: random.Random) -> None:
    began = time.monotonic()
    lost, numbers = killed_while_logging(method, times, draw)
    wanted = list(range(RECORDS))
    hung = time.monotonic() - began > BOUND
    for _ in range(times):
        row.check(
            sorted(numbers) == wanted and lost >= times and not hung,
            f"{lost} lost, {len(set(numbers)):,} records in {len(numbers):,}",
        )
    row.note = f"{len(set(numbers)):,} of {RECORDS:,} records, {threading.active_count() - 1} threads left"


def lost_loggers(report: Report, bench: Bench) -> None:
    """F12."""
    for method in START_METHODS:
        what = f"kill -9 a worker that logs at full rate ({method}): no hang, every record of the later ones"
        with report.row("F12", what) as row:
            _check_logging(row, method, bench.times(20, 3), bench.draw(f"F12 {method}"))


def crews(report: Report, bench: Bench) -> None:
    """F11 and F12."""
    impossible_tasks(report, bench)
    impossible_games(report, bench)
    frozen(report, bench)
