"""Files of a run folder: opening, writing and comparing them, and the errors of runs.

A run folder may come from a stranger. All files in it are opened by `open_regular`, which refuses symbolic links, as
they could lead to any file of the person who resumes the run, and anything but ordinary files, as reading a pipe would
block and reading a device would never end. Files are replaced as a whole, so that no kill leaves half of one.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from game.errors import BusyError, InputError
from game.regular_files import IRREGULAR, MAX_BYTES, open_regular, too_large

__all__ = ["BusyError", "DamagedRunError", "RunError"]


class RunError(InputError):
    """A run cannot be used as requested; the text says why and what to do."""


class DamagedRunError(InputError):
    """A file of a run is not what the session wrote; the text names the file and a remedy."""


class Signature(NamedTuple):
    """A file at one moment. A file that replaces another differs, even with the same size and time.

    Attributes:
        inode: which file it is.
        size: in bytes.
        changed: when it was written last, in nanoseconds; some clocks of file systems tick every few milliseconds.
    """

    inode: int
    size: int
    changed: int


def signature_of(path: Path) -> Signature:
    """Return the signature of a file.

    Raises:
        OSError: there is no such file, or it may not be looked at.
    """
    status = path.stat()
    return Signature(status.st_ino, status.st_size, status.st_mtime_ns)


def signature(path: Path) -> Signature | None:
    """Return the signature of a file; None if there is none."""
    try:
        return signature_of(path)
    except OSError:
        return None


class Stamp:
    """Detects that files from which a part of a run was read have changed.

    Args:
        paths: the files that the part is read from; they need not exist yet.
    """

    def __init__(self, *paths: Path) -> None:
        self._paths = paths
        self._seen: tuple[Signature | None, ...] | None = None

    def refresh(self) -> bool:
        """Look at the files; return whether any has changed since the last look. The first look is a change."""
        seen = tuple(map(signature, self._paths))
        changed, self._seen = seen != self._seen, seen
        return changed


CONFIG = "config.toml"
"""A folder with this file is a run."""

SWEEP = "sweep.toml"
"""A folder of runs with this file is a sweep."""

LONGEST_LINE = 1 << 26
"""Bytes of a line; a genome of a million weights has a sixth of that."""

MAX_DEPTH = 8
"""Of folders below a run folder; the program makes one."""

_ENDINGS = (".csv", ".json", ".lock", ".log", ".pdn", ".tmp", ".toml")
"""Of all files of a run."""


def open_csv(path: Path) -> IO[bytes]:
    """Open a CSV file of individuals: of a run, or one that was named by the user and may be a link.

    Raises:
        OSError: as of `open_regular`; a link in the folder of a run is refused.
    """
    return open_regular(path, links=not (path.parent / CONFIG).is_file(), buffering=1 << 16)


def bounded_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Iterate over the lines of an open file with their ends; one without an end is the last, or too long."""
    return iter(lambda: file.readline(LONGEST_LINE), b"")


def irregular(folder: Path, depth: int = 0) -> str | None:
    """Return which entry of a run folder is neither a folder nor an ordinary file of acceptable size, and why; else
    None.

    The folder itself may be reached through a link.

    Args:
        folder: the run folder, or one in it.
        depth: how far it lies below the run folder.

    Raises:
        OSError: the folder cannot be read.
    """
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda each: each.name):
            if entry.is_symlink():
                return f"{entry.name} is a symbolic link"
            if entry.is_dir(follow_symlinks=False):
                if not depth and entry.name.endswith(_ENDINGS):
                    return f"{entry.name} is a folder, expected a file"
                below = irregular(folder / entry.name, depth + 1) if depth < MAX_DEPTH else "... lies too deep"
                if below is not None:
                    return f"{entry.name}/{below}"
            elif not entry.is_file(follow_symlinks=False):
                return f"{entry.name} {IRREGULAR}"
            elif (size := entry.stat(follow_symlinks=False).st_size) > MAX_BYTES:
                return f"{entry.name} has {too_large(size, MAX_BYTES)}"
    return None


