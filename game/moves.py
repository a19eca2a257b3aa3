"""Legal moves: generating, making, parsing and formatting them.

A move is a whole turn, identified by its path: a multiple jump is one move, and two capture paths are two moves even if
they lead to the same position.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from game import bitboard
from game.board import Position
from game.errors import InputError
from game.notation import STANDARD, TURNED, has_letters, read_move, square_number
from game.rules import BLACK, MAX_MOVES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SEPARATOR = re.compile(r"[-x:]")
_BLACK_STEPS = (-5, -4, 4, 5)


class IllegalMoveError(InputError):
    """An illegal move; the message lists the legal ones."""


@dataclass(frozen=True, slots=True)
class Move:
    """One whole turn.

    Attributes:
        path: PDN squares from start to end, with every landing square of a multiple jump.
        captured: PDN squares of the captured pieces in order; empty for a simple move.
    """

    path: tuple[int, ...]
    captured: tuple[int, ...] = ()

    def __str__(self) -> str:
        return ("x" if self.captured else "-").join(map(str, self.path))


@functools.lru_cache(4096)
def decode(code: int, side: int) -> Move:
    """Decode a move from its code in `game.kernels`."""
    bit, jumps, steps = code & 63, (code >> 6) & 15, code >> 10
    path, captured = [bitboard.BIT_SQUARE[bit]], []
    for index in range(max(jumps, 1)):
        step = _BLACK_STEPS[(steps >> (2 * index)) & 3] * (1 if side == BLACK else -1)
        if jumps:
            captured.append(bitboard.BIT_SQUARE[bit + step])
            bit += step
        bit += step
        path.append(bitboard.BIT_SQUARE[bit])
    return Move(tuple(path), tuple(captured))


def encode(move: Move, side: int) -> int:
    """Return the code of a move in `game.kernels`; the inverse of `decode`."""
    bits = [bitboard.SQUARE_BIT[square] for square in move.path]
    sign, length = (1 if side == BLACK else -1), 2 if move.captured else 1
    code = bits[0] | len(move.captured) << 6
    for index, (before, after) in enumerate(itertools.pairwise(bits)):
        code |= _BLACK_STEPS.index(sign * (after - before) // length) << (10 + 2 * index)
    return code


def jumps(codes: NDArray[np.uint32]) -> NDArray[Any]:
    """Return the number of pieces that each move captures; moves are given as codes."""
    return (codes >> 6) & 15


def successors(position: Position) -> list[tuple[Move, Position]]:
    """Return every legal move with the position after it, by ascending path as the mover sees the board."""
    rows, count = _generate(position)
    pairs = []
    for own, opponent, kings, code in rows[:count].tolist():
        black, white = (own, opponent) if position.side == BLACK else (opponent, own)
        pairs.append((decode(code, position.side), Position(black, white, kings, 1 - position.side)))
    return pairs


def legal_moves(position: Position) -> list[Move]:
    """Return every legal move (every capture path) in the order of `successors`; empty if the side to move has lost."""
    rows, count = _generate(position)
    return [decode(code, position.side) for code in rows[:count, 3].tolist()]


def apply(position: Position, move: Move) -> Position:
    """Return the position after a legal move.

    Raises:
        IllegalMoveError: the move is not legal here.
    """
    for known, after in successors(position):
        if known.path == move.path:
            return after
    raise _illegal(str(move), position)


def fits(path: tuple[int, ...], move: Move) -> bool:
    """Return whether a path may stand for a capture: its first and last squares, and in order some between them."""
    if not move.captured or len(path) < 2 or (path[0], path[-1]) != (move.path[0], move.path[-1]):
        return False
    between = iter(move.path[1:-1])
    return all(square in between for square in path[1:-1])


def meant_by(path: tuple[int, ...], pairs: Sequence[tuple[Move, Position]]) -> Sequence[tuple[Move, Position]]:
    """Return the legal moves that a path may mean: the one with these squares, else all captures that it fits."""
    exact = [pair for pair in pairs if pair[0].path == path]
    return exact or [pair for pair in pairs if fits(path, pair[0])]


def move_paths(text: str) -> list[tuple[int, ...]]:
    """Return the squares of a move in any form of `game.notation`; with letters, as seen from either side.

    Raises:
        IllegalMoveError: the text is no move.
    """
    written = read_move(text)
    if written is None:
        raise IllegalMoveError(f"{text!r}: a move is written like 11-15, 22x15 or 26x17x10")
    squares = _SEPARATOR.split(written)
    seen = (STANDARD, TURNED) if has_letters(written) else (STANDARD,)
    return [tuple(square_number(square, view) for square in squares) for view in seen]


def meant_moves(pairs: Iterable[tuple[Move, Position]], text: str) -> list[Move]:
    """Return the legal moves that a text may mean, one for each position to which they lead.

    Args:
        text: the move in any form of `game.notation`, possibly with letters as seen from either side.

    Raises:
        IllegalMoveError: the text is no move.
    """
    pairs = list(pairs)
    return [move for move, _ in one_each(pair for path in move_paths(text) for pair in meant_by(path, pairs))]


def one_each(pairs: Iterable[tuple[Move, Position]]) -> list[tuple[Move, Position]]:
    """Return the moves with the positions after them, without moves to the same position as an earlier one."""
    moves_to: dict[Position, Move] = {}
    for move, after in pairs:
        moves_to.setdefault(after, move)
    return [(move, after) for after, move in moves_to.items()]


def parse_move(position: Position, text: str) -> Move:
    """Find the legal move described by a text.

    The text may be ``11-15``, ``22x15``, ``26x17x10``, or a shorter form such as ``26x10`` if all captures that fit
    lead to one position. Captures with ``-``, leading zeros, letters (``c3-d4``) and typography are accepted, too,
    because they occur in real files.

    Raises:
        IllegalMoveError: no legal move fits, or several that lead to different positions.
    """
    meant = meant_moves(successors(position), text)
    if not meant:
        raise _illegal(text, position)
    if len(meant) > 1:
        raise IllegalMoveError(f"{text}: ambiguous, could be {', '.join(map(str, meant))}")
    return meant[0]


def _generate(position: Position) -> tuple[Any, int]:
    # Imported here so that Numba is loaded when moves are first needed, not when this module is imported.
    import numpy as np

    from game import kernels

    rows = np.empty((MAX_MOVES, kernels.MOVE_WORDS), np.uint64)
    words = (np.uint64(position.own), np.uint64(position.opponent), np.uint64(position.kings))
    return rows, kernels.generate(*words, position.side, rows)


def _illegal(text: str, position: Position) -> IllegalMoveError:
    legal = legal_moves(position)
    allowed = ", ".join(map(str, legal)) if legal else "none: the side to move has lost"
    return IllegalMoveError(f"{text}: not legal in {position.fen()} (legal moves: {allowed})")
