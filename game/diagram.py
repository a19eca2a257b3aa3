"""A board as text, with Black's side at the top as in books."""

from __future__ import annotations

from game import bitboard
from game.board import Position
from game.rules import BLACK, SQUARES

LEGEND = "b w men, B W kings"


def diagram(position: Position) -> str:
    """Return eight lines, one per row: each dark square as its piece or a dot and its number; light squares are
    blank.
    """
    squares = {
        letter: set(bitboard.squares_of(word))
        for letter, word in (
            ("b", position.black & ~position.kings),
            ("B", position.black & position.kings),
            ("w", position.white & ~position.kings),
            ("W", position.white & position.kings),
        )
    }
    rows = []
    for first in range(1, SQUARES + 1, 4):
        cells = []
        for square in range(first, first + 4):
            piece = next((letter for letter, where in squares.items() if square in where), ".")
            cells.append(f"{piece}{square}".ljust(4))
        even = (first - 1) // 4 % 2 == 0  # in every other row the first dark square is the leftmost
        rows.append("".join(f"    {cell}" if even else f"{cell}    " for cell in cells).rstrip())
    return "\n".join(rows)


def mover(position: Position) -> str:
    """Return the side to move in words."""
    return "Black to move" if position.side == BLACK else "White to move"
