"""Values of positions from tables that are open, for searches and for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from game.board import Position
from game.endgame import layout as at
from game.endgame import probe_kernels, table_file
from game.endgame.slices import LEAST_PIECES, MOST_PIECES, Slice, slices_of
from game.endgame.verdict import Verdict
from game.moves import Move, successors


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
