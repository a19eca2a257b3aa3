"""Open tablebases: the value of positions with few pieces."""

from __future__ import annotations

import functools

import numpy as np

from game.board import Position
from game.endgame.build import build
from game.endgame.index_kernels import index_of
from game.endgame.slices import Slice
from game.endgame.verdict import Verdict
from game.moves import Move, successors

__all__ = ["Tables", "Verdict", "open_tables"]


class Tables:
    """Open tables of all positions up to a number of pieces.

    Attributes:
        pieces: of the largest tables.
        distances: the same for tables with distances.
        address: of the memory that describes them to `game.endgame.probe_kernels`; valid as long as this object lives.
    """

    def __init__(self, pieces: int) -> None:
        self._known = build(pieces)
        self.pieces = self.distances = pieces
        self._directory = np.array([pieces, self._known.slices.ctypes.data, self._known.values.ctypes.data], np.int64)
        self.address = int(self._directory.ctypes.data)

    def probe(self, position: Position) -> Verdict | None:
        """What becomes of a position; None where it has too many pieces."""
        if not position.own or not position.opponent:
            return Verdict(-1, 0) if not position.own else Verdict(1, 1)
        if (position.own | position.opponent).bit_count() > self.pieces:
            return None
        royal = position.own & position.kings, position.opponent & position.kings
        men = position.own ^ royal[0], position.opponent ^ royal[1]
        which = Slice(men[0].bit_count(), royal[0].bit_count(), men[1].bit_count(), royal[1].bit_count())
        own, opponent, kings = map(np.uint64, (position.own, position.opponent, position.kings))
        value = int(self._known.of(which)[index_of(own, opponent, kings, np.int64(position.side))])
        return Verdict(0, None) if value == 0 else Verdict(1 - 2 * (value & 1), value - 1)

    def moves(self, position: Position) -> list[tuple[Move, Verdict | None]]:
        """Every legal move with what it leads to, seen by the side that makes it; plies count the move itself."""
        found: list[tuple[Move, Verdict | None]] = []
        for move, after in successors(position):
            verdict = self.probe(after)
            if verdict is not None:
                verdict = Verdict(-verdict.value, None if verdict.plies is None else verdict.plies + 1)
            found.append((move, verdict))
        return found


@functools.cache
def open_tables(pieces: int | None = None) -> Tables:
    """The tables that are there, of `pieces` pieces at most; those of 2 to 4 pieces are built if they are missing."""
    return Tables(min(pieces or 4, 4))
