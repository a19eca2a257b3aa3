"""Files of a run folder: opening, writing and comparing them, and the errors of runs.

A run folder may come from a stranger, so all its files are opened by `open_regular`. It refuses links, which could
point to any file of the person who resumes the run, pipes, which would block, and devices, which never end.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from game.errors import BusyError, InputError
from game.regular_files import (
    IRREGULAR,
    MAX_BYTES,
    named,
    new_file,
    open_regular,
    replacing,
    sync_folder,
    too_large,
    write_all,
)

__all__ = ["BusyError", "DamagedRunError", "RunError"]


class RunError(InputError):
    """A run cannot be used as requested; the message says why and what to do."""


class DamagedRunError(InputError):
    """A file of a run differs from what the session wrote; the message names the file and a remedy."""


class Signature(NamedTuple):
    """The identity of the content of a file; replacing the file changes it, even if size and time stay the same."""

    inode: int
    size: int
    changed: int


def signature_of(path: Path) -> Signature:
    status = path.stat()
    return Signature(status.st_ino, status.st_size, status.st_mtime_ns)


def signature(path: Path) -> Signature | None:
    try:
        return signature_of(path)
    except OSError:
        return None


class Stamp:
    """A detector of changes of files, which need not exist yet."""

    def __init__(self, *paths: Path) -> None:
        self._paths = paths
        self._seen: tuple[Signature | None, ...] | None = None

    def refresh(self) -> bool:
        before, self._seen = self._seen, tuple(map(signature, self._paths))
        return self._seen != before

    @property
    def stale(self) -> bool:
        return self._seen != tuple(map(signature, self._paths))


CONFIG = "config.toml"
"""A folder with this file is a run."""

MEMORY = "memory.bin"
"""The boards of its training games that a policy taught by people remembers (`game.players.people`)."""

SWEEP = "sweep.toml"
"""A folder of runs with this file is a sweep."""

LONGEST_LINE = 1 << 26
"""Maximum length of a line in bytes; a genome of a million weights takes a sixth of it."""

MAX_DEPTH = 8
"""Maximum depth of folders in a run folder; the program itself makes only one level."""

_ENDINGS = (".csv", ".json", ".lock", ".log", ".pdn", ".tmp", ".toml")
"""Suffixes of the files of a run."""


def open_csv(path: Path) -> IO[bytes]:
    """Open a CSV file of individuals; it may be a link unless it is in a run folder."""
    return open_regular(path, links=not (path.parent / CONFIG).is_file(), buffering=1 << 16)


def bounded_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of an open file, including line breaks; a line without one is the last, or too long."""
    return iter(lambda: file.readline(LONGEST_LINE), b"")


def irregular(folder: Path, depth: int = 0) -> str | None:
    """Describe the first entry of a run folder that is neither a folder nor a regular file of acceptable size.

    Return None if there is none. The folder itself may be reached through a link.
    """
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_symlink():
                return f"{entry.name} is a symbolic link"
            if entry.is_dir(follow_symlinks=False):
                if not depth and entry.name.endswith(_ENDINGS):
                    return f"{entry.name} is a folder, expected a file"
                below = irregular(folder / entry.name, depth + 1) if depth < MAX_DEPTH else "... is nested too deep"
                if below is not None:
                    return f"{entry.name}/{below}"
            elif not entry.is_file(follow_symlinks=False):
                return f"{entry.name} {IRREGULAR}"
            elif (size := entry.stat(follow_symlinks=False).st_size) > MAX_BYTES:
                return f"{entry.name} has {too_large(size, MAX_BYTES)}"
    return None


def write_atomically(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replace a file as a whole (see `game.regular_files.replacing`)."""
    _refuse_others(path)
    with replacing(path, durable=durable) as file:
        write_all(file.fileno(), data)


@contextlib.contextmanager
def together() -> Iterator[Callable[[Path, bytes], None]]:
    """Replace several files at the end of the context, the last one first, and none of them after an error in it."""
    made: list[Path] = []
    try:
        with contextlib.ExitStack() as stack:

            def write(path: Path, data: bytes) -> None:
                _refuse_others(path)
                made.extend(folder for folder in (path.parent, *path.parent.parents) if not folder.exists())
                path.parent.mkdir(parents=True, exist_ok=True)
                try:
                    write_all(stack.enter_context(replacing(path, durable=False)).fileno(), data)
                except OSError as error:
                    raise named(error, path) from error

            yield write
    except BaseException:
        for folder in sorted(made, key=lambda folder: -len(folder.parts)):
            with contextlib.suppress(OSError):  # it has other files now
                folder.rmdir()
        raise


def check_target(path: Path) -> None:
    """Refuse a file that certainly cannot be written, before the work for it begins."""
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"{path}: expected the name of a file in an existing folder")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: {IRREGULAR}, expected the name of a file")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path}: its folder cannot be written")


def check_folder(path: Path) -> None:
    """Refuse a folder for files that certainly cannot be created, before the work for them begins."""
    nearest = next(each for each in (path, *path.absolute().parents) if each.exists())
    if not nearest.is_dir():
        raise InputError(f"{path}: expected a folder, but {'it' if nearest == path else nearest} is a file")


def streamed(path: Path) -> contextlib.AbstractContextManager[IO[str]]:
    """Replace a text file (UTF-8) as a whole at the end of the context; after an error, the old one is unchanged."""
    _refuse_others(path)
    return replacing(path, "x", encoding="utf-8", newline="")


@contextlib.contextmanager
def growing(path: Path) -> Iterator[IO[str]]:
    """Write a text file (UTF-8) that can be read while it grows; after an error, the old one is there again."""
    earlier = path.with_name(f".{path.name}.old.tmp")
    earlier.unlink(missing_ok=True)  # a killed process may have left one
    with contextlib.suppress(FileNotFoundError):
        os.replace(path, earlier)
    try:
        with new_file(path, "x", encoding="utf-8", newline="") as file:
            yield file
    except BaseException as error:
        with contextlib.suppress(OSError):
            path.unlink()
        with contextlib.suppress(FileNotFoundError):
            os.replace(earlier, path)
        if isinstance(error, OSError) and error.filename is None:
            raise named(error, path) from error
        raise
    earlier.unlink(missing_ok=True)


def _refuse_others(path: Path) -> None:
    # Renaming would replace a pipe or, for an administrator, even /dev/null with a regular file.
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, IRREGULAR, str(path))


def append_durably(path: Path, data: bytes) -> None:
    """Append bytes to a file and wait until they are on disk.

    Raises:
        OSError: nothing or only a part was written; the caller must truncate the file before appending again.
    """
    new = not path.exists()
    try:
        with open_regular(path, "ab", buffering=0) as file:
            write_all(file.fileno(), data)
            os.fsync(file.fileno())
    except OSError as error:
        raise named(error, path) from error
    if new:
        sync_folder(path.parent)


def cut(path: Path, size: int) -> None:
    """Shorten a file to `size` bytes, durably; it must not be shorter."""
    if path.lstat().st_size == size:
        return
    try:
        with open_regular(path, "r+b", buffering=0) as file:
            file.truncate(size)
            os.fsync(file.fileno())
    except OSError as error:
        raise named(error, path) from error
