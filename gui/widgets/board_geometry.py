"""Where squares are on the screen, and which square is under a point. No pygame."""

from __future__ import annotations

from dataclasses import dataclass

from gui.geometry import Point, Rect
from gui.model.places import column_of, row_of, square_at

FRAME = 0.16
"""Width of the board's frame as a share of a square."""

LEAST_CELL = 4
"""Pixels; in a window without room for such squares the board reaches beyond it."""


@dataclass(frozen=True)
class BoardGeometry:
    """A board in a rectangle.

    Attributes:
        outer: the frame included; always square.
        cell: length of a square.
        flipped: whether White's side is at the top, so Black's at the bottom.
    """

    outer: Rect
    cell: int
    flipped: bool

    @classmethod
    def within(cls, rect: Rect, flipped: bool) -> BoardGeometry:
        """The largest board of whole pixels in the middle of a rectangle."""
        cell = max(min(rect.w, rect.h) // 8, LEAST_CELL)
        while cell > LEAST_CELL and 8 * cell + 2 * frame_of(cell) > min(rect.w, rect.h):
            cell -= 1
        side = 8 * cell + 2 * frame_of(cell)
        return cls(Rect(rect.x + (rect.w - side) // 2, rect.y + (rect.h - side) // 2, side, side), cell, flipped)

    @property
    def inner(self) -> Rect:
        """The 64 squares."""
        return self.outer.inset(frame_of(self.cell))

    def place(self, row: int, column: int) -> Rect:
        """The square at a row and a column as Black's opponent sees the board: square 1 in the top row."""
        if self.flipped:
            row, column = 7 - row, 7 - column
        return Rect(self.inner.x + column * self.cell, self.inner.y + row * self.cell, self.cell, self.cell)

    def rect(self, square: int) -> Rect:
        """Where a dark square is."""
        return self.place(row_of(square), column_of(square))

    def square(self, point: Point) -> int:
        """The dark square under a point; 0 for a light one or beside the board."""
        if not self.inner.holds(point):
            return 0
        row, column = (point[1] - self.inner.y) // self.cell, (point[0] - self.inner.x) // self.cell
        return square_at(7 - row, 7 - column) if self.flipped else square_at(row, column)

    def next_square(self, square: int, key: str) -> int:
        """The dark square that an arrow key leads to; the same one at the edge."""
        row, slot = (square - 1) // 4, (square - 1) % 4
        turn = -1 if self.flipped else 1
        row += {"up": -turn, "down": turn}.get(key, 0)
        slot += {"left": -turn, "right": turn}.get(key, 0)
        return 4 * min(max(row, 0), 7) + min(max(slot, 0), 3) + 1


def frame_of(cell: int) -> int:
    """Width of the frame around squares of this size."""
    return max(round(cell * FRAME), 2)
