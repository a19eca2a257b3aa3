"""The session of a run as other processes see it: status file, requests, lock, and the state these amount to.

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
"""States of a session that is no more."""


class Request(StrEnum):
    """Requests that any program may drop as a file of this name into ``control/``; the session consumes them."""

    PAUSE = "pause"
    RESUME = "resume"
    STOP_AFTER_GENERATION = "stop-after-generation"
    STOP = "stop"


@dataclass(frozen=True)
class Status:
    """One moment of a session.

    Attributes:
        state: what it does.
        pid: its process.
        heartbeat: seconds since 1970 when this was written; old with the lock free means stopped.
        generation: the generation being played, or the last one when it is done.
        generations: number of the last generation to come.
        games: games of the whole run so far.
        phase: what is done before the first game, such as ``compiling games, 3 of 4``; empty while games are played.
        reason: why the session ends or has ended, where it is not done; of one that failed, the error.
        work: what is done in the generation besides its games, such as ``own games: 450 of 6,000``; empty for nothing.
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
    """The status of a run; None if there is none, or none that makes sense."""
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
    """A status of this moment."""
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
    """Consume all requests, the most urgent first; files of other names stay where they are."""
    found: list[Request] = []
    if (folder / CONTROL).is_symlink():
        return found
    for what in (Request.STOP, Request.STOP_AFTER_GENERATION, Request.RESUME, Request.PAUSE):
        with contextlib.suppress(OSError):
            (folder / CONTROL / what.value).unlink()
            found.append(what)
    return found


def holder(folder: Path) -> str:
    """Who works on a run that is locked, in words."""
    # A session says who it is a moment after it has the lock; until then the status is that of an earlier one.
    end = time.monotonic() + HOLDER_SECONDS
    while time.monotonic() < end:
        said = read(folder)
        if said and said.state not in ENDED and alive(said.pid):
            return f"process {said.pid} ({said.state})"
        time.sleep(0.05)
    return "another process"


def alive(pid: int) -> bool:
    """Whether there is a process of this number."""
    if os.name != "posix" or pid <= 0:  # elsewhere the question would end the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


QUIET_SECONDS = 3.0
"""A heartbeat comes every second; after so long without one it is asked whether somebody still has the run."""


class RunState(StrEnum):
    """States of a run: what its session says, and what is true where that says nothing."""

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
    """The state of a run.

    Args:
        said: what its session said of itself last; None if it never did.
        quiet: whether nothing was heard for a while; a session that has just ended holds the run for a moment more.
        held: asks whether some process has the run; not asked where the answer is known.
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
    """Whether the last heartbeat is old; a clock that was put back tells nothing, so that the lock decides."""
    return abs(now - said.heartbeat) >= QUIET_SECONDS


def read_state(folder: Path, held: Callable[[], bool]) -> tuple[RunState, Status | None]:
    """What a run is doing, and what its session said of itself last; of a session that goes on the lock is asked."""
    said = read(folder)
    ended = said is not None and said.state in ENDED
    quiet = said is None or not ended or is_quiet(said, time.time())
    return judge(said, quiet=quiet, held=held), said


LOCK = ".lock"
LOCK_SECONDS = 0.3


def acquire(run: Path, called: str) -> FileLock:
    """The lock of a run, held until it is released.

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
    """Be the only writer of a run.

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
    """Whether some process works on the run now."""
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
