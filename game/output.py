"""Standard streams, which may be missing, and whose readers may go away. Imports nothing slow."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def open_missing() -> None:
    """Open the null device for missing standard streams (``2>&-``, a daemon, ``pythonw``).

    If it is called before anything else opens a file, the low descriptors are taken. Otherwise the next file opened
    would become the one to which libraries write their errors. `sys.stdin` stays None: readers report that it is
    closed.
    """
    if sys.stdin is None:
        try:
            os.fstat(0)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY), True)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            stream = open(os.devnull, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 (to the end)
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


def settle(*streams: TextIO) -> None:
    """Flush the streams, discarding what cannot be written; otherwise Python tries again when it exits, with code
    120.
    """
    for stream in streams:
        try:
            stream.flush()
        except (OSError, ValueError):
            lose(stream)


def lose(stream: TextIO) -> None:
    """Discard the buffer of a stream, and everything that is written to it from now on."""
    with contextlib.suppress(OSError, ValueError):  # closed, or no file of the system
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)
        stream.flush()


class OptionalStream(io.TextIOBase):
    """A text stream whose errors are ignored: after the first one, everything written is lost.

    Args:
        stream: the stream to write to; None for none.
        on_loss: called with the first error.
    """

    def __init__(self, stream: TextIO | None, on_loss: Callable[[Exception], None]) -> None:
        self._stream, self._on_loss = stream, on_loss

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the underlying stream."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    def fileno(self) -> int:
        """Return the descriptor of the underlying file, from which the width of a terminal is found."""
        return super().fileno() if self._stream is None else self._stream.fileno()

    def isatty(self) -> bool:
        """Return whether the stream is a terminal."""
        return self._stream is not None and self._stream.isatty()

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str) -> int:
        """Write a text, or lose it."""
        self._try(lambda stream: stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Flush the underlying stream."""
        self._try(lambda stream: stream.flush())

    def close(self) -> None:
        """Do nothing: the underlying stream belongs to others, and may be closed before this one."""

    def _try(self, act: Callable[[TextIO], object]) -> None:
        stream = self._stream
        if stream is None:
            return
        try:
            act(stream)
        except (
            OSError,
            ValueError,
        ) as error:  # the reader or terminal is gone, the disk is full, or the stream is closed
            self._stream = None
            lose(stream)
            self._on_loss(error)
