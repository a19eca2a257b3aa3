"""Rectangles and how to divide them, and the squares of the board as rows and columns. No pygame.

Layouts are pure functions from a size to rectangles.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

Size = tuple[int, int]
Point = tuple[int, int]


class Rect(NamedTuple):
    """A rectangle in pixels; pygame takes it wherever it takes its own.

    Attributes:
        x, y: its left upper corner.
        w, h: width and height, never negative where made by the methods below.
    """

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        """The first column that is no longer inside."""
        return self.x + self.w

    @property
    def bottom(self) -> int:
        """The first row that is no longer inside."""
        return self.y + self.h

    @property
    def centre(self) -> Point:
        """The middle."""
        return self.x + self.w // 2, self.y + self.h // 2

    def holds(self, point: Point) -> bool:
        """Return whether a point lies inside."""
        return self.x <= point[0] < self.right and self.y <= point[1] < self.bottom

    def meets(self, other: Rect) -> bool:
        """Return whether two rectangles share a pixel."""
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom

    def inside(self, other: Rect) -> bool:
        """Return whether the other rectangle covers this one."""
        return other.x <= self.x and other.y <= self.y and self.right <= other.right and self.bottom <= other.bottom

    def inset(self, dx: int, dy: int | None = None) -> Rect:
        """Smaller by `dx` on the left and right, by `dy` (or `dx`) above and below; negative values enlarge."""
        dy = dx if dy is None else dy
        return Rect(self.x + dx, self.y + dy, max(self.w - 2 * dx, 0), max(self.h - 2 * dy, 0))

    def move(self, dx: int, dy: int) -> Rect:
        """The same one elsewhere."""
        return Rect(self.x + dx, self.y + dy, self.w, self.h)

    def centre_within(self, w: int, h: int) -> Rect:
        """One of this size around the same middle, never larger than this one."""
        w, h = min(w, self.w), min(h, self.h)
        return Rect(self.x + (self.w - w) // 2, self.y + (self.h - h) // 2, w, h)

    def corner(self, side: int) -> Rect:
        """A square in the right upper corner."""
        return Rect(self.right - side, self.y, side, side)

    def common(self, other: Rect) -> Rect:
        """Return the intersection of two rectangles; its size is 0 if there is none."""
        x, y = max(self.x, other.x), max(self.y, other.y)
        return Rect(x, y, max(min(self.right, other.right) - x, 0), max(min(self.bottom, other.bottom) - y, 0))

    def around(self, other: Rect) -> Rect:
        """The smallest one that covers both."""
        x, y = min(self.x, other.x), min(self.y, other.y)
        return Rect(x, y, max(self.right, other.right) - x, max(self.bottom, other.bottom) - y)

    def rows(self, *heights: int | None, gap: int = 0) -> list[Rect]:
        """Cut into rows from top to bottom; each None takes an equal part of what the others leave."""
        return [Rect(self.x, self.y + at, self.w, size) for at, size in _cut(self.h, heights, gap)]

    def columns(self, *widths: int | None, gap: int = 0) -> list[Rect]:
        """Cut into columns from left to right, as `rows`."""
        return [Rect(self.x + at, self.y, size, self.h) for at, size in _cut(self.w, widths, gap)]

    def grid(self, across: int, down: int, gap: int = 0) -> list[Rect]:
        """Equal cells, row by row."""
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
    """Return whether two squares lie on a diagonal."""
    return abs(row_of(a) - row_of(b)) == abs(column_of(a) - column_of(b))
