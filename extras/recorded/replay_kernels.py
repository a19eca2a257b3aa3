"""Compiled replay of recorded games: one call per game finds every written move among the legal ones.

A written move is a path in one int64: the number of its squares in bits 0-3, then five bits for each square (its PDN
number minus one), the first square the lowest.
"""

from __future__ import annotations

import numpy as np

from game.bits import popcount
from game.compiled.jit import Array, Int, Word, compiled, inlined
from game.kernels import STEP_SHIFT, generate

FIRST_SHIFT = 4
SQUARE_BITS = 5
NO_PATH = -1  # as in game.pdn.game
"""A written move that can never be legal: it has too many squares, or one that is not on the board."""

PLAYED, ILLEGAL, AMBIGUOUS = 0, 1, 2
LEGAL_MOVES, CAPTURES, CROWNINGS, STATUS = 0, 1, 2, 3
TOTALS = 4

_SQUARE_MASK = (1 << SQUARE_BITS) - 1
_COUNT_MASK = (1 << FIRST_SHIFT) - 1
_BLACK_STEPS = (-5, -4, 4, 5)


@inlined
def written_path(code: Int, side: Int) -> Int:
    """Return the path of a legal move (its code as in `game.kernels`) in the form of a written move."""
    bit = code & 63
    jumps = (code >> 6) & 15
    steps = max(jumps, 1)
    path = (bit - bit // 9) << FIRST_SHIFT
    for index in range(steps):
        step = _BLACK_STEPS[(code >> (STEP_SHIFT + 2 * index)) & 3]
        if side == 1:
            step = -step
        bit += step if jumps == 0 else 2 * step
        path |= (bit - bit // 9) << (FIRST_SHIFT + SQUARE_BITS * (index + 1))
    return path | (steps + 1)


@inlined
def stands_for(wanted: Int, path: Int) -> Int:
    """Return whether a written path stands for a legal one: its first and last squares, and some between in order."""
    squares, others = wanted & _COUNT_MASK, path & _COUNT_MASK
    index = 0
    for other in range(others):
        if index < squares - 1 or other == others - 1:
            square = (wanted >> (FIRST_SHIFT + SQUARE_BITS * index)) & _SQUARE_MASK
            if (path >> (FIRST_SHIFT + SQUARE_BITS * other)) & _SQUARE_MASK == square:
                index += 1
            elif other == 0:
                break
    return index == squares


@compiled
def replay(
    black: Word,
    white: Word,
    kings: Word,
    side: Int,
    written: Array,
    count: Int,
    moves: Array,
    codes: Array,
    totals: Array,
    words: Array,
) -> Int:
    """Play the first `count` moves of `written` (int64) until one is illegal; return how many were played.

    A full path stands for the move with that path; fewer squares may also be the first, the last and some between of a
    capture, if all captures that fit lead to one position.

    The results are written to three arrays. `codes` (int64, `count`) receives the code of each played move. `totals`
    (int64, TOTALS) receives sums over the played plies (legal moves in the positions before them, captures, men
    crowned), and PLAYED, ILLEGAL or AMBIGUOUS. `words` (uint64, 3) receives the last position: black, white, kings.
    `moves` (uint64, CAPACITY x 4) is scratch memory.
    """
    own, opponent = (black, white) if side == 0 else (white, black)
    mover = side
    for index in range(TOTALS):
        totals[index] = 0
    played = 0
    while played < count:
        wanted = written[played]
        first = (wanted >> FIRST_SHIFT) & _SQUARE_MASK
        legal = generate(own, opponent, kings, mover, moves)
        exact = -1
        fitting = 0
        chosen = -1
        if wanted != NO_PATH:
            for row in range(legal):
                code = np.int64(moves[row, 3])
                bit = code & 63
                if bit - bit // 9 != first:
                    continue
                path = written_path(code, mover)
                if path == wanted:
                    exact = row
                    break
                if (code >> 6) & 15 != 0 and stands_for(wanted, path):
                    if (
                        chosen < 0
                        or moves[row, 0] != moves[chosen, 0]
                        or moves[row, 1] != moves[chosen, 1]
                        or moves[row, 2] != moves[chosen, 2]
                    ):
                        fitting += 1
                    if chosen < 0:
                        chosen = row
        if exact >= 0:
            chosen = exact
        elif fitting != 1:
            totals[STATUS] = ILLEGAL if fitting == 0 else AMBIGUOUS
            break
        after = moves[chosen, 0]
        left = moves[chosen, 2]
        code = np.int64(moves[chosen, 3])
        codes[played] = code
        totals[LEGAL_MOVES] += legal
        if (code >> 6) & 15 != 0:
            totals[CAPTURES] += 1
        totals[CROWNINGS] += popcount(after & left) - popcount(own & kings)
        own, opponent, kings = moves[chosen, 1], after, left
        mover = 1 - mover
        played += 1
    words[0], words[1] = (own, opponent) if mover == 0 else (opponent, own)
    words[2] = kings
    return played
