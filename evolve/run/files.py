"""Writing files so that no reader and no kill ever leaves half of one."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO


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
    try:
        with open(temporary, "wb", buffering=0) as file:
            _write_all(file.fileno(), data)
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise named(error, path) from error
    if durable:
        sync_folder(path.parent)


@contextlib.contextmanager
def streamed(path: Path) -> Iterator[TextIO]:
    """Replace a text file as a whole by what is written while the context lasts; UTF-8.

    Raises:
        OSError: the file could not be written. As after any other error in the context, the old one is untouched and
            no temporary file is left.
    """
    _refuse_devices(path)
    temporary = temporary_path(path)
    try:
        with open(temporary, "w", encoding="utf-8", newline="") as file:
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
    """Where `write_atomically` writes first; one name a file, so that a leftover of a kill is overwritten."""
    return path.with_name(f".{path.name}.tmp")


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
        with open(path, "ab", buffering=0) as file:
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
    if path.stat().st_size == size:
        return
    try:
        with open(path, "r+b", buffering=0) as file:
            file.truncate(size)
            os.fsync(file.fileno())
    except OSError as error:
        raise named(error, path) from error


def named(error: OSError, path: Path) -> OSError:
    """The same error with the file that it is about, which `write` and `fsync` do not tell."""
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
