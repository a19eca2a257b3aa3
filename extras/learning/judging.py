"""Judging who wins: by chances of a network, by one ply of search over them, or by counting pieces.

Chances are rounded, so that the last bits of exponentials, which depend on the processor, decide nothing.

Source: Wang, Mueller and Schaeffer, Deep dive on checkers endgame data (2023), for the ply.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from extras.learning import sampling_kernels
from game.endgame.slices import KING
from game.kernels import CAPACITY, MOVE_WORDS

if TYPE_CHECKING:
    from game.networks.evaluator import Evaluator

Rows = NDArray[np.uint64]
"""Positions of shape (positions, 3): own, opponent and kings as the side to move sees the board."""
Values = NDArray[np.int8]
"""Values of positions to the side to move: 1 won, 0 drawn, -1 lost."""
Chances = Callable[[Rows], NDArray[np.float64]]
"""A function that returns the chances of win, draw and loss in positions, of shape (positions, 3)."""

RESULTS: Values = np.array([1, 0, -1], np.int8)
"""The values in the order of the chances."""
TOGETHER = 1024
"""Number of positions whose moves are made at a time."""
SHARES = 2.0**40
"""Chances are multiples of 1 / SHARES."""


def chances_of(evaluator: Evaluator) -> Chances:
    """Return the chances of a network with a ``wdl`` head; they are NaN where an output is not finite."""

    def chances(rows: Rows) -> NDArray[np.float64]:
        outputs = evaluator.output_rows(rows)[:, : len(RESULTS)].astype(np.float64)
        with np.errstate(invalid="ignore"):
            shares = np.exp(outputs - outputs.max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
        # Rounded, since the last bits of exponentials differ between processors.
        rounded: NDArray[np.float64] = np.floor(shares * SHARES + 0.5) / SHARES
        return rounded

    return chances


def likeliest(chances: NDArray[np.float64]) -> Values:
    values: Values = RESULTS[chances.argmax(axis=1)]
    return values


def one_ply(rows: Rows, chances: Chances) -> Values:
    """Return the values found by a search of one ply.

    A position without moves is lost. It is won if a move leads to a position that is lost for the opponent, else drawn
    if a move leads to a drawn one, else lost. A position after a move in which the opponent has no pieces or no moves
    is lost for it; the value of any other one is the most likely value.
    """
    verdicts = [np.empty(0, np.int8)]
    for first in range(0, len(rows), TOGETHER):
        after, lost, ends = children(rows[first : first + TOGETHER])
        values = np.full(len(after), -1, np.int8)
        values[~lost] = likeliest(chances(after[~lost]))
        starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
        best, can_move = np.full(len(ends), -1, np.int8), ends > starts
        if can_move.any():
            # `reduceat` has no value for an empty group, so positions without moves are left out; they stay lost.
            best[can_move] = np.maximum.reduceat(-values, starts[can_move])
        verdicts.append(best)
    return np.concatenate(verdicts)


def lead(rows: Rows) -> NDArray[np.float64]:
    """Return by how many men the side to move is ahead, a king counting `KING` men; shape (positions,)."""
    own, opponent, kings = rows[:, 0], rows[:, 1], rows[:, 2]

    def total(side: NDArray[np.uint64]) -> NDArray[np.float64]:
        pieces: NDArray[np.float64] = np.bitwise_count(side) + (KING - 1) * np.bitwise_count(side & kings)
        return pieces

    return total(own) - total(opponent)


def piece_count(rows: Rows) -> Values:
    """Return values as a piece count sees them: more than half a man ahead is won, more than that behind is lost."""
    ahead = lead(rows)
    return (ahead > 0.5).astype(np.int8) - (ahead < -0.5).astype(np.int8)


def children(rows: Rows) -> tuple[Rows, NDArray[np.bool_], NDArray[np.int64]]:
    """Return the positions after each move of positions.

    Returns:
        The positions as the opponent sees them; whether the opponent has lost there, since it has no pieces or no move;
        and the number of children up to and including those of each position.
    """
    rows = np.ascontiguousarray(rows, np.uint64)
    verdicts, lost = np.empty((CAPACITY * len(rows), 3), np.uint64), np.empty(CAPACITY * len(rows), np.uint8)
    ends = np.empty(len(rows), np.int64)
    scratch = np.empty(2 * (CAPACITY + 1) * MOVE_WORDS, np.uint64)
    sampling_kernels.write_children(rows, verdicts, lost, ends, scratch)
    count = int(ends[-1]) if len(ends) else 0
    return verdicts[:count].copy(), lost[:count].astype(bool), ends
