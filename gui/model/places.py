"""Where the dark squares are on the board of eight rows and columns, square 1 in the top row."""

from __future__ import annotations

from functools import cache


def row_of(square: int) -> int:
    """Row of a square, 0 (squares 1-4, Black's back row) to 7."""
    return (square - 1) // 4


def column_of(square: int) -> int:
    """Column of a square, 0 to 7, where square 1 has column 1 and square 32 has column 6."""
    return 2 * ((square - 1) % 4) + 1 - row_of(square) % 2


def square_at(row: int, column: int) -> int:
    """The dark square at a row and a column; 0 for a light square or one off the board."""
    if not (0 <= row < 8 and 0 <= column < 8) or (row + column) % 2 == 0:
        return 0
    return 4 * row + column // 2 + 1


@cache
def neighbours(square: int) -> tuple[int, ...]:
    """Squares one diagonal step away, ascending."""
    row, column = row_of(square), column_of(square)
    around = (square_at(row + up, column + right) for up in (-1, 1) for right in (-1, 1))
    return tuple(found for found in around if found)


@cache
def between(a: int, b: int) -> int:
    """The square that a jump from `a` to `b` goes over; 0 if they are not two diagonal steps apart."""
    if not a or not b or abs(row_of(a) - row_of(b)) != 2 or not on_one_diagonal(a, b):
        return 0
    return square_at((row_of(a) + row_of(b)) // 2, (column_of(a) + column_of(b)) // 2)


def on_one_diagonal(a: int, b: int) -> bool:
    """Whether two squares lie on a diagonal."""
    return abs(row_of(a) - row_of(b)) == abs(column_of(a) - column_of(b))
