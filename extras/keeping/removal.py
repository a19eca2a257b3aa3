"""Removing runs."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from evolve.run.files import CONFIG, SWEEP, RunError
from evolve.run.runs import is_shipped
from evolve.run.status import LOCK, acquire

REMOVED = ".deleted-"
"""Prefix of the name of a folder that is being removed; names of runs cannot have it."""


def size_of(run: Path) -> int:
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
    """Return why a run cannot be removed; empty if it can."""
    if is_shipped(run):
        return f"{run.name} came with the program and cannot be removed."
    if run.is_symlink():
        return f"{run.name} is a link to a folder elsewhere."
    return ""


def remove_run(run: Path) -> None:
    """Remove a run with everything in its folder.

    The folder is renamed first, so that a kill or an error never leaves half a run.

    Raises:
        RunError: there is no run, it is shipped, or it is a link; or some files could not be removed, and the message
            says where they are.
        BusyError: a session is working on it.
        OSError: access is denied.
    """
    kept = why_kept(run)
    if kept:
        raise RunError(kept)
    if not (run / CONFIG).is_file():
        raise RunError(f"{run}: not a run, since it has no {CONFIG}")
    aside = run.with_name(f"{REMOVED}{run.name}-{secrets.token_hex(4)}")
    with _held(run):
        if os.name == "posix":
            run.rename(aside)
    if os.name != "posix":  # other systems cannot rename a folder while a file in it, here the lock, is open
        run.rename(aside)
    try:
        shutil.rmtree(aside)
    except OSError as error:
        raise RunError(
            f"{run.name} was removed, but some of its files are left in {aside}: {error.strerror}"
        ) from error


@contextlib.contextmanager
def _held(run: Path) -> Iterator[None]:
    path = run / LOCK
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):  # sessions refuse to use such a folder
        yield
        return
    guard = acquire(run, run.name)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            guard.release()


def finish_removals(runs: Path) -> None:
    """Remove leftovers of interrupted removals in a folder of runs, also in sweeps; errors are ignored."""
    with contextlib.suppress(OSError):
        for folder in [runs, *(path.parent for path in runs.glob(f"*/{SWEEP}"))]:
            for path in folder.glob(f"{REMOVED}*"):
                if not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
