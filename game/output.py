"""Standard streams: there may be none, and whoever reads them may go away. Loads nothing."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable
from typing import TextIO


def open_missing() -> None:
    """Put the null device where the system gave no standard stream: ``2>&-``, a daemon, ``pythonw``.

    Called before anything else opens a file, it takes the low descriptors: otherwise the next file would become the
    one that libraries write their errors to. There is still no `sys.stdin`: who reads it says that it is closed.
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
    """Write what waits in buffers, or let go of it: else Python tries again at its end, and exits with 120."""
    for stream in streams:
        try:
            stream.flush()
        except (OSError, ValueError):
            lose(stream)


def lose(stream: TextIO) -> None:
    """Send what waits in the buffer of a stream, and whatever is written to it from now on, nowhere."""
    with contextlib.suppress(OSError, ValueError):  # closed, or no file of the system
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)
        stream.flush()


class OptionalStream(io.TextIOBase):
    """A text stream that nobody has to read: what cannot be written is lost, and so is all that comes after it.

    Args:
        stream: where to write; None for nowhere.
        on_loss: told the error of the first time.
    """

    def __init__(self, stream: TextIO | None, on_loss: Callable[[Exception], None]) -> None:
        self._stream, self._on_loss = stream, on_loss

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the stream below."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    def fileno(self) -> int:
        """The number of the file below, which knows how wide a terminal is."""
        return super().fileno() if self._stream is None else self._stream.fileno()

    def isatty(self) -> bool:
        """Whether a person may look on."""
        return self._stream is not None and self._stream.isatty()

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Write a text, or lose it."""
        self._try(lambda stream: stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Hand on what waits in the buffer."""
        self._try(lambda stream: stream.flush())

    def close(self) -> None:
        """Nothing: the stream below is somebody else's, and may be gone before this one."""

    def _try(self, act: Callable[[TextIO], object]) -> None:
        stream = self._stream
        if stream is None:
            return
        try:
            act(stream)
        except (OSError, ValueError) as error:  # a vanished reader or terminal, a full disk; a closed stream
            self._stream = None
            lose(stream)
            self._on_loss(error)
