"""The manifest of a run: its complete generations and their checksums.

``manifest.csv`` has one row for each generation: generation, file, sha256 as first written, sha256 now, check. The
check is a SHA-256 over the previous row's check and this row, so it detects a changed byte in any row.

Earlier rows are in ``manifest_earlier.csv``, in the same form; they are written there before they are removed from
``manifest.csv``, so that a kill never loses any.

At every moment the files of a run agree with its manifest: a session changes a file only after the manifest permits
both contents, and removes it only after the manifest no longer lists it. But what a process has read of a growing run
may be from different moments. So a file counts as damaged only if the manifest says the same about it before and after
it was read (`entry_of`), and any other error only if the manifest was not replaced meanwhile, or if it comes again
(`read_again`).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import math
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, ParamSpec, TypeVar

from evolve.run.append_only import whole_number
from evolve.run.files import CONFIG, DamagedRunError, Signature, signature, write_atomically
from game.errors import InputError
from game.regular_files import open_regular

NAME, EARLIER = "manifest.csv", "manifest_earlier.csv"
MOST_ROWS, KEPT_ROWS = 512, 256
"""When ``manifest.csv`` exceeds `MOST_ROWS`, only the newest `KEPT_ROWS` and any rows that may still change stay in
it."""

HEADER = "generation,file,sha256_first,sha256_now,check"
DIFFERS = "its bytes are not what the session wrote"
_MOST_TRIES = 10
_NAME = re.compile(r"generation_([0-9]{4}|[1-9][0-9]{4,8})\.csv")  # as in `generation_name`
_HEX = set("0123456789abcdef")
_FIELDS = 5
_SHA_DIGITS = 64
_MOST_BYTES = 256  # in a row; valid rows are shorter

P = ParamSpec("P")
T = TypeVar("T")


def generation_name(generation: int) -> str:
    return f"generation_{generation:04d}.csv"


def generation_number(name: str) -> int:
    """Return the number of a generation from the name of its file; -1 for any other name."""
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else -1


@dataclass(frozen=True, slots=True)
class GenerationEntry:
    """One complete generation, with the SHA-256 of its file as `first` written and as it should be `now`."""

    generation: int
    first: str
    now: str

    @property
    def file(self) -> str:
        return generation_name(self.generation)

    @property
    def permitted(self) -> tuple[str, str]:
        """The checksums that the file may have; it may still be as first written."""
        return self.now, self.first

    @property
    def thinned(self) -> bool:
        return self.now != self.first


@dataclass(frozen=True)
class Manifest:
    """Generations 0 to n without gaps; `damage` describes the first damaged row, if any."""

    entries: tuple[GenerationEntry, ...] = ()
    damage: str | None = None

    @property
    def newest(self) -> int:
        """Number of the newest complete generation; -1 if there is none."""
        return len(self.entries) - 1

    @property
    def whole(self) -> list[int]:
        return [entry.generation for entry in self.entries if not entry.thinned]

    def digest(self) -> str:
        """Return the SHA-256 over the joined hexadecimal checksums of all files as first written; empty without any."""
        if not self.entries:
            return ""
        return hashlib.sha256("".join(entry.first for entry in self.entries).encode()).hexdigest()

    def with_entry(self, sha256: str) -> Manifest:
        return self._changed(len(self.entries), GenerationEntry(len(self.entries), sha256, sha256))

    def with_thinned(self, generation: int, sha256: str) -> Manifest:
        entry = replace(self.entries[generation], now=sha256)
        return self._changed(generation, entry, *self.entries[generation + 1 :])

    def up_to(self, generation: int) -> Manifest:
        return self._changed(generation + 1)

    def text(self, start: int = 0, end: int | None = None) -> str:
        return "\n".join([HEADER, *self._rows[start:end], ""])

    def write(self, folder: Path, changeable: int = 0) -> None:
        """Replace the manifest of a run folder, durably.

        Args:
            changeable: number of the newest generations that may still be thinned; their rows stay in ``manifest.csv``.
        """
        start = self._start
        if not self._anew and len(self.entries) - start > MOST_ROWS + changeable:
            start = len(self.entries) - KEPT_ROWS - changeable
            write_atomically(folder / EARLIER, self.text(0, start).encode())
        write_atomically(folder / NAME, self.text(start).encode())
        self.__dict__.update(_start=start, _anew=False)

    def _changed(self, kept: int, *entries: GenerationEntry) -> Manifest:
        """Return the first `kept` entries followed by the given ones, without damage."""
        after = Manifest((*self.entries[:kept], *entries))
        # Keep the rows: in a long run, computing all checks again would dominate the time of a save.
        after.__dict__["_rows"] = _rows(self._rows[:kept], entries)
        # If rows in the earlier file change, write all rows to manifest.csv, so that a kill cannot leave a mixture.
        moved = self._start if self._start < min(kept + 1, len(after.entries)) else 0
        after.__dict__.update(_start=moved, _anew=self._anew or moved < self._start)
        return after

    @functools.cached_property
    def _start(self) -> int:
        """The first generation whose row is in ``manifest.csv`` on disk."""
        return 0

    @functools.cached_property
    def _anew(self) -> bool:
        """True if the next write puts all rows into ``manifest.csv``."""
        return False

    @functools.cached_property
    def _rows(self) -> list[str]:
        return _rows([], self.entries)


def _rows(before: list[str], entries: Sequence[GenerationEntry]) -> list[str]:
    rows = before
    for entry in entries:
        check = rows[-1].rpartition(",")[2] if rows else ""
        row = f"{entry.generation},{entry.file},{entry.first},{entry.now}"
        rows.append(f"{row},{_check(check, row)}")
    return rows


def _check(before: str, row: str) -> str:
    return hashlib.sha256(f"{before}\n{row}".encode()).hexdigest()[:16]


def read(folder: Path) -> Manifest:
    """Read the manifest of a run folder; it is empty if there is no file, and says what is damaged."""

    def earlier() -> Manifest:
        path = folder / EARLIER
        seen = signature(path)
        return _of(path) if seen is None else _of_unchanged(path, seen)

    def both() -> Manifest:
        known = _of(folder / NAME, earlier)
        if known.damage and not known.entries:
            known = replace(earlier(), damage=known.damage)
        return known

    return unless_replaced(folder, both, lambda known: known.damage)


def _of(path: Path, earlier: Callable[[], Manifest] = Manifest) -> Manifest:
    try:
        with open_regular(path, most=math.inf) as file:  # reading stops at the first damaged row
            return parse(file, earlier)
    except FileNotFoundError:
        return Manifest()
    except OSError as error:
        raise DamagedRunError(f"{path}: cannot be read: {error.strerror}") from error


@functools.lru_cache(maxsize=4)
def _of_unchanged(path: Path, seen: Signature) -> Manifest:
    """Read earlier rows, of which a long run has many; they are replaced only once in many generations."""
    return _of(path)


def unless_replaced(folder: Path, read: Callable[[], T], wrong: Callable[[T], str | None]) -> T:
    """Return what `read` returns; read again if something is wrong with it, but the manifest was replaced meanwhile."""
    before: str | None = None
    for _ in range(_MOST_TRIES):
        seen = _signatures(folder)
        result = read()
        fault = wrong(result)
        if not fault or fault == before or seen == _signatures(folder):
            break
        before = fault
    return result


def read_again(folder: Path, read: Callable[[], T]) -> T:
    """Return what `read` returns; try again after an error if the manifest was replaced meanwhile."""

    def caught() -> T | InputError | OSError:
        try:
            return read()
        except (InputError, OSError) as error:
            return error

    result = unless_replaced(folder, caught, lambda one: str(one) if isinstance(one, (InputError, OSError)) else None)
    if isinstance(result, (InputError, OSError)):
        raise result
    return result


def rereads(method: Callable[P, T]) -> Callable[P, T]:
    """Decorate a method of a run so that it reads again after an error, as `read_again` does."""

    @functools.wraps(method)
    def reading(*values: P.args, **options: P.kwargs) -> T:
        run: Any = values[0]
        return read_again(run.path, lambda: method(*values, **options))

    return reading


def _signatures(folder: Path) -> tuple[Signature | None, ...]:
    return signature(folder / NAME), signature(folder / EARLIER)


def entry_of(folder: Path, generation: int) -> GenerationEntry | None:
    """Return what the manifest now says about a generation, without checking other rows; None if it is not listed."""
    for name in (NAME, EARLIER):
        numbers = []
        with contextlib.suppress(OSError), open_regular(folder / name, most=math.inf) as file:
            for line in itertools.islice(iter(lambda: file.readline(_MOST_BYTES), b""), 1, None):
                numbers.append(whole_number(line.split(b",", 1)[0]))
                if numbers[-1] == generation:
                    return _entry(line.decode("utf-8", "replace").split(",")[:-1], generation)
        if not numbers or numbers[0] <= generation:  # earlier rows of a run that went back may be in the other file
            break
    return None


def last_number(folder: Path) -> int | None:
    """Read the number of the newest complete generation from the last line, without verifying anything.

    Returns:
        -1 if there is none; None if the line cannot be read.

    Raises:
        FileNotFoundError: there is no manifest.
    """
    try:
        with open_regular(folder / NAME, most=math.inf) as file:
            file.seek(max(file.seek(0, os.SEEK_END) - 2 * _MOST_BYTES, 0))
            number = file.read(2 * _MOST_BYTES).rstrip(b"\n").rpartition(b"\n")[2].partition(b",")[0]
    except FileNotFoundError:
        raise
    except OSError:
        return None
    return -1 if number == b"generation" else int(number) if number.isdigit() and len(number) < 10 else None


def differs(path: Path, data: bytes) -> bool:
    """Return whether a file is a generation of a run, but its bytes are not what the session wrote."""
    number = generation_number(path.name)
    if number < 0 or not (path.parent / CONFIG).is_file():
        return False
    entries = read(path.parent).entries[number : number + 1]
    return bool(entries) and sha256(data) not in (entries[0].first, entries[0].now)


def parse(file: IO[bytes], earlier: Callable[[], Manifest] = Manifest) -> Manifest:
    """Read the rows of an open file up to the first damaged one; nothing after it is read."""
    lines = iter(lambda: file.readline(_MOST_BYTES), b"")
    header = next(lines, b"").decode("utf-8", "replace")
    entries: list[GenerationEntry] = []
    rows: list[str] = []
    start, check, damage = 0, "", None
    if not header.endswith("\n"):
        damage = "line 1 is cut"
    for number, line in enumerate(lines, 2):
        if len(line) < _MOST_BYTES and not line.endswith(b"\n"):
            damage = f"line {number} is cut"
            break
        text = line.decode("utf-8", "replace").removesuffix("\n")
        row, _, written = text.rpartition(",")
        if number == 2 and _entry(row.split(","), first := whole_number(line.split(b",", 1)[0])) and first > 0:
            before = earlier()
            if before.newest < first - 1:
                why = f"ends at generation {before.newest}" if before.entries else "is missing or empty"
                why = why if before.damage is None else f"is damaged: {before.damage}"
                return replace(before, damage=f"{EARLIER}, which should have generations 0 to {first - 1}, {why}")
            entries, rows, start = list(before.entries[:first]), before._rows[:first], first
            check = rows[-1].rpartition(",")[2]
        check = _check(check, row)
        entry = _entry(row.split(","), len(entries))
        if entry is None or written != check:
            damage = f"line {number} is damaged"
            break
        entries.append(entry)
        rows.append(text)
    else:
        if header.removesuffix("\n") != HEADER:  # the header has no check
            damage = "line 1 is not a manifest header"
    read = Manifest(tuple(entries), damage)
    read.__dict__.update(_rows=rows, _start=start)
    return read


def _entry(fields: list[str], number: int) -> GenerationEntry | None:
    # Another name could refer to any file, which a session would then thin or set aside.
    if len(fields) != _FIELDS - 1 or fields[:2] != [str(number), generation_name(number)]:
        return None
    if any(len(value) != _SHA_DIGITS or not set(value) <= _HEX for value in fields[2:]):
        return None
    return GenerationEntry(number, *fields[2:])


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
