"""Opening files from unknown sources without waiting for a pipe, reading a device, or following a link."""

from __future__ import annotations

import errno
import functools
import os
import stat
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
        raise type(error)(error.errno, error.strerror, str(folder)) from error
