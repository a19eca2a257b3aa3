"""Scores of positions by a genome: the checked, plain face of the compiled networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.board import Position
from game.errors import InputError
from game.networks import cnn247
from game.rules import BLACK


def shaped_weights(weights: Any) -> NDArray[np.float32]:
    """A genome as the kernels take it: float32, contiguous, of the right length, of any values.

    Raises:
        InputError: another number of weights.
    """
    genome = np.ascontiguousarray(weights, np.float32)
    if genome.shape != (cnn247.WEIGHTS,):
        raise InputError(f"genome: expected {cnn247.WEIGHTS} weights for {cnn247.NAME}, got shape {genome.shape}")
    return genome


def scores(weights: Any, positions: Sequence[Position], side: int) -> list[float]:
    """Values of positions as `side` sees them, before the last sigmoid (so larger is better, without bounds).

    Args:
        weights: 247 numbers.
        positions: any positions; who is to move there does not matter.
        side: `BLACK` or `WHITE`, whose pieces count as own.

    Raises:
        InputError: the genome has the wrong length.
    """
    from game.networks import kernels

    genome = shaped_weights(weights)
    table = np.empty(kernels.TABLE_SIZE, np.float32)
    scratch = np.empty(kernels.SCRATCH_SIZE, np.float32)
    kernels.fill_table(genome, table)
    found = []
    for position in positions:
        own, opponent = (position.black, position.white) if side == BLACK else (position.white, position.black)
        words = (np.uint64(own), np.uint64(opponent), np.uint64(position.kings))
        found.append(float(kernels.evaluate(*words, side, genome, table, scratch)))
    return found
