"""Random streams of a session, which depend only on (seed, generation, purpose, index)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Draw(IntEnum):
    """The purpose of a stream. Values are part of the results: never renumber; 8, 11 and 12 were used."""

    FOUNDERS = 0
    FOUNDER_GAMES = 1
    RECOMBINATION = 2
    MUTATION = 3
    TOURNAMENT = 4
    BALLOTS = 5
    CHAMPIONS = 6
    RATING = 7
    OWN_GAMES = 9
    PREDICTION = 10
    LEARNING = 13
    LEARNING_GAMES = 14
    SELECTION = 15
    GATE = 16
    LEVEL = 17


def stream(seed: int, generation: int, draw: Draw, *index: int) -> np.random.Generator:
    """Return the generator of a stream; the same arguments give the same numbers."""
    return np.random.Generator(
        np.random.Philox(np.random.SeedSequence(seed, spawn_key=(generation, int(draw), *index)))
    )


def streams(
    seed: int, generation: int, draw: Draw, indexes: Iterable[tuple[int, ...]]
) -> Iterator[np.random.Generator]:
    """Yield `stream` for each of many indexes, about ten times faster.

    The same generator is yielded each time, with a new state, so use it before taking the next.
    """
    keys = _philox_keys(np.random.SeedSequence(seed, spawn_key=(generation, int(draw))), [*indexes])
    generator = np.random.Generator(np.random.Philox(0))
    state = generator.bit_generator.state
    for key in keys:
        state["state"]["key"] = key
        generator.bit_generator.state = state
        yield generator


_WORD = (1 << 32) - 1
_WORDS = 4
"""Words in the pool of a seed sequence, and in a key."""
_HASHED = _WORDS * (_WORDS + 2)
"""Hashes needed to make a pool from a seed and two spawn keys."""


def _philox_keys(parent: np.random.SeedSequence, indexes: list[tuple[int, ...]]) -> NDArray[np.uint64]:
    """Return the keys of `np.random.Philox` for children of a seed sequence; uint64 of shape (indexes, 2).

    This vectorises the algorithm of numpy, which numpy guarantees not to change.

    Source: Melissa O'Neill, Developing a seed_seq alternative (2015), as implemented in numpy.
    """
    words = np.array(indexes, np.uint32).T
    pool = [np.full(len(indexes), word, np.uint32) for word in parent.pool]
    factor = 0x43B0D7E5 * pow(0x931E8875, _HASHED, 1 << 32) & _WORD

    def hashed(values: NDArray[np.uint32], step: int) -> NDArray[np.uint32]:
        nonlocal factor
        values = values ^ np.uint32(factor)
        factor = factor * step & _WORD
        return _folded(values * np.uint32(factor))

    for word in words:
        for place, mixed in enumerate(pool):
            pool[place] = _folded(mixed * np.uint32(0xCA01F9DD) - hashed(word, 0x931E8875) * np.uint32(0x4973F715))
    factor = 0x8B51F9DD
    low_0, high_0, low_1, high_1 = (hashed(mixed, 0x58F38DED).astype(np.uint64) for mixed in pool)
    return np.stack([low_0 | high_0 << np.uint64(32), low_1 | high_1 << np.uint64(32)], axis=1)


def _folded(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return values ^ values >> np.uint32(16)
