"""One writer at a time: the lock of a run folder."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.run import status
from evolve.run.errors import BusyError, RunError
from evolve.run.files import irregular

if TYPE_CHECKING:
    from filelock import FileLock

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
        raise BusyError(f"{called}: {status.holder(run)} is working on this run") from None
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
