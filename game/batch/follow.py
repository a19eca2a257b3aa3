"""The positions of games of a batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.board import Position
from game.errors import InputError
from game.rules import MAX_MOVES


def follow(codes: NDArray[np.uint32], start: Position) -> tuple[NDArray[np.uint64], NDArray[np.int16]]:
    """The positions of a game before each of its moves, and which of the legal moves each was.

    Args:
        codes: of its moves, as `Outcomes.codes` has them.
        start: its first position.

    Returns:
        uint64 of shape (moves, 4): own, opponent, kings, rotated as the side to move sees them, and whether that side
        has a capture; and int16 of shape (moves,), indexes as openings have them.

    Raises:
        InputError: a code is that of no legal move.
    """
    from game.batch import follow_kernels

    rows, indexes = np.empty((len(codes), 4), np.uint64), np.empty(len(codes), np.int16)
    moves = np.empty((MAX_MOVES, 4), np.uint64)
    words = (np.uint64(start.black), np.uint64(start.white), np.uint64(start.kings))
    played = follow_kernels.follow(*words, start.side, codes, moves, rows, indexes)
    if played < len(codes):
        raise InputError(f"codes: {codes[played]} at ply {played} is that of no legal move")
    return rows, indexes
