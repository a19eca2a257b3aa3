"""Building the files of tablebases: what is missing is solved, written, and compared with the rules."""

from __future__ import annotations

import logging
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from game.board import Position
from game.endgame import table_file, verify_kernels
from game.endgame.build import Crew, Meter, Report, Values, groups, memory_of, solve_missing
from game.endgame.lookup import Tables
from game.endgame.slices import LEAST_PIECES, Slice, slices_of, slices_up_to
from game.errors import InputError, describe
from game.kernels import CAPACITY, MOVE_WORDS
from game.resources import cores, free_memory

DISTANCES = 5
"""Tables of up to so many pieces have distances."""
SAMPLES = 10_000_000
"""So many positions of each number of pieces are compared with their successors, or all of them."""

_PROGRAM = 300e6
"""Bytes of memory without tables: Python, and compiling for the first time."""
_VALUE_BYTES, _DISTANCE_BYTES = 0.1, 0.7
"""Of files, a position, at most; measured."""
_LEFT_FREE = 50e6
"""Bytes of the disk that are left to others."""
_CHECK_WORK = 2
"""To compare a position takes as long as to solve so many."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a build takes, in bytes.

    Attributes:
        memory: at most.
        disk: of files that are not there yet, at most.
    """

    memory: float
    disk: float


def needs(pieces: int, folder: Path | None = None, threads: int | None = None) -> Needs:
    """What building all tables up to a number of pieces takes.

    Args:
        pieces: of the largest tables.
        folder: files that are there already, by their names, headers and sizes, are left out of the disk that is
            needed; None: nothing is there.
        threads: number of threads; None for one a core.

    Raises:
        TableError: the folder cannot be read.
    """
    threads = threads or cores()
    memory, disk = 0, 0.0
    for number in range(LEAST_PIECES, pieces + 1):
        exact = number <= DISTANCES
        for group in groups(slices_of(number)):
            both = {each for pair in group for each in (pair, pair.other)}
            packing = sum(sorted(table_file.packing_memory(each, exact) for each in both)[-threads:])
            memory = max(memory, memory_of(group, int(exact), threads), packing)
    there = set() if folder is None else {each.slice for each in table_file.survey(folder) if not each.fault}
    for which in slices_up_to(pieces):
        if which not in there:
            disk += which.positions * (_VALUE_BYTES + _DISTANCE_BYTES * (which.pieces <= DISTANCES)) + 4096
    return Needs(sum(each.positions for each in slices_up_to(pieces)) + memory + _PROGRAM, disk)


def build_tables(
    folder: Path,
    pieces: int,
    *,
    report: Report | None = None,
    threads: int | None = None,
    samples: int = SAMPLES,
) -> None:
    """Build the files of all slices up to a number of pieces that are not there, and compare them with the rules.

    A build that was ended goes on: what it had not compared yet (``N.unchecked`` tells of it) is compared.

    The bytes of the files depend on nothing but the slices. A file that is damaged is named and built anew.

    Args:
        folder: of the files.
        pieces: of the largest tables, 2 to 7.
        report: is told how far the build is, from any of its threads.
        threads: number of threads; None for one a core.
        samples: as in `verify_tables`, for numbers of pieces of which files were missing.

    Raises:
        InputError: too little memory or disk is free, with the figures.
        BusyError: another process builds in this folder.
        TableError: a file that was written does not agree with the rules.
        OSError: a file could not be written.
    """
    with table_file.locked(folder), Crew(threads) as crew:
        missing = _missing(folder, pieces)
        if missing:
            _refuse_too_little(folder, pieces, threads)
        _mark(folder, missing)
        numbers = range(LEAST_PIECES, pieces + 1)
        unchecked = [number for number in numbers if _mark_of(folder, number).exists()]
        checks = {number: _CHECK_WORK * min(samples, _positions(number)) for number in numbers}
        work = sum(each.positions for each in missing | {each.other for each in missing})
        work += sum(checks[number] for number in unchecked)
        total = sum(_positions(number) + checks[number] for number in numbers)
        meter = Meter(total, report, total - work)
        try:
            _build_missing(folder, pieces, missing, crew, meter)
        except MemoryError:  # a limit of this process
            wanted = needs(pieces, folder, threads).memory / 1e6
            text = f"tables of {pieces} pieces need {wanted:,.0f} MB of memory, this process gets less"
            raise InputError(text) from None
        for number in unchecked:
            _verify(folder, number, samples, crew, meter)
            _mark_of(folder, number).unlink()


