"""The growing files of a run: the log, the hall of fame and the champions' games.

`Tail` reads such a file while a session appends to it.
"""

from __future__ import annotations

import errno
import io
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from evolve.run.files import LONGEST_LINE, Signature, bounded_lines, cut, signature_of
from game.regular_files import MAX_BYTES, open_regular

NAMES = LOG, HALL_OF_FAME, CHAMPIONS = "log.csv", "hall_of_fame.csv", "champions.pdn"
MAX_DIGITS = 9
MAX_LOG_BYTES = 1 << 28
"""Largest size of a log, which is read as a whole; the log of a million generations is smaller."""


def whole_number(text: bytes) -> int:
    """Parse a generation number; return -1 for any other text."""
    return int(text) if text.isdigit() and len(text) <= MAX_DIGITS else -1


def round_generation(line: bytes) -> int:
    """Return the generation in a tag ``[Round "GENERATION.GAME"]``; -1 for any other line."""
    start = b'[Round "'
    return whole_number(line[len(start) :].split(b".", 1)[0]) if line.startswith(start) else -1


def cut_all(folder: Path, generation: int) -> None:
    """Truncate each file after the last complete entry of a generation (-1: empty the files)."""
    for name in NAMES:
        path = folder / name
        if path.is_file():
            with open_growing(path) as file:
                end = _end_of(file, generation)
            cut(path, end)


def copy_up_to(source: Path, target: Path, generation: int) -> None:
    """Copy a growing file up to the last complete entry of a generation."""
    with open_growing(source) as old, open(target, "xb") as new:
        left = _end_of(old, generation)
        old.seek(0)
        while left and (piece := old.read(min(left, 1 << 20))):
            new.write(piece)
            left -= len(piece)


def open_growing(path: Path) -> IO[bytes]:
    """Open a growing file; the log has a lower size limit, since it is read as a whole."""
    return open_regular(path, most=MAX_LOG_BYTES if path.name == LOG else MAX_BYTES)


def _end_of(file: IO[bytes], generation: int) -> int:
    if generation < 0:
        return 0
    kept = itertools.takewhile(lambda entry: entry[0] <= generation, _entries(file))
    return max((end for _, end in kept), default=0)


def complete_to(path: Path) -> int:
    """Return the last generation before the first gap in a file; -1 if it is missing or starts after generation 0."""
    last = -1
    if path.is_file():
        with open_growing(path) as file:
            for number, _ in _entries(file):
                if number not in (last, last + 1):
                    break
                last = number
    return last


def _entries(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    before = -1
    for number, end in _pdn_entries(file) if Path(file.name).suffix == ".pdn" else _csv_entries(file):
        if number < before:
            return
        before = number
        yield number, end


def _csv_entries(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    end = 0
    for index, line in enumerate(bounded_lines(file)):
        number = whole_number(line.split(b",", 1)[0])
        if not line.endswith(b"\n") or (index > 0) != (number >= 0):
            return
        end += len(line)
        yield number, end


def _pdn_entries(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    end, number, moves = 0, -1, False  # offset; generation of the current game, and whether its moves have begun
    for line in bounded_lines(file):
        if not line.endswith(b"\n"):
            return
        end += len(line)
        if line.startswith(b"[Event "):
            number, moves = -1, False
        elif line.startswith(b"[Round "):
            number = round_generation(line)
            if number < 0:
                return
        elif line == b"\n" and number >= 0 and moves:
            yield number, end
        elif line[:1] not in b"[\n":
            moves = True


MOST = 1 << 19
"""Bytes read at a time, so that large files do not block the window."""


@dataclass(frozen=True)
class News:
    """New lines of a file; `anew` if earlier lines are no longer valid: it was truncated, replaced or removed."""

    anew: bool = False
    lines: tuple[tuple[int, bytes], ...] = ()
    more: bool = False


class Tail:
    """Reads the lines of a growing file, each once; an unfinished last line is returned when it is complete."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trouble = ""
        self._forget()

    def _forget(self) -> None:
        self._at = 0
        self._before = b""  # the last bytes read; if they are unchanged, the file has only grown
        self._signature: Signature | None = None
        self._begun = False

    def read(self, most: int = MOST, *, again: bool = False) -> News:
        """Return the new lines; with `again` all lines if the file has changed, because those before were damaged."""
        try:
            signature = signature_of(self.path)
            if signature == self._signature:
                return News()
            # A session appends to the file or truncates it, so with the same size it was changed by something else.
            if self._begun and self._signature and (again or signature.size == self._signature.size):
                self._forget()
                return replace(self._read(signature, most), anew=True)
            return self._read(signature, most)
        except FileNotFoundError:
            gone = self._begun
            self._forget()
            self.trouble = ""
            return News(anew=gone)
        except OSError as error:
            trouble = f"{self.path.name} cannot be read: {error.strerror}."
            news = News(anew=trouble != self.trouble and self._begun)
            self.trouble = trouble
            return news

    def _read(self, signature: Signature, most: int) -> News:
        with open_regular(self.path) as file:
            size, anew = signature.size, False
            if self._begun:
                file.seek(self._at - len(self._before))
                if size < self._at or file.read(len(self._before)) != self._before:
                    self._forget()
                    anew = True
            self._begun, self.trouble = True, ""
            file.seek(self._at)
            data = file.read(most)
            if b"\n" not in data and len(data) >= most:  # one very long line
                data += file.readline(LONGEST_LINE)
                if len(data) > LONGEST_LINE:
                    self._signature = signature  # do not retry until the file changes
                    raise OSError(errno.EFBIG, f"a line of more than {LONGEST_LINE:,} bytes", str(self.path))
        end = data.rfind(b"\n") + 1
        lines, at = [], self._at
        for line in io.BytesIO(data[:end]):
            lines.append((at, line))
            at += len(line)
        if end:
            self._before = data[max(end - 64, 0) : end]
        self._at = at
        more = len(data) >= most and end > 0
        self._signature = None if more else signature
        return News(anew, tuple(lines), more)
