"""Compiled code that measures traits in one game (`game.traits`)."""

from __future__ import annotations

import numpy as np

from game.bitboard import SQUARE_BIT
from game.bits import popcount, rows_ahead
from game.compiled.jit import Array, Int, Word, compiled, inlined
from game.kernels import all_capturers, generate

BACK_ROW, ADVANCE, PIECES, CENTRE, WING, EXCHANGES, RIM, FIRST_KING, LENGTH = range(9)
"""Rows of `sums`."""
TRAITS = 9

FIRST, LAST = 7, 20
"""The first and the last of a player's own moves at which most traits are measured."""

_0 = np.uint64(0)
_BACK_ROW = np.uint64(sum(1 << SQUARE_BIT[square] for square in (1, 2, 3, 4)))
_CENTRE = np.uint64(sum(1 << SQUARE_BIT[square] for square in (14, 15, 18, 19)))
_RIM = np.uint64(sum(1 << SQUARE_BIT[square] for square in (4, 5, 12, 13, 20, 21, 28, 29)))
_LEFT = np.uint64(sum(1 << SQUARE_BIT[square] for square in range(1, 33) if (square - 1) % 4 >= 2))
"""As the mover sees the board from its own side, where it has squares 1 to 4 in front of it, 4 on the left."""


@inlined
def add(sums: Array, trait: Int, value: Int, count: Int) -> None:
    """Add a value with a number of terms to the sums of a trait."""
    sums[trait, 0] += value
    sums[trait, 1] += count


@inlined
def add_position(own: Word, opponent: Word, kings: Word, sums: Array) -> None:
    """Add the traits of one position before a player's move."""
    men = own & ~kings
    add(sums, BACK_ROW, popcount(men & _BACK_ROW), 1)
    add(sums, ADVANCE, rows_ahead(men), popcount(men))
    add(sums, PIECES, popcount(own | opponent), 1)
    add(sums, CENTRE, popcount(own & _CENTRE), 1)
    add(sums, WING, popcount(own & _LEFT) - popcount(own & ~_LEFT), 1)
    add(sums, RIM, popcount(men & _RIM), 1)


@inlined
def offers(moves: Array, index: Int) -> bool:
    """Return whether the opponent can capture after a move."""
    captors: Word = all_capturers(moves[index, 1], moves[index, 0], moves[index, 2], 1)
    return bool(captors != _0)


@inlined
def add_choice(moves: Array, count: Int, chosen: Int, sums: Array) -> None:
    """Add a choice between moves that offer an exchange and moves that do not, if it is one."""
    offering: Int = np.int64(0)
    for index in range(count):
        offering += np.int64(offers(moves, index))
    if 0 < offering < count:
        add(sums, EXCHANGES, np.int64(offers(moves, chosen)), 1)


@compiled
def measure(rows: Array, indexes: Array, side: Int, moves: Array, sums: Array) -> None:
    """Add the traits of both sides in one game to `sums`.

    Args:
        rows: uint64 (plies, 4), as `game.batch.games.follow` returns them.
        indexes: int16 (plies), likewise.
        moves: uint64 (CAPACITY, 4), scratch.
        sums: int64 (2, TRAITS, 2), for Black and White: the sum of each trait, and the number of its terms.
    """
    plies = rows.shape[0]
    crowned = False
    for ply in range(plies):
        own, opponent, kings = rows[ply, 0], rows[ply, 1], rows[ply, 2]
        mover, number = (side + ply) & 1, ply // 2 + 1
        mine = sums[mover]
        add(mine, LENGTH, 1, 0)
        count = generate(own, opponent, kings, 0, moves)  # these boards are rotated, so the mover is always Black
        chosen = np.int64(indexes[ply])
        if FIRST <= number <= LAST and ply + 2 * (LAST - number) < plies:
            add_position(own, opponent, kings, mine)
            if rows[ply, 3] == _0:
                add_choice(moves, count, chosen, mine)
        if not crowned and popcount(moves[chosen, 0] & moves[chosen, 2]) > popcount(own & kings):
            crowned = True
            add(mine, FIRST_KING, 1, 1)
            add(sums[1 - mover], FIRST_KING, 0, 1)
    for colour in range(2):
        if sums[colour, LENGTH, 0] > 0:
            sums[colour, LENGTH, 1] = 1
