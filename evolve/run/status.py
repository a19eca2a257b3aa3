"""The state of a run as seen by other processes: status file, requests and lock of its session.

This does not load numpy.
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

from evolve.run.append_only import MAX_DIGITS, whole_number
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
_MOST = 10**18  # more than any number of games and any process id


class State(StrEnum):
    STARTING = "starting"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"
    DONE = "done"
    INTERRUPTED = "interrupted"


UNREPORTED = (State.STARTING, State.INTERRUPTED)
"""States that others conclude; no session reports them."""
ENDED = (State.STOPPED, State.FAILED, State.DONE)
"""States of a session that has ended."""


class Request(StrEnum):
    """Requests to a session: any program may create a file of this name in ``control/``; the session removes it."""

    PAUSE = "pause"
    RESUME = "resume"
    STOP_AFTER_GENERATION = "stop-after-generation"
    STOP = "stop"


@dataclass(frozen=True)
class Status:
    """A report of a session about itself.

    Attributes:
        heartbeat: time of this report, in seconds since 1970; if it is old and the lock is free, the session was
            killed.
        phase: work before the first game, such as ``compiling games, 3 of 4``.
        work: work in the generation other than its games, such as ``own games: 450 of 6,000``.
        left: seconds until a session with a time ends; None for a session without one.
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
    left: float | None = None


def write(folder: Path, status: Status) -> None:
    """Replace the status atomically, but not durably, since it is soon out of date."""
    write_atomically(folder / NAME, json.dumps(asdict(status)).encode() + b"\n", durable=False)


def read(folder: Path) -> Status | None:
    """Read the status of a run; None if there is none, or it is invalid."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
        values = json.loads(read_regular(folder / NAME, MAX_BYTES))
        status = Status(**{**values, "state": State(values["state"])})
        limits = {"pid": _MOST, "games": _MOST, "generation": 10**MAX_DIGITS, "generations": 10**MAX_DIGITS}
        sound = status.state not in UNREPORTED and all(
            type(values[key]) is int and 0 <= values[key] < limit for key, limit in limits.items()
        )
        if sound and math.isfinite(status.heartbeat) and (status.left is None or math.isfinite(status.left)):
            texts = (status.phase, status.reason, status.work, status.cluster)
            phase, reason, work, cluster = (one_line(text[:MAX_TEXT]) for text in texts)
            return replace(status, phase=phase, reason=reason, work=work, cluster=cluster)
    return None


def now(
    state: State, pid: int, generation: int, generations: int, games: int, left: float | None = None, **texts: str
) -> Status:
    """Return a status with the current time; its texts are cut at `MAX_TEXT`."""
    cut = {name: text[:MAX_TEXT] for name, text in texts.items()}
    return Status(state, pid, time.time(), generation, generations, games, left=left, **cut)


def request(folder: Path, what: Request) -> None:
    open_regular(_control(folder) / what.value, "ab").close()


def _control(folder: Path) -> Path:
    """Return the folder of requests to the session of a run, made if there is none."""
    control = folder / CONTROL
    if control.is_symlink():
        raise OSError(errno.EINVAL, "is a symbolic link, expected a folder", str(control))
    control.mkdir(exist_ok=True)
    return control


def take_requests(folder: Path) -> list[Request]:
    """Remove all requests and return them, the most urgent first; other files are left alone."""
    requests: list[Request] = []
    if (folder / CONTROL).is_symlink():
        return requests
    for what in (Request.STOP, Request.STOP_AFTER_GENERATION, Request.RESUME, Request.PAUSE):
        with contextlib.suppress(OSError):
            (folder / CONTROL / what.value).unlink()
            requests.append(what)
    return requests


PAUSE_AT = "pause-at"
"""Name of a request with a number: the session pauses after this generation, until a later one is requested."""


def request_pause_at(folder: Path, generation: int) -> None:
    """Let the session of a run continue to a generation, and pause after it."""
    write_atomically(_control(folder) / PAUSE_AT, str(generation).encode(), durable=False)


def requests_changed(folder: Path) -> int:
    """Return when the folder of requests changed last, in nanoseconds, which is cheap; 0 if there is none."""
    with contextlib.suppress(OSError):
        return (folder / CONTROL).stat().st_mtime_ns
    return 0


def take_pause_at(folder: Path) -> int | None:
    """Remove the request to pause after a generation, and return the generation; None if there is none."""
    path = folder / CONTROL / PAUSE_AT
    if (folder / CONTROL).is_symlink() or not path.exists():
        return None
    taken = path.with_name(f".{PAUSE_AT}.{os.getpid()}")
    number = -1
    with contextlib.suppress(OSError):
        path.replace(taken)  # first, so that a request written meanwhile is not lost
        number = whole_number(read_regular(taken, MAX_DIGITS + 1).strip())
    with contextlib.suppress(OSError):
        taken.unlink()
    return number if number >= 0 else None


def holder(folder: Path) -> str:
    """Describe the process that has locked a run."""
    # A session writes its status just after acquiring the lock; until then, the file is from an earlier session.
    end = time.monotonic() + HOLDER_SECONDS
    while time.monotonic() < end:
        status = read(folder)
        if status and status.state not in ENDED and alive(status.pid):
            return f"process {status.pid} ({status.state})"
        time.sleep(0.05)
    return "another process"


def alive(pid: int) -> bool:
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
"""Age of a heartbeat after which the lock is tested; sessions write one every second."""


GOING = (State.STARTING, State.RUNNING, State.PAUSED, State.STOPPING)
"""States in which a session works on the run."""


def judge(status: Status | None, *, quiet: bool, held: Callable[[], bool]) -> State:
    """Return the state of a run; `held` returns whether a process holds the lock, and is only called if needed."""
    if status is None:
        return State.STARTING if held() else State.STOPPED
    state = State.STARTING if status.phase and status.state == State.RUNNING else status.state
    if not quiet:
        return state
    if status.state in ENDED:
        return State.STARTING if held() else state
    return state if held() else State.INTERRUPTED


def read_state(folder: Path, held: Callable[[], bool]) -> tuple[State, Status | None]:
    """Read the state of a run and the last status of its session; the lock is tested unless it has just ended."""
    status = read(folder)
    ended = status is not None and status.state in ENDED
    # A heartbeat is in the future if the clock was set back.
    quiet = status is None or not ended or abs(time.time() - status.heartbeat) >= QUIET_SECONDS
    return judge(status, quiet=quiet, held=held), status


LOCK = ".lock"
LOCK_SECONDS = 0.3


def acquire(run: Path, called: str) -> FileLock:
    """Acquire the lock of a run; the caller must release it. The BusyError names another process that has it."""
    import filelock

    guard = filelock.FileLock(run / LOCK)
    try:
        guard.acquire(timeout=LOCK_SECONDS, poll_interval=0.05)
    except filelock.Timeout:
        raise BusyError(f"{called}: {holder(run)} is working on this run") from None
    return guard


@contextlib.contextmanager
def lock(run: Path) -> Any:
    """Hold the lock of a run, as its only writer; a folder with something else than regular files is refused."""
    strange = irregular(run)
    if strange is not None:
        raise RunError(f"{run}: {strange}; a session works only in a folder of regular files: remove this first")
    guard = acquire(run, str(run))
    try:
        yield
    finally:
        guard.release()


def is_locked(run: Path) -> bool:
    import filelock

    if not (run / LOCK).is_file():  # testing the lock would create the file
        return False
    try:
        with filelock.FileLock(run / LOCK, timeout=0):
            return False
    except filelock.Timeout:
        return True
    except OSError:
        return False