def write_atomically(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replace a file as a whole: a temporary file beside it, then a rename.

    Args:
        path: the file; its folder exists.
        data: all of its bytes.
        durable: also wait until the bytes and the new name are on disk.

    Raises:
        OSError: the file could not be written; the old one is untouched and no temporary file is left.
    """
    _refuse_devices(path)
    temporary = temporary_path(path)
    write_new(temporary, [data], path, durable=durable)
    put_in_place(temporary, path, durable=durable)


def write_new(temporary: Path, pieces: Iterable[bytes], path: Path, *, durable: bool = True) -> None:
    """Write a file in pieces that `put_in_place` will rename.

    Args:
        temporary: the file; an old one is replaced.
        pieces: its bytes.
        path: its final name, for errors.
        durable: also wait until the bytes are on disk.

    Raises:
        OSError: it could not be written; nothing of it is left.
    """
    try:
        with _new_file(temporary, "xb", buffering=0) as file:
            for piece in pieces:
                _write_all(file.fileno(), piece)
            if durable:
                os.fsync(file.fileno())
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise named(error, path) from error


def put_in_place(temporary: Path, path: Path, *, durable: bool = True) -> None:
    """Replace a file by one that `write_new` has written in its folder.

    Args:
        temporary: the file that was written.
        path: the file that it becomes.
        durable: also wait until the new name is on disk.

    Raises:
        OSError: it could not be done; the old one is untouched and the temporary file is gone.
    """
    try:
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise named(error, path) from error
    if durable:
        sync_folder(path.parent)


@contextlib.contextmanager
def streamed(path: Path) -> Iterator[IO[str]]:
    """Replace a text file (UTF-8) as a whole by what is written within the context.

    Raises:
        OSError: the file could not be written. As after any other error in the context, the old one is untouched and
            no temporary file is left.
    """
    _refuse_devices(path)
    temporary = temporary_path(path)
    try:
        with _new_file(temporary, "x", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            raise named(error, path) from error
        raise
    sync_folder(path.parent)


def temporary_path(path: Path) -> Path:
    """Return where `write_atomically` writes first: one name for each file, so that leftovers are replaced."""
    return path.with_name(f".{path.name}.tmp")


def _new_file(path: Path, mode: str, **options: Any) -> IO[Any]:
    """Create a file; a leftover of a kill, or a link, is removed first and never written through."""
    try:
        return open(path, mode, **options)
    except FileExistsError:
        path.unlink()
    return open(path, mode, **options)


def _refuse_devices(path: Path) -> None:
    # A rename would make an ordinary file of a pipe or, for an administrator, of /dev/null.
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "is no ordinary file", str(path))


def append_durably(path: Path, data: bytes) -> None:
    """Add bytes to the end of a file and wait until they are on disk.

    Raises:
        OSError: nothing or a part was written; the caller cuts the file back before the next append.
    """
    new = not path.exists()
    try:
        with open_regular(path, "ab", buffering=0) as file:
            _write_all(file.fileno(), data)
            os.fsync(file.fileno())
    except OSError as error:
        raise named(error, path) from error
    if new:
        sync_folder(path.parent)


def cut(path: Path, size: int) -> None:
    """Shorten a file to `size` bytes, durably; longer or equal files only.

    Raises:
        OSError: it could not be done; it can be done again.
    """
    if path.lstat().st_size == size:
        return
    try:
        with open_regular(path, "r+b", buffering=0) as file:
            file.truncate(size)
            os.fsync(file.fileno())
    except OSError as error:
        raise named(error, path) from error


def named(error: OSError, path: Path) -> OSError:
    """Return the same error with the name of its file, which errors of `write` and `fsync` lack."""
    return type(error)(error.errno, error.strerror, str(path))


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on disk (where the system can do that).

    Raises:
        OSError: they may not be there.
    """
    if os.name == "nt":
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise named(error, folder) from error


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
