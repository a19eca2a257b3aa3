"""Perft: the number of sequences of moves, which tests the generation of moves.

A move is identified by its path (convention A of perft), or by the position to which it leads (convention B).
"""

from __future__ import annotations

import numpy as np

from extras.bench import perft_kernels
from game.board import Position
from game.moves import successors


def perft(position: Position, depth: int, *, distinct: bool = False) -> int:
    """Count the move sequences of `depth` plies.

    Args:
        distinct: count moves that lead to the same position once (convention B) instead of every capture path (A).

    Raises:
        ValueError: depth below 0.

    Source: convention A is OEIS A133046.
    """
    if depth < 0:
        raise ValueError(f"depth: expected 0 or more plies, got {depth}")
    if depth == 0:
        return 1
    words = (np.uint64(position.own), np.uint64(position.opponent), np.uint64(position.kings))
    mode = perft_kernels.DISTINCT if distinct else perft_kernels.PATHS
    memory = np.empty(depth * perft_kernels.LEVEL_WORDS, np.uint64)
    return int(perft_kernels.perft(*words, position.side, depth, mode, memory.ctypes.data))


def divide(position: Position, depth: int, *, distinct: bool = False) -> dict[str, int]:
    """Return the perft count of each root move.

    With `distinct`, the first of several paths to one position represents all of them.

    Raises:
        ValueError: depth below 1.
    """
    if depth < 1:
        raise ValueError(f"depth: expected 1 or more plies to divide, got {depth}")
    counts: dict[str, int] = {}
    seen: set[Position] = set()
    for move, after in successors(position):
        if distinct and after in seen:
            continue
        seen.add(after)
        counts[str(move)] = perft(after, depth - 1, distinct=distinct)
    return counts
