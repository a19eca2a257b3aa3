"""Rectangles and their division, and the squares of the board as rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

Size = tuple[int, int]
Point = tuple[int, int]


class Rect(NamedTuple):
    """A rectangle in pixels; pygame accepts it in place of its own.

    Attributes:
        w, h: its width and height; the methods below never make them negative.
    """

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        return self.x + self.w

    @property
    def bottom(self) -> int:
        return self.y + self.h

    @property
    def centre(self) -> Point:
        return self.x + self.w // 2, self.y + self.h // 2

    def holds(self, point: Point) -> bool:
        return self.x <= point[0] < self.right and self.y <= point[1] < self.bottom

    def meets(self, other: Rect) -> bool:
        """Return whether two rectangles share a pixel."""
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom

    def inside(self, other: Rect) -> bool:
        return other.x <= self.x and other.y <= self.y and self.right <= other.right and self.bottom <= other.bottom

    def inset(self, dx: int, dy: int | None = None) -> Rect:
        """Shrink by `dx` at the left and right and by `dy`, or else `dx`, above and below; negative values enlarge."""
        dy = dx if dy is None else dy
        return Rect(self.x + dx, self.y + dy, max(self.w - 2 * dx, 0), max(self.h - 2 * dy, 0))

    def move(self, dx: int, dy: int) -> Rect:
        return Rect(self.x + dx, self.y + dy, self.w, self.h)

    def centre_within(self, w: int, h: int) -> Rect:
        """Return a rectangle of this size with the same centre, no larger than this one."""
        w, h = min(w, self.w), min(h, self.h)
        return Rect(self.x + (self.w - w) // 2, self.y + (self.h - h) // 2, w, h)

    def around(self, other: Rect) -> Rect:
        """Return the smallest rectangle that covers both."""
        x, y = min(self.x, other.x), min(self.y, other.y)
        return Rect(x, y, max(self.right, other.right) - x, max(self.bottom, other.bottom) - y)

    def rows(self, *heights: int | None, gap: int = 0) -> list[Rect]:
        """Divide into rows from top to bottom; each None takes an equal share of the remaining height."""
        return [Rect(self.x, self.y + at, self.w, size) for at, size in _cut(self.h, heights, gap)]

    def columns(self, *widths: int | None, gap: int = 0) -> list[Rect]:
        return [Rect(self.x + at, self.y, size, self.h) for at, size in _cut(self.w, widths, gap)]

    def grid(self, across: int, down: int, gap: int = 0) -> list[Rect]:
        return [cell for row in self.rows(*[None] * down, gap=gap) for cell in row.columns(*[None] * across, gap=gap)]


def _cut(length: int, sizes: Sequence[int | None], gap: int) -> list[tuple[int, int]]:
    left = max(length - gap * (len(sizes) - 1) - sum(size or 0 for size in sizes), 0)
    free = sizes.count(None)
    parts, at, given = [], 0, 0
    for size in sizes:
        if size is None:
            given += 1
            size = left * given // free - left * (given - 1) // free
        size = max(min(size, length - at), 0)
        parts.append((at, size))
        at += size + gap
    return parts


# Squares of the board: eight rows and columns, square 1 in the top row ---------------------------------------------


def row_of(square: int) -> int:
    """Return the row of a square, from 0 (squares 1 to 4, Black's back row) to 7."""
    return (square - 1) // 4


def column_of(square: int) -> int:
    """Return the column of a square, 0 to 7; square 1 is in column 1 and square 32 in column 6."""
    return 2 * ((square - 1) % 4) + 1 - row_of(square) % 2


def square_at(row: int, column: int) -> int:
    """Return the dark square at a row and column; 0 for a light square or off the board."""
    if not (0 <= row < 8 and 0 <= column < 8) or (row + column) % 2 == 0:
        return 0
    return 4 * row + column // 2 + 1


@cache
def neighbours(square: int) -> tuple[int, ...]:
    row, column = row_of(square), column_of(square)
    around = (square_at(row + up, column + right) for up in (-1, 1) for right in (-1, 1))
    return tuple(near for near in around if near)


@cache
def between(a: int, b: int) -> int:
    """Return the square jumped between `a` and `b`; 0 if these are not two diagonal steps apart."""
    if not a or not b or abs(row_of(a) - row_of(b)) != 2 or not on_one_diagonal(a, b):
        return 0
    return square_at((row_of(a) + row_of(b)) // 2, (column_of(a) + column_of(b)) // 2)


def on_one_diagonal(a: int, b: int) -> bool:
    return abs(row_of(a) - row_of(b)) == abs(column_of(a) - column_of(b))
