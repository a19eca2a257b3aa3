"""Compiled comparison of tables with the rules, each position with its successors.

It works differently from the build: positions come from their indexes, moves from the move generator, and codes from
the files.
"""

from __future__ import annotations

import numpy as np

from game import generator
from game.bits import load_word, rotate
from game.compiled.jit import Array, Int, compiled
from game.endgame.index_kernels import position_index, position_of
from game.endgame.probe_kernels import probe_code
from game.kernels import MOVE_BYTES, generate_at

_GAMMA = np.uint64(generator.GAMMA)
_SHIFT = np.uint64(33)
_MOST = 256


@compiled
def verify(
    men: Int, kings: Int, opponent_men: Int, opponent_kings: Int, positions: Int, first: Int, last: Int, stride: Int,
    exact: Int, tables: Int, rows: Array,
) -> Int:  # fmt: skip
    """Compare positions of a slice with their successors; return the index of the first wrong one, -1 if none is.

    Args:
        men, kings, opponent_men, opponent_kings, positions: the slice, and its number of positions.
        first, last, stride: positions are divided into runs of `stride`; one position is compared in each of the
            runs `first` to `last` - 1.
        exact: 1 to compare distances, 0 to compare only values.
        tables: `Tables.address`.
        rows: uint64: scratch memory for moves.
    """
    moves = np.int64(rows.ctypes.data)
    for number in range(first, last):
        # One position of each run, chosen by a hash: evenly spread, and not always at the same place.
        index: Int = number * stride
        if stride > 1:
            index += np.int64((np.uint64(number + 1) * _GAMMA) >> _SHIFT) % stride
        if index >= positions:
            continue
        own, opponent, royal = position_of(index, men, kings, opponent_men, opponent_kings)
        # The index must lead back from the position, and from the same position seen by the other side.
        if position_index(own, opponent, royal, 0) != index:
            return index
        if position_index(rotate(own), rotate(opponent), rotate(royal), 1) != index:
            return index
        # The fastest win, the slowest loss, and whether any move draws: all that a code depends on.
        won: Int = np.int64(_MOST)
        lost: Int = np.int64(0)
        drawn = False
        count = generate_at(own, opponent, royal, 0, moves)
        for row in range(moves, moves + count * MOVE_BYTES, MOVE_BYTES):
            after = load_word(row + 8)
            code = np.int64(1)
            if after != 0:
                code = probe_code(after, load_word(row), load_word(row + 16), 1, tables)
            if code == 0:
                drawn = True
            elif code & 1:
                won = min(won, code)
            else:
                lost = max(lost, code)
        expected = lost + 1
        if won < _MOST:
            expected = won + 1
        elif drawn:
            expected = 0
        if exact == 0 and expected > 0:
            expected = 2 - (expected & 1)
        if probe_code(own, opponent, royal, 0, tables) != expected:
            return index
    return -1
