"""Compiled move generation on 35-bit boards (`game.bitboard`).

A position is three uint64 words named from the mover's view, `own` and `opponent` (all pieces of a side) and `kings`
(of both sides), and `side`, an int64: 0 for Black, whose men move to higher squares, and 1 for White. The board itself
is never rotated.

A move is one row of four uint64: own, opponent and kings after the move (still named from the mover's view), and a
code. Bits 0-5 of the code are the bit of the start square, and bits 6-9 the number of jumps (0 for a simple move). From
bit 10 on each step has two bits, the first step the lowest. Steps are numbered from 0 to 3 in ascending order of the
square that they lead to *as the mover sees the board*, so for both colours 0 and 1 go back, 2 and 3 ahead.

Moves are generated in ascending order of their path as the mover sees it. So mirrored positions list mirrored moves in
the same order, and "the first of the best" is the same move for both colours.
"""

from __future__ import annotations

import numpy as np

from game import bitboard, rules
from game.bits import leading_zeros, lowest_bit, store_word
from game.compiled.jit import Array, Int, Word, compiled, inlined

MOVE_WORDS = 4
MOVE_BYTES = 8 * MOVE_WORDS
CAPACITY = rules.MAX_MOVES
STEP_SHIFT = 10

_BOARD = np.uint64(bitboard.BOARD)
_TOP_ROW = np.uint64(bitboard.TOP_ROW)
_BOTTOM_ROW = np.uint64(bitboard.BOTTOM_ROW)
_LAST = np.uint64(63)
_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_3 = np.uint64(3)
_4 = np.uint64(4)
_5 = np.uint64(5)
_JUMP_SHIFT = np.uint64(6)
_STEP_SHIFT = np.uint64(STEP_SHIFT)


@inlined
def stepped(word: Word, step: Int, side: Int) -> Word:
    """Return all squares of `word` shifted one step; those that leave the board land on unused bits."""
    distance = _4 if step == 1 or step == 2 else _5
    if (step >= 2) == (side == 0):
        return word << distance
    return word >> distance


@inlined
def king_row(side: Int) -> Word:
    """Return the row where men of `side` become kings."""
    return _BOTTOM_ROW if side == 0 else _TOP_ROW


@inlined
def first_square(word: Word, side: Int) -> Word:
    """Return the first set bit as `side` sees the board, alone in a word."""
    if side == 0:
        return word & (~word + _1)
    return _1 << (_LAST - np.uint64(leading_zeros(word)))


@inlined
def steppers(own: Word, empty: Word, step: Int, side: Int) -> Word:
    """Return the pieces of `own` with an empty square one step away (men and kings alike)."""
    return own & stepped(empty, 3 - step, side)


@inlined
def capturers(own: Word, opponent: Word, empty: Word, step: Int, side: Int) -> Word:
    """Return the pieces of `own` that could jump in the direction of `step` (men and kings alike)."""
    return own & stepped(opponent & stepped(empty, 3 - step, side), 3 - step, side)


@inlined
def all_capturers(own: Word, opponent: Word, kings: Word, side: Int) -> Word:
    """Return the pieces of `own` that have a jump."""
    empty = _BOARD & ~(own | opponent)
    royal = own & kings
    return (
        capturers(own, opponent, empty, 2, side)
        | capturers(own, opponent, empty, 3, side)
        | capturers(royal, opponent, empty, 0, side)
        | capturers(royal, opponent, empty, 1, side)
    )


@inlined
def put_move(moves: Int, count: Int, own: Word, opponent: Word, kings: Word, code: Word) -> Int:
    """Write one row if there is room for it; return the number of moves so far, written or not."""
    if count < CAPACITY:
        row = moves + count * MOVE_BYTES
        store_word(row, own)
        store_word(row + 8, opponent)
        store_word(row + 16, kings)
        store_word(row + 24, code)
    return count + 1


