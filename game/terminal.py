"""Standard streams and terminals: streams that may be missing or lose their reader, and text that fits a width.

Parts of a text that do not fit are omitted whole, the least important first, so that no name, word or number is cut.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

USUAL_WIDTH = 80
"""Number of columns assumed if the width of a terminal is unknown."""

ERASE = "\x1b[K"
"""Control sequence that clears the rest of the line, understood by every terminal since the VT100."""

_LABEL = re.compile(r"( *\S+ {2,}| +)\S")


def terminal_width(stream: TextIO | None) -> int:
    """Return the number of columns of a stream's terminal: ``COLUMNS`` if it is set, else the current width."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isascii() and wanted.isdigit() and int(wanted[:6]) > 0:
        return int(wanted[:6])
    try:
        columns = os.get_terminal_size(stream.fileno()).columns if stream is not None else 0
    except (AttributeError, OSError, ValueError):  # not a terminal, closed, or not a file
        columns = 0
    return columns or USUAL_WIDTH


def fit_parts(parts: tuple[str, ...], width: int) -> str:
    """Join parts with commas, leaving out the last ones if they do not fit; the most important part comes first.

    There is no comma before a parenthesis. If the first part alone is too long, return as many of its words as fit.
    """
    while len(text := ", ".join(parts).replace(", (", " (")) > width and len(parts) > 1:
        parts = parts[:-1]
    return text if len(text) <= width else text[: width + 1].rpartition(" ")[0].rstrip()


def fit_columns(widths: Mapping[str, int], width: int | None, lesser: Sequence[str]) -> list[str]:
    """Return the names of the columns that fit into the width of a table, in their order.

    Args:
        width: the available width; None for no limit.
        lesser: columns that may be omitted, least important first.
    """
    kept = dict(widths)
    for name in lesser:
        if width is None or sum(kept.values()) <= width:
            break
        kept.pop(name, None)
    return list(kept)


def output_width() -> int | None:
    """Return the number of columns of standard output; None for a file or a pipe, which have no limit."""
    return terminal_width(sys.stdout) if sys.stdout is not None and sys.stdout.isatty() else None


def written_over(text: str, width: int) -> str:
    """Return text that replaces the current line and leaves the cursor at its beginning, so the line cannot wrap."""
    if sys.platform == "win32":  # consoles may not support control sequences
        return f"\r{text:{max(width - 1, 1)}}\r"
    return f"\r{text}{ERASE}\r"


def wrap_lines(text: str, width: int) -> str:
    """Break longer lines between words; text after a label and two blanks is indented below its first line."""
    return "\n".join(_wrapped(line, width) for line in text.split("\n"))


def _wrapped(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    label = _LABEL.match(line)
    indent = label.end() - 1 if label is not None and label.end() <= width // 2 else 0
    return textwrap.fill(
        line[indent:].strip(),
        width,
        initial_indent=line[:indent],
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def open_missing() -> None:
    """Open the null device for missing standard streams (``2>&-``, a daemon, ``pythonw``).

    Call it before anything else opens a file, so that these streams get the low descriptors. Otherwise libraries would
    write their errors to the next file that is opened.
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
    """Flush the streams, and discard what cannot be written."""
    for stream in streams:
        try:
            stream.flush()
        except (OSError, ValueError):
            lose(stream)


def lose(stream: TextIO) -> None:
    """Discard the buffer of a stream, and everything that is written to it from now on."""
    with contextlib.suppress(OSError, ValueError):  # closed, or without a file descriptor
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)
        stream.flush()


class OptionalStream(io.TextIOBase):
    """A text stream whose errors are ignored: after the first error, everything that is written is discarded."""

    def __init__(self, stream: TextIO | None, on_loss: Callable[[Exception], None]) -> None:
        self._stream, self._on_loss = stream, on_loss

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self._stream, "encoding", None) or "utf-8"

    def fileno(self) -> int:
        """Return the descriptor of the underlying file, for reading the width of a terminal."""
        return super().fileno() if self._stream is None else self._stream.fileno()

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._try(lambda stream: stream.write(text))
        return len(text)

    def flush(self) -> None:
        self._try(lambda stream: stream.flush())

    def close(self) -> None:
        """Do nothing: this object does not own the underlying stream, which may be closed earlier."""

    def _try(self, act: Callable[[TextIO], object]) -> None:
        stream = self._stream
        if stream is None:
            return
        try:
            act(stream)
        except (OSError, ValueError) as error:  # the reader is gone, the disk is full, or the stream is closed
            self._stream = None
            lose(stream)
            self._on_loss(error)
