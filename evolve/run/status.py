"""The state of a run as other processes see it: status file, requests and lock of its session.

Loads no numpy.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.run.append_only import MAX_DIGITS
from evolve.run.files import BusyError, RunError, irregular, write_atomically
from game.errors import one_line
from game.regular_files import open_regular, read_regular

if TYPE_CHECKING:
    from filelock import FileLock


NAME = "status.json"
CONTROL = "control"
HOLDER_SECONDS = 0.5
MAX_BYTES = 1 << 16
MAX_TEXT = 500
_MOST = 10**18  # games of a run, and beyond any number of a process


class State(StrEnum):
    """States of a session."""

    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"
    DONE = "done"


ENDED = (State.STOPPED, State.FAILED, State.DONE)
"""States of a session that has ended."""


class Request(StrEnum):
    """Requests that any program may drop as a file of this name into ``control/``; the session consumes them."""

    PAUSE = "pause"
    RESUME = "resume"
    STOP_AFTER_GENERATION = "stop-after-generation"
    STOP = "stop"


@dataclass(frozen=True)
class Status:
    """A report of a session about itself.

    Attributes:
        state: of the session.
        pid: its process.
        heartbeat: when this was written, in seconds since 1970; if it is old and the lock is free, the session was
            killed.
        generation: the generation being played, or the newest one when the run is done.
        generations: number of the last generation to come.
        games: games of the whole run so far.
        phase: work before the first game, such as ``compiling games, 3 of 4``; empty while games are played.
        reason: why the session ends or has ended before the run is done; after a failure, the error.
        work: work in the generation other than its games, such as ``own games: 450 of 6,000``; empty if there is none.
        cluster: the address of the cluster that plays the games; empty for none.
    """

    state: State
    pid: int
    heartbeat: float
    generation: int
    generations: int
    games: int
    phase: str = ""
    reason: str = ""
    work: str = ""
    cluster: str = ""


def write(folder: Path, status: Status) -> None:
    """Replace the status atomically (not durably: it only speaks of now).

    Raises:
        OSError: it could not be written.
    """
    write_atomically(folder / NAME, json.dumps(asdict(status)).encode() + b"\n", durable=False)


def read(folder: Path) -> Status | None:
    """Read the status of a run; None if there is none, or no valid one."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
        values = json.loads(read_regular(folder / NAME, MAX_BYTES))
        found = Status(**{**values, "state": State(values["state"])})
        sound = all(type(each) is int and 0 <= each < _MOST for each in (found.pid, found.games))
        sound &= all(type(each) is int and 0 <= each < 10**MAX_DIGITS for each in (found.generation, found.generations))
        if sound and math.isfinite(found.heartbeat):
            texts = (found.phase, found.reason, found.work, found.cluster)
            phase, reason, work, cluster = (one_line(text[:MAX_TEXT]) for text in texts)
            return replace(found, phase=phase, reason=reason, work=work, cluster=cluster)
    return None


def now(
    state: State,
    pid: int,
    generation: int,
    generations: int,
    games: int,
    phase: str = "",
    reason: str = "",
    work: str = "",
    cluster: str = "",
) -> Status:
    """Return a status with the current time."""
    texts = phase[:MAX_TEXT], reason[:MAX_TEXT], work[:MAX_TEXT], cluster[:MAX_TEXT]
    return Status(state, pid, time.time(), generation, generations, games, *texts)


def request(folder: Path, what: Request) -> None:
    """Ask a session for something.

    Raises:
        OSError: the request could not be written.
    """
    control = folder / CONTROL
    if control.is_symlink():
        raise OSError(errno.EINVAL, "is a symbolic link, expected a folder", str(control))
    control.mkdir(exist_ok=True)
    open_regular(control / what.value, "ab").close()


