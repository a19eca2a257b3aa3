"""Building tablebases in memory, on all cores: the slices one group after the other, each as chunks of arrangements."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import Any

import numpy as np

from game.endgame import build_kernels
from game.endgame.slices import Slice, slices_of, slices_up_to
from game.kernels import CAPACITY, MOVE_WORDS
from game.resources import cores

Job = Callable[[], None]
Keep = Callable[[Slice, bool], None]

CHUNK = 150_000
"""Positions of a chunk: a few hundredths of a second."""
GROUP = 200_000_000
"""Positions of a group, if it is not a single pair: 20 seconds of a slow core."""
_NOT_KNOWN = -(1 << 50)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build is.

    Attributes:
        task: what it does now, such as ``solving 6 pieces``.
        done: positions that are done, of this task and those before.
        total: positions of all tasks.
        seconds_left: about; None as long as nothing tells.
    """

    task: str
    done: int
    total: int
    seconds_left: float | None


Report = Callable[[Progress], None]


class Values:
    """Values of all positions of some slices in memory (bytes as in `game.endgame.build_kernels`).

    Attributes:
        slices: int64, 4096: where the values of each slice begin, by `Slice.number`; far below 0 for others.
        values: uint8.
    """

    def __init__(self, pieces: int) -> None:
        self.all = slices_up_to(pieces)
        self.slices = np.full(4096, _NOT_KNOWN, np.int64)
        numbers = [each.number for each in self.all]
        ends = np.cumsum([each.positions for each in self.all])
        self.slices[numbers] = ends - [each.positions for each in self.all]
        self.values = np.zeros(ends[-1], np.uint8)

    def of(self, which: Slice) -> Any:
        """The values of one slice, uint8."""
        first = self.slices[which.number]
        return self.values[first : first + which.positions]


class Crew:
    """Threads that share jobs; kernels run without the interpreter lock.

    Args:
        threads: how many; None for one a core.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or cores()
        self._pool = ThreadPoolExecutor(self.threads, "tablebase")
        self._lock = threading.Lock()
        self._stopped = False

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped = True
        self._pool.shutdown()

    def do(self, jobs: Iterable[Job]) -> None:
        """Do all jobs, each thread the next one when it has none, and return when they are done."""
        waiting = iter(jobs)

        def work() -> None:
            while not self._stopped:
                with self._lock:
                    job = next(waiting, None)
                if job is None:
                    return
                job()

        for each in [self._pool.submit(work) for _ in range(self.threads)]:
            try:
                each.result()
            except BaseException:
                self._stopped = True
                raise


class Meter:
    """Counts positions that are done and tells `Progress`, four times a second at most.

    Args:
        total: positions of all tasks.
        report: is told.
        done: positions that were done before; the time left goes by the others.
    """

    def __init__(self, total: int, report: Report | None, done: int = 0) -> None:
        self.task = ""
        self._total, self._report = total, report
        self._first = self._done = done
        self._began = self._told = time.monotonic()
        self._lock = threading.Lock()

    def add(self, positions: int) -> None:
        """So many more positions are done."""
        with self._lock:
            self._done = min(self._done + positions, self._total)  # what is its own mirror image counts twice
            now = time.monotonic()
            if self._report is None or (now < self._told + 0.25 and self._done < self._total):
                return
            self._told = now
            passed = now - self._began
            done, left = self._done - self._first, self._total - self._done
            known = passed > 1 and done > (done + left) / 100  # code is loaded first
            seconds_left = passed / done * left if known else None
            self._report(Progress(self.task, self._done, self._total, seconds_left))


def build(pieces: int, *, exact: int = 1, threads: int | None = None, report: Report | None = None) -> Values:
    """Build all slices up to a number of pieces in memory.

    Args:
        pieces: 2 to 7.
        exact: 1 for distances, 0 for wins, draws and losses only.
        threads: number of threads; None for one a core. The values do not depend on it.
        report: is told how far the build is, from any of the threads.
    """
    known = Values(pieces)
    with Crew(threads) as crew:
        solve_missing(known, set(known.all), pieces * exact, crew, Meter(len(known.values), report))
    return known


def solve_missing(
    known: Values, missing: Set[Slice], distances: int, crew: Crew, meter: Meter, keep: Keep = lambda which, exact: None
) -> None:
    """Solve slices whose values are missing, and their others.

    Args:
        known: the values of all other slices; those of the missing ones are written to it.
        missing: slices of `known`.
        distances: slices of up to so many pieces are solved with distances.
        crew: does it.
        meter: counts positions.
        keep: is told each slice that was missing and is solved now, and whether with distances, by any of the threads.
    """
    for number in sorted({each.pieces for each in missing}):
        meter.task = f"solving {number} pieces"
        exact = number <= distances
        for group in groups(slices_of(number)):
            pairs = [each for each in group if each in missing or each.other in missing]
            solve(pairs, known, int(exact), crew, meter)
            solved = sorted(missing & {each for pair in pairs for each in (pair, pair.other)})
            crew.do(partial(keep, each, exact) for each in solved)


def groups(slices: Iterable[Slice]) -> Iterator[list[Slice]]:
    """Slices with as many men, of which none needs another but its own `other`: one of each pair is named.

    Many positions make several groups: a group is written when all of it is solved, and a kill loses what is not.
    """
    for _, alike in itertools.groupby(slices, lambda each: each.men + each.opponent_men):
        group: list[Slice] = []
        size = 0
        for each in alike:
            if each > each.other:
                continue
            if group and size + 2 * each.positions > GROUP:
                yield group
                group, size = [], 0
            group.append(each)
            size += 2 * each.positions
        yield group


def solve(group: list[Slice], known: Values, exact: int, crew: Crew, meter: Meter) -> None:
    """Solve slices that do not need each other, and their others.

    The men of each slice go ahead only: its arrangements are solved in steps, those whose men are farthest ahead first.
    """
    steps: dict[Slice, list[Any]] = {}

    def order(which: Slice) -> None:
        steps[which] = _steps(which)

    def solve_chunk(which: Slice, arrangements: Any) -> None:
        build_kernels.solve(
            arrangements,
            which.men,
            which.kings,
            which.opponent_men,
            which.opponent_kings,
            exact,
            known.slices,
            known.values,
            known.of(which),
            known.of(which.other),
            *_memory(which, exact),
        )
        meter.add(len(arrangements) * 2 * which.settings)

    if not group:
        return
    group = sorted(group, key=lambda which: -which.positions)
    crew.do(partial(order, which) for which in group)
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
    """The arrangements of a slice (int64), parted so that each needs only those of parts before."""
    levels = np.empty(which.arrangements, np.int16)
    build_kernels.order_arrangements(which.men, which.opponent_men, int(which == which.other), levels)
    order = np.argsort(-levels, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(levels[order])) + 1)
    return [part for part in parts if levels[part[0]] >= 0]


def _memory(which: Slice, exact: int) -> tuple[Any, ...]:
    """The arrays that `build_kernels.solve` works in."""
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
    """Bytes that threads take at most to solve slices that do not need each other, besides the values."""

    def one(which: Slice) -> int:
        free = 32 - which.men - which.opponent_men
        return 2 * comb(free, which.kings) * comb(free, which.opponent_kings) * (11 if exact else 6)

    chunks = [one(which) for which in group for _ in range(min(threads, which.arrangements))]
    return sum(sorted(chunks)[-threads:])
