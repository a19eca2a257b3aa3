"""Bounds on what a network can say, whatever the position: they spare evaluations where the pieces decide."""

from __future__ import annotations

import math
import struct

import numpy as np
from numpy.typing import NDArray

from game.networks import vectors
from game.networks.kernels import PIECES, TILE_BYTES
from game.networks.kinds import flat
from game.networks.program import Program

UNBOUNDED = (-math.inf, math.inf)
_BOUNDED = ("sigmoid", "tanh")
_GROWING = ("none", "relu")
_LARGEST = 1e30
"""Sums may be as large, a float32 holds 3e38; beyond, a network might give a value that is not finite."""
_SLACK, _ROUNDING = 1e-3, 1e-7
"""Of the bound, at least, and for each term of the last sum, whose rounding is less than 2**-24 of it."""


def output_bounds(program: Program, params: NDArray[np.float32], king: float) -> tuple[float, float] | None:
    """The least and the largest output of a network before its last activation, without the piece difference.

    Activations of the last hidden layer lie within -1 and 1 (or 0 and 1), so an output is at most its bias and the sum
    of the absolute weights away from 0. `UNBOUNDED` if these activations are not bounded, and for networks that see the
    board as the side to move does; None if an output may be no finite number: it must be noticed at the evaluation
    where `game.match` notices it, so none may be spared.

    Args:
        program: the network.
        params: float32 of shape (program.params,), a prepared genome.
        king: the value of a king.
    """
    layers = (*program.spec.layers, *program.spec.head_layers[:1])
    largest, size = float(np.abs(params).max()), max(1.0, abs(king))
    if not max(PIECES * largest, size) < _LARGEST:  # NaN is not less
        return None
    sizes = [size]
    for number, (layer, inputs) in enumerate(zip(layers, program.spec.shapes, strict=False)):
        sums = largest * (1.0 + size * flat(inputs)) + sizes[number - 1] * layer.residual
        if not max(sums, size) < _LARGEST or layer.activation not in _BOUNDED + _GROWING:
            return None
        size = 1.0 if layer.activation in _BOUNDED else sums
        sizes.append(size)
    if (
        program.spec.by_mover
        or program.spec.heads
        or len(layers) == 1
        or layers[-2].activation not in _BOUNDED
        or layers[-1].residual
    ):
        return UNBOUNDED
    *_, first, last, weights, bias, _, _, _ = (int(word) for word in program.plan[-TILE_BYTES // 8 :])
    taps = (last - first) // 4
    used = params[weights // 4 : weights // 4 + taps * vectors.LANES : vectors.LANES].astype(np.float64)
    middle, reach = float(params[bias // 4]), float(np.abs(used).sum())
    slack = max(_SLACK, taps * _ROUNDING) * (reach + abs(middle))
    return middle - reach - slack, middle + reach + slack


def float_words(values: tuple[float, float]) -> tuple[int, int]:
    """The bits of two float32, as words of the context."""
    low, high = struct.unpack("<2i", struct.pack("<2f", *values))
    return low, high