def take_requests(folder: Path) -> list[Request]:
    """Consume all requests and return them, the most urgent first; files of other names are left alone."""
    found: list[Request] = []
    if (folder / CONTROL).is_symlink():
        return found
    for what in (Request.STOP, Request.STOP_AFTER_GENERATION, Request.RESUME, Request.PAUSE):
        with contextlib.suppress(OSError):
            (folder / CONTROL / what.value).unlink()
            found.append(what)
    return found


def holder(folder: Path) -> str:
    """Describe the process that works on a locked run."""
    # A session writes its status a moment after it has the lock; until then the file is that of an earlier session.
    end = time.monotonic() + HOLDER_SECONDS
    while time.monotonic() < end:
        said = read(folder)
        if said and said.state not in ENDED and alive(said.pid):
            return f"process {said.pid} ({said.state})"
        time.sleep(0.05)
    return "another process"


def alive(pid: int) -> bool:
    """Return whether a process with this number exists."""
    if os.name != "posix" or pid <= 0:  # on other systems os.kill would end the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


QUIET_SECONDS = 3.0
"""Age of a heartbeat, which comes every second, after which the lock is tested."""


class RunState(StrEnum):
    """States of a run: those of its session, and those that the session cannot report itself."""

    STARTING = "starting"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"
    DONE = "done"
    INTERRUPTED = "interrupted"


GOING = (RunState.STARTING, RunState.RUNNING, RunState.PAUSED, RunState.STOPPING)
"""States in which a session works on the run."""


def judge(said: Status | None, *, quiet: bool, held: Callable[[], bool]) -> RunState:
    """Return the state of a run.

    Args:
        said: the last status of its session; None if there is none.
        quiet: whether the status is old; a session that has just ended holds the lock for a moment more.
        held: returns whether a process holds the lock; only called where it decides.
    """
    if said is None:
        return RunState.STARTING if held() else RunState.STOPPED
    state = RunState.STARTING if said.phase and said.state == State.RUNNING else RunState(said.state.value)
    if not quiet:
        return state
    if said.state in ENDED:
        return RunState.STARTING if held() else state
    return state if held() else RunState.INTERRUPTED


def is_quiet(said: Status, now: float) -> bool:
    """Return whether the last heartbeat is old. After the clock was set back this is true, and the lock decides."""
    return abs(now - said.heartbeat) >= QUIET_SECONDS


def read_state(folder: Path, held: Callable[[], bool]) -> tuple[RunState, Status | None]:
    """Read the state of a run and the last status of its session; the lock is tested unless the session has ended."""
    said = read(folder)
    ended = said is not None and said.state in ENDED
    quiet = said is None or not ended or is_quiet(said, time.time())
    return judge(said, quiet=quiet, held=held), said


LOCK = ".lock"
LOCK_SECONDS = 0.3


def acquire(run: Path, called: str) -> FileLock:
    """Acquire the lock of a run, which is held until it is released.

    Args:
        run: its folder.
        called: how errors name it.

    Raises:
        BusyError: another process holds it; it is named.
    """
    import filelock

    guard = filelock.FileLock(run / LOCK)
    try:
        guard.acquire(timeout=LOCK_SECONDS, poll_interval=0.05)
    except filelock.Timeout:
        raise BusyError(f"{called}: {holder(run)} is working on this run") from None
    return guard


@contextlib.contextmanager
def lock(run: Path) -> Any:
    """Hold the lock of a run, as its only writer.

    Raises:
        BusyError: another process is; it is named.
        RunError: something in its folder is no ordinary file, so that a session could change files elsewhere.
    """
    strange = irregular(run)
    if strange is not None:
        raise RunError(f"{run}: {strange}; a session works only in a folder of ordinary files: take it away first")
    guard = acquire(run, str(run))
    try:
        yield
    finally:
        guard.release()


def is_locked(run: Path) -> bool:
    """Return whether a process is working on the run."""
    import filelock

    if not (run / LOCK).is_file():  # to ask for the lock would make its file
        return False
    try:
        with filelock.FileLock(run / LOCK, timeout=0):
            return False
    except filelock.Timeout:
        return True
    except OSError:
        return False
