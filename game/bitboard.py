"""The bitboard layout: tables shared by boards, kernels and notation.

Boards are words of 35 bits: square s (PDN 1-32) is bit (s - 1) + (s - 1) // 8. The three unused bits (8, 17, 26) are
at the ends of every second row, so that each diagonal step is a shift by 4 or 5 without masks: a step off the board
meets an unused bit. The layout is folklore among checkers programs (Martin Fierz describes it for Cake).
"""

from __future__ import annotations

from collections.abc import Iterator

SQUARE_BIT = (0, *(square + square // 8 for square in range(32)))
"""Bit of each PDN square 1-32; index 0 is not used."""

BIT_SQUARE = tuple(0 if bit % 9 == 8 else bit - bit // 9 + 1 for bit in range(35))
"""PDN square of each bit; 0 for the unused bits."""

LAST_BIT = 34
"""Bit of square 32. Rotating the board by 180 degrees sends bit b to bit 34 - b."""

BOARD = sum(1 << bit for bit in SQUARE_BIT[1:])
"""All 32 squares."""

TOP_ROW = sum(1 << SQUARE_BIT[square] for square in (1, 2, 3, 4))
"""Squares 1-4: White's king row."""

BOTTOM_ROW = sum(1 << SQUARE_BIT[square] for square in (29, 30, 31, 32))
"""Squares 29-32: Black's king row."""


def squares_of(word: int) -> Iterator[int]:
    """Yield the PDN squares of the set bits, ascending."""
    while word:
        lowest = word & -word
        yield BIT_SQUARE[lowest.bit_length() - 1]
        word ^= lowest


def rotate(word: int) -> int:
    """Return the board rotated by 180 degrees: square s goes to 33 - s."""
    return sum(1 << (LAST_BIT - SQUARE_BIT[square]) for square in squares_of(word))
