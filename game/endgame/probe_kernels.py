"""Compiled: the value of a position from open tables."""

from __future__ import annotations

import numpy as np

from game.bits import load_word, popcount
from game.endgame.index_kernels import position_index, slice_number
from game.jit import Int, Word, compiled, inlined

# Words of the memory that describes open tables (`Tables.address`).
PIECES, SLICES, VALUES = 0, 1, 2
DIRECTORY_WORDS = 3

UNKNOWN = 2
"""The answer for a position that no table covers."""


@inlined
def covers(own: Word, opponent: Word, tables: Int) -> bool:
    """Whether tables have values of positions with these pieces; `tables` is 0 where there are none."""
    return bool(tables != 0 and popcount(own | opponent) <= np.int64(load_word(tables + 8 * PIECES)))


@compiled
def probe(own: Word, opponent: Word, kings: Word, side: Int, tables: Int) -> Int:
    """Value to the side to move of a position that tables cover: 1 won, 0 drawn, -1 lost.

    Where a capture is compulsory tables know nothing, and the answer means nothing. Both sides have pieces.
    """
    slices, values = np.int64(load_word(tables + 8 * SLICES)), np.int64(load_word(tables + 8 * VALUES))
    place = values + np.int64(load_word(slices + 8 * slice_number(own, opponent, kings)))
    place += position_index(own, opponent, kings, side)
    value = np.int64(load_word(place) & np.uint64(255))
    if value == 0:
        return np.int64(0)
    return np.int64(-1) if value & 1 else np.int64(1)
