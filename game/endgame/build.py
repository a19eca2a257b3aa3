"""Building tablebases on all cores: slices are solved in memory, written to files, and compared with the rules."""

from __future__ import annotations

import itertools
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from game.board import Position
from game.endgame import build_kernels, index_kernels, table_file, verify_kernels
from game.endgame.slices import LEAST_PIECES, Slice, slices_of, slices_up_to
from game.endgame.table_file import Tables
from game.errors import InputError, describe
from game.installation import cores, free_memory
from game.kernels import CAPACITY, MOVE_WORDS

Job = Callable[[], None]
Keep = Callable[[Slice, bool], None]
Allocate = Callable[[int], Any]
"""Returns zeros (uint8)."""

CHUNK = 150_000
"""Number of positions in a chunk, which takes a few hundredths of a second."""
GROUP = 200_000_000
"""Maximum number of positions in a group of several slices; such a group takes 20 seconds on a slow core."""
_NOT_KNOWN = -(1 << 50)


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """The progress of a build.

    Attributes:
        task: the current task, such as ``solving 6 pieces``.
        seconds_left: estimated time left; None if there is no estimate yet.
    """

    task: str
    done: int
    total: int
    seconds_left: float | None


Report = Callable[[BuildProgress], None]


class Values:
    """Values of all positions of some slices, in memory.

    Args:
        allocate: may use a file instead of memory.

    Attributes:
        slices: int64, 4096: index of the first value of each slice, by `Slice.number`; far below 0 for other slices.
        values: uint8, codes as in `game.endgame.build_kernels`.
    """

    def __init__(self, slices: Sequence[Slice], allocate: Allocate | None = None) -> None:
        self.all = slices
        self.slices = np.full(4096, _NOT_KNOWN, np.int64)
        numbers = [each.number for each in slices]
        ends = np.cumsum([each.positions for each in slices])
        self.slices[numbers] = ends - [each.positions for each in slices]
        self.values = np.zeros(ends[-1], np.uint8) if allocate is None else allocate(int(ends[-1]))

    def of(self, which: Slice) -> Any:
        first = self.slices[which.number]
        return self.values[first : first + which.positions]


class BuildThreads:
    """A pool of threads, by default one per core, that share jobs; kernels run without the GIL."""

    def __init__(self, threads: int | None = None) -> None:
        self._pool = ThreadPoolExecutor(threads or cores(), "tablebase")

    def __enter__(self) -> BuildThreads:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def do(self, jobs: Iterable[Job]) -> None:
        """Run all jobs and wait for them, or until one fails."""
        for done in as_completed([self._pool.submit(job) for job in jobs]):
            done.result()


class Meter:
    """A counter of positions that reports `BuildProgress`, at most four times a second.

    Args:
        done: number of positions finished before; they do not count in the estimate of the time left.
    """

    def __init__(self, total: int, report: Report | None, done: int = 0) -> None:
        self.task = ""
        self._total, self._report = total, report
        self._first = self._done = done
        self._began = self._reported = time.monotonic()
        self._lock = threading.Lock()

    def add(self, positions: int) -> None:
        with self._lock:
            self._done = min(self._done + positions, self._total)  # slices that are their own `other` count twice
            now = time.monotonic()
            if self._report is None or (now < self._reported + 0.25 and self._done < self._total):
                return
            self._reported = now
            passed = now - self._began
            done, left = self._done - self._first, self._total - self._done
            known = passed > 1 and done > (done + left) / 100  # at first, most of the time is spent loading code
            seconds_left = passed / done * left if known else None
            self._report(BuildProgress(self.task, self._done, self._total, seconds_left))


def build_values(pieces: int, *, exact: int = 1, threads: int | None = None) -> Values:
    """Build all slices up to a number of pieces in memory; `exact` is 1 for distances, 0 for values alone."""
    known = Values(slices_up_to(pieces))
    with BuildThreads(threads) as crew:
        solve_missing(known, set(known.all), pieces * exact, crew, Meter(len(known.values), None))
    return known


