"""The compiled 247-parameter network: one position, float32, the same bits on every machine.

No fast math, no BLAS, no library exp; sums run in a fixed order. The first layer is a table with one row of 48 sums
a square, so a board costs one row addition a piece. Positions are seen by the side `own`, whose men move up the bits:
for White the words are turned first, so mirrored positions give the same bits.
"""

from __future__ import annotations

import numpy as np

from game import layout
from game.bits import bits_to_float, lowest_bit, rotated
from game.jit import Array, Float, Int, Word, compiled, inlined

LANES = 48  # 4 x 4 outputs of 3 filters
TABLE_ROWS = layout.LAST_BIT + 1
TABLE_SIZE = TABLE_ROWS * LANES
SCRATCH_SIZE = LANES + 12 + 6

_0 = np.uint64(0)
_1 = np.uint64(1)
_BIT_SQUARE = np.array(layout.BIT_SQUARE, np.int64)

_LOG2_E = np.float32(1.4426950408889634)
_LN2_HIGH = np.float32(0.693359375)  # 9 bits, so its product with an exponent is exact
_LN2_LOW = np.float32(-2.12194440054690583e-4)
_ROUND = np.float32(12582912.0)  # 1.5 * 2**23: adding and subtracting it rounds to the nearest whole number
_LARGEST = np.float32(87.0)
_C6 = np.float32(1 / 720)
_C5 = np.float32(1 / 120)
_C4 = np.float32(1 / 24)
_C3 = np.float32(1 / 6)
_C2 = np.float32(1 / 2)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)
_ZERO = np.float32(0.0)


@inlined
def exponential(x: Float) -> Float:
    """e to the power of x, clamped to |x| <= 87; relative error below 3e-7.

    x = n ln 2 + r with |r| <= ln 2 / 2; Taylor's series to r**6, whose first lost term is 1.2e-7 at the ends.
    """
    clamped = min(max(x, -_LARGEST), _LARGEST)
    n = (clamped * _LOG2_E + _ROUND) - _ROUND
    r = (clamped - n * _LN2_HIGH) - n * _LN2_LOW
    series = (((((_C6 * r + _C5) * r + _C4) * r + _C3) * r + _C2) * r + _ONE) * r + _ONE
    return series * bits_to_float((np.int32(n) + np.int32(127)) << np.int32(23))


@inlined
def sigmoid(x: Float) -> Float:
    """1 / (1 + exp(-x)); a NaN stays a NaN."""
    return _ONE / (_ONE + exponential(-x)) + (x - x)


@compiled
def fill_table(weights: Array, table: Array) -> None:
    """First-layer sums of one man on each square: `weights` float32 (247), `table` float32 (TABLE_SIZE)."""
    for index in range(TABLE_SIZE):
        table[index] = _ZERO
    for bit in range(TABLE_ROWS):
        square = _BIT_SQUARE[bit] - 1
        if square < 0:
            continue
        row = square // 4
        column = 2 * (square % 4) + (row + 1) % 2
        for out_row in range(4):
            for out_column in range(4):
                down = row - out_row
                right = column - out_column
                if 0 <= down < 5 and 0 <= right < 5:
                    for kernel in range(3):
                        lane = (out_row * 4 + out_column) * 3 + kernel
                        table[bit * LANES + lane] = weights[(down * 5 + right) * 3 + kernel]


@inlined
def add_pieces(pieces: Word, factor: Float, table: Array, sums: Array) -> None:
    """Add `factor` times the row of each piece, in ascending order of squares."""
    left = pieces
    while left != _0:
        row = lowest_bit(left) * LANES
        left &= left - _1
        for lane in range(LANES):
            sums[lane] += factor * table[row + lane]


@compiled
def evaluate(
    own: Word,
    opponent: Word,
    kings: Word,
    side: Int,
    weights: Array,
    table: Array,
    scratch: Array,
) -> Float:
    """The sum before the last sigmoid, seen by `side`, who owns `own`; larger is better for `side`.

    `weights` float32 (247), `table` as `fill_table` leaves it, `scratch` float32 (SCRATCH_SIZE).
    """
    if side != 0:
        own, opponent, kings = rotated(own), rotated(opponent), rotated(kings)
    first = scratch[:LANES]
    for lane in range(LANES):
        first[lane] = weights[75 + lane % 3]
    add_pieces(own & ~kings, _ONE, table, first)
    add_pieces(own & kings, _TWO, table, first)
    add_pieces(opponent & ~kings, -_ONE, table, first)
    add_pieces(opponent & kings, -_TWO, table, first)
    for lane in range(LANES):
        first[lane] = sigmoid(first[lane])

    second = scratch[LANES : LANES + 12]
    for out_row in range(2):
        for out_column in range(2):
            base = (out_row * 2 + out_column) * 3
            for kernel in range(3):
                second[base + kernel] = weights[159 + kernel]
            for down in range(3):
                for right in range(3):
                    for plane in range(3):
                        value = first[((out_row + down) * 4 + out_column + right) * 3 + plane]
                        weight = 78 + ((down * 3 + right) * 3 + plane) * 3
                        for kernel in range(3):
                            second[base + kernel] += value * weights[weight + kernel]
    for index in range(12):
        second[index] = sigmoid(second[index])

    hidden = scratch[LANES + 12 : LANES + 18]
    for out in range(6):
        hidden[out] = weights[234 + out]
    for index in range(12):
        for out in range(6):
            hidden[out] += second[index] * weights[162 + index * 6 + out]
    total = weights[246]
    for out in range(6):
        total += sigmoid(hidden[out]) * weights[240 + out]
    return total
