"""Removing a run for good."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from evolve.run.files import CONFIG, SWEEP, RunError
from evolve.run.places import is_shipped
from evolve.run.status import LOCK, acquire

ASIDE = ".deleted-"
"""How the name of a folder begins that is being removed; names of runs begin otherwise."""


def size_of(run: Path) -> int:
    """Bytes of all files of a run; what cannot be looked at counts nothing."""
    total, folders = 0, [run]
    while folders:
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
    return total


def why_kept(run: Path) -> str:
    """Return why a run is never deleted; empty if it can be."""
    if is_shipped(run):
        return f"{run.name} came with the program and stays."
    if run.is_symlink():
        return f"{run.name} is a link to a folder elsewhere."
    return ""


def delete(run: Path) -> None:
    """Delete a run with all that is in its folder.

    The folder first gets a name by which nobody finds a run, so that a kill or an error leaves no half of one; links in
    it are removed, never what they lead to.

    Raises:
        RunError: there is none, it came with the program or is a link; or something of it is left, which is named.
        BusyError: a session works on it.
        OSError: it may not be changed.
    """
    kept = why_kept(run)
    if kept:
        raise RunError(kept)
    if not (run / CONFIG).is_file():
        raise RunError(f"{run}: no run, there is no {CONFIG}")
    aside = run.with_name(f"{ASIDE}{run.name}-{secrets.token_hex(4)}")
    with _held(run):
        if os.name == "posix":
            run.rename(aside)
    if os.name != "posix":  # no folder is renamed there while a file in it is open
        run.rename(aside)
    try:
        shutil.rmtree(aside)
    except OSError as error:
        raise RunError(
            f"{run.name} is no run any more, but something of it is left in {aside}: {error.strerror}"
        ) from error


def finish(runs: Path) -> None:
    """Remove what is left of runs that were deleted, those of sweeps among them, as far as that is possible."""
    with contextlib.suppress(OSError):
        for folder in [runs, *(path.parent for path in runs.glob(f"*/{SWEEP}"))]:
            for path in folder.glob(f"{ASIDE}*"):
                if not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def _held(run: Path) -> Iterator[None]:
    """Be the only one who works on a run."""
    path = run / LOCK
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):  # a session refuses such a folder
        yield
        return
    guard = acquire(run, run.name)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            guard.release()
