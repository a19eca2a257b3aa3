"""Base classes of the errors that a person can mend and of players that fail, and messages as one line."""

import os
from enum import StrEnum


class InputError(ValueError):
    """Input that cannot be used. The message is one line: what was expected, what came, what to do.

    The command line prints only the message and exits with 2. It treats every exception that has an `exit_code` like
    this; all others are faults of the program, or of a disk.

    Attributes:
        lines: where one error tells of several, the text of each.
    """

    exit_code = 2


class BusyError(RuntimeError):
    """Another process works there; the message names it."""

    exit_code = 75


class FailureKind(StrEnum):
    """Categories of failures of players."""

    CRASH = "crash"
    TIMEOUT = "timeout"
    FLOOD = "flood"
    ILLEGAL = "illegal"
    VALUE = "value"
    OTHER = "other"


class Failure(RuntimeError):
    """A player cannot choose a move; the message says why.

    Attributes:
        kind: the category of the failure.
    """

    def __init__(self, text: str, kind: FailureKind = FailureKind.OTHER) -> None:
        super().__init__(text)
        self.kind = kind


def describe(error: BaseException) -> str:
    """What an error says to a person: its message, the file and fault of the system, or where the program is wrong."""
    text = str(error) or type(error).__name__
    if hasattr(error, "exit_code"):
        return text
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror or text}" if error.filename else error.strerror or text
    import traceback

    place = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" ({os.path.basename(each.filename)}:{each.lineno})" for each in place)
    return f"a fault of the program: {type(error).__name__}: {text}{where}"


PLAIN_SIGNS = {"★": "*", "•": "-", "–": "-", "−": "-", "…": "...", "×": "x", "├": "|", "└": "`", "─": "-", "│": "|"}
"""What stands for signs of ours in an encoding that lacks them."""


def spell_out(error: UnicodeError) -> tuple[str, int]:
    """A handler of encoding errors (`codecs.register_error`): `PLAIN_SIGNS`, and other signs by their numbers."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(PLAIN_SIGNS.get(s) or s.encode("ascii", "backslashreplace").decode() for s in signs), error.end


def one_line(text: str) -> str:
    """A text as one printable line: single spaces, and an escape (``\\x00``) for what cannot be printed."""
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    """A text without control characters, escape sequences and bidirectional overrides, but with its line feeds.

    Everything that was read from a file, such as a name, passes through here on its way to a terminal or a page; what
    is not printable becomes an escape (``\\x1b``).
    """
    return "".join(
        letter if letter.isprintable() or letter == "\n" else letter.encode("unicode_escape").decode()
        for letter in text
    )
