"""Compiled conversion of positions to indexes in their slice, and back.

Positions are seen by the side to move (`side` as in `game.kernels`; the board itself is never rotated). An index
consists of the number of the arrangement of men, then the number of the set of the mover's kings among the squares that
men leave free, then the number of the set of the opponent's kings among the rest. In arrangements, men at home (on
their own back row, where the opponent's men become kings) are numbered separately from men on the 24 squares between
the back rows; so every index is a possible position. Sets of squares are numbered in colexicographic order (the
combinatorial number system), as in most programs that build such tables.
"""

from __future__ import annotations

from math import comb

import numpy as np

from game import bitboard
from game.bits import popcount
from game.compiled.jit import Array, Int, Word, compiled, inlined
from game.endgame.slices import MOST_NUMBERED, arrangements_before
from game.kernels import first_square

_0 = np.uint64(0)
_1 = np.uint64(1)
_BOARD = np.uint64(bitboard.BOARD)
_TOP = np.uint64(bitboard.TOP_ROW)
_BOTTOM = np.uint64(bitboard.BOTTOM_ROW)
_MIDDLE = np.uint64(bitboard.BOARD & ~(bitboard.TOP_ROW | bitboard.BOTTOM_ROW))

_CHOOSE = np.array([comb(n, k) for n in range(33) for k in range(8)], np.int64)
_BEFORE = np.array(
    [
        arrangements_before(men, opponent_men, home, opponent_home) if men + opponent_men <= MOST_NUMBERED else 0
        for men in range(8)
        for opponent_men in range(8)
        for home in range(8)
        for opponent_home in range(8)
    ],
    np.int64,
)


@inlined
def choose(n: Int, k: Int) -> Int:
    """Return the binomial coefficient n over k, for n up to 32 and k up to 7."""
    return _CHOOSE[n * 8 + k]


@inlined
def before(men: Int, opponent_men: Int, home: Int, opponent_home: Int) -> Int:
    """Look up `game.endgame.slices.arrangements_before`."""
    return _BEFORE[((men * 8 + opponent_men) * 8 + home) * 8 + opponent_home]


@inlined
def rank(pieces: Word, free: Word, side: Int) -> Int:
    """Return the number of a set of free squares among all sets of the same size, as `side` sees the board."""
    total = np.int64(0)
    count = np.int64(0)
    while pieces != _0:
        square = first_square(pieces, side)
        pieces ^= square
        count += 1
        passed = square - _1 if side == 0 else ~(square | (square - _1))
        total += choose(popcount(free & passed), count)
    return total


@inlined
def slice_at(men: Int, kings: Int, opponent_men: Int, opponent_kings: Int) -> Int:
    """Return `Slice.number` of a slice."""
    return ((men * 8 + kings) * 8 + opponent_men) * 8 + opponent_kings


@inlined
def slice_number(own: Word, opponent: Word, kings: Word) -> Int:
    """Return `Slice.number` of the slice of a position."""
    men, opponent_men = own & ~kings, opponent & ~kings
    return slice_at(popcount(men), popcount(own & kings), popcount(opponent_men), popcount(opponent & kings))


@inlined
def arrangement_of(men: Word, opponent_men: Word, side: Int) -> Int:
    """Return the number of an arrangement of men."""
    home = men & (_TOP if side == 0 else _BOTTOM)
    opponent_home = opponent_men & (_BOTTOM if side == 0 else _TOP)
    ahead, opponent_ahead = men ^ home, opponent_men ^ opponent_home
    at_home, opponents_at_home = popcount(home), popcount(opponent_home)
    count, opponent_count = popcount(ahead), popcount(opponent_ahead)
    number = rank(home, _TOP if side == 0 else _BOTTOM, side)
    number = number * choose(4, opponents_at_home) + rank(opponent_home, _BOTTOM if side == 0 else _TOP, side)
    number = number * choose(24, count) + rank(ahead, _MIDDLE, side)
    number = number * choose(24 - count, opponent_count) + rank(opponent_ahead, _MIDDLE ^ ahead, side)
    return number + before(at_home + count, opponents_at_home + opponent_count, at_home, opponents_at_home)


