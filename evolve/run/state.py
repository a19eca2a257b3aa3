"""What a run is doing, in one word, for the command line and the window alike. Loads no numpy."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from evolve.run import status
from evolve.run.status import ENDED, State, Status

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


def read(folder: Path, held: Callable[[], bool]) -> tuple[RunState, Status | None]:
    """What a run is doing, and what its session said of itself last; of a session that goes on the lock is asked."""
    said = status.read(folder)
    ended = said is not None and said.state in ENDED
    quiet = said is None or not ended or is_quiet(said, time.time())
    return judge(said, quiet=quiet, held=held), said
