"""The network of 247 weights once more: nested loops over Python floats, written from its description.

Board, row by row from the own back row: own man 1, own king 2, the other side's -1 and -2, empty 0. Three filters of
5x5 give 4x4 sums each, three of 3x3 over these give 2x2 each; six sums over the twelve; one sum over the six. A
sigmoid after each. Weights in this order, and within a layer with the last index fastest:

    5 rows x 5 columns x 1 plane x 3 filters, 3 biases, 3 rows x 3 columns x 3 planes x 3 filters, 3 biases,
    12 inputs (2 rows x 2 columns x 3 filters) x 6 sums, 6 biases, 6 inputs, 1 bias
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tests.naive import Board

Rows = list[list[float]]
Planes = list[list[list[float]]]  # row, column, filter

VALUES = {".": 0.0, "b": 1.0, "B": 2.0, "w": -1.0, "W": -2.0}


@dataclass(frozen=True)
class Layers:
    """What comes out of each layer; `first` and `second` after their sigmoids, `hidden` and `total` before."""

    first: Planes
    second: Planes
    hidden: list[float]
    total: float

    @property
    def value(self) -> float:
        """The result of the network, between 0 and 1."""
        return sigmoid(self.total)


def encoded(fen: str, side: str) -> Rows:
    """The board of a position as "B" or "W" sees it."""
    board = Board.from_fen(fen)
    seen = board if side == "B" else board.mirrored()
    return [[VALUES[piece] for piece in row] for row in seen.rows]


def sigmoid(x: float) -> float:
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    return math.exp(x) / (1 + math.exp(x)) if x > -700 else 0.0


def layers(genome: Sequence[float], board: Rows) -> Layers:
    """All layers of the network for a board of eight rows of eight."""
    weights = iter(genome)

    def take(count: int) -> list[float]:
        return [next(weights) for _ in range(count)]

    first_kernels = [[[take(3)] for _ in range(5)] for _ in range(5)]
    first_biases = take(3)
    second_kernels = [[[take(3) for _ in range(3)] for _ in range(3)] for _ in range(3)]
    second_biases = take(3)
    dense = [take(6) for _ in range(12)]
    dense_biases = take(6)
    output = take(6)
    (output_bias,) = take(1)
    assert next(weights, None) is None

    first = _convolved([[[cell] for cell in row] for row in board], first_kernels, first_biases)
    second = _convolved(first, second_kernels, second_biases)
    inputs = [second[row][column][plane] for row in range(2) for column in range(2) for plane in range(3)]
    hidden = [dense_biases[out] + sum(inputs[i] * dense[i][out] for i in range(12)) for out in range(6)]
    total = output_bias + sum(sigmoid(hidden[i]) * output[i] for i in range(6))
    return Layers(first, second, hidden, total)


def _convolved(planes: Planes, kernels: list[list[list[list[float]]]], biases: list[float]) -> Planes:
    """Slide the kernels over all places where they fit."""
    size = len(kernels)
    found = []
    for row in range(len(planes) - size + 1):
        found.append([])
        for column in range(len(planes[0]) - size + 1):
            sums = list(biases)
            for down in range(size):
                for right in range(size):
                    for plane, value in enumerate(planes[row + down][column + right]):
                        for kernel in range(len(sums)):
                            sums[kernel] += value * kernels[down][right][plane][kernel]
            found[-1].append([sigmoid(total) for total in sums])
    return found