@inlined
def position_index(own: Word, opponent: Word, kings: Word, side: Int) -> Int:
    """Return the index of a position in its slice; both sides have pieces, together at most eight."""
    royal, opponent_royal = own & kings, opponent & kings
    men, opponent_men = own ^ royal, opponent ^ opponent_royal
    free = _BOARD & ~(men | opponent_men)
    count, opponent_count = popcount(royal), popcount(opponent_royal)
    places = popcount(free)
    number = arrangement_of(men, opponent_men, side) * choose(places, count) + rank(royal, free, side)
    return number * choose(places - count, opponent_count) + rank(opponent_royal, free ^ royal, side)


@inlined
def pieces_at(number: Int, count: Int, free: Word) -> Word:
    """Return the set of `count` free squares with this number, as side 0 sees the board."""
    pieces = _0
    places = popcount(free)
    # The highest square is the largest n with choose(n, count) <= number; the rest of the number is for the others.
    while count > 0:
        places -= 1
        while choose(places, count) > number:
            places -= 1
        number -= choose(places, count)
        count -= 1
        left = free
        for _ in range(places):
            left &= left - _1
        pieces |= left & (~left + _1)
    return pieces


@inlined
def men_at(number: Int, men: Int, opponent_men: Int) -> tuple[Word, Word]:
    """Return the men of both sides in an arrangement, as side 0 sees the board."""
    # Arrangements are ordered by the numbers of men at home. Find the last pair of these numbers whose arrangements
    # begin at or before `number`. The rest is a number in mixed bases, taken apart in the reverse of `arrangement_of`.
    home = np.int64(0)
    opponent_home = np.int64(0)
    for own in range(min(men, 4) + 1):
        for theirs in range(min(opponent_men, 4) + 1):
            first = before(men, opponent_men, own, theirs)
            if first <= number and choose(24, men - own) * choose(24 - men + own, opponent_men - theirs) > 0:
                home, opponent_home = np.int64(own), np.int64(theirs)
    number -= before(men, opponent_men, home, opponent_home)
    opponent_ahead = choose(24 - men + home, opponent_men - opponent_home)
    ahead = choose(24, men - home)
    number, last = number // opponent_ahead, number % opponent_ahead
    number, third = number // ahead, number % ahead
    first, second = number // choose(4, opponent_home), number % choose(4, opponent_home)
    in_middle = pieces_at(third, men - home, _MIDDLE)
    own = pieces_at(first, home, _TOP) | in_middle
    theirs = pieces_at(second, opponent_home, _BOTTOM)
    return own, theirs | pieces_at(last, opponent_men - opponent_home, _MIDDLE ^ in_middle)


@inlined
def position_of(index: Int, men: Int, kings: Int, opponent_men: Int, opponent_kings: Int) -> tuple[Word, Word, Word]:
    """Return own, opponent and kings of the position with this index in a slice, as the mover sees the board."""
    places = 32 - men - opponent_men
    inner = choose(places - kings, opponent_kings)
    settings = choose(places, kings) * inner
    own, opponent = men_at(index // settings, men, opponent_men)
    free = _BOARD & ~(own | opponent)
    setting = index % settings
    royal = pieces_at(setting // inner, kings, free)
    opponent_royal = pieces_at(setting % inner, opponent_kings, free ^ royal)
    return own | royal, opponent | opponent_royal, royal | opponent_royal


@compiled
def position_at(index: Int, men: Int, kings: Int, opponent_men: Int, opponent_kings: Int, position: Array) -> None:
    """Write `position_of` to an array, uint64 of shape (3,)."""
    position[0], position[1], position[2] = position_of(index, men, kings, opponent_men, opponent_kings)


@inlined
def index_of(own: Word, opponent: Word, kings: Word, side: Int) -> Int:
    """Return `position_index` for a side that is not a constant, and for Python."""
    if side == 0:
        return position_index(own, opponent, kings, 0)
    return position_index(own, opponent, kings, 1)
