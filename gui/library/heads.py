"""The individuals of a CSV file without their weights, read in small steps: names, ranks, origins, results, damage.

Every line is looked at, but only what stands before the weights becomes objects: ten thousand individuals are listed in
the time in which pandas reads one generation. What is sound here can only fail later by a number out of range.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evolve.run.file_stamp import signature

FACTS = ("generation", "name", "names", "rank", "origin", "parents", "games", "wins", "draws", "losses", "points")
COUNTS = ("games", "wins", "draws", "losses", "points")
PIECE = 1 << 16
"""Bytes between two steps, about."""

LONGEST_LINE = 1 << 26
_DIGITS = b"0123456789+-.eE, \t"
_NUMBER = re.compile(rb"[ \t]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*")


class Head(NamedTuple):
    """One individual.

    Attributes:
        name: of the individual.
        rank: 1 is best; None in files that know none.
        origin: founder, survivor, recombined or mutated; empty if unknown.
        parents: names, separated by spaces.
        results: games, wins, draws, losses, points; None if unknown.
        generation: of a hall of fame; None in other files.
    """

    name: str
    rank: int | None = None
    origin: str = ""
    parents: str = ""
    results: tuple[int, ...] | None = None
    generation: int | None = None


@dataclass(frozen=True)
class _Columns:
    count: int
    names: tuple[str, ...]
    places: dict[str, int]
    first: int  # columns before the numbers; all facts are among them
    weights: int


class _DamageError(Exception):
    pass


class Heads:
    """A file that is read, or was.

    Attributes:
        path: the file.
        signature: of the file when it was opened; None if it could not be.
        heads: individuals in the order of the file; none if it is damaged.
        damage: what is wrong, naming the line; empty if nothing was found.
        weights: number of weight columns; 0 if they were not kept.
        columns: names of all columns, once the first line was read.
        starts: where the line of each individual begins, in bytes from the start of the file.
        share: how much of the file was read, 0 to 1.
        checksums: SHA-256 that it may have; any if there are none.
    """

    def __init__(self, path: Path, checksums: tuple[str, ...] = ()) -> None:
        """Prepare to read a file; nothing is opened before the first step.

        Args:
            path: the file.
            checksums: SHA-256 that it may have; any if there are none.
        """
        self.path = path
        self.signature = signature(path)
        self.heads: list[Head] = []
        self.damage = ""
        self.weights = 0
        self.columns: tuple[str, ...] = ()
        self.starts: list[int] = []
        self.share = 0.0
        self.checksums = checksums
        self._work: Iterator[None] | None = self._read()

    @property
    def complete(self) -> bool:
        """Whether it was read to its end."""
        return self._work is None

    def step(self) -> bool:
        """Read a piece more; False after the end."""
        if self._work is None:
            return False
        try:
            next(self._work)
            return True
        except StopIteration:
            pass
        except _DamageError as damage:
            self.damage = str(damage)
        except OSError as error:
            self.damage = f"cannot be read: {error.strerror or error}"
        if self.damage:
            self.heads, self.starts = [], []
        self.share, self._work = 1.0, None
        return False

    def _read(self) -> Iterator[None]:
        size = max(self.signature.size, 1) if self.signature else 1
        digest = hashlib.sha256()
        read = held = 0
        reader: _Reader | None = None
        damage = ""
        if not self.path.is_file():  # opening a pipe would wait for whoever writes to it
            raise _DamageError("cannot be read: " + ("not a regular file" if self.path.exists() else "it is gone"))
        with self.path.open("rb") as file:
            while line := file.readline(LONGEST_LINE):
                digest.update(line)
                read += len(line)
                held += len(line)
                if not damage:
                    try:
                        if reader is None:
                            reader = _Reader(line)
                            self.weights, self.columns = reader.columns.weights, reader.columns.names
                        elif reader.take(line):
                            self.starts.append(read - len(line))
                    except _DamageError as found:
                        damage = str(found)
                        if not self.checksums:  # else what follows tells whether the session wrote it so
                            raise
                if held >= PIECE:
                    held, self.share = 0, read / size
                    yield
        if self.checksums and digest.hexdigest() not in self.checksums:
            raise _DamageError("its bytes are not what the session wrote" + (f" ({damage})" if damage else ""))
        if damage:
            raise _DamageError(damage)
        if reader is None:
            raise _DamageError("the file is empty")
        reader.finish()
        self.heads = reader.heads


class _Reader:
    """The lines of one file, checked one by one."""

    def __init__(self, header: bytes) -> None:
        self.columns = _columns(header)
        self.heads: list[Head] = []
        self._line = 1
        self._lines: dict[str, int] = {}
        self._ended = True

    def take(self, line: bytes) -> bool:
        """Look at a line; returns whether it is an individual's."""
        self._line += 1
        places = self.columns.places
        self._ended = line.endswith(b"\n")
        if not line.strip():
            return False
        if b"\0" in line or len(line) >= LONGEST_LINE:
            raise self._damage("binary data")
        fields, numbers = self._cut(line.rstrip(b"\r\n"))
        self._check_numbers(numbers)
        name = fields[places["name"]]
        if not name:
            raise self._damage("the individual has no name")
        generation = self._whole(fields, "generation")
        if generation is None and name in self._lines:
            raise self._damage(f"name {name!r} stands in line {self._lines[name]} already")
        self._lines[name] = self._line
        results = tuple(self._whole(fields, column) or 0 for column in COUNTS) if "games" in places else None
        origin = fields[places["origin"]] if "origin" in places else ""
        parents = fields[places["parents"]] if "parents" in places else ""
        self.heads.append(Head(name, self._whole(fields, "rank"), origin, parents, results, generation))
        return True

    def _cut(self, body: bytes) -> tuple[list[str], bytes]:
        """The fields before the numbers, and these, still with their commas."""
        first, expected = self.columns.first, self.columns.count
        try:
            if b'"' in body:
                all_fields = next(csv.reader([body.decode()]))
                count, fields = len(all_fields), all_fields[:first]
                numbers = ",".join(all_fields[first:]).encode()
            else:
                count = body.count(b",") + 1
                *facts, numbers = body.split(b",", first)
                fields = [fact.decode() for fact in facts]
        except (csv.Error, UnicodeDecodeError) as error:
            raise self._damage("no CSV row of UTF-8 text") from error
        if count != expected:
            raise self._damage(
                f"{count} fields, expected {expected}" + (" (is the file cut?)" if count < expected else "")
            )
        return fields, numbers

    def finish(self) -> None:
        if not self.heads:
            raise _DamageError("line 2: no individuals after the header")
        places = self.columns.places
        if "rank" not in places:
            return
        if not self._ended:
            raise self._damage("the last line does not end (is the file cut?)")
        ranks = sorted(head.rank or 0 for head in self.heads)
        if "generation" not in places and ranks != list(range(1, len(ranks) + 1)):
            raise _DamageError(f"ranks: expected each of 1 to {len(ranks)} once")

    def _check_numbers(self, numbers: bytes) -> None:
        columns = self.columns
        if columns.names[-1] == "genome":  # all that was kept of the weights
            numbers = numbers.rpartition(b",")[0]
            if columns.count - columns.first == 1:
                return
        empty = b",," in numbers or numbers[:1] == b"," or numbers[-1:] == b","
        if empty or not numbers or numbers.translate(None, _DIGITS):
            for index, text in enumerate(numbers.split(b",")):
                if _NUMBER.fullmatch(text) is None:
                    name = columns.names[columns.first + index]
                    raise self._damage(f"{name} is {text[:40].decode(errors='replace')!r}, expected a number")

    def _whole(self, fields: list[str], column: str) -> int | None:
        at = self.columns.places.get(column)
        if at is None:
            return None
        text = fields[at]
        if not (text.removeprefix("-").isascii() and text.removeprefix("-").isdigit() and len(text) < 19):
            raise self._damage(f"{column} is {text[:40]!r}, expected a whole number")
        return int(text)

    def _damage(self, text: str) -> _DamageError:
        return _DamageError(f"line {self._line}: {text}")


