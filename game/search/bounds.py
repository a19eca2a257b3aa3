"""Bounds on what a network can say, whatever the position: they spare evaluations where the pieces decide."""

from __future__ import annotations

import math
import struct

import numpy as np
from numpy.typing import NDArray

from game.networks import vectors
from game.networks.kernels import HEAD_BYTES, TILE_BYTES
from game.networks.program import Program

UNBOUNDED = (-math.inf, math.inf)
_LARGEST = 1e6
"""With larger weights sums could overflow; no evaluation may be spared that would fail."""
_SLACK = 1e-3
"""Of the bound: by far more than the rounding of the sums."""


def output_bounds(program: Program, params: NDArray[np.float32], king: float) -> tuple[float, float]:
    """The least and the largest output of a network before its last activation, without the piece difference.

    Activations of the last hidden layer lie within -1 and 1 (or 0 and 1), so an output is at most its bias and the sum
    of the absolute weights away from 0. `UNBOUNDED` if these activations are not bounded, or numbers are huge.

    Args:
        program: the network.
        params: float32 of shape (program.params,), a prepared genome.
        king: the value of a king.
    """
    head, tile_words = HEAD_BYTES // 8, TILE_BYTES // 8
    tiles = program.plan[head:].reshape(-1, tile_words)
    if len(tiles) == 0 or not (np.abs(params).max() <= _LARGEST and abs(king) <= _LARGEST):
        return UNBOUNDED
    activation = tiles[-2][7] if len(tiles) > 1 else program.plan[1]
    if activation not in (vectors.SIGMOID, vectors.TANH):
        return UNBOUNDED
    *_, first, last, weights, bias, _, _ = (int(word) for word in tiles[-1])
    taps = (last - first) // 4
    used = params[weights // 4 : weights // 4 + taps * vectors.LANES : vectors.LANES].astype(np.float64)
    middle, reach = float(params[bias // 4]), float(np.abs(used).sum())
    slack = _SLACK * (reach + abs(middle))
    return middle - reach - slack, middle + reach + slack


def float_words(values: tuple[float, float]) -> tuple[int, int]:
    """The bits of two float32, as words of the context."""
    low, high = struct.unpack("<2i", struct.pack("<2f", *values))
    return low, high