@inlined
def add_jumps(
    own: Word, opponent: Word, kings: Word, side: Int, start: Word, moves: Int, count: Int, store: bool
) -> Int:
    """Add a move for every capture path of the piece on `start`, or only count them; return the new number of moves.

    The search is depth first, without recursion. The path itself is the stack: its steps, two bits each, lead
    back to its start.
    """
    is_king = (kings & start) != _0
    first_step = 0 if is_king else 2
    empty = (_BOARD & ~(own | opponent)) | start  # the piece has left its square
    crowned = _0 if is_king else king_row(side)
    square = start
    captured = _0
    steps = _0
    depth = 0
    extended = _0  # bit d: the path of d jumps has a continuation
    step = first_step
    while True:
        middle = _0
        landing = _0
        while step < 4:
            middle = stepped(square, step, side) & opponent & ~captured
            landing = stepped(middle, step, side) & empty
            if landing != _0:
                break
            step += 1
        if step < 4:
            extended = (extended | (_1 << np.uint64(depth))) & ~(_2 << np.uint64(depth))
            steps |= np.uint64(step) << np.uint64(2 * depth)
            depth += 1
            captured |= middle
            square = landing
            step = first_step if (landing & crowned) == _0 else 4  # crowning ends the turn
            continue
        if depth == 0:
            return count
        if (extended >> np.uint64(depth)) & _1 == _0:
            if store:
                left = kings & ~captured
                if is_king:
                    left = (left ^ start) | square
                else:
                    left |= square & crowned
                code = np.uint64(lowest_bit(start)) | (np.uint64(depth) << _JUMP_SHIFT) | (steps << _STEP_SHIFT)
                count = put_move(moves, count, (own ^ start) | square, opponent & ~captured, left, code)
            else:
                count += 1
        extended &= ~(_1 << np.uint64(depth))
        depth -= 1
        last: Int = np.int64((steps >> np.uint64(2 * depth)) & _3)
        steps &= ~(_3 << np.uint64(2 * depth))
        middle = stepped(square, 3 - last, side)
        captured &= ~middle
        square = stepped(middle, 3 - last, side)
        step = last + 1


@inlined
def write_step(
    own: Word, opponent: Word, kings: Word, side: Int, start: Word, bit: Int, step: Int, is_king: Int, row: Int
) -> None:
    """Write the simple move of the piece on `start` to the row at an address, even if it is illegal."""
    target = stepped(start, step, side)
    store_word(row, (own ^ start) | target)
    store_word(row + 8, opponent)
    store_word(row + 16, (kings ^ start) | target if is_king else kings | (target & king_row(side)))
    store_word(row + 24, np.uint64(bit) | (np.uint64(step) << _STEP_SHIFT))


@inlined
def room_for(starts: Word, start: Word) -> Int:
    """Return the bytes of a row if `start` is one of `starts`, else 0."""
    return np.int64((starts & start) != _0) * MOVE_BYTES


@inlined
def _generate(own: Word, opponent: Word, kings: Word, side: Int, moves: Int) -> Int:
    count: Int = np.int64(0)  # a plain 0 is a literal type of its own: `add_jumps` would be compiled twice
    starts = all_capturers(own, opponent, kings, side)
    if starts != _0:
        while starts != _0:
            start = first_square(starts, side)
            starts ^= start
            count = add_jumps(own, opponent, kings, side, start, moves, count, True)
        return count
    empty = _BOARD & ~(own | opponent)
    royal = own & kings
    ahead_2 = steppers(own, empty, 2, side)
    ahead_3 = steppers(own, empty, 3, side)
    back_0 = steppers(royal, empty, 0, side)
    back_1 = steppers(royal, empty, 1, side)
    starts = ahead_2 | ahead_3 | back_0 | back_1
    # Every step is written, and then kept or overwritten by the next: cheaper than branches that no predictor learns.
    # So the row after the last move may hold anything; there are at most 48 simple moves, so there is room for it.
    row = moves
    while starts != _0:
        start = first_square(starts, side)
        starts ^= start
        bit = lowest_bit(start)
        if kings & start != _0:
            write_step(own, opponent, kings, side, start, bit, 0, 1, row)
            row += room_for(back_0, start)
            write_step(own, opponent, kings, side, start, bit, 1, 1, row)
            row += room_for(back_1, start)
            write_step(own, opponent, kings, side, start, bit, 2, 1, row)
            row += room_for(ahead_2, start)
            write_step(own, opponent, kings, side, start, bit, 3, 1, row)
            row += room_for(ahead_3, start)
        else:
            write_step(own, opponent, kings, side, start, bit, 2, 0, row)
            row += room_for(ahead_2, start)
            write_step(own, opponent, kings, side, start, bit, 3, 0, row)
            row += room_for(ahead_3, start)
    return (row - moves) // MOVE_BYTES


@compiled
def generate_at(own: Word, opponent: Word, kings: Word, side: Int, moves: Int) -> Int:
    """Do the same as `generate` with rows at an address, which needs room for one row more than there are moves."""
    if side == 0:
        return _generate(own, opponent, kings, 0, moves)
    return _generate(own, opponent, kings, 1, moves)


@compiled
def generate(own: Word, opponent: Word, kings: Word, side: Int, moves: Array) -> Int:
    """Write every legal move to `moves` (uint64, CAPACITY x 4, C-contiguous) and return their number.

    The row after the last move may be overwritten too.
    """
    return generate_at(own, opponent, kings, side, np.int64(moves.ctypes.data))
