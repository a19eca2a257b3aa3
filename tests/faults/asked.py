"""F9: signals to a session while it runs."""

from __future__ import annotations

import random
import re
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

from evolve.run.status import Request
from tests.faults.harness import TINY, Bench, Ended, Session, differences, marked, wait_until
from tests.faults.report import Report, Row

SHELL_CODES = {signal.SIGINT: (130,), signal.SIGTERM: (143,)}
HARD_LIMIT = 3.0
"""Seconds: far above what is promised, since other programs use the machine too. The real figures are told."""


MANY = 40
"""Generations of a session that signals end: more than are played before them, however fast it is."""


# F9 ---------------------------------------------------------------------------------------------------------------


def _interrupt(session: Session, number: signal.Signals, draw: random.Random) -> None:
    """As a terminal does (the whole group gets it), or as another program does (the main process gets it)."""
    session.process.signal(number, group=draw.random() < 0.5)


def _stopped(session: Session, ended: Ended, number: signal.Signals) -> str:
    """What is wrong with how a session has ended that was asked to once."""
    output = re.search(r"finishing generation (\d+)", ended.err)
    if ended.code not in SHELL_CODES[number] or not ended.clean or output is None:
        return ended.summary()
    if session.newest() not in (int(output[1]), int(output[1]) + 1):
        return f"generation {output[1]} was in hand, {session.newest()} is saved"
    if session.state() not in ("stopped", "done"):
        return f"state {session.state()}"
    return f"alive: {left}" if (left := marked(session.process.mark)) else ""


def signals(report: Report, bench: Bench) -> None:
    """F9, in sessions of full size."""
    reference = bench.reference("--workers", 2, "--generations", MANY)
    draw = bench.draw("F9")

    def while_playing(row: Row, name: str, number: signal.Signals) -> None:
        session = _go_on(bench, name)
        session.wait_ready()
        time.sleep(draw.uniform(0.0, 0.15 * reference.playing))
        _interrupt(session, number, draw)
        wrong = _stopped(session, session.process.end(), number)
        row.check(not wrong, f"{name} {number.name}: {wrong}")

    def while_starting(row: Row, name: str, number: signal.Signals) -> None:
        method = ("fork", "spawn", "forkserver")[row.tried % 3]
        session = _go_on(bench, name, method)
        time.sleep(draw.uniform(0.1, 1.0) * reference.ready)
        _interrupt(session, number, draw)
        ended = session.process.end()
        # Before there is a session, SIGTERM has its usual meaning: the shell makes 143 of that as well.
        codes = (*SHELL_CODES[number], *([-number] if number is signal.SIGTERM else []))
        left = marked(session.process.mark)
        row.check(ended.code in codes and ended.clean and not left, f"{name} {number.name}: {ended.summary()}, {left}")

    def while_paused(row: Row, name: str, number: signal.Signals) -> None:
        session = _go_on(bench, name)
        session.wait_ready()
        session.ask(Request.PAUSE)
        session.process.wait_for(lambda: session.state() == "paused")
        _interrupt(session, number, draw)
        wrong = _stopped(session, session.process.end(), number)
        row.check(not wrong, f"{name} {number.name}: {wrong}")

    promised = "generation in hand saved, exit 130 / 143, no traceback; resumed: same digest"
    for what, times, disturb in (
        (f"SIGINT or SIGTERM at a random time of a full session: {promised}", bench.times(8, 2), while_playing),
        ("SIGINT or SIGTERM while a session starts: exit 130 / 143, no traceback", bench.times(9, 3), while_starting),
        (f"SIGINT or SIGTERM while paused: {promised}", bench.times(4, 1), while_paused),
    ):
        with report.row("F9", what) as row:
            _again_and_again(row, bench, reference.folder, times, disturb)


def _again_and_again(
    row: Row, bench: Bench, reference: Path, times: int, disturb: Callable[[Row, str, signal.Signals], None]
) -> None:
    """Disturb a run several times in a row, resume it in between, let it end, compare; and another run."""
    while times:
        name = bench.fresh()
        for _ in range(min(4, times)):
            disturb(row, name, (signal.SIGINT, signal.SIGTERM)[times % 2])
            times -= 1
        session = _go_on(bench, name)
        ended = session.process.end()
        wrong = ended.summary() if ended.code else differences(session.folder, reference)
        row.check(not wrong, f"{name}, resumed to its end: {wrong}")


