"""Reading CSV files of individuals without their weights: names, ranks, origins, parents and results.

Every line is checked here, but only the fields before the weights become objects. Files are read without numpy, and in
steps, so that a window can draw in between.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from evolve.run.append_only import HALL_OF_FAME
from evolve.run.columns import (
    COUNT_COLUMNS,
    CUT,
    GENOME_COLUMN,
    RANKED_COLUMNS,
    UNENDED,
    GenerationError,
    Header,
    check_length,
    lacks_weights,
    parents_text,
    split_row,
    whole_number,
    wrong_length,
    wrong_words,
)
from evolve.run.files import CONFIG, LONGEST_LINE, bounded_lines, signature
from evolve.run.manifest import DIFFERS, NAME, differs, entry_of, generation_number
from evolve.run.packed import is_there, open_generation, signature_of_generation
from extras import modules

ANY_TABLE = ("any",)
"""In place of checksums: the file is opened by itself, so it may be any table, even if it is in the folder of a run."""

PIECE = 1 << 16
"""Approximate number of bytes read in a step."""

_DIGITS = b"0123456789+-.eE, \t"
_NUMBER = re.compile(rb"[ \t]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*")


class Head(NamedTuple):
    """One individual, without its weights.

    Attributes:
        rank: 1 is best; None if the file has no ranks.
        origin: founder, survivor, recombined or mutated; empty if unknown.
        results: games, wins, draws, losses, points; None if unknown.
        generation: generation of a champion in a hall of fame; None in other files.
    """

    name: str
    rank: int | None = None
    origin: str = ""
    parents: tuple[str, ...] = ()
    results: tuple[int, ...] | None = None
    generation: int | None = None

    @classmethod
    def of_row(cls, header: Header, fields: Sequence[str], place: str) -> Head:
        """Return the individual of a row, given its fields before step sizes, state and weights."""
        places = header.places
        name = fields[places["name"]]
        if not name:
            raise GenerationError(f"{place}: the individual has no name")
        if too_long := wrong_length(name):
            raise GenerationError(f"{place}: {too_long}")
        values = header.whole_values(fields)
        if values is None:
            column, at = next((name, at) for name, at in header.whole_numbers if whole_number(fields[at]) is None)
            raise GenerationError(f"{place}: {column} is {fields[at][:40]!r}, expected a whole number")
        numbers = {column: value for (column, _), value in zip(header.whole_numbers, values, strict=True)}
        origin = fields[places["origin"]] if "origin" in places else ""
        parents = parents_text(fields[places["parents"]]) if "parents" in places else ""
        if header.ranked and (wrong := wrong_words(name, origin, parents)):
            raise GenerationError(f"{place}: {wrong}")
        results = tuple(numbers.get(column, 0) for column in COUNT_COLUMNS) if "games" in places else None
        known = numbers.get
        return cls(name, known("rank"), origin, tuple(parents.split()), results, known("generation"))


def read_heads(path: Path, count: int | None = None) -> list[Head]:
    """Read the first individuals of a generation of a run, best first; by default all."""
    lines = first_lines(path, count)
    number, line = next(lines)
    header = Header.parse(line, f"{path}: line {number}")
    missing = [name for name in RANKED_COLUMNS if name not in header.names]
    if missing:
        raise GenerationError(f"{path}: line 1: column {missing[0]} is missing, expected a generation of a run")
    return [_head(header, line, f"{path}: line {number}") for number, line in lines]


def first_lines(path: Path, count: int | None) -> Iterator[tuple[int, bytes]]:
    """Yield the header and the next `count` lines, each as its number (from 1) and its bytes without line end."""
    number = 0
    try:
        with open_generation(path) as file:
            for number, line in enumerate(bounded_lines(file), 1):
                if not line.endswith(b"\n"):
                    raise GenerationError(f"{path}: line {number}: {UNENDED}")
                yield number, line.rstrip(b"\r\n")
                if count is not None and number > count:
                    return
    except OSError as error:
        raise GenerationError(f"{path}: cannot be read: {error.strerror}") from error
    if number == 0:
        raise GenerationError(f"{path}: line 1: the file is empty, expected a generation of a run")
    if number == 1 and count != 0:
        raise GenerationError(f"{path}: line 2: no individuals after the header")


def _head(header: Header, line: bytes, place: str) -> Head:
    last = header.first_number - 1
    fields = split_row(line, last)
    if len(fields) <= last:
        raise GenerationError(f"{place}: {len(fields)} fields, expected more than {last}{CUT}")
    return Head.of_row(header, fields, place)


class Roster:
    """Checks that each name and rank of a file occurs once. In a hall of fame, individuals may occur repeatedly."""

    def __init__(self, header: Header, source: str = "") -> None:
        self._header, self._source = header, source
        self._lines: dict[str, int] = {}
        self._ranks: list[tuple[int, int]] = []

    def add(self, head: Head, line: int) -> None:
        if head.generation is None and head.name in self._lines:
            before = self._lines[head.name]
            raise GenerationError(f"{self._source}line {line}: name {head.name!r} is also in line {before}")
        self._lines[head.name] = line
        if head.rank is not None and head.generation is None:
            self._ranks.append((head.rank, line))

    def finish(self, line: int, *, ended: bool) -> None:
        """Check all rows together after the last line; `ended` is whether that line has a line break."""
        if not self._lines:
            raise GenerationError(f"{self._source}line 2: no individuals after the header")
        if self._header.ranked and not ended:
            raise GenerationError(f"{self._source}line {line}: {UNENDED}")
        for expected, (rank, at) in enumerate(sorted(self._ranks), 1):
            if rank != expected:
                raise GenerationError(
                    f"{self._source}line {at}: rank is {rank}, expected each of 1 to {len(self._ranks)} once "
                    "(for a part of a generation, remove the column rank)"
                )


class RowIndex:
    """A CSV file of individuals, read step by step.

    Outside of runs, or with `ANY_TABLE` as checksums, it may be a table that another program has saved; then the index
    is that of an extra that rewrites tables.

    In a hall of fame, an unfinished last line does not count, since a session may be writing it.

    Attributes:
        signature: signature of the file at the beginning; None if there was no file.
        heads: individuals in the order of the file, once all of it has been read; empty if it is damaged.
        last: the last generation in a hall of fame; -1 in other files.
        checksums: the accepted SHA-256 of the file; `ANY_TABLE` if it may be any table, empty if any is accepted.
        digest: its SHA-256, once all of it has been read with checksums; empty otherwise.
        notes: what is different from a file of this program, such as rows that are left out.
    """

    def __init__(self, path: Path, checksums: tuple[str, ...] = ()) -> None:
        self.path = path
        self.signature = signature_of_generation(path)
        self.heads: list[Head] = []
        self.so_far: list[Head] = []
        self.damage = ""
        self.header = Header((), {})
        self.last = -1
        self.checksums, self.digest = checksums, ""
        self.notes: list[str] = []
        self._work: Iterator[None] | None = self._read()

    @property
    def _in_run(self) -> bool:
        return (self.path.parent / CONFIG).is_file()

    @property
    def complete(self) -> bool:
        return self._work is None

    @property
    def stale(self) -> bool:
        """True if the file has changed since it was opened."""
        return signature_of_generation(self.path) != self.signature

    def holds(self, checksums: tuple[str, ...]) -> bool:
        """Return whether the file is unchanged, and would be judged in the same way with these accepted checksums."""
        same = self.checksums == checksums or (not self.damage and self.digest in checksums)
        return same and not self.stale

    @property
    def weights(self) -> int:
        return self.header.weights

    def step(self) -> bool:
        """Read the next piece; return False at the end."""
        if self._work is None:
            return False
        try:
            next(self._work)
            return True
        except StopIteration:
            pass
        except GenerationError as damage:
            self.damage = str(damage)
        except OSError as error:
            self.damage = f"cannot be read: {error.strerror or error}"
        if self.damage:
            self.heads, self.so_far = [], []
        self._work = None
        return False

    @property
    def _is_checked(self) -> bool:
        return self.checksums not in ((), ANY_TABLE)

    def _read(self) -> Iterator[None]:
        while True:
            before = self.checksums
            try:
                yield from self._read_any()
                return
            except (GenerationError, OSError):
                if (
                    self._is_checked and not self._permitted_now()
                ):  # the generation was given up, or the run was removed
                    self.heads, self.so_far = [], []
                    return
                if before == self.checksums:
                    raise
                self.signature = signature_of_generation(self.path)

    def _permitted_now(self) -> tuple[str, ...]:
        """Return the checksums that the manifest now permits; empty if it no longer lists the generation."""
        folder = self.path.parent
        entry = entry_of(folder, generation_number(self.path.name))
        if entry is not None:
            self.checksums = entry.permitted
        elif signature(folder / NAME) is not None or not folder.exists():
            self.checksums = ()
        return self.checksums

    def _read_any(self) -> Iterator[None]:
        if self._is_checked or (self._in_run and self.checksums != ANY_TABLE):
            yield from self._read_lines()
            return
        try:
            yield from self._read_lines()
        except GenerationError:
            if not (readers := modules("tables")):
                raise
            with open_generation(self.path) as file:
                data = file.read(readers[0].MAX_BYTES + 1)
            pieces = []
            self.so_far = []
            self.notes = [DIFFERS] if differs(self.path, data) else []
            for piece in readers[0].rewritten(data, notes=self.notes):
                pieces.append(piece)
                yield
            yield from self._read_lines(b"".join(pieces))

    def _read_lines(self, rewritten: bytes | None = None) -> Iterator[None]:
        digest = hashlib.sha256()
        held, damage, rows = 0, "", None
        if not is_there(self.path):  # opening a pipe would block until another process writes to it
            raise GenerationError("cannot be read: " + ("not a regular file" if self.path.exists() else "it is gone"))
        with open_generation(self.path) if rewritten is None else io.BytesIO(rewritten) as file:
            while line := file.readline(LONGEST_LINE):
                if self._is_checked:
                    digest.update(line)
                held += len(line)
                if not damage:
                    try:
                        if rows is None:
                            rows = _Rows(line, growing=self.path.name == HALL_OF_FAME and self._in_run)
                            self.header, self.so_far = rows.header, rows.heads
                        else:
                            rows.take(line)
                    except GenerationError as error:
                        damage = str(error)
                        if not self._is_checked:  # otherwise check first whether the checksum is wrong, too
                            raise
                if held >= PIECE:
                    held = 0
                    yield
        if self._is_checked:
            self.digest = digest.hexdigest()
            if self.digest not in self.checksums and self.digest not in self._permitted_now():
                raise GenerationError(DIFFERS + (f" ({damage})" if damage else ""))
        if damage:
            raise GenerationError(damage)
        if rows is None:
            raise GenerationError("the file is empty")
        rows.finish()
        self.last = rows.last
        self.heads = self.so_far = rows.heads


class _Rows:
    def __init__(self, first_line: bytes, *, growing: bool = False) -> None:
        self.header = Header.parse(first_line, "line 1")
        self.header.check("line 1")
        self.header.check_order("line 1")
        self.heads: list[Head] = []
        self._first_line, self._of_champions = first_line, "generation" in self.header.places
        self._first, self._count = self.header.first_number, len(self.header.names)
        self._digest_last = self.header.names[-1] == GENOME_COLUMN  # the weights were not kept
        self._line = 1
        self._roster = Roster(self.header)
        self._ended = True
        self._growing = growing
        self.last = -1

    def take(self, line: bytes) -> None:
        """Check a line, and add its individual if it contains one."""
        if self._growing and not line.endswith(b"\n"):
            return
        self._line += 1
        self._ended = line.endswith(b"\n")
        if self._of_champions:
            self.last = int(number) if (number := line.split(b",", 1)[0]).isdigit() and len(number) < 10 else self.last
        if not line.strip() or (self._of_champions and lacks_weights(self._first_line, line)):
            return
        if b"\0" in line or len(line) >= LONGEST_LINE:
            raise self._damage("binary data")
        fields, numbers = self._cut(line.rstrip(b"\r\n"))
        self._check_numbers(numbers)
        head = Head.of_row(self.header, fields, f"line {self._line}")
        self._roster.add(head, self._line)
        self.heads.append(head)

    def _cut(self, body: bytes) -> tuple[list[str], bytes]:
        first = self._first
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
            raise self._damage("not a CSV row of UTF-8 text") from error
        check_length(count, self._count, f"line {self._line}")
        return fields, numbers

    def finish(self) -> None:
        self._roster.finish(self._line, ended=self._ended)

    def _check_numbers(self, numbers: bytes) -> None:
        if self._digest_last:
            numbers = numbers.rpartition(b",")[0]
            if self._count - self._first == 1:
                return
        empty = b",," in numbers or numbers[:1] == b"," or numbers[-1:] == b","
        if empty or not numbers or numbers.translate(None, _DIGITS):
            for index, text in enumerate(numbers.split(b",")):
                if _NUMBER.fullmatch(text) is None:
                    name = self.header.names[self._first + index]
                    raise self._damage(f"{name} is {text[:40].decode(errors='replace')!r}, expected a number")

    def _damage(self, text: str) -> GenerationError:
        return GenerationError(f"line {self._line}: {text}")
