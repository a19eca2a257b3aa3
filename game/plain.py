"""Legal moves in plain Python, for the window and for readers of files, which must not wait for compiled code.

Moves and their order are the same as in the kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from game import bitboard
from game.board import Position
from game.moves import IllegalMoveError, Move
from game.rules import BLACK, WHITE

_STEPS = {BLACK: (-5, -4, 4, 5), WHITE: (5, 4, -4, -5)}
"""Steps between bits, in ascending order of the target square as the mover sees it; men take only the last two."""

_KING_ROW = {BLACK: bitboard.BOTTOM_ROW, WHITE: bitboard.TOP_ROW}


@lru_cache(maxsize=4096)
def successors(position: Position) -> tuple[tuple[Move, Position], ...]:
    """Return every legal move with the position after it, in the order of `game.moves.successors`."""
    squares = list(bitboard.squares_of(position.own))
    if position.side == WHITE:
        squares.reverse()
    pairs = [(move, after) for square in squares for move, after in _captures(position, square)]
    if not pairs:  # capture is compulsory
        pairs = [(move, after) for square in squares for move, after in _simple(position, square)]
    return tuple(pairs)


def legal_moves(position: Position) -> list[Move]:
    """Return every legal move (every capture path) in the order of `successors`; empty if the side to move has lost."""
    return [move for move, _ in successors(position)]


def apply(position: Position, move: Move) -> Position:
    """Return the position after a legal move.

    Raises:
        IllegalMoveError: the move is not legal here.
    """
    for known, after in successors(position):
        if known.path == move.path:
            return after
    raise IllegalMoveError(f"{move}: not legal in {position.fen()}")


def _simple(position: Position, square: int) -> Iterator[tuple[Move, Position]]:
    start = 1 << bitboard.SQUARE_BIT[square]
    for step in _steps(position, start):
        target = _shift(start, step) & ~(position.black | position.white)
        if target:
            yield Move((square, _square(target))), _after(position, start, target, 0)


def _captures(position: Position, square: int) -> Iterator[tuple[Move, Position]]:
    """Yield every jump path of one piece. Jumped pieces leave the board only at the end of the move."""
    start = 1 << bitboard.SQUARE_BIT[square]
    steps = _steps(position, start)
    stops = 0 if start & position.kings else _KING_ROW[position.side]  # crowning ends the turn
    empty = bitboard.BOARD & ~(position.black | position.white) | start  # the piece has left its square

    def jump_on(place: int, path: tuple[int, ...], captured: tuple[int, ...], taken: int) -> Iterator[_Path]:
        ended = True
        for step in () if place & stops else steps:
            middle = _shift(place, step) & position.opponent & ~taken
            landing = _shift(middle, step) & empty
            if landing:
                ended = False
                further = ((*path, _square(landing)), (*captured, _square(middle)))
                yield from jump_on(landing, *further, taken | middle)
        if ended and captured:
            yield path, captured, place, taken

    for path, captured, place, taken in jump_on(start, (square,), (), 0):
        yield Move(path, captured), _after(position, start, place, taken)


_Path = tuple[tuple[int, ...], tuple[int, ...], int, int]
"""Squares, captured squares, and as words the last square and the captured pieces."""


def _steps(position: Position, start: int) -> tuple[int, ...]:
    steps = _STEPS[position.side]
    return steps if start & position.kings else steps[2:]


def _shift(word: int, step: int) -> int:
    return (word << step if step > 0 else word >> -step) & bitboard.BOARD


def _square(word: int) -> int:
    return bitboard.BIT_SQUARE[word.bit_length() - 1]


def _after(position: Position, start: int, target: int, taken: int) -> Position:
    own, opponent = position.own ^ start | target, position.opponent & ~taken
    crowned = start & position.kings or target & _KING_ROW[position.side]
    kings = position.kings & ~start & ~taken | (target if crowned else 0)
    if position.side == BLACK:
        return Position(own, opponent, kings, WHITE)
    return Position(opponent, own, kings, BLACK)
