"""The forward pass of any network in numpy and float64: the reference for the compiled kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from game import bitboard
from game.board import Position
from game.networks.activations import ACTIVATIONS
from game.networks.kinds import KINDS, square_place
from game.networks.spec import Spec
from game.rules import BLACK

if TYPE_CHECKING:
    from game.networks.kinds import Values


def encode(spec: Spec, position: Position, side: int, king: float | None = None) -> Values:
    """Encode a position as the input of a network, as `side` sees it.

    Own men are 1, own kings `king` (the specification's if None), the opponent's negative, empty squares 0; where the
    specification's `own` is -1, all signs are the other way round. Index 0, or row 0 of the board, is the side's own
    back row: for Black square 1, for White square 32.

    Returns:
        float64 of shape (8, 8, 1) or (32,).
    """
    squares = np.zeros(32)
    royal = spec.king if king is None else king
    for colour, word in ((0, position.black), (1, position.white)):
        for square in bitboard.squares_of(word):
            crowned = (position.kings >> bitboard.SQUARE_BIT[square]) & 1
            index = square - 1 if side == BLACK else 32 - square
            squares[index] = (royal if crowned else 1.0) * (spec.own if colour == side else -spec.own)
    if spec.input == "squares":
        return squares
    board = np.zeros((8, 8, 1))
    for index in range(32):
        board[square_place(index)] = squares[index]
    return board


def forward(spec: Spec, weights: ArrayLike, values: Values) -> float:
    """The output of a network, after the last activation.

    Args:
        spec: the network.
        weights: its genome.
        values: the input, from `encode`.
    """
    return float(ACTIVATIONS[spec.layers[-1].activation](np.float64(output(spec, weights, values))))


def output(spec: Spec, weights: ArrayLike, values: Values) -> float:
    """As `forward`, but before the last activation; moves are compared by this."""
    genome = np.asarray(weights, np.float64)
    now: Any = values
    for number, layer in enumerate(spec.layers):
        part, bias = spec.parts[2 * number : 2 * number + 2]
        now = KINDS[layer.kind].sums(now, part.of(genome)) + bias.of(genome)
        if number < len(spec.layers) - 1:
            now = ACTIVATIONS[layer.activation](now)
    total = float(now.reshape(-1)[0])
    return total + spec.own * float(values.sum()) if spec.piece_difference else total
