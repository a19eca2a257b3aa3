"""Turns and the outputs of a policy head, which rate the first step of each turn.

An output belongs to a square and a direction, as the side to move sees the board: index 4 x square + direction. A turn
is identified by its first step or first jump; two turns that begin alike have the same rating. Loads neither numpy nor
Numba.
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
    """Return the index of the output that a turn of `side` belongs to."""
    squares = move.path[0], move.captured[0] if move.captured else move.path[1]
    start, towards = squares if side == BLACK else (33 - square for square in squares)
    return 4 * (start - 1) + STEPS.index(SQUARE_BIT[towards] - SQUARE_BIT[start])


def turns_of(index: int, turns: Sequence[Move], side: int) -> list[Move]:
    """Return the turns of `side` that an output belongs to."""
    return [move for move in turns if first_step(move, side) == index]


def softmax(outputs: Sequence[float]) -> list[float]:
    """Return the probabilities of finite outputs."""
    most = max(outputs)
    sizes = [math.exp(output - most) for output in outputs]
    total = math.fsum(sizes)
    return [size / total for size in sizes]


def likelihoods(outputs: Any, turns: Sequence[Move], side: int) -> list[float]:
    """Return the probability of each legal turn: a softmax over first steps, shared by turns with the same one.

    Args:
        outputs: the 128 of the head.
        turns: all legal turns, at least one.
        side: the side to move.
    """
    steps = [first_step(move, side) for move in turns]
    most = max(float(outputs[step]) for step in steps)
    sizes = {step: math.exp(float(outputs[step]) - most) for step in steps}
    total = math.fsum(sizes.values())
    return [sizes[step] / total / steps.count(step) for step in steps]
