"""F1 to F3 and F8: processes that are killed. A killed process gets no chance to do anything any more."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path

from tests.faults.harness import Bench, Reference, Session, children, differences, kill, log_rows, marked, wait_until
from tests.faults.report import Report, Row

KILLS_A_SESSION = 4
LAST_FRACTION = 0.8
"""Of a session: a worker that is killed after its last task is not missed, and nobody would tell."""


def _kill_at(bench: Bench, session: Session, playing: float, fractions: list[float], pick: str) -> list[list[int]]:
    """Kill workers at these fractions of the time that a session plays; the pids, a list a time."""
    killed = []
    if not session.wait_ready():
        return killed
    began = time.monotonic()
    draw = bench.draw(f"{session.folder.name} {pick}")
    for fraction in fractions:
        time.sleep(max(0.0, began + fraction * playing - time.monotonic()))
        workers = children(session.process.pid)
        if session.process.over or not workers or session.newest() >= 14:
            break
        killed.append(kill(workers if pick == "all" else [draw.choice(workers)]))
    return killed


def _check_session(row: Row, session: Session, reference: Reference, killed: list[list[int]]) -> None:
    """A disturbed session counts as often as it was disturbed."""
    ended = session.process.end()
    wrong = []
    if ended.code != 0 or not ended.clean:
        wrong.append(ended.summary())
    elif different := differences(session.folder, reference.folder):
        wrong.append(different)
    else:
        output = json.loads(ended.out)["games"]
        counted = sum(int(line["games"]) for line in log_rows(session.folder))
        if not output == counted == reference.games:
            wrong.append(f"{output} games told, {counted} in the log, {reference.games} expected")
    log = (session.folder / "session.log").read_text(encoding="utf-8")
    for pids in killed:
        missing = [pid for pid in pids if f"(process {pid}) has died" not in log]
        row.check(not wrong and not missing, f"{session.folder.name}: {wrong}, lost and not named: {missing}")


def workers_killed(report: Report, bench: Bench) -> None:
    """F1 and F2, in sessions of full size."""
    reference = bench.reference("--workers", 2)
    trials = (
        ("F1", "one", "kill -9 one worker at a random time of a full session", bench.times(20, 2)),
        ("F2", "all", "kill -9 all workers at once, at a random time of a full session", bench.times(9, 1)),
    )
    for fault, pick, what, wanted in trials:
        with report.row(fault, f"{what}: same files, every game counted once, log names it") as row:
            draw = bench.draw(fault)
            sessions = 0
            while row.tried < wanted and sessions < wanted + 5:
                sessions += 1
                count = min(KILLS_A_SESSION if pick == "one" else 3, wanted - row.tried)
                fractions = sorted(draw.uniform(0.0, LAST_FRACTION) for _ in range(count))
                session = bench.start("--workers", 2)
                killed = _kill_at(bench, session, reference.playing, fractions, pick)
                _check_session(row, session, reference, killed)
            row.note = f"{sessions} sessions"


def main_killed(report: Report, bench: Bench) -> None:
    """F3, in sessions of full size, several kills in each."""
    reference = bench.reference("--workers", 2)
    what = "kill -9 the main process at a random time from its start on, resume, again: same files as undisturbed"
    with report.row("F3", what) as row:
        draw = bench.draw("F3")
        wanted, runs = bench.times(30, 2), 0
        while row.tried < wanted and runs < wanted:
            runs += 1
            name = bench.fresh()
            kills = sum(_killed_once(bench, name, reference, draw) for _ in range(min(6, wanted - row.tried)))
            session = _start_or_resume(bench, name)
            ended = session.process.end()
            wrong = ended.summary() if ended.code != 0 else differences(session.folder, reference.folder)
            generations = [] if wrong else [int(line["generation"]) for line in log_rows(session.folder)]
            held = not wrong and ended.clean and generations == list(range(16))
            for _ in range(kills):
                row.check(held, f"{name}: {wrong}, generations {generations}")
        row.note = f"{runs} runs"


def _killed_once(bench: Bench, name: str, reference: Reference, draw: random.Random) -> bool:
    """Start or go on with a run and kill it: every third time while it starts, else up to two generations later."""
    session = _start_or_resume(bench, name)
    if draw.random() < 1 / 3:
        time.sleep(draw.uniform(0.0, reference.ready))
    else:
        target = session.newest() + draw.randrange(3)
        session.wait_ready()
        session.process.wait_for(lambda: session.newest() >= target)
        time.sleep(draw.uniform(0.0, 1.5 * reference.playing / 16))
    killed = not session.process.over
    session.process.signal(signal.SIGKILL)
    session.process.end()
    return killed


def _start_or_resume(bench: Bench, name: str) -> Session:
    """What a person does after a crash: the same command if there is no run yet, else resume."""
    there = (bench.work / name / "config.toml").is_file()
    return bench.start("--workers", 2, resume=name if there else None, name=name)


def _shared_memory() -> set[str]:
    return set(os.listdir("/dev/shm")) if Path("/dev/shm").is_dir() else set()


def parent_killed(report: Report, bench: Bench) -> None:
    """F8: nothing may stay behind a parent that was killed, under each way of starting workers."""
    for method in ("fork", "forkserver", "spawn"):
        what = f"kill -9 the main process ({method}): no process alive after it, nothing left in shared memory"
        with report.row("F8", what) as row:
            draw = bench.draw(f"F8 {method}")
            times = bench.times(8, 1)
            longest = 0.0
            for turn in range(times):
                before = _shared_memory()
                session = bench.start("--workers", 2, settings=[f"workers.start_method={method}"])
                began = time.monotonic()
                if turn % 2 == 0:  # while it plays; else at any moment of its start
                    session.wait_ready()
                    time.sleep(draw.uniform(0.0, 1.0))
                else:
                    wait_until(lambda session=session: len(marked(session.process.mark)) > 1)
                    time.sleep(draw.uniform(0.0, 0.2))
                workers = len(marked(session.process.mark)) - 1
                killed = time.monotonic()
                session.process.signal(signal.SIGKILL)
                gone = wait_until(lambda session=session: not marked(session.process.mark), 10.0)
                longest = max(longest, time.monotonic() - killed)
                session.process.end()
                # Other programs use shared memory too, for moments.
                clean = wait_until(lambda before=before: not _shared_memory() - before, 10.0)
                left = sorted(_shared_memory() - before)
                row.check(
                    gone and clean and workers > 0,
                    f"{workers} workers {killed - began:.2f} s after the start, gone: {gone}, left over: {left}",
                )
            row.note = f"the last process was gone after {longest:.2f} s at most"
