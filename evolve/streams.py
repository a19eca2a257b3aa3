"""Where all randomness of a session comes from: (seed, generation, stage, index), and nothing else.

A session that was killed and resumed, or played by another number of workers, draws the same numbers.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Draw(IntEnum):
    """What the numbers of a stream are for. Values are part of the results: never renumber."""

    FOUNDERS = 0
    FOUNDER_GAMES = 1
    RECOMBINATION = 2
    MUTATION = 3
    TOURNAMENT = 4
    BALLOTS = 5
    CHAMPIONS = 6
    RATING = 7


def stream(seed: int, generation: int, draw: Draw, *index: int) -> np.random.Generator:
    """The generator for one purpose; the same arguments give the same numbers.

    Philox is counter-based and its streams are keyed, so streams of different keys never overlap in practice.
    """
    return np.random.Generator(
        np.random.Philox(np.random.SeedSequence(seed, spawn_key=(generation, int(draw), *index)))
    )
