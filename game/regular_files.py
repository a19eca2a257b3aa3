"""Opening files from unknown sources without waiting for a pipe or following a link, and writing files as a whole."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)

MAX_BYTES = 4 << 30
"""Size limit of files without a smaller limit of their own."""

IRREGULAR = "is not a regular file"
LINK = "is a symbolic link, expected a regular file"


def open_regular(
    path: Path, mode: str = "rb", *, links: bool = False, most: float = MAX_BYTES, **options: Any
) -> IO[Any]:
    """Open a file as `open` does, but only a regular file, and not through a symbolic link.

    Args:
        links: whether to follow symbolic links, as for files named by the user, or in the user's own folders.
        most: size limit in bytes.

    Raises:
        OSError: the file cannot be opened, is not a regular file, or is too large. Opening a pipe never blocks.
    """
    return open(path, mode, opener=functools.partial(_opened, links=links, most=most), **options)


def _opened(path: str, flags: int, *, links: bool, most: float) -> int:
    if not links and os.path.islink(path):  # gives a clear message, and works on systems without O_NOFOLLOW
        raise OSError(errno.EINVAL, LINK, path)
    try:
        handle = os.open(path, flags | _NO_WAITING | (0 if links else _NO_LINKS), 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a pipe without a reader
            raise OSError(errno.EINVAL, IRREGULAR, path) from error
        raise
    status = os.fstat(handle)
    kind = status.st_mode
    if stat.S_ISREG(kind) and status.st_size <= most:
        return handle
    os.close(handle)
    if stat.S_ISREG(kind):
        raise OSError(errno.EFBIG, too_large(status.st_size, most), path)
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, IRREGULAR, path)


def read_regular(path: Path, most: int = MAX_BYTES, *, links: bool = False) -> bytes:
    """Return all bytes of a file that is opened by `open_regular`."""
    with open_regular(path, buffering=0, links=links, most=most) as file:
        return bytes(file.read())


def too_large(size: int, most: float) -> str:
    """Return a message about a file that exceeds its size limit."""
    return f"{size:,} bytes, at most {most:,}"


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on disk, if the system supports that.

    Raises:
        OSError: they may not be on disk.
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


def temporary_path(path: Path) -> Path:
    """Return the path of the temporary file for a file; there is only one name, so that leftovers are replaced."""
    return path.with_name(f".{path.name}.tmp")


@contextlib.contextmanager
def replacing(
    path: Path, mode: str = "xb", *, durable: bool = True, temporary: Path | None = None, **options: Any
) -> Iterator[IO[Any]]:
    """Replace a file as a whole: open a temporary file in its folder, and rename it at the end of the context.

    Args:
        durable: also wait until the bytes and the new name are on disk.

    Raises:
        OSError: the file could not be written; the old one is unchanged and no temporary file is left.
    """
    temporary = temporary or temporary_path(path)
    try:
        with new_file(temporary, mode, **options) as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            raise named(error, path) from error
        raise
    if durable:
        sync_folder(path.parent)


def new_file(path: Path, mode: str, **options: Any) -> IO[Any]:
    """Create a file after removing any link, or leftover of a kill, that has its name."""
    try:
        return open(path, mode, **options)
    except FileExistsError:
        path.unlink()
    return open(path, mode, **options)


def named(error: OSError, path: Path) -> OSError:
    """Return the same error with the name of its file, which errors of `write` and `fsync` lack."""
    return type(error)(error.errno, error.strerror, str(path))


def write_all(handle: int, data: Any) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
