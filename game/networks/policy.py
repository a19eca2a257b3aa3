"""What the outputs of a policy head mean: how good the first step of each turn is.

An output belongs to a square and a direction, as the side to move sees the board: index 4 x square + direction. A turn
is told by its first step or first jump; two turns that begin alike are equally good. Loads neither numpy nor Numba.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from game.bitboard import SQUARE_BIT
from game.moves import Move
from game.rules import BLACK

STEPS = (-5, -4, 4, 5)
"""Bits from a square to its neighbour in each direction: back left, back right, forward left, forward right, for Black
looking from square 1. The order is that of `game.moves.decode` and `game.networks.kinds.NEIGHBOURS`."""


def first_step(move: Move, side: int) -> int:
    """Index of the output that a turn of `side` belongs to."""
    squares = move.path[0], move.captured[0] if move.captured else move.path[1]
    start, towards = squares if side == BLACK else (33 - square for square in squares)
    return 4 * (start - 1) + STEPS.index(SQUARE_BIT[towards] - SQUARE_BIT[start])


def turns_of(index: int, turns: Sequence[Move], side: int) -> list[Move]:
    """Those of the turns of `side` that an output belongs to."""
    return [move for move in turns if first_step(move, side) == index]


def softmax(outputs: Sequence[float]) -> list[float]:
    """Probabilities of finite outputs."""
    most = max(outputs)
    sizes = [math.exp(output - most) for output in outputs]
    total = math.fsum(sizes)
    return [size / total for size in sizes]


def likelihoods(outputs: Any, turns: Sequence[Move], side: int) -> list[float]:
    """The probability of each legal turn: a softmax over their first steps; turns that share one share its probability.

    Args:
        outputs: the 128 of the head.
        turns: all legal ones, at least one.
        side: who moves.
    """
    steps = [first_step(move, side) for move in turns]
    most = max(float(outputs[step]) for step in steps)
    sizes = {step: math.exp(float(outputs[step]) - most) for step in steps}
    total = math.fsum(sizes.values())
    return [sizes[step] / total / steps.count(step) for step in steps]
