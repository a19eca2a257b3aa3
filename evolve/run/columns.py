"""Columns and fields of CSV files of individuals, and their valid values. This does not load numpy."""

from __future__ import annotations

import contextlib
import csv
import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from game.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COUNT_COLUMNS = ("games", "wins", "draws", "losses", "points")
RANKED_COLUMNS = ("name", "rank", "origin", "parents", *COUNT_COLUMNS)
"""Columns of every generation that a session writes."""

FACT_COLUMNS = ("generation", "names", *RANKED_COLUMNS)
_WHOLE_COLUMNS = ("generation", "rank", *COUNT_COLUMNS)
KING_COLUMN, GENOME_COLUMN = "king", "genome"
MAX_KING = 100
EXAMPLE = "name,w0,w1,..."
LONGEST_NAME = 64
"""Maximum length of an individual's name in characters; sessions give names of ten characters or slightly more."""
CUT = " (is the file truncated?)"
UNENDED = f"the last line is incomplete{CUT}"

_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_LONG = f"{{1,{LONGEST_NAME}}}"
_WORDS = re.compile(rf"([A-Za-z0-9_]{_LONG}( [A-Za-z0-9_]{_LONG})*)?")
_ROW_WORDS = re.compile(rf"[A-Za-z0-9_]{_LONG}\n[a-z]{_LONG}\n([A-Za-z0-9_]{_LONG}( [A-Za-z0-9_]{_LONG})*)?")
"""Matches name, origin and parents of nearly all valid rows at once."""
_NUMBERED = re.compile(r"[wso][0-9]+")
_MOST_DIGITS = 18


class GenerationError(InputError):
    """A CSV file does not contain valid individuals; the message names file, line and remedy."""


def lacks_weights(header: bytes, line: bytes) -> bool:
    """Return whether a row ends where its weights, or the digest of their file, would begin: they were omitted."""
    if not line.rstrip().endswith(b","):
        return False
    begin = header.find(b",w0,")  # headers may be long, so avoid copies
    if begin < 0:
        begin = header.rfind(b"," + GENOME_COLUMN.encode())
    return begin >= 0 and line.count(b",") == header.count(b",", 0, begin) + 1


def split_row(line: bytes, last: int = -1) -> list[str]:
    """Split a row into fields, or only up to the field at index `last`, so that weights are not processed."""
    body = line.rstrip(b"\r\n")
    if b'"' in body:
        try:
            return next(csv.reader([body.decode("utf-8", "replace")]))
        except csv.Error as error:
            raise GenerationError(f"not a row of CSV: {error}") from error
    if last < 0:
        return body.decode("utf-8", "replace").split(",")
    return [field.decode("utf-8", "replace") for field in body.split(b",", last + 1)[: last + 1]]


def check_length(count: int, expected: int, place: str) -> None:
    """Check that a row has as many fields as the header."""
    if count != expected:
        raise GenerationError(f"{place}: {count} fields, expected {expected}{CUT if count < expected else ''}")


def wrong_length(name: str) -> str:
    if len(name) <= LONGEST_NAME:
        return ""
    return f"name is {name[:40]!r}... of {len(name):,} characters, expected at most {LONGEST_NAME}"


_NOTHING = {"nan", "na", "n/a", "#n/a", "<na>", "none", "null"}


def parents_text(written: str) -> str:
    """Return the names of parents as written; empty also for what other programs write in empty cells."""
    return "" if written.lower() in _NOTHING else written


def wrong_words(name: str, origin: str, parents: str) -> str:
    """Return an error message about the names in a ranked row; empty if they are valid.

    Only letters, digits and underscores are valid, since sessions copy names to the next generation without quotes.
    """
    if _ROW_WORDS.fullmatch(f"{name}\n{origin}\n{parents}"):
        return ""
    if too_long := wrong_length(name):
        return too_long
    for column, text in (("name", name), ("origin", origin), ("parents", parents)):
        if _WORDS.fullmatch(text) is None:
            return f"{column} is {text[:40]!r}, expected letters, digits and _ as in Gen15_0111"
    return ""


