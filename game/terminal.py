"""Terminals: their width, and text that fits.

No other module asks for a width. Parts that do not fit are omitted whole, least important first, so that no name, word
or number is ever cut.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

USUAL_WIDTH = 80
"""Columns of a terminal of unknown width."""

ERASE = "\x1b[K"
"""Control sequence that clears the rest of the line, understood by every terminal since the VT100."""

_LABEL = re.compile(r"( *\S+ {2,}| +)\S")


def terminal_width(stream: TextIO | None) -> int:
    """Return the columns of a stream's terminal: ``COLUMNS`` if it is set, else the current width."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isascii() and wanted.isdigit() and int(wanted[:6]) > 0:
        return int(wanted[:6])
    try:
        columns = os.get_terminal_size(stream.fileno()).columns if stream is not None else 0
    except (AttributeError, OSError, ValueError):  # no terminal, closed, or no file at all
        columns = 0
    return columns or USUAL_WIDTH


def fit_parts(parts: tuple[str, ...], width: int) -> str:
    """Join the most important parts that fit into a width, with commas; parts are given in order of importance.

    No comma stands before a parenthesis. If the first part alone is too long, return its words that fit.
    """
    while len(text := ", ".join(parts).replace(", (", " (")) > width and len(parts) > 1:
        parts = parts[:-1]
    return text if len(text) <= width else text[: width + 1].rpartition(" ")[0].rstrip()


def fit_columns(widths: Mapping[str, int], width: int | None, lesser: Sequence[str]) -> list[str]:
    """Return the names of the table columns that fit into a width together, in their order.

    Args:
        widths: of all columns with the blanks before them, by name.
        width: None for no limit.
        lesser: columns that may be omitted, least important first.
    """
    kept = dict(widths)
    for name in lesser:
        if width is None or sum(kept.values()) <= width:
            break
        kept.pop(name, None)
    return list(kept)


def output_width() -> int | None:
    """Return the columns of standard output's terminal; None for a file or a pipe, which have no limit."""
    return terminal_width(sys.stdout) if sys.stdout is not None and sys.stdout.isatty() else None


def written_over(text: str, width: int) -> str:
    """Return text that replaces the current line; the cursor stays at its beginning, where nothing can wrap."""
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
