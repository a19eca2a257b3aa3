"""By what a changed file is noticed without reading it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Signature(NamedTuple):
    """A file as it was; a file that took another's place differs, even with the same length at the same moment.

    Attributes:
        inode: which file it is.
        size: in bytes.
        changed: when it was written last, in nanoseconds; some clocks of file systems tick every few milliseconds.
    """

    inode: int
    size: int
    changed: int


def signature_of(path: Path) -> Signature:
    """The signature of a file.

    Raises:
        OSError: there is no such file, or it may not be looked at.
    """
    status = path.stat()
    return Signature(status.st_ino, status.st_size, status.st_mtime_ns)


def signature(path: Path) -> Signature | None:
    """The signature of a file; None if there is none."""
    try:
        return signature_of(path)
    except OSError:
        return None
