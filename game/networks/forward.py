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
from game.networks.windows import CELLS, WINDOWS, window_squares
from game.rules import BLACK

if TYPE_CHECKING:
    from game.networks.kinds import Values


def encode(spec: Spec, position: Position, side: int, king: float | None = None) -> Values:
    """Encode a position as the input of a network, as `side` sees it.

    Own men are 1, own kings `king` (the specification's if None), the opponent's negative, empty squares 0; where the
    specification's `own` is -1, all signs are the other way round. By view (`Spec.by_mover`) own men, own kings, the
    opponent's men and its kings are 1 on their own 32 squares or plane. Index 0, or row 0 of the board, is the side's
    own back row: for Black square 1, for White square 32.

    Returns:
        float64, of the shape in `game.networks.spec.INPUTS`.
    """
    if spec.by_mover:
        return _encode_kinds(spec, position, side)
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


def _encode_kinds(spec: Spec, position: Position, side: int) -> Values:
    kinds = np.zeros((4, 32))
    for colour, word in ((0, position.black), (1, position.white)):
        for square in bitboard.squares_of(word):
            crowned = (position.kings >> bitboard.SQUARE_BIT[square]) & 1
            kinds[2 * (colour != side) + crowned, square - 1 if side == BLACK else 32 - square] = 1.0
    if spec.input == "pieces":
        return kinds.reshape(-1)
    board = np.zeros((8, 8, 4))
    for index in range(32):
        board[square_place(index)] = kinds[:, index]
    return board


def forward(spec: Spec, weights: ArrayLike, values: Values, king: float | None = None) -> float:
    """The output of a network, after the last activation.

    Args:
        spec: the network.
        weights: its genome.
        values: the input, from `encode`; by view that of the side to move, whose value the output is.
        king: value of a king in the piece difference of such a network; the specification's if None.
    """
    return float(ACTIVATIONS[spec.activation](np.float64(output(spec, weights, values, king))))


def layer_outputs(spec: Spec, weights: ArrayLike, values: Values) -> Values:
    """What the last layer gives, before its activation if it is the value; or what the heads give, side by side."""
    genome = np.asarray(weights, np.float64)
    now: Any = values
    kept: list[Any] = []
    for number, layer in enumerate(spec.layers):
        part, bias = spec.layer_parts(number)
        now = KINDS[layer.kind].sums(now, part.of(genome)) + bias.of(genome)
        if layer.residual:
            now = now + kept[number - 2]
        if number < len(spec.layers) - 1 or spec.heads:
            now = ACTIVATIONS[layer.activation](now)
        kept.append(now)
    heads = []
    for number, layer in enumerate(spec.head_layers, len(spec.layers)):
        part, bias = spec.layer_parts(number)
        heads.append((KINDS[layer.kind].sums(now, part.of(genome)) + bias.of(genome)).reshape(-1))
    return np.concatenate(heads) if spec.heads else now.reshape(-1)


def output(spec: Spec, weights: ArrayLike, values: Values, king: float | None = None) -> float:
    """As `forward`, but before the last activation; moves are compared by this."""
    genome = np.asarray(weights, np.float64)
    outputs = layer_outputs(spec, genome, values) if spec.layers else np.zeros(spec.phases)
    if spec.heads:
        if spec.heads.value == "score":
            return float(outputs[0])
        win, draw, loss = np.exp(outputs[:3] - outputs[:3].max())
        return float((win - loss) / (win + draw + loss))
    if not spec.by_mover:
        return float(outputs[0]) + spec.own * float(values.sum()) * spec.piece_difference
    kinds = values if spec.input == "pieces" else np.array([values[square_place(index)] for index in range(32)]).T
    kinds = kinds.reshape(4, 32)
    if spec.tables:
        table, tempo = spec.parts[0].of(genome).reshape(spec.phases, 2, 32), spec.parts[1].of(genome)
        outputs = outputs + (table * (kinds[:2] - kinds[2:, ::-1])).sum(axis=(1, 2)) + tempo
    if spec.patterns:
        cells = spec.pattern_part.of(genome).reshape(spec.phases, WINDOWS, CELLS)
        digits = kinds[0] + 2 * kinds[2]
        for window, squares in enumerate(window_squares()):
            cell = sum(int(digits[square]) * 3**place for place, square in enumerate(squares))
            outputs = outputs + cells[:, window, cell]
    total = float(np.interp(1 - kinds.sum() / 24, np.linspace(0, 1, spec.phases), outputs))
    men, royal = kinds.sum(axis=1)[:2] - kinds.sum(axis=1)[2:]
    return total + float(men + (spec.king if king is None else king) * royal) * spec.piece_difference
