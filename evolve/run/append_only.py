"""The files of a run that only grow: the log, the hall of fame, the champions' games. They are cut, never rewritten."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from evolve.run.files import bounded_lines, cut
from game.regular_files import MAX_BYTES, open_regular

NAMES = LOG, HALL_OF_FAME, CHAMPIONS = "log.csv", "hall_of_fame.csv", "champions.pdn"
MAX_DIGITS = 9
MAX_LOG_BYTES = 1 << 28
"""Of the log, which is read as a whole: a million generations have less."""


def whole_number(text: bytes) -> int:
    """The number of a generation; -1 for anything else."""
    return int(text) if text.isdigit() and len(text) <= MAX_DIGITS else -1


def round_generation(line: bytes) -> int:
    """The generation of the games' tag ``[Round "GENERATION.GAME"]``; -1 for any other line."""
    start = b'[Round "'
    return whole_number(line[len(start) :].split(b".", 1)[0]) if line.startswith(start) else -1


def cut_all(folder: Path, generation: int) -> None:
    """Cut each file after the last whole entry of a generation (-1: empty them).

    Raises:
        OSError: a file could not be changed.
    """
    for name in NAMES:
        path = folder / name
        if path.is_file():
            with open_growing(path) as file:
                end = _end_of(file, generation)
            cut(path, end)


def copy_up_to(source: Path, target: Path, generation: int) -> None:
    """Copy a growing file up to the last whole entry of a generation; nothing behind it is read.

    Raises:
        OSError: it cannot be read, is no ordinary file or too large, or the copy cannot be written.
    """
    with open_growing(source) as old, open(target, "xb") as new:
        left = _end_of(old, generation)
        old.seek(0)
        while left and (piece := old.read(min(left, 1 << 20))):
            new.write(piece)
            left -= len(piece)


def open_growing(path: Path) -> IO[bytes]:
    """Open a growing file; the log, which is read as a whole, has a limit of its own.

    Raises:
        OSError: as of `open_regular`.
    """
    return open_regular(path, most=MAX_LOG_BYTES if path.name == LOG else MAX_BYTES)


def _end_of(file: IO[bytes], generation: int) -> int:
    """Return where the last whole entry of a generation ends; 0 for -1."""
    if generation < 0:
        return 0
    kept = itertools.takewhile(lambda entry: entry[0] <= generation, _entries(file))
    return max((end for _, end in kept), default=0)


def complete_to(path: Path) -> int:
    """The last generation up to which a file has every one, in order; -1 if it is not there or begins otherwise."""
    last = -1
    if path.is_file():
        with open_growing(path) as file:
            for number, _ in _entries(file):
                if number not in (last, last + 1):
                    break
                last = number
    return last


def _entries(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    """Generation and end (bytes) of each whole entry, up to the first that is torn or out of order; a header is -1."""
    before = -1
    for number, end in _games(file) if Path(file.name).suffix == ".pdn" else _lines(file):
        if number < before:
            return
        before = number
        yield number, end


def _lines(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    """Lines of a CSV file whose first column is the generation."""
    end = 0
    for index, line in enumerate(bounded_lines(file)):
        number = whole_number(line.split(b",", 1)[0])
        if not line.endswith(b"\n") or (index > 0) != (number >= 0):
            return
        end += len(line)
        yield number, end


def _games(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    """Games of a PDN file; a game's round is ``GENERATION.GAME``."""
    end, number, moves = 0, -1, False  # of the present game: its generation, and whether its moves were seen
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
