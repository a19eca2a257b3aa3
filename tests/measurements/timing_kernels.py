"""A compiled loop of known cost, to be timed."""

from __future__ import annotations

from game.compiled.jit import Int, Word, compiled

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
