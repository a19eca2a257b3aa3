"""Compiled loops of known cost, and loops around kernels, to be timed."""

from __future__ import annotations

import numpy as np

from game.compiled.jit import Array, Float, Int, Word, compiled
from game.networks import vectors as v
from game.networks.kernels import score_moves

CHAIN_CYCLES = 4
"""Cycles of one step of `integer_chain`: 3 of a 64-bit multiplication, 1 of an exclusive or."""

CHAINS = 8
"""Number of independent sums in `vector_sums`: enough for two multiply-adds a cycle with a latency of four cycles."""


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
def vector_sums(steps: Int, memory: Int) -> None:
    """Compute CHAINS fused multiply-adds of 16 floats a step; `memory` has a vector, and room for the result."""
    x = v.load(memory)
    a, b, c, d = v.zero(), v.zero(), v.zero(), v.zero()
    e, f, g, h = v.one(), v.one(), v.one(), v.one()
    for _ in range(steps):
        a, b, c, d = v.fma(x, x, a), v.fma(x, x, b), v.fma(x, x, c), v.fma(x, x, d)
        e, f, g, h = v.fma(x, x, e), v.fma(x, x, f), v.fma(x, x, g), v.fma(x, x, h)
    v.store(memory + v.BYTES, v.add(v.add(v.add(a, b), v.add(c, d)), v.add(v.add(e, f), v.add(g, h))))


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
