"""Compiled loops of known cost, and loops around kernels, to be timed."""

from __future__ import annotations

import numpy as np

from game.compiled.jit import Array, Float, Int, Word, compiled
from game.networks.kernels import score_moves

CHAIN_CYCLES = 4
"""Cycles of one step of `integer_chain`: 3 of a 64-bit multiplication, 1 of an exclusive or."""


@compiled
def integer_chain(steps: Int, factor: Word, mask: Word) -> Word:
    """Run a dependency chain: each step waits for the one before, so it takes steps x CHAIN_CYCLES cycles.

    `factor` and `mask` are arguments so that the compiler cannot merge two steps.
    """
    word = factor
    for _ in range(steps):
        word = (word * factor) ^ mask
    return word


@compiled
def score_again(
    repeats: Int, positions: Array, moves: Int, count: Int, plan: Int, taps: Int, params: Int, king: Float,
    sums: Int, step: Int, scratch: Int, scores: Int,
) -> None:  # fmt: skip
    """Evaluate `count` moves of each position, over and over.

    Args:
        positions: uint64 (positions, 4): own, opponent, kings, side.
        moves: address of `count` rows for each position, as `game.kernels.generate` writes them.
        plan, taps, params, king, scratch, scores: as for `game.networks.kernels.score_moves`.
        sums: address of the first-layer sums of each position.
        step: bytes of one position's sums.
    """
    for _ in range(repeats):
        for at in range(positions.shape[0]):
            score_moves(
                positions[at, 0], positions[at, 1], positions[at, 2], np.int64(positions[at, 3]),
                moves + at * count * 32, count, plan, taps, params, king, sums + at * step, scratch, scores,
            )  # fmt: skip
