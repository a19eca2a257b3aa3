"""Building tables of seven pieces in which one side has four and the other three.

They are not needed to play, and a search does not use them: they are there for learning and for measuring it. A pair of
slices, with each side to move, is solved from the slices that its captures and crownings lead to. Only these are in
memory, or in a file beside the tables where memory is short, so all pairs together need no more than the largest.
"""

from __future__ import annotations

import math
import mmap
import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from game.endgame import build, table_file
from game.endgame.build import BuildThreads, Meter, Needs, Report, Values
from game.endgame.slices import Slice, slices_with
from game.endgame.table_file import Tables
from game.errors import InputError
from game.installation import cores, free_memory
from game.number_text import size_text

SIDES = (4, 3)
"""Numbers of pieces of both sides for which the verb builds tables."""

BYTES_A_POSITION = 0.25
"""Upper limit of the bytes per position in files."""
POSITIONS_A_SECOND = 13e6
"""Positions that a core solves, packs, writes and compares in a second, as measured (docs/tablebases.md)."""
LEFT_FREE = 200e6
"""Bytes of the disk that a build leaves free."""


def pairs_of(sides: tuple[int, int]) -> list[Slice]:
    """Return the slice of each pair that has the first side to move, fewest men first, as crownings lead to fewer."""
    return [each for each in slices_with(sides) if each.men + each.kings == sides[0]]


def successors(which: Slice) -> set[Slice]:
    """Return the slices that moves lead to from a slice, as the opponent sees them; its `other` is one of them."""
    men, kings = which.men, which.kings
    own = {(men, kings), (men - 1, kings + 1)} if men else {(men, kings)}
    rest = [
        (their_men, their_kings)
        for their_men in range(which.opponent_men + 1)
        for their_kings in range(which.opponent_kings + 1)
        if their_men + their_kings
    ]
    return {Slice(*theirs, *mine) for theirs in rest for mine in own}


def family(pair: Slice) -> list[Slice]:
    """Return both slices of a pair and all slices that moves lead to from them."""
    return sorted({pair, pair.other} | successors(pair) | successors(pair.other))


def estimate(folder: Path, sides: tuple[int, int] = SIDES, memory: float | None = None) -> Needs:
    """Return what building the missing tables of these sides needs, with those of fewer pieces.

    The memory includes values that fit into `memory` (as in `build_sides`). Others are in a file, and the disk always
    has room for it, as less memory may be free later.
    """
    below, threads, missing = build.needs(sum(sides) - 1, folder), cores(), _missing(folder, sides)
    peak, most = below.memory * bool(below.disk), 0
    for pair in pairs_of(sides):
        if missing & {pair, pair.other}:
            packing, values = 2 * table_file.packing_memory(pair, False), _values(pair)
            held = (values if _fits(pair, memory) else 0) + build.PROGRAM
            peak = max(peak, held + packing + build.memory_of([pair], 0, threads))
            most = max(most, values)
    positions = sum(each.positions for each in missing)
    disk = below.disk + positions * BYTES_A_POSITION + most
    return Needs(peak, disk, below.positions + positions)


def build_sides(
    folder: Path, sides: tuple[int, int] = SIDES, report: Report | None = None, memory: float | None = None
) -> None:
    """Build the missing tables of these sides, and before them those of fewer pieces, and compare them with the rules.

    Args:
        memory: number of bytes above which values are kept in a file; None for half of the free memory.

    Raises:
        InputError: too little disk or memory is free.
        BusyError: another process is building in this folder.
        TableError: a file does not agree with the rules.
    """
    needs, place = estimate(folder, sides), next(each for each in (folder, *folder.parents) if each.exists())
    free = shutil.disk_usage(place).free - LEFT_FREE
    if needs.disk > free:
        only = f"only {size_text(max(free, 0))} are free"
        raise InputError(f"tables of {text_of(sides)} need {size_text(needs.disk)} of disk at {folder}, {only}")
    build.build_tables(folder, sum(sides) - 1, report=report)
    with table_file.locked(folder), BuildThreads() as crew:
        missing, mark = _missing(folder, sides), build.mark_of(folder, sum(sides))
        if missing:
            mark.touch()
        if not mark.exists():
            return
        pairs = pairs_of(sides)
        total = 2 * sum(pair.positions for pair in pairs)
        begun = 2 * sum(pair.positions for pair in pairs if missing & {pair, pair.other})
        meter = Meter(total + build.CHECK_WORK * min(build.SAMPLES, total), report, total - begun)
        for pair in pairs:
            if wanted := missing & {pair, pair.other}:
                meter.task = f"solving {pair.name} and {pair.other.name}"
                _solve(folder, pair, wanted, memory, crew, meter)
        meter.task = f"checking {text_of(sides)}"
        for pair in pairs:
            tables = Tables(table_file.open_table(table_file.path_of(folder, each)) for each in family(pair))
            build.verify(folder, (pair, pair.other), tables, max(total // build.SAMPLES, 1), crew, meter)
        mark.unlink()


def text_of(sides: tuple[int, int]) -> str:
    return f"{sides[0]} pieces against {sides[1]}"


def _missing(folder: Path, sides: tuple[int, int]) -> set[Slice]:
    return {each for each in slices_with(sides) if not build.is_there(folder, each, False)}


def _values(pair: Slice) -> int:
    """Return the number of values, each one byte, with which a pair is solved."""
    return sum(each.positions for each in family(pair))


def _fits(pair: Slice, memory: float | None) -> bool:
    return _values(pair) <= ((free_memory() or math.inf) / 2 if memory is None else memory)


def _solve(
    folder: Path, pair: Slice, wanted: set[Slice], memory: float | None, crew: BuildThreads, meter: Meter
) -> None:
    slices = family(pair)
    known = Values(slices, None if _fits(pair, memory) else partial(_in_file, folder))

    def read(which: Slice) -> None:
        table_file.open_table(table_file.path_of(folder, which)).codes(known.of(which))

    def write(which: Slice) -> None:
        table_file.write(folder, which, known.of(which), False)

    crew.do(partial(read, each) for each in slices if each not in (pair, pair.other))
    build.solve([pair], known, 0, crew, meter)
    crew.do(partial(write, each) for each in wanted)


def _in_file(folder: Path, size: int) -> Any:
    """Return zeros (uint8) in a file that disappears with them, whose pages the system may write out."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.truncate(size)
        return np.frombuffer(mmap.mmap(file.fileno(), size), np.uint8)