def solve_missing(
    known: Values,
    missing: Set[Slice],
    distances: int,
    crew: BuildThreads,
    meter: Meter,
    keep: Keep = lambda which, exact: None,
) -> None:
    """Solve slices whose values are missing, and their `other` slices.

    Args:
        known: has the values of all other slices, and receives the values of the missing ones.
        distances: largest number of pieces at which slices are solved with distances.
        keep: called with each slice that was missing, and whether it has distances, from any of the threads.
    """
    for number in sorted({which.pieces for which in missing}):
        meter.task = f"solving {number} pieces"
        exact = number <= distances
        for group in groups(slices_of(number)):
            pairs = [which for which in group if which in missing or which.other in missing]
            solve(pairs, known, int(exact), crew, meter)
            solved = sorted(missing & {which for pair in pairs for which in (pair, pair.other)})
            crew.do(partial(keep, which, exact) for which in solved)


def groups(slices: Iterable[Slice]) -> Iterator[list[Slice]]:
    """Yield groups of slices that can be solved at the same time; a slice stands for itself and its `other` slice.

    All slices of a group have the same number of men, so no move leads from one pair to another. Large groups are
    split: a group is saved when all of it is solved, so if the process is killed, at most one group is lost.
    """
    for _, alike in itertools.groupby(slices, lambda which: which.men + which.opponent_men):
        group: list[Slice] = []
        size = 0
        for which in alike:
            # The pair stands under the name of its lesser slice.
            if which > which.other:
                continue
            if group and size + 2 * which.positions > GROUP:
                yield group
                group, size = [], 0
            group.append(which)
            size += 2 * which.positions
        yield group


def solve(group: list[Slice], known: Values, exact: int, crew: BuildThreads, meter: Meter) -> None:
    """Solve the slices of a group, and their `other` slices.

    Men only move forwards, so the arrangements of a slice are solved in steps, beginning with the most advanced men.
    """
    steps: dict[Slice, list[Any]] = {}

    def order(which: Slice) -> None:
        steps[which] = _steps(which)

    def solve_chunk(which: Slice, arrangements: Any) -> None:
        build_kernels.solve(
            arrangements, which.men, which.kings, which.opponent_men, which.opponent_kings, exact, known.slices,
            known.values, known.of(which), known.of(which.other), *_memory(which, exact),
        )  # fmt: skip
        meter.add(len(arrangements) * 2 * which.settings)

    if not group:
        return
    # Largest first, so that at the end no thread waits long for another.
    group = sorted(group, key=lambda which: -which.positions)
    crew.do(partial(order, which) for which in group)
    # Moves of men lead only to earlier steps, so the chunks of a step can be solved in any order.
    for step in range(max(map(len, steps.values()))):
        chunks = [
            (which, part)
            for which in group
            if step < len(steps[which])
            for part in _chunks(steps[which][step], CHUNK // (2 * which.settings) + 1)
        ]
        crew.do(partial(solve_chunk, which, part) for which, part in chunks)


def _chunks(arrangements: Any, size: int) -> Iterator[Any]:
    for first in range(0, len(arrangements), size):
        yield arrangements[first : first + size]


def _steps(which: Slice) -> list[Any]:
    """Return the arrangements of a slice (int64) in parts; moves of men lead only to earlier parts."""
    levels = np.empty(which.arrangements, np.int16)
    build_kernels.order_arrangements(which.men, which.opponent_men, int(which == which.other), levels)
    # Arrangements that are solved by their mirror images have level -1; they form the last part, which is left out.
    order = np.argsort(-levels, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(levels[order])) + 1)
    return [part for part in parts if levels[part[0]] >= 0]


def _memory(which: Slice, exact: int) -> tuple[Any, ...]:
    free = 32 - which.men - which.opponent_men
    size, width = comb(free, which.kings), comb(free, which.opponent_kings)
    places = 2 * size * width
    return (
        np.empty(size, np.uint64),
        np.empty(width, np.uint64),
        np.empty(4 * (size * which.kings + width * which.opponent_kings) + 1, np.int32),
        np.empty(size + width + 2, np.int32),
        np.empty(places, np.uint8),
        np.empty(places, np.uint8),
        np.empty(places * exact, np.uint8),
        np.empty(places * exact, np.int32),
        np.empty(places, np.int32),
        np.full(build_kernels.LEVELS, -1, np.int32),
        np.empty(build_kernels.MOST_MOVES_OF_MEN * build_kernels.MOVE_OF_MAN, np.uint64),
        np.empty(build_kernels.MOST_MOVES_OF_MEN * (size + width), np.int32),
        np.empty((CAPACITY + 1) * MOVE_WORDS, np.uint64),
    )


