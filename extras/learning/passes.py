"""The forward pass of any network, written once for numpy and jax.

With numpy and float64 it is the reference with which tests compare the compiled kernel; with jax and float32 it is
differentiated for training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from game import bitboard
from game.networks.activations import ACTIVATIONS
from game.networks.kinds import KINDS, square_place
from game.networks.quantised import rounded
from game.networks.windows import window_squares
from game.rules import BLACK

if TYPE_CHECKING:
    from game.board import Position
    from game.networks.spec import Spec

Values = Any
"""An array of numpy or jax; the first axis counts positions."""

PIECES = 24
_BITS = np.array([bitboard.SQUARE_BIT[square + 1] for square in range(32)], np.uint64)
_PLACES = np.full(64, 32)
"""The index of the dark square at each place of the board, row by row; 32 for light squares."""
for _square in range(32):
    _row, _column = square_place(_square)
    _PLACES[8 * _row + _column] = _square


class Arrays:
    """The array operations of the forward pass, here implemented with numpy in the precision of the weights."""

    xp: ClassVar[Any] = np

    def layer(self, spec: Spec, number: int, values: Values, weights: Values) -> Values:
        """Compute the sums of a layer or head from its inputs.

        Args:
            values: inputs of shape (positions, *spec.joint(number)[1]), which may be flattened after the first axis.

        Returns:
            An array of shape (positions, *spec.joint(number)[2]).
        """
        layer, before, after = spec.joint(number)
        part, bias = spec.layer_parts(number)
        # Every kind is linear, so its wiring gives a matrix; index -1 (no connection) reads the zero after the weights.
        index = np.arange(part.stop - part.start).reshape(part.shape)
        wiring = KINDS[layer.kind].wiring(index, before, after)
        matrix = self.xp.append(weights[part.start : part.stop], self.xp.zeros(1, weights.dtype))[wiring]
        return (self.flat(values, before) @ matrix).reshape(-1, *after) + bias.of(weights)

    def genome(self, spec: Spec, weights: Values) -> Values:
        """Return the weights that a network uses; quantised networks round them."""
        return rounded(spec, weights)

    def flat(self, values: Values, shape: tuple[int, ...]) -> Values:
        """Return values of shape (positions, *shape) with one row per position."""
        return values.reshape(len(values), -1)

    def activate(self, name: str, sums: Values) -> Values:
        return ACTIVATIONS[name].values(sums)


NUMPY = Arrays()


def inputs_of(rows: NDArray[np.uint64]) -> NDArray[np.float32]:
    """Return positions as inputs of the forward pass.

    Args:
        rows: uint64 of shape (positions, 3): own, opponent, kings as seen by the side whose value is wanted (rotated
            for White).

    Returns:
        float32 of shape (positions, 4, 32): 1 for each own man, own king, opponent's man and opponent's king.
    """
    occupied = (rows[:, :, None] >> _BITS) & np.uint64(1) != 0
    own, opponent, kings = occupied[:, 0], occupied[:, 1], occupied[:, 2]
    return np.stack([own & ~kings, own & kings, opponent & ~kings, opponent & kings], axis=1).astype(np.float32)


def seen(spec: Spec, inputs: Values, king: Any, xp: Any = np) -> Values:
    """Return the inputs of the first layer, of shape (positions, *INPUTS[spec.input]), from the result of `inputs_of`.

    Signed inputs are 1 for an own man, `king` for an own king, and negative for the opponent's pieces, all times
    `spec.own`. Inputs seen by the side to move are 1 for each piece, in planes or on 32 squares for each kind. Index 0,
    or row 0 of the board, is the side's own back row: square 1 for Black, square 32 for White.
    """
    if not spec.by_mover:
        inputs = spec.own * (inputs[:, :1] - inputs[:, 2:3] + king * (inputs[:, 1:2] - inputs[:, 3:]))
    if spec.input in ("squares", "pieces"):
        return inputs.reshape(len(inputs), -1)
    light = xp.zeros((*inputs.shape[:2], 1), inputs.dtype)
    board = xp.concatenate([inputs, light], axis=2)[:, :, _PLACES]
    return board.transpose(0, 2, 1).reshape(len(inputs), 8, 8, -1)


def outputs(spec: Spec, weights: Values, inputs: Values, king: Any = None, arrays: Arrays = NUMPY) -> Values:
    """Return the outputs of all heads, or without heads the value, including all extras, before its activation.

    Args:
        weights: its genome, of shape (spec.weights,).
        inputs: from `inputs_of`.
        king: king value; None for the specification's.
        arrays: the operations for the type of `weights` and `inputs`.

    Returns:
        An array of shape (positions, spec.outputs), as from `game.networks.evaluator.Evaluator.output_rows`.
    """
    xp, king = arrays.xp, spec.king if king is None else king
    weights = arrays.genome(spec, weights)
    if spec.heads:
        return _layers(spec, weights, seen(spec, inputs, king, xp), arrays)
    sums: Values = _layers(spec, weights, seen(spec, inputs, king, xp), arrays) if spec.layers else 0.0
    if spec.tables:
        table, tempo = spec.parts[0].of(weights).reshape(spec.phases, 2, 32), spec.parts[1].of(weights)
        sums = sums + xp.einsum("nks,pks->np", inputs[:, :2] - inputs[:, 2:, ::-1], table) + tempo
    if spec.patterns:
        sums = sums + _patterns(spec, weights, inputs, xp)
    if spec.phases > 1:
        # Phases are equally spaced from 24 pieces to none; in between, the two nearest are blended.
        place = (PIECES - inputs.sum(axis=(1, 2))) * ((spec.phases - 1) / PIECES)
        sums = sums * xp.maximum(0.0, 1.0 - xp.abs(place[:, None] - xp.arange(spec.phases)))
    value = sums.sum(axis=1)
    if spec.piece_difference:
        counts = inputs.sum(axis=2)
        value = value + counts[:, 0] - counts[:, 2] + king * (counts[:, 1] - counts[:, 3])
    return value[:, None]


def _layers(spec: Spec, weights: Values, values: Values, arrays: Arrays) -> Values:
    """Return the sums of the last layer, or of all heads side by side, with one row per position."""
    kept: list[Values] = []
    for number, layer in enumerate(spec.layers):
        values = arrays.layer(spec, number, values, weights)
        if layer.residual:
            values = values + kept[number - 2]
        if number < len(spec.layers) - 1 or spec.heads:
            values = arrays.activate(layer.activation, values)
        kept.append(values)
    last = len(spec.layers)
    if not spec.heads:
        return arrays.flat(values, spec.shapes[-1])
    heads = (arrays.layer(spec, number, values, weights) for number in range(last, last + len(spec.head_layers)))
    flattened = [arrays.flat(sums, spec.joint(number)[2]) for number, sums in enumerate(heads, last)]
    return arrays.xp.concatenate(flattened, axis=1)


def _patterns(spec: Spec, weights: Values, inputs: Values, xp: Any) -> Values:
    """Return the sums of the values of all windows, of shape (positions, phases)."""
    squares = np.array(window_squares())
    digits = (inputs[:, 0] + 2 * inputs[:, 2]).astype(xp.int32)[:, squares]
    cells = digits @ (3 ** np.arange(squares.shape[1], dtype=np.int32))
    table = spec.pattern_part.of(weights).reshape(spec.phases, len(squares), -1)
    return table[:, np.arange(len(squares)), cells].sum(axis=2).T


# One position, in numpy and float64 ---------------------------------------------------------------------------------


def _inputs(position: Position, side: int) -> NDArray[np.float64]:
    words = [position.black, position.white, position.kings]
    if side != BLACK:
        words = [bitboard.rotate(word) for word in (position.white, position.black, position.kings)]
    return inputs_of(np.array([words], np.uint64)).astype(np.float64)


def encode(spec: Spec, position: Position, side: int, king: float | None = None) -> NDArray[np.float64]:
    """Return the input of a network for a position as `side` sees it, in the shape of `INPUTS` (see `seen`)."""
    values: NDArray[np.float64] = seen(spec, _inputs(position, side), spec.king if king is None else king)[0]
    return values


def output_row(
    spec: Spec, weights: ArrayLike, position: Position, side: int, king: float | None = None
) -> NDArray[np.float64]:
    """Return the outputs of a network for a position as `side` sees it, of shape (spec.outputs,).

    A network that sees the board as the side to move gets the view of `side`, even if the other side is to move.
    """
    row: NDArray[np.float64] = outputs(spec, np.asarray(weights, np.float64), _inputs(position, side), king)[0]
    return row


def value(spec: Spec, weights: ArrayLike, position: Position, side: int, king: float | None = None) -> float:
    """Return the value of a position to `side`, before the last activation; moves are compared by this value."""
    row = output_row(spec, weights, position, side, king)
    if spec.heads and spec.heads.value == "wdl":
        win, draw, loss = np.exp(row[:3] - row[:3].max())
        return float((win - loss) / (win + draw + loss))
    return float(row[0])