def whole_number(text: str) -> int | None:
    """Return a whole number of at most 18 digits; None for anything else."""
    plain = text.isdigit() and text.isascii() and len(text) <= _MOST_DIGITS  # true for nearly all, and faster
    return int(text) if plain or _WHOLE.fullmatch(text.strip(" \t")) else None


def read_numbers(text: bytes, count: int) -> list[float]:
    """Read numbers separated by commas, each as the nearest float64.

    Raises:
        ValueError: one is not a number, or there are more or fewer than `count`.
    """
    import orjson

    numbers = None
    # Numbers written by sessions are JSON, which is parsed ten times faster; but JSON parses -0 as 0.
    if not (text.translate(None, b"0123456789+-.eE,") or b"-0," in text or text.endswith(b"-0")):
        with contextlib.suppress(orjson.JSONDecodeError):
            numbers = orjson.loads(b"[%b]" % text)
    if numbers is None:
        fields = [field.strip(b" \t") for field in text.split(b",")]
        if not all(map(_NUMBER.fullmatch, fields)):
            raise ValueError("expected numbers")
        numbers = list(map(float, fields))
    if len(numbers) != count:
        raise ValueError(f"{len(numbers)} numbers, expected {count}")
    return numbers


def numbered(letter: str, count: int) -> bytes:
    """Return `count` names of columns as in a header: ``w0,w1,...``."""
    return ",".join(f"{letter}{at}" for at in range(count)).encode()


@functools.lru_cache(maxsize=8)
def _columns(line: bytes) -> tuple[tuple[str, ...], dict[str, int], int]:
    """Return the fields of a `Header`. All files of a run have the same first line, which may be long."""
    names = next(csv.reader([line.rstrip(b"\r\n").decode("utf-8-sig")]), [])
    places = {"name" if name == "names" else name: at for at, name in enumerate(names)}
    weights = sum(map(_is_weight, names))
    last = names[len(names) - weights :]
    return tuple(names), places, weights if last == [f"w{at}" for at in range(weights)] else 0


