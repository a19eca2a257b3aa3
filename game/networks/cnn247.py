"""The 247-parameter convolutional network of CheckersAI: its genome, and its forward pass in plain numpy.

Input is the 8x8 board as one side sees it: 0 empty, 1 man, 2 king, positive for that side's own pieces, negative for
the opponent's. Row 0 is the side's own back row: for Black squares 1-4 (columns 1, 3, 5, 7), for White the same
after turning the board by 180 degrees. Layers: 3 filters 5x5 without padding (4x4x3), 3 filters 3x3 (2x2x3), dense
12 -> 6, dense 6 -> 1, a sigmoid after each.

The compiled twin is `game.networks.kernels`.

Source: David Cowan, CheckersAI (2022), for the architecture and the order of the genome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game import layout
from game.board import Position
from game.rules import BLACK

NAME = "cnn-247"
WEIGHTS = 247
FILTERS = 3
HIDDEN = 6


@dataclass(frozen=True)
class Part:
    """A named stretch of the genome.

    Attributes:
        name: what the weights are.
        start: index of the first weight.
        shape: array shape; the last axis runs fastest.
    """

    name: str
    start: int
    shape: tuple[int, ...]

    @property
    def stop(self) -> int:
        """One past the last weight."""
        return self.start + int(np.prod(self.shape))

    def of(self, weights: NDArray[Any]) -> NDArray[Any]:
        """These weights of a genome (a view, in `shape`)."""
        return weights[self.start : self.stop].reshape(self.shape)


KERNEL_1 = Part("first kernels (row, column, in, filter)", 0, (5, 5, 1, FILTERS))
BIAS_1 = Part("first biases", 75, (FILTERS,))
KERNEL_2 = Part("second kernels (row, column, in, filter)", 78, (3, 3, FILTERS, FILTERS))
BIAS_2 = Part("second biases", 159, (FILTERS,))
DENSE_1 = Part("dense (in, out)", 162, (2 * 2 * FILTERS, HIDDEN))
DENSE_BIAS_1 = Part("dense biases", 234, (HIDDEN,))
DENSE_2 = Part("output (in)", 240, (HIDDEN,))
DENSE_BIAS_2 = Part("output bias", 246, (1,))

PARTS = (KERNEL_1, BIAS_1, KERNEL_2, BIAS_2, DENSE_1, DENSE_BIAS_1, DENSE_2, DENSE_BIAS_2)


def encoded(position: Position, side: int) -> NDArray[np.float64]:
    """The board as `side` sees it, float64 of shape (8, 8)."""
    board = np.zeros((8, 8))
    for colour, word in ((0, position.black), (1, position.white)):
        for square in layout.squares_of(word):
            king = (position.kings >> layout.SQUARE_BIT[square]) & 1
            index = square - 1 if side == BLACK else 32 - square
            row, column = index // 4, 2 * (index % 4) + (index // 4 + 1) % 2
            board[row, column] = (2.0 if king else 1.0) * (1 if colour == side else -1)
    return board


def forward(weights: Sequence[float] | NDArray[Any], board: NDArray[Any]) -> float:
    """The value of a board, in (0, 1), by the definition of the network in float64.

    Args:
        weights: 247 numbers in the order of `PARTS`.
        board: shape (8, 8), as `encoded` gives it.
    """
    genome = np.asarray(weights, np.float64)
    first = _convolved(board[:, :, None], KERNEL_1.of(genome), BIAS_1.of(genome))
    second = _convolved(first, KERNEL_2.of(genome), BIAS_2.of(genome))
    hidden = _sigmoid(second.reshape(-1) @ DENSE_1.of(genome) + DENSE_BIAS_1.of(genome))
    return float(_sigmoid(hidden @ DENSE_2.of(genome) + DENSE_BIAS_2.of(genome))[0])


def _convolved(planes: NDArray[Any], kernels: NDArray[Any], biases: NDArray[Any]) -> NDArray[np.float64]:
    """Valid cross-correlation and sigmoid: (rows, columns, in) -> (rows', columns', filters)."""
    size = kernels.shape[0]
    windows = np.lib.stride_tricks.sliding_window_view(planes, (size, size), axis=(0, 1))
    return _sigmoid(np.einsum("rcihw,hwif->rcf", windows, kernels) + biases)


def _sigmoid(sums: Any) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):  # e to the power of a large number is inf, and 1 / inf the 0 that is meant
        return np.asarray(1.0 / (1.0 + np.exp(-sums)))
