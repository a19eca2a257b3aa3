"""Errors that the user can correct, failures of players, and functions that put both into words."""

import errno
import os
from collections.abc import Iterable, Sequence
from enum import StrEnum


class InputError(ValueError):
    """Unusable input.

    The command line prints only the message and exits with 2.

    Attributes:
        lines: the text of each error, if one exception reports several.
    """

    exit_code = 2


class InputWarning(UserWarning):
    """Something about a user's file that is worth a line, but does not keep the program from using it."""


class BusyError(RuntimeError):
    """Another process is using the folder; the message says which process and which folder."""

    exit_code = 75


class FailureKind(StrEnum):
    CRASH = "crash"
    TIMEOUT = "timeout"
    FLOOD = "flood"
    ILLEGAL = "illegal"
    VALUE = "value"
    OTHER = "other"


class Failure(RuntimeError):
    """A player cannot choose a move; the message says why."""

    def __init__(self, text: str, kind: FailureKind = FailureKind.OTHER) -> None:
        super().__init__(text)
        self.kind = kind


_LIMITS = {
    errno.EMFILE: "raise the limit of open files (ulimit -n), or use fewer workers",
    errno.EAGAIN: "raise the limit of processes and threads (ulimit -u), or use fewer workers",
    errno.EFBIG: "raise the limit of the size of files (ulimit -f)",
}
"""Remedies for errors that a limit of the system has caused."""


def limit_remedy(error: BaseException) -> str:
    """Return what to do after an error that a limit of the system (``ulimit``) has caused; "" for other errors."""
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return _LIMITS[errno.EAGAIN]
    if isinstance(error, OSError) and error.errno in _LIMITS and error.strerror == os.strerror(error.errno):
        return _LIMITS[error.errno]
    return ""


def describe(error: BaseException) -> str:
    """Describe an error for people: its message, with the file of an `OSError`, or with the place of a fault.

    If a limit of the system is the cause, it ends with the remedy.
    """
    text = str(error) or type(error).__name__
    if hasattr(error, "exit_code") or isinstance(error, Failure):
        return text
    remedy = limit_remedy(error)
    if isinstance(error, OSError):
        text = error.strerror or text
        return "".join((f"{error.filename}: " if error.filename else "", text, remedy and f"; {remedy}"))
    if remedy:
        return f"{text}; {remedy}"
    import traceback

    place = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" ({os.path.basename(frame.filename)}:{frame.lineno})" for frame in place)
    return f"a fault of the program: {type(error).__name__}: {text}{where}"


PLAIN_SIGNS = {"★": "*", "•": "-", "–": "-", "−": "-", "…": "...", "×": "x", "├": "|", "└": "`", "─": "-", "│": "|"}
"""Replacements for signs that an encoding lacks."""


def spell_out(error: UnicodeError) -> tuple[str, int]:
    """Handle encoding errors (`codecs.register_error`): use `PLAIN_SIGNS`, and backslash escapes for other signs."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(PLAIN_SIGNS.get(s) or s.encode("ascii", "backslashreplace").decode() for s in signs), error.end


def one_line(text: str) -> str:
    """Return a text as one printable line: single spaces, and escapes (``\\x00``) for unprintable characters."""
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    """Return a text in which unprintable characters, except line feeds, are replaced by escapes (``\x1b``).

    Everything read from a file, such as a name, passes through this function before it is printed to a terminal or a
    page.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter == "\n" else letter.encode("unicode_escape").decode()
        for letter in text
    )


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the end of an error message that asks for the known word most similar to a wrong one; may be empty."""
    import difflib

    near = difflib.get_close_matches(word, list(known), 1, cutoff)
    return f"; did you mean {near[0]}?" if near else ""


def near_names(name: str, known: Sequence[str], ending: str = "") -> str:
    """Return the end of an error message that lists the known names most similar to a wrong one; may be empty."""
    import difflib

    near = difflib.get_close_matches(name, known, 3) or difflib.get_close_matches(name.lower(), known, 3)
    return f"; near: {', '.join(each + ending for each in near)}" if near else ""


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """Return a text as a sentence, with a capital letter and a full stop; an empty text stays empty."""
    return text and capital(end_sentence(text))


def end_sentence(text: str) -> str:
    """Return a text with a full stop at its end unless it already ends like a sentence."""
    return text if text.endswith((".", "?", "!")) else f"{text}."
