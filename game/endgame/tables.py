"""Open tablebases: the value of positions with few pieces."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from game.board import Position
from game.endgame import layout as at
from game.endgame import probe_kernels, table_file
from game.endgame.build import Values, build
from game.endgame.slices import LEAST_PIECES, MOST_PIECES, Slice, slices_of, slices_up_to
from game.endgame.verdict import Verdict
from game.errors import describe
from game.moves import Move, successors

__all__ = ["OWN_PIECES", "Tables", "Verdict", "open_tables"]

OWN_PIECES = 4
"""Tables of so many pieces are built by themselves."""

log = logging.getLogger(__name__)


class Tables:
    """Open tables of all positions up to a number of pieces.

    Attributes:
        pieces: of the largest tables; 0 if there are none.
        distances: the same for tables with distances.
        address: of the memory that describes them to `game.endgame.probe_kernels`; valid as long as this object lives.
    """

    def __init__(self, tables: Iterable[table_file.Table]) -> None:
        """`tables`: of slices; those of a number of pieces count only where all of them, and of fewer, are there."""
        self._tables = {each.info.slice: each for each in tables}
        self.pieces = _complete(self._tables.__contains__)
        self.distances = _complete(lambda each: each in self._tables and self._tables[each].info.distances)
        self._directory = np.zeros(at.DIRECTORY_WORDS, np.int64)
        self._directory[[at.PIECES, at.DISTANCES]] = self.pieces, self.distances
        records = self._directory[at.FIRST_SLICE :].reshape(-1, at.SLICE_WORDS)
        for which, table in self._tables.items():
            records[which.number] = table.addresses
        self.address = int(self._directory.ctypes.data)

    def probe(self, position: Position) -> Verdict | None:
        """What becomes of a position; None where it has too many pieces."""
        if not position.own or not position.opponent:
            return Verdict(-1, 0) if not position.own else Verdict(1, 1)
        pieces = (position.own | position.opponent).bit_count()
        if pieces > self.pieces:
            return None
        own, opponent, kings = map(np.uint64, (position.own, position.opponent, position.kings))
        code = probe_kernels.probe_code(own, opponent, kings, np.int64(position.side), np.int64(self.address))
        if code == at.DRAWN:
            return Verdict(0, None)
        return Verdict(-1 if code & 1 else 1, code - 1 if pieces <= self.distances else None)

    def moves(self, position: Position) -> list[tuple[Move, Verdict | None]]:
        """Every legal move with what it leads to, seen by the side that makes it; plies count the move itself."""
        found: list[tuple[Move, Verdict | None]] = []
        for move, after in successors(position):
            verdict = self.probe(after)
            if verdict is not None:
                verdict = Verdict(-verdict.value, None if verdict.plies is None else verdict.plies + 1)
            found.append((move, verdict))
        return found


def _complete(there: Callable[[Slice], bool]) -> int:
    """The number of pieces up to which all slices are there; 0 if those of the fewest are not."""
    largest = 0
    for pieces in range(LEAST_PIECES, MOST_PIECES + 1):
        if not all(there(each) for each in slices_of(pieces)):
            break
        largest = pieces
    return largest


@functools.cache
def open_tables(pieces: int | None = None, folder: Path | None = None) -> Tables:
    """The tables that are there, checked; those of 2 to 4 pieces are built and kept if they are missing.

    They are opened once a process. What was built since is found after `open_tables.cache_clear()`.

    Args:
        pieces: at most; None: all.
        folder: of the files; None: the usual one, or only memory where there is none.
    """
    pieces = MOST_PIECES if pieces is None else min(pieces, MOST_PIECES)
    if pieces < LEAST_PIECES:
        return Tables([])
    folder = folder or table_file.tablebase_folder()
    own = min(pieces, OWN_PIECES)
    if folder is None:
        return Tables(_in_memory(build(own)))
    if _missing(folder, own):
        known = None
        try:
            with table_file.locked(folder):
                if _missing(folder, own, tell=True):  # or another process was faster
                    known = build(own)
                    for each in known.all:
                        table_file.write(folder, each, known.of(each), True)
        except OSError as error:
            log.warning("tables of endgames are built at each start: %s", describe(error))
            return Tables([*_in_memory(known or build(own)), *_opened(folder, pieces)])
    return Tables(_opened(folder, pieces))


def _missing(folder: Path, pieces: int, *, tell: bool = False) -> bool:
    """Whether a table is missing or damaged; the first one that is damaged is told."""
    for each in slices_up_to(pieces):
        try:
            if not _open_table(table_file.path_of(folder, each)).info.distances:
                return True
        except table_file.TableError as error:
            if tell and os.path.exists(table_file.path_of(folder, each)):
                log.warning("%s; it is built anew", error)
            return True
    return False


def _opened(folder: Path, pieces: int) -> list[table_file.Table]:
    """All sound tables, up to the first number of pieces that has none of its files."""
    found: list[table_file.Table] = []
    for number in range(LEAST_PIECES, pieces + 1):
        paths = [table_file.path_of(folder, each) for each in slices_of(number)]
        if not all(map(os.path.exists, paths)):  # False also where the folder may not be read
            break
        try:
            found += [_open_table(path) for path in paths]
        except table_file.TableError as error:
            log.warning("%s; tables of %d and more pieces are not used", error, number)
            break
    return found


def _open_table(path: Path) -> table_file.Table:
    """A table; each file is read once a process.

    Raises:
        table_file.TableError: as from `table_file.open_table`.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise table_file.TableError(f"{path}: cannot be read: {error.strerror}") from error
    return _open_once(path, found.st_ino, found.st_size, found.st_mtime_ns)


@functools.cache
def _open_once(path: Path, *_stamp: int) -> table_file.Table:
    return table_file.open_table(path)


def _in_memory(known: Values) -> list[table_file.Table]:
    return [
        table_file.Table(
            table_file.path_of(Path(), each), np.concatenate(table_file.pack(each, known.of(each), distances=True))
        )
        for each in known.all
    ]
