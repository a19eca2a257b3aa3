"""Compiled replay of games by the codes of their moves."""

from __future__ import annotations

import numpy as np

from game.bits import rotate_for
from game.compiled.jit import Array, Int, Word, compiled
from game.kernels import generate


@compiled
def follow(
    black: Word, white: Word, kings: Word, side: Int, codes: Array, moves: Array, rows: Array, indexes: Array
) -> Int:
    """Play the moves with these codes (uint32) as far as they are legal; return how many were played.

    Writes to `rows` (uint64, codes x 4) the board before each move, as the mover sees it: own, opponent, kings, and
    whether it has a capture; to `indexes` (int16, codes) which of the legal moves was played. `moves` (uint64,
    CAPACITY x 4) is scratch.
    """
    own, opponent = (black, white) if side == 0 else (white, black)
    mover: Int = side
    for ply in range(len(codes)):
        count = generate(own, opponent, kings, mover, moves)
        chosen = -1
        for index in range(count):
            if moves[index, 3] == codes[ply]:
                chosen = index
        if chosen < 0:
            return ply
        rows[ply, 0], rows[ply, 1] = rotate_for(own, mover), rotate_for(opponent, mover)
        rows[ply, 2], rows[ply, 3] = rotate_for(kings, mover), np.uint64(moves[0, 1] != opponent)
        indexes[ply] = chosen
        own, opponent, kings = moves[chosen, 1], moves[chosen, 0], moves[chosen, 2]
        mover = 1 - mover
    return len(codes)