def _columns(header: bytes) -> _Columns:
    """What the columns of a file are.

    Raises:
        _DamageError: they are not those of individuals.
    """
    if b"\0" in header:
        raise _DamageError("line 1: binary data, expected CSV text with a header like name,w0,w1,...")
    try:
        names = next(csv.reader([header.decode("utf-8-sig").rstrip("\r\n")]), [])
    except (UnicodeDecodeError, csv.Error):
        names = []
    if names.count("name") + names.count("names") != 1:
        raise _DamageError("line 1: expected a header like name,w0,w1,... with one column called name (or names)")
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        raise _DamageError(f"line 1: column {twice} stands there twice")
    places = {"name" if name == "names" else name: at for at, name in enumerate(names) if name in FACTS}
    if "rank" in places:
        missing = [name for name in ("origin", "parents", *COUNTS) if name not in places]
        if missing:
            raise _DamageError(f"line 1: column {missing[0]} is missing beside rank")
    weights = [name for name in names if name[:1] == "w" and name[1:].isdigit()]
    if weights != [f"w{index}" for index in range(len(weights))] or not (weights or "genome" in names):
        raise _DamageError("line 1: expected weight columns w0, w1, ... in order")
    first = max(places.values()) + 1
    if first >= len(names) or any(name in names[:first] for name in ("w0", "genome")):
        raise _DamageError("line 1: expected the weights behind all other columns")
    return _Columns(len(names), tuple(names), places, first, len(weights))
