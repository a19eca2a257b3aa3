"""Terminals: how wide they are, and lines that fit.

The one place that asks for a width. What does not fit is left out as a whole, by worth, so that no name, word or number
is ever shown in part.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import TextIO

USUAL_WIDTH = 80
"""Columns of a terminal that does not tell."""

ERASE = "\x1b[K"
"""Clears the rest of the line, as every terminal since the VT100 does."""

_LABEL = re.compile(r"( *\S+ {2,}| +)\S")


def terminal_width(stream: TextIO | None) -> int:
    """Columns of the terminal behind a stream: those of ``COLUMNS`` if a person has set that, else as it tells now."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isascii() and wanted.isdigit() and int(wanted[:6]) > 0:
        return int(wanted[:6])
    try:
        columns = os.get_terminal_size(stream.fileno()).columns if stream is not None else 0
    except (AttributeError, OSError, ValueError):  # no terminal, closed, or no file at all
        columns = 0
    return columns or USUAL_WIDTH


def fit_parts(parts: tuple[str, ...], width: int) -> str:
    """The first of some parts, most worth first, that fit into a width together, with commas between them.

    No comma stands before a parenthesis. Of a first part that is too long, the words that fit.
    """
    while len(text := ", ".join(parts).replace(", (", " (")) > width and len(parts) > 1:
        parts = parts[:-1]
    return text if len(text) <= width else text[: width + 1].rpartition(" ")[0].rstrip()


def fit_columns(widths: Mapping[str, int], width: int | None, lesser: Sequence[str]) -> list[str]:
    """Names of the columns of a table that fit into a width together, in their order.

    Args:
        widths: of all columns with the blanks before them, by name.
        width: None for any.
        lesser: those that may be left out, the first of them first.
    """
    kept = dict(widths)
    for name in lesser:
        if width is None or sum(kept.values()) <= width:
            break
        kept.pop(name, None)
    return list(kept)


def output_width() -> int | None:
    """Columns of the terminal behind standard output; None for a file or a pipe, which has room for everything."""
    return terminal_width(sys.stdout) if sys.stdout is not None and sys.stdout.isatty() else None


def written_over(text: str, width: int) -> str:
    """What writes a line over the one before it; the cursor stays at its beginning, where nothing can wrap."""
    if sys.platform == "win32":  # where a console may know no control sequences
        return f"\r{text:{max(width - 1, 1)}}\r"
    return f"\r{text}{ERASE}\r"


def wrap_lines(text: str, width: int) -> str:
    """A text whose longer lines are broken between words; what follows a label and two blanks is indented below it."""
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