def _go_on(bench: Bench, name: str, method: str = "fork") -> Session:
    there = (bench.work / name / "config.toml").is_file()
    settings = [f"workers.start_method={method}"]
    arguments = ("--workers", 2, "--generations", MANY)
    return bench.start(*arguments, resume=name if there else None, name=name, settings=settings)


def second_signals(report: Report, bench: Bench) -> None:
    """F9: the second signal, while the generation in hand is finished or saved, or a moment too late."""
    reference = bench.reference("--workers", 2, "--generations", MANY)
    draw = bench.draw("F9 second")
    what = "a second SIGINT or SIGTERM soon after the first: ends within three seconds, no process left; resumed"
    with report.row("F9", what) as row:
        longest = 0.0

        def twice(row: Row, name: str, number: signal.Signals) -> None:
            nonlocal longest
            session = _go_on(bench, name)
            session.wait_ready()
            time.sleep(draw.uniform(0.0, 0.15 * reference.playing))
            _interrupt(session, number, draw)
            # To the system, two signals at the very same time are one; a person sees this before asking again.
            session.process.wait_for_text("once more")
            time.sleep(draw.uniform(0.0, 1.2 * reference.playing / MANY))
            late = session.state() in ("stopped", "done")
            again = time.monotonic()
            _interrupt(session, number, draw)
            held, text, seconds = _ended_soon(session, number, again, late=late)
            longest = max(longest, seconds)
            row.check(held, f"{name} {number.name}: {text}")

        _again_and_again(row, bench, reference.folder, bench.times(8, 2), twice)
        row.note = f"gone after {longest:.2f} s at most"


def _ended_soon(
    session: Session, number: signal.Signals, since: float, *, late: bool = False
) -> tuple[bool, str, float]:
    """Whether a session ended as it should, what it said, and after how long.

    A signal that comes `late`, when all is saved, has its usual meaning again; the shell makes the same code of it.
    """
    wait_until(lambda: session.process.over and not marked(session.process.mark), 30.0)
    seconds = time.monotonic() - since
    left = marked(session.process.mark)
    ended = session.process.end()
    codes = (*SHELL_CODES[number], *([-number] if late else []))
    held = ended.code in codes and ended.clean and not left and seconds < HARD_LIMIT
    return held, f"{ended.summary()} {seconds:.2f} s after the second signal, left: {left}", seconds


def while_compiling(report: Report, bench: Bench) -> None:
    """F9 in the very first start, when everything is compiled: with an empty cache."""
    import os

    draw = bench.draw("F9 compile")
    for count, what in (
        (2, "SIGINT twice while the kernels compile (empty cache): ends within three seconds"),
        (1, "SIGINT once while the kernels compile: generation 0 is played and saved, exit 130"),
    ):
        with report.row("F9", what) as row:
            longest = 0.0
            for turn in range(bench.times(4 if count == 2 else 1, 1)):
                cache = bench.work / f"cache-{count}-{turn}"
                environment = dict(os.environ) | {"CROWNHEAD_CACHE_DIR": str(cache)}
                session = bench.start("--generations", 1, settings=TINY, env=environment)
                session.process.wait_for_text("run ")
                time.sleep(draw.uniform(0.2, 6.0))
                early = "ready" not in session.process.err()
                session.process.signal(signal.SIGINT, group=True)
                if count == 2:
                    session.process.wait_for_text("once more")
                    again = time.monotonic()
                    session.process.signal(signal.SIGINT, group=True)
                    held, text, seconds = _ended_soon(session, signal.SIGINT, again)
                    longest = max(longest, seconds)
                else:
                    ended = session.process.end()
                    text = _stopped(session, ended, signal.SIGINT)
                    held = not text and session.newest() == 0
                row.check(held and early, f"{text} (while compiling: {early})")
                shutil.rmtree(cache, ignore_errors=True)
            row.note = f"gone after {longest:.2f} s at most" if count == 2 else ""
