"""What a session says of itself while it runs, and what others may ask of it, through files in its run folder."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import time
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from evolve.run.append_only import MAX_DIGITS
from evolve.run.files import write_atomically
from game.errors import one_line
from game.regular_files import open_regular, read_regular

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
