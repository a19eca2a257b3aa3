"""Opening files without waiting for a pipe, reading a device, or following a link that a stranger has made."""

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
"""Limit of a file that has no smaller one of its own."""

IRREGULAR = "is no ordinary file"
LINK = "is a symbolic link, expected an ordinary file"


def open_regular(
    path: Path, mode: str = "rb", *, links: bool = False, most: float = MAX_BYTES, **options: Any
) -> IO[Any]:
    """Open a file as `open` does, but never through a symbolic link, and only if it is an ordinary file.

    Args:
        path: the file.
        mode: as of `open`.
        links: follow symbolic links: for files that a person has named, and those in a person's own folders.
        most: bytes that it may have.
        options: as of `open`.

    Raises:
        OSError: it cannot be opened, is something else, or is far too large; a pipe is not waited for.
    """
    return open(path, mode, opener=functools.partial(_opened, links=links, most=most), **options)


def _opened(path: str, flags: int, *, links: bool, most: float) -> int:
    if not links and os.path.islink(path):  # for a plain message, and where the system has no flag for it
        raise OSError(errno.EINVAL, LINK, path)
    try:
        handle = os.open(path, flags | _NO_WAITING | (0 if links else _NO_LINKS), 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a pipe that nobody reads
            raise OSError(errno.EINVAL, IRREGULAR, path) from error
        raise
    found = os.fstat(handle)
    kind = found.st_mode
    if stat.S_ISREG(kind) and found.st_size <= most:
        return handle
    os.close(handle)
    if stat.S_ISREG(kind):
        raise OSError(errno.EFBIG, too_large(found.st_size, most), path)
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, IRREGULAR, path)


def read_regular(path: Path, most: int = MAX_BYTES, *, links: bool = False) -> bytes:
    """Return all bytes of a file, opened as by `open_regular`.

    Raises:
        OSError: as of `open_regular`.
    """
    with open_regular(path, buffering=0, links=links, most=most) as file:
        return bytes(file.read())


def too_large(size: int, most: float) -> str:
    """Describe a file that exceeds its limit."""
    return f"{size:,} bytes, it has at most {most:,}"