def memory_of(group: list[Slice], exact: int, threads: int) -> int:
    """Return the maximum number of bytes that the threads need to solve a group, in addition to the values."""

    def chunk_memory(which: Slice) -> int:
        free = 32 - which.men - which.opponent_men
        return 2 * comb(free, which.kings) * comb(free, which.opponent_kings) * (11 if exact else 6)

    # At worst, the threads work on the largest chunks at the same time.
    chunks = [chunk_memory(which) for which in group for _ in range(min(threads, which.arrangements))]
    return sum(sorted(chunks)[-threads:])


DISTANCES = 5
"""Largest number of pieces of tables with distances."""
SAMPLES = 10_000_000
"""Maximum number of positions, for each number of pieces, that are compared with their successors."""

PROGRAM = 300e6
"""Bytes of memory for Python and the compiler, without tables."""
_VALUE_BYTES, _DISTANCE_BYTES = 0.1, 0.7
"""Upper limits of the bytes per position in files, from measurements."""
_LEFT_FREE = 50e6
"""Bytes of the disk that a build leaves free."""
CHECK_WORK = 2
"""Time to compare a position with its successors, in units of the time to solve it."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Needs:
    """The memory and disk that a build needs, in bytes.

    Attributes:
        memory: the peak of the memory in use.
        disk: an upper limit of the space for files that do not exist yet.
    """

    memory: float
    disk: float
    positions: int


def needs(pieces: int, folder: Path | None = None, threads: int | None = None) -> Needs:
    """Return the memory and disk that building all tables up to a number of pieces needs.

    Args:
        folder: folder of tables; its sound files need no further space. None if there are no files.

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
            # A group is packed after it is solved, so only the larger of the two needs counts.
            memory = max(memory, memory_of(group, int(exact), threads), packing)
    existing = set() if folder is None else {info.slice for info in table_file.survey(folder) if not info.fault}
    missing = [which for which in slices_up_to(pieces) if which not in existing]
    for which in missing:
        disk += which.positions * (_VALUE_BYTES + _DISTANCE_BYTES * (which.pieces <= DISTANCES)) + 4096
    # During a build, the values of all slices are in memory, one byte for each position.
    values = sum(each.positions for each in slices_up_to(pieces))
    return Needs(values + memory + PROGRAM, disk, sum(which.positions for which in missing))


def build_tables(folder: Path, pieces: int, *, report: Report | None = None, threads: int | None = None) -> None:
    """Build the missing files of all slices up to a number of pieces, and compare them with the rules.

    An interrupted build is continued, including comparisons that are not done yet (a file ``N.unchecked`` marks the
    tables of N pieces).

    Args:
        pieces: number of pieces of the largest tables, 2 to 7.

    Raises:
        InputError: too little memory or disk is free; the message has the figures.
        BusyError: another process is building in this folder.
        TableError: a new file does not agree with the rules.
    """
    with table_file.locked(folder), BuildThreads(threads) as crew:
        missing = _missing(folder, pieces)
        if missing:
            _refuse_too_little(folder, pieces, threads)
        _mark(folder, missing)
        numbers = range(LEAST_PIECES, pieces + 1)
        unchecked = [number for number in numbers if mark_of(folder, number).exists()]
        checks = {number: CHECK_WORK * min(SAMPLES, _positions(number)) for number in numbers}
        work = sum(each.positions for each in missing | {each.other for each in missing})
        work += sum(checks[number] for number in unchecked)
        total = sum(_positions(number) + checks[number] for number in numbers)
        meter = Meter(total, report, total - work)
        try:
            _build_missing(folder, pieces, missing, crew, meter)
        except MemoryError:  # the system may limit the memory of this process
            wanted = needs(pieces, folder, threads).memory / 1e6
            text = f"tables of {pieces} pieces need {wanted:,.0f} MB of memory, but this process may use less"
            raise InputError(text) from None
        for number in unchecked:
            _verify(folder, number, crew, meter)
            mark_of(folder, number).unlink()


def build_unchecked(folder: Path, pieces: int) -> None:
    """Build missing files without checking free memory and disk; the next `build_tables` compares them with the rules.

    Raises:
        BusyError: another process is building in this folder.
        TableError: a file was damaged in the meantime.
    """
    with table_file.locked(folder), BuildThreads() as crew:
        missing = _missing(folder, pieces)
        _mark(folder, missing)
        _build_missing(folder, pieces, missing, crew, Meter(0, None))


