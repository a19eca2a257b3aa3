"""Compiled code for the sums of the first layer, which are kept from position to position and updated for each move.

Networks that see the board as the side to move have two halves of sums, one for each side; `start` and `span` select a
part by its offset and size in bytes.
"""

from __future__ import annotations

import numpy as np

from game import bitboard
from game.bits import load_word, lowest_bit, rotate_for
from game.compiled.jit import Int, Word, compiled, inlined
from game.networks import vectors as v

_0 = np.uint64(0)
_1 = np.uint64(1)


@inlined
def sums_bytes(plan: Int) -> Int:
    """Return the size in bytes of all sums of a position, and so of a row of a table."""
    return np.int64(load_word(plan)) * v.BYTES


@inlined
def view_bytes(plan: Int) -> Int:
    """Return the size in bytes of the sums for the view of one side."""
    return np.int64(load_word(plan + 80)) * v.BYTES


@inlined
def add_rows(squares: Word, table: Int, size: Int, sums: Int, span: Int, negative: Int) -> None:
    """Add `span` bytes of a table's rows (of `size` bytes each) for these squares to the sums, or subtract them."""
    while squares != _0:
        row = table + lowest_bit(squares) * size
        squares &= squares - _1
        for at in range(0, span, v.BYTES):
            if negative:
                v.store(sums + at, v.subtract(v.load(sums + at), v.load(row + at)))
            else:
                v.store(sums + at, v.add(v.load(sums + at), v.load(row + at)))


@inlined
def update_sums(
    before: Word, after: Word, side: Int, table: Int, size: Int, sums: Int, span: Int, negative: Int
) -> None:
    """Update the sums for the pieces of one kind that were added and removed."""
    if before != after:
        added, removed = rotate_for(after & ~before, side), rotate_for(before & ~after, side)
        if negative:
            added, removed = removed, added
        add_rows(added, table, size, sums, span, 0)
        add_rows(removed, table, size, sums, span, 1)


@compiled
def advance(
    own: Word, opponent: Word, kings: Word, own_after: Word, opponent_after: Word, kings_after: Word,
    side: Int, plan: Int, params: Int, start: Int, span: Int, sums: Int,
) -> None:  # fmt: skip
    """Update the sums of `side`, the owner of `own`, from one position to another; either side may be to move.

    `sums` contains only the part of the sums that `start` and `span` select.
    """
    size, royal, theirs = sums_bytes(plan), np.int64(load_word(plan + 16)), np.int64(load_word(plan + 64))
    table = params + start
    negative = np.int64(theirs == 0)  # one table serves both sides: the opponent's pieces are subtracted
    update_sums(own & ~kings, own_after & ~kings_after, side, table, size, sums, span, 0)
    update_sums(opponent & ~kings, opponent_after & ~kings_after, side, table + theirs, size, sums, span, negative)
    if kings | kings_after != _0:
        table += royal
        update_sums(own & kings, own_after & kings_after, side, table, size, sums, span, 0)
        update_sums(opponent & kings, opponent_after & kings_after, side, table + theirs, size, sums, span, negative)


@compiled
def rebuild(
    own: Word, opponent: Word, kings: Word, side: Int, plan: Int, params: Int, start: Int, span: Int, sums: Int
) -> None:
    """Compute a part of the sums of `side`, the owner of `own`, from the biases and all pieces; see `advance`."""
    biases = params + np.int64(load_word(plan + 24)) + start
    for at in range(0, span, v.BYTES):
        v.store(sums + at, v.load(biases + at))
    advance(_0, _0, _0, own, opponent, kings, side, plan, params, start, span, sums)


@inlined
def bit_for(square: Word, side: Int) -> Int:
    """Return the bit index of the only square in a word, as `side` sees it."""
    bit = lowest_bit(square)
    return bit if side == 0 else bitboard.LAST_BIT - bit


@inlined
def write_sums_after(
    own: Word, opponent: Word, kings: Word, row: Int, side: Int, plan: Int, params: Int, sums: Int,
    start: Int, span: Int, target: Int, reply: Int,
) -> None:  # fmt: skip
    """Write a part of the sums of `side`, the owner of `own`, after a move (a row of `generate`) to `target`.

    With `reply`, a constant, the opponent of `side` made the move; its pieces come first in the row.
    """
    mover_after, other_after, kings_after = load_word(row), load_word(row + 8), load_word(row + 16)
    mover, other = (opponent, own) if reply else (own, opponent)
    if other_after != other:
        for at in range(0, span, v.BYTES):
            v.store(target + at, v.load(sums + start + at))
        own_after, opponent_after = (other_after, mover_after) if reply else (mover_after, other_after)
        advance(
            own, opponent, kings, own_after, opponent_after, kings_after, side, plan, params, start, span, target
        )  # fmt: skip
        return
    # A simple move, by far the most frequent case: one piece moves, in registers.
    begin, end = mover & ~mover_after, mover_after & ~mover
    size, table = sums_bytes(plan), params + start
    theirs = np.int64(load_word(plan + 64)) if reply else np.int64(1)
    if reply:
        table += theirs
    royal = table + np.int64(load_word(plan + 16))
    removed = (royal if kings & begin != _0 else table) + bit_for(begin, side) * size
    added = (royal if kings_after & end != _0 else table) + bit_for(end, side) * size
    if theirs == 0:  # one table serves both sides: the opponent's pieces are subtracted
        added, removed = removed, added
    sums += start
    for at in range(0, span, v.BYTES):
        v.store(target + at, v.subtract(v.add(v.load(sums + at), v.load(added + at)), v.load(removed + at)))
