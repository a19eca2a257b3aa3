"""Compiled drawing of positions from tables, and the positions after each move of many positions.

All positions of a choice of slices are numbered: a *place* is the number of a position, slice after slice. A key maps
the numbers of samples to places one to one, so that successive samples are a random selection without repetition.
"""

from __future__ import annotations

import numpy as np

from game import generator
from game.bits import load_word, mix, rotate
from game.compiled.jit import Array, Int, compiled, inlined
from game.endgame.index_kernels import position_index, position_of, slice_at, slice_number
from game.endgame.probe_kernels import probe
from game.kernels import MOVE_BYTES, all_capturers, generate_at

TEST, VALIDATION, TRAINING = 0, 1, 2
PARTS = 32
"""One in this number of positions is for the test, one for validation; all others are for training."""
ROUNDS = 4
_0 = np.uint64(0)
_SLICE = np.uint64(48)
_PART = np.uint64(PARTS - 1)
_GAMMA = np.uint64(generator.GAMMA)


@inlined
def part_of(which: Int, index: Int) -> Int:
    """Return the part of a position, from a hash of its slice (`slice_at`) and index that depends on nothing else."""
    return min(np.int64(mix((np.uint64(which) << _SLICE) + np.uint64(index) + _GAMMA) & _PART), TRAINING)


@inlined
def place_of(number: Int, places: Int, key: Array) -> Int:
    """Return the place of a sample: a permutation of the numbers below `places`.

    Each step is a permutation of words of a fixed number of bits, since factors are odd; words beyond the last place
    are permuted again, so they are skipped (cycle walking; Black and Rogaway, Ciphers with arbitrary finite domains,
    2002).

    Args:
        key: uint64: bits to keep (a mask), half their number, then a factor and a summand for each round.
    """
    word = np.uint64(number)
    while True:
        for step in range(ROUNDS):
            word = (word * key[2 + 2 * step] + key[3 + 2 * step]) & key[0]
            word ^= word >> key[1]
        if np.int64(word) < places:
            return np.int64(word)


@inlined
def slice_of(place: Int, starts: Array) -> Int:
    """Return the last slice that starts at or before a place."""
    low: Int = np.int64(0)
    high: Int = np.int64(starts.size - 1)
    while high - low > 1:
        middle = (low + high) // 2
        if starts[middle] <= place:
            low = middle
        else:
            high = middle
    return low


@compiled
def draw(
    first: Int, last: Int, part: Int, quiet: Int, key: Array, starts: Array, slices: Array, tables: Int, rows: Array,
    values: Array, capturing: Array,
) -> Int:  # fmt: skip
    """Write the samples of a part among those with numbers from `first` to `last` - 1; return how many there are.

    Args:
        quiet: 1 to leave out positions in which a capture is pending.
        key: see `place_of`.
        starts: int64: the first place of each slice, and the number of places.
        slices: int64 of shape (slices, 4): men and kings of the mover and of its opponent.
        tables: `Tables.address`; 0 without tables.
        rows: uint64 of shape (samples, 3): own, opponent and kings as the mover sees the board.
        values: int8: 1 won, 0 drawn, -1 lost; without tables always 0.
        capturing: uint8: 1 if a capture is pending.
    """
    places = starts[starts.size - 1]
    written = 0
    for number in range(first, last):
        place = place_of(number, places, key)
        which = slice_of(place, starts)
        men, kings, opponent_men, opponent_kings = slices[which]
        index = place - starts[which]
        # The part is decided before the position is made: most places belong to another part.
        if part_of(slice_at(men, kings, opponent_men, opponent_kings), index) != part:
            continue
        own, opponent, royal = position_of(index, men, kings, opponent_men, opponent_kings)
        captures = all_capturers(own, opponent, royal, 0) != _0
        if captures and quiet:
            continue
        rows[written, 0], rows[written, 1], rows[written, 2] = own, opponent, royal
        values[written] = probe(own, opponent, royal, 0, tables) if tables != 0 else 0
        capturing[written] = captures
        written += 1
    return written


@compiled
def look_up(rows: Array, which: Int, tables: Int, values: Array) -> None:
    """Write the values of the positions of one slice, and leave the others as they are.

    Args:
        rows, values: as written by `draw`.
        which: `Slice.number`.
        tables: `Tables.address`; only the table of the slice has to be open.
    """
    for number in range(len(rows)):
        own, opponent, kings = rows[number]
        if slice_number(own, opponent, kings) == which:
            values[number] = probe(own, opponent, kings, 0, tables)


@compiled
def describe(rows: Array, parts: Array, capturing: Array) -> None:
    """Write the part of positions, and whether a capture is pending.

    Args:
        rows: uint64 of shape (positions, 3), as written by `draw`.
        parts: int64: TEST, VALIDATION or TRAINING.
        capturing: uint8: 1 if a capture is pending.
    """
    for number in range(len(rows)):
        own, opponent, kings = rows[number]
        parts[number] = part_of(slice_number(own, opponent, kings), position_index(own, opponent, kings, 0))
        capturing[number] = all_capturers(own, opponent, kings, 0) != _0


@compiled
def write_children(rows: Array, children: Array, lost: Array, ends: Array, moves: Array) -> None:
    """Write the positions after each move of positions, as the opponent sees them, who is then to move.

    Args:
        rows: uint64 of shape (positions, 3), as written by `draw`.
        children: uint64 of shape (capacity, 3), with room for the moves of all positions.
        lost: uint8 of shape (capacity,): 1 if the opponent has no pieces or no move in a child.
        ends: int64 of shape (positions,): the number of children up to and including those of each position.
        moves: uint64: scratch memory for the moves of two positions.
    """
    here = np.int64(moves.ctypes.data)
    after = here + moves.size * 4
    written = 0
    for number in range(len(rows)):
        count = generate_at(rows[number, 0], rows[number, 1], rows[number, 2], 0, here)
        for row in range(here, here + count * MOVE_BYTES, MOVE_BYTES):
            own, opponent = rotate(load_word(row + 8)), rotate(load_word(row))
            kings = rotate(load_word(row + 16))
            children[written, 0], children[written, 1], children[written, 2] = own, opponent, kings
            lost[written] = generate_at(own, opponent, kings, 0, after) == 0
            written += 1
        ends[number] = written