def _build_missing(folder: Path, pieces: int, missing: set[Slice], crew: BuildThreads, meter: Meter) -> None:
    if not missing:
        return
    known = Values(slices_up_to(pieces))

    def read(which: Slice) -> None:
        table_file.open_table(table_file.path_of(folder, which)).codes(known.of(which))

    def write(which: Slice, exact: bool) -> None:
        table_file.write(folder, which, known.of(which), exact)

    # Missing slices are solved from the values of all others.
    crew.do(partial(read, each) for each in known.all if each not in missing)
    solve_missing(known, missing, DISTANCES, crew, meter, write)


def _missing(folder: Path, pieces: int) -> set[Slice]:
    return {each for each in slices_up_to(pieces) if not is_there(folder, each, each.pieces <= DISTANCES)}


def _mark(folder: Path, missing: set[Slice]) -> None:
    for number in {each.pieces for each in missing}:
        mark_of(folder, number).touch()


def mark_of(folder: Path, number: int) -> Path:
    return folder / f"{number}.unchecked"


def _verify(folder: Path, number: int, crew: BuildThreads, meter: Meter) -> None:
    meter.task = f"checking {number} pieces"
    tables = Tables(table_file.open_table(table_file.path_of(folder, each)) for each in slices_up_to(number))
    stride = max(_positions(number) // SAMPLES, 1)
    verify(folder, slices_of(number), tables, stride, crew, meter)


def verify(
    folder: Path, slices: Iterable[Slice], tables: Tables, stride: int, crew: BuildThreads, meter: Meter
) -> None:
    """Check that the values of positions follow from their successors, and that their indexes lead back to them.

    Args:
        tables: those of the slices, and of all slices that captures and crownings lead to.
        stride: one position in so many is compared.

    Raises:
        TableError: a value does not agree with the rules.
    """
    size = 200_000

    def check(which: Slice, first: int, last: int) -> None:
        parts = (which.men, which.kings, which.opponent_men, which.opponent_kings, which.positions)
        rows = np.empty((CAPACITY + 1) * MOVE_WORDS, np.uint64)
        exact = int(which.pieces <= tables.distances)
        wrong = verify_kernels.verify(*parts, first, last, stride, exact, tables.address, rows)
        if wrong >= 0:
            path = table_file.path_of(folder, which)
            raise table_file.TableError(
                f"{path}: the value of {position_at(which, wrong).fen()} does not agree with the rules; "
                f"delete the tables of up to {which.pieces} pieces and build them again"
            )
        meter.add(CHECK_WORK * (last - first))

    crew.do(
        partial(check, each, first, min(first + size, count))
        for each in slices
        for count in [-(-each.positions // stride)]
        for first in range(0, count, size)
    )


def position_at(which: Slice, index: int) -> Position:
    """Return the position with this index in a slice, Black to move."""
    words = np.zeros(3, np.uint64)
    index_kernels.position_at(index, which.men, which.kings, which.opponent_men, which.opponent_kings, words)
    own, opponent, kings = (int(word) for word in words)
    return Position(own, opponent, kings, 0)


def _positions(number: int) -> int:
    return sum(each.positions for each in slices_of(number))


def is_there(folder: Path, which: Slice, distances: bool) -> bool:
    """Return whether a folder has the sound table of a slice, with distances if they are wanted."""
    path = table_file.path_of(folder, which)
    if not path.exists():
        return False
    try:
        return table_file.open_table(path).info.distances >= distances
    except table_file.TableError as error:
        log.warning("%s; it will be built again", describe(error))
        return False


def _refuse_too_little(folder: Path, pieces: int, threads: int | None) -> None:
    wanted, memory, disk = needs(pieces, folder, threads), free_memory(), shutil.disk_usage(folder).free
    for what, need, free in (("memory", wanted.memory, memory), (f"disk at {folder}", wanted.disk, disk - _LEFT_FREE)):
        # None if the system does not say how much memory is free.
        if free is not None and need > free:
            available = f"only {max(free, 0) / 1e6:,.0f} MB are free"
            raise InputError(f"tables of {pieces} pieces need {need / 1e6:,.0f} MB of {what}, {available}")
