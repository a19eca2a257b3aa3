"""Ten metrics of a board, and labels computed from them, which teach the first network of `q-learning`.

Source: Lheureux, Building a checkers gaming agent using deep Q-learning (2022), but with exact rules of mobility.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game import kernels
from game.bitboard import LAST_BIT, SQUARE_BIT
from game.board import Position
from game.rules import BLACK, MAX_MOVES, PIECES_A_SIDE, WHITE

Words = NDArray[np.uint64]
Whole = NDArray[np.int64]

NAMES = ("captured", "mobility", "men", "kings", "caps", "semicaps", "uncaps", "middle", "far", "won")
"""The metrics. Each is a side's count minus the opponent's, except captured, semicaps and won.

Caps: the opponent's pieces off the rim that are not adjacent to a piece of their own colour. Uncaps: own pieces that
are on the rim, or have two own pieces on one side of them. Semicaps: 12 minus own uncaps minus the opponent's caps.
Middle: pieces on the fourth and fifth rows. Far: pieces on the last three rows. Won: 1 if the opponent has no pieces or
moves, -1 if the side itself has none, else 0."""
SCORES = (4, 1, 1, 3, 1, 2, 3, 2, 3, 100)
"""Weight of each metric in the label."""


def _rows_of_board(rows: Iterable[int]) -> np.uint64:
    return np.uint64(sum(1 << SQUARE_BIT[4 * row + place + 1] for row in rows for place in range(4)))


def _inner() -> np.uint64:
    side = {square for square in range(1, 33) if square % 8 in (4, 5)}
    return np.uint64(sum(1 << SQUARE_BIT[square] for square in range(5, 29) if square not in side))


_BOARD, _INNER, _MIDDLE = _rows_of_board(range(8)), _inner(), _rows_of_board((3, 4))
_LAST_ROWS, _FIRST_ROWS = _rows_of_board((5, 6, 7)), _rows_of_board((0, 1, 2))
_REVERSED = np.array([int(f"{byte:08b}"[::-1], 2) for byte in range(256)], np.uint8)


def turned(rows: Words) -> Words:
    """Return boards as the other side sees them; uint64 of shape (boards, 3): own, opponent, kings."""
    # Rotating the board reverses the order of its bits: reverse the bytes, then look up each byte reversed.
    words = np.ascontiguousarray(rows[:, [1, 0, 2]], "<u8")
    backwards = np.ascontiguousarray(_REVERSED[words.view(np.uint8).reshape(-1, 8)[:, ::-1]]).view("<u8")
    return (backwards >> np.uint64(63 - LAST_BIT)).reshape(-1, 3).astype(np.uint64)


def metrics(rows: Words) -> Whole:
    """Return the ten metrics of boards.

    Args:
        rows: uint64 of shape (boards, 3): own, opponent, kings, as seen by the side that the metrics are for.

    Returns:
        int64 of shape (boards, 10), in the order of `NAMES`.
    """
    own, opponent, kings = rows.T
    moves = np.array([[_moves(row, side) for side in (BLACK, WHITE)] for row in rows], np.int64).reshape(-1, 2)
    caps, uncaps = (_caps(opponent), _caps(own)), (_uncaps(own), _uncaps(opponent))
    won = np.where(opponent == 0, 1, np.where((own == 0) | (moves[:, 0] == 0), -1, np.where(moves[:, 1] == 0, 1, 0)))
    columns = (
        PIECES_A_SIDE - _count(opponent),
        moves[:, 0] - moves[:, 1],
        _count(own & ~kings) - _count(opponent & ~kings),
        _count(own & kings) - _count(opponent & kings),
        caps[0] - caps[1],
        PIECES_A_SIDE - uncaps[0] - caps[1],
        uncaps[0] - uncaps[1],
        _count(own & _MIDDLE) - _count(opponent & _MIDDLE),
        _count(own & _LAST_ROWS) - _count(opponent & _FIRST_ROWS),
        won,
    )
    return np.stack(columns, axis=1).astype(np.int64)


def labels(numbers: Whole) -> Whole:
    """Return -1 for boards on which the weighted sum of the metrics is negative, else 1; int64 of shape (boards,)."""
    return np.where(numbers @ np.array(SCORES) < 0, -1, 1)


def tree(count: int) -> Words:
    """Return the first boards of the breadth-first tree from the start, as seen by the side that has just moved.

    Returns:
        uint64 of shape (count, 3): own, opponent, kings.
    """
    start = Position.start()
    level, boards = [(start.black, start.white, start.kings)], np.empty((0, 3), np.uint64)
    scratch = np.empty((MAX_MOVES, kernels.MOVE_WORDS), np.uint64)
    while len(boards) < count:
        children = []
        for own, opponent, royal in level:
            moves = kernels.generate(np.uint64(own), np.uint64(opponent), np.uint64(royal), BLACK, scratch)
            children.append(scratch[:moves, :3].copy())
            if len(boards) + sum(map(len, children)) >= count:
                break
        new = np.concatenate(children)
        boards = np.concatenate([boards, new])
        level = turned(new).tolist()
    return boards[:count]


def _moves(row: Any, side: int) -> int:
    own, opponent, royal = row if side == BLACK else row[[1, 0, 2]]
    return int(kernels.generate(own, opponent, royal, side, np.empty((MAX_MOVES, kernels.MOVE_WORDS), np.uint64)))


def _caps(pieces: Words) -> Whole:
    """Count the pieces off the rim that are not adjacent to a piece of their own side."""
    beside = pieces << np.uint64(4) | pieces << np.uint64(5) | pieces >> np.uint64(4) | pieces >> np.uint64(5)
    return _count(pieces & _INNER & ~beside)


def _uncaps(pieces: Words) -> Whole:
    """Count the pieces that are on the rim or have two own pieces ahead, behind, to the left or to the right."""
    behind_right, behind_left = pieces << np.uint64(4), pieces << np.uint64(5)
    ahead_left, ahead_right = pieces >> np.uint64(4), pieces >> np.uint64(5)
    rows = (ahead_left & ahead_right) | (behind_left & behind_right)
    sides = (ahead_left & behind_left) | (ahead_right & behind_right)
    return _count(pieces & (_BOARD & ~_INNER | rows | sides))


def _count(words: Words) -> Whole:
    return np.bitwise_count(words).astype(np.int64)
