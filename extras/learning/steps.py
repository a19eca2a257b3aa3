"""First steps of moves, the outputs of a policy, for many positions at once (of one move: `game.players.policy`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.bitboard import BIT_SQUARE, BOARD, SQUARE_BIT

STEPS = 128
"""Number of first steps: 32 squares, four directions each."""
_FIRST_STEP, _BIT = 10, 63  # in the code of a move (`game.kernels`): position of the first step, mask of the start bit
_DISTANCES = (-5, -4, 4, 5)


def first_steps(codes: NDArray[np.uint32], side: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return the index of the first step of each move, from its code (`game.kernels`) and the side that makes it."""
    square = np.array(BIT_SQUARE)[codes & _BIT] - 1
    seen = np.where(side == 0, square, 31 - square)
    steps: NDArray[np.int16] = (4 * seen + (codes >> _FIRST_STEP & 3)).astype(np.int16)
    return steps


def legal_steps(rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which of the 128 first steps are legal; bool (n, 128).

    Args:
        rows: uint64 (n, 3), own pieces, the opponent's, kings, as the side to move sees the board.
    """
    own, opponent, kings = rows[:, 0], rows[:, 1], rows[:, 2]
    empty = ~(own | opponent) & np.uint64(BOARD)
    movers = [own & kings, own & kings, own, own]
    steps = [mover & _shifted(empty, -by) for mover, by in zip(movers, _DISTANCES, strict=True)]
    jumps = [
        mover & _shifted(opponent & _shifted(empty, -by), -by) for mover, by in zip(movers, _DISTANCES, strict=True)
    ]
    captures = (jumps[0] | jumps[1] | jumps[2] | jumps[3]) != 0
    words = np.where(captures[:, None], np.stack(jumps, 1), np.stack(steps, 1)).astype("<u8")
    bits = np.unpackbits(words.view(np.uint8).reshape(len(rows), 4, 8)[:, :, :5], axis=2, bitorder="little")
    legal = bits[:, :, list(SQUARE_BIT[1:])].transpose(0, 2, 1)  # direction, square -> square, direction
    return np.ascontiguousarray(legal).reshape(len(rows), STEPS).astype(bool)


def _shifted(words: NDArray[np.uint64], by: int) -> NDArray[np.uint64]:
    """Shift all squares by a number of bits; squares that leave the board land on unused bits."""
    return words << np.uint64(by) if by > 0 else words >> np.uint64(-by)
