"""The root of all errors that a person can mend, that of players who cannot go on, and how an error is told."""

from enum import StrEnum


class InputError(ValueError):
    """Input that cannot be used. The text is one line: what was expected, what came, what to do.

    The command line prints it alone and exits with 2. So it does with any exception that has an `exit_code`; the others
    are faults of the program, or of a disk.

    Attributes:
        lines: where one error tells of several, the text of each.
    """

    exit_code = 2


class FailureKind(StrEnum):
    """What kept a player from moving."""

    CRASH = "crash"
    TIMEOUT = "timeout"
    FLOOD = "flood"
    ILLEGAL = "illegal"
    VALUE = "value"
    OTHER = "other"


class Failure(RuntimeError):
    """Somebody who was asked for a move cannot go on; the text says why.

    Attributes:
        kind: the same as one of few kinds.
    """

    def __init__(self, text: str, kind: FailureKind = FailureKind.OTHER) -> None:
        super().__init__(text)
        self.kind = kind


def one_line(text: str) -> str:
    """A text as one line that can be shown: single spaces, and what cannot be printed as an escape (``\\x00``)."""
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    """A text without anything that commands a terminal or turns the order of letters, but with its line feeds.

    Whatever was read from a file, such as a name, passes through here on its way to a terminal or a page; control
    characters become escapes (``\\x1b``).
    """
    return "".join(
        letter if letter.isprintable() or letter == "\n" else letter.encode("unicode_escape").decode()
        for letter in text
    )