@dataclass(frozen=True)
class Header:
    """The columns of a file, from its first line.

    Attributes:
        places: index of each column; the column ``names`` is also called ``name``.
        in_order: number of weights if these are the last columns, in order; else 0.
    """

    names: Sequence[str]
    places: Mapping[str, int]
    in_order: int = 0

    @classmethod
    def parse(cls, line: bytes, place: str) -> Header:
        """Split a line into names; `check` validates them."""
        if b"\0" in line:
            raise GenerationError(f"{place}: binary data, expected CSV text with a header like {EXAMPLE}")
        try:
            return cls(*_columns(line))
        except (UnicodeDecodeError, csv.Error) as error:
            raise GenerationError(f"{place}: not CSV text, expected a header like {EXAMPLE}") from error

    @cached_property
    def weights(self) -> int:
        """Number of weight columns; 0 in a thinned file."""
        return self.in_order or sum(_is_weight(name) for name in self.places)

    @property
    def ranked(self) -> bool:
        return "rank" in self.places

    @property
    def thinned(self) -> bool:
        return GENOME_COLUMN in self.places and not self.weights

    @cached_property
    def whole_numbers(self) -> list[tuple[str, int]]:
        """Columns of whole numbers, with their indexes."""
        return [(name, self.places[name]) for name in _WHOLE_COLUMNS if name in self.places]

    def whole_values(self, fields: Sequence[str]) -> list[int] | None:
        """Return the values of `whole_numbers` in a row; None if one is not a whole number."""
        texts = [fields[at] for _, at in self.whole_numbers]
        digits = "".join(texts)  # one test for all, since files have tens of thousands of rows
        if digits.isdigit() and digits.isascii() and all(0 < len(text) <= _MOST_DIGITS for text in texts):
            return list(map(int, texts))
        values = [whole_number(text) for text in texts]
        return None if None in values else [value for value in values if value is not None]

    @cached_property
    def added(self) -> tuple[str, ...]:
        """The columns that the kind of run adds to those of every generation, in order."""
        known = {"name", KING_COLUMN, GENOME_COLUMN, *FACT_COLUMNS}
        names = self.names[: len(self.names) - self.in_order]
        return tuple(name for name in names if name not in known and not _NUMBERED.fullmatch(name))

    @cached_property
    def first_number(self) -> int:
        """Number of columns before step sizes, state and weights."""
        texts = (*FACT_COLUMNS, *(self.added if self.ranked else ()))
        return max(self.places[name] for name in texts if name in self.places) + 1

    def check(self, place: str, *, width: int | None = None) -> None:
        """Check that these are the columns of individuals; `width` is the expected number of weights."""
        names, places = self.names, self.places
        others = names[: len(names) - self.in_order]
        if others.count("name") + others.count("names") != 1:
            raise GenerationError(f"{place}: expected one column called name (or names), as in {EXAMPLE}")
        gap = self.in_order or next(at for at in range(self.weights + 1) if f"w{at}" not in places)
        if gap != self.weights or not (gap or self.thinned):
            raise GenerationError(f"{place}: expected weight columns w0, w1, ..., w{gap} is missing")
        if len(places) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise GenerationError(f"{place}: column {twice} appears twice")
        if width is not None and gap != width:
            raise GenerationError(f"{place}: {gap} weight columns, expected {width} (w0 to w{width - 1})")
        missing = [name for name in RANKED_COLUMNS if name not in places] if self.ranked else []
        if missing:
            raise GenerationError(f"{place}: column rank needs a column {missing[0]}")

    def check_order(self, place: str) -> None:
        """Check that the weights come last and in order, so that a row can be read without them."""
        weights = [] if self.in_order else [name for name in self.names if _is_weight(name)]
        if weights != [f"w{at}" for at in range(len(weights))]:
            raise GenerationError(f"{place}: expected weight columns w0, w1, ... in order")
        first = self.first_number
        if first >= len(self.names) or any(name in self.names[:first] for name in ("w0", GENOME_COLUMN)):
            raise GenerationError(f"{place}: expected the weights after all other columns")


def _is_weight(name: str) -> bool:
    return name[:1] == "w" and name[1:].isascii() and name[1:].isdigit()


def last_field(line: bytes) -> str:
    return line.rstrip(b"\r\n").rpartition(b",")[2].decode("utf-8", "replace")


def king_value(header: Header, line: bytes, place: str) -> float | None:
    """Return the king value in a row; None if the file has none."""
    at = header.places.get(KING_COLUMN)
    try:
        return None if at is None else float(split_row(line, at)[at])
    except (ValueError, IndexError) as error:
        raise GenerationError(f"{place}: expected a king value") from error


def weights_of(header: Header, line: bytes, place: str) -> NDArray[np.float32]:
    """Return the weights in a row, float32 of shape (weights,)."""
    import numpy as np

    width = header.weights
    start = header.places["w0"] if width else 0
    body = line.rstrip(b"\r\n")
    count, end = body.count(b",") + 1, body.split(b",", start)[-1]
    if b'"' in body or not header.in_order:
        fields = split_row(body)
        count, end = len(fields), ",".join(fields[start : start + width]).encode()
    row = np.empty(0, np.float32)
    if count == len(header.names):
        with contextlib.suppress(ValueError), np.errstate(over="ignore"):
            row = np.array(read_numbers(end, width), np.float64).astype(np.float32)
    if len(row) != width or not np.isfinite(row).all():
        raise GenerationError(f"{place}: expected {width} finite weights{CUT}")
    return row