def build_unchecked(folder: Path, pieces: int) -> None:
    """Build the files of `build_tables` that are not there, whatever is free; the next `build_tables` compares them.

    Raises:
        BusyError: another process builds in this folder.
        TableError: a file was damaged meanwhile.
        OSError: a file could not be written.
    """
    with table_file.locked(folder), Crew() as crew:
        missing = _missing(folder, pieces)
        _mark(folder, missing)
        _build_missing(folder, pieces, missing, crew, Meter(0, None))


def _build_missing(folder: Path, pieces: int, missing: set[Slice], crew: Crew, meter: Meter) -> None:
    if not missing:
        return
    known = Values(pieces)

    def read(which: Slice) -> None:
        table_file.read(table_file.path_of(folder, which), known.of(which))

    def write(which: Slice, exact: bool) -> None:
        table_file.write(folder, which, known.of(which), exact)

    crew.do(partial(read, each) for each in known.all if each not in missing)
    solve_missing(known, missing, DISTANCES, crew, meter, write)


def _missing(folder: Path, pieces: int) -> set[Slice]:
    return {each for each in slices_up_to(pieces) if not _is_there(folder, each)}


def _mark(folder: Path, missing: set[Slice]) -> None:
    """Keep in mind that these are to be compared with the rules."""
    for number in {each.pieces for each in missing}:
        _mark_of(folder, number).touch()


def _mark_of(folder: Path, number: int) -> Path:
    return folder / f"{number}.unchecked"


def verify_tables(
    folder: Path,
    pieces: int,
    *,
    samples: int | None = SAMPLES,
    report: Report | None = None,
    threads: int | None = None,
) -> None:
    """Compare positions of tables with the positions that their moves lead to, and indices with positions.

    Args:
        folder: of the files.
        pieces: tables of so many and fewer are verified.
        samples: how many positions of each number of pieces, spread evenly; None for all.
        report: is told how far it is.
        threads: number of threads; None for one a core.

    Raises:
        TableError: a file is missing or damaged, or does not agree with the rules; it is named.
    """
    numbers = range(LEAST_PIECES, pieces + 1)
    meter = Meter(_CHECK_WORK * sum(min(samples or _positions(n), _positions(n)) for n in numbers), report)
    with Crew(threads) as crew:
        for number in numbers:
            _verify(folder, number, samples, crew, meter)


def _verify(folder: Path, number: int, samples: int | None, crew: Crew, meter: Meter) -> None:
    meter.task = f"checking {number} pieces"
    tables = Tables(table_file.open_table(table_file.path_of(folder, each)) for each in slices_up_to(number))
    stride = max(_positions(number) // samples, 1) if samples else 1
    size = 200_000

    def verify(which: Slice, first: int, last: int) -> None:
        parts = (which.men, which.kings, which.opponent_men, which.opponent_kings, which.positions)
        rows = np.empty((CAPACITY + 1) * MOVE_WORDS, np.uint64)
        exact = int(number <= tables.distances)
        wrong = verify_kernels.verify(*parts, first, last, stride, exact, tables.address, rows)
        if wrong >= 0:
            path = table_file.path_of(folder, which)
            raise table_file.TableError(
                f"{path}: {position_at(which, wrong).fen()} does not agree with what its moves lead to; "
                f"delete the tables of up to {number} pieces and build them anew"
            )
        meter.add(_CHECK_WORK * (last - first))

    crew.do(
        partial(verify, each, first, min(first + size, count))
        for each in slices_of(number)
        for count in [-(-each.positions // stride)]
        for first in range(0, count, size)
    )


def position_at(which: Slice, index: int) -> Position:
    """The position with an index in a slice, Black to move."""
    words = np.zeros(3, np.uint64)
    verify_kernels.position_at(index, which.men, which.kings, which.opponent_men, which.opponent_kings, words)
    own, opponent, kings = (int(word) for word in words)
    return Position(own, opponent, kings, 0)


def _positions(number: int) -> int:
    return sum(each.positions for each in slices_of(number))


def _is_there(folder: Path, which: Slice) -> bool:
    path = table_file.path_of(folder, which)
    if not path.exists():
        return False
    try:
        return table_file.check_file(path).distances >= (which.pieces <= DISTANCES)
    except table_file.TableError as error:
        log.warning("%s; it is built anew", describe(error))
        return False


def _refuse_too_little(folder: Path, pieces: int, threads: int | None) -> None:
    """Raise an InputError if less is free than `needs` says."""
    wanted, memory, disk = needs(pieces, folder, threads), free_memory(), shutil.disk_usage(folder).free
    for what, need, free in (("memory", wanted.memory, memory), (f"disk at {folder}", wanted.disk, disk - _LEFT_FREE)):
        if free is not None and need > free:
            there = f"only {max(free, 0) / 1e6:,.0f} MB are free"
            raise InputError(f"tables of {pieces} pieces need {need / 1e6:,.0f} MB of {what}, {there}")
