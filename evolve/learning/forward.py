"""The forward pass of any network in jax, in batches and with gradients: what the compiled kernel plays by.

A kind of layer is a function in `LAYERS`, an activation one in `ACTIVATIONS`. Loads jax: only what trains imports this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from game import bitboard
from game.networks.kinds import Shape, neighbours, square_place, subsquares
from game.networks.spec import Spec
from game.networks.windows import window_squares

Values = Any
"""An array of jax, float32, whose first axis is the batch."""

PIECES = 24
_BITS = np.array([bitboard.SQUARE_BIT[square + 1] for square in range(32)], np.uint64)
_PLACES = tuple(np.array([square_place(square) for square in range(32)]).T)

ACTIVATIONS: dict[str, Callable[[Values], Values]] = {
    "none": lambda sums: sums,
    "sigmoid": jax.nn.sigmoid,
    "tanh": jnp.tanh,
    "relu": jax.nn.relu,
}


def inputs_of(spec: Spec, rows: NDArray[np.uint64]) -> NDArray[np.float32]:
    """What `outputs` takes of positions: float32 of shape (positions, 4, 32), 1 where a piece of a kind stands.

    Kinds are own men, own kings, the opponent's men and its kings, whatever the input of the network.

    Args:
        spec: the network.
        rows: uint64 of shape (positions, 3): own, opponent, kings as the side sees them that the output is for (for
            White rotated: `game.bits.rotate`).
    """
    seen = (rows[:, :, None] >> _BITS) & np.uint64(1) != 0
    own, opponent, kings = seen[:, 0], seen[:, 1], seen[:, 2]
    return np.stack([own & ~kings, own & kings, opponent & ~kings, opponent & kings], axis=1).astype(np.float32)


def outputs(spec: Spec, weights: Values, inputs: Values, king: Any = None) -> Values:
    """All outputs of a network: of its heads, or one before its last activation with all that stands beside its layers.

    Args:
        spec: the network.
        weights: float32 of shape (spec.weights,), its genome.
        inputs: from `inputs_of`.
        king: value of a king; the specification's if None.

    Returns:
        float32 of shape (positions, spec.outputs), as `Evaluator.output_rows` gives them.
    """
    king = spec.king if king is None else king
    if spec.heads:
        return _layer_sums(spec, weights, _seen(spec, inputs, king))
    sums: Values = _layer_sums(spec, weights, _seen(spec, inputs, king)) if spec.layers else 0.0
    if spec.tables:
        table, tempo = spec.parts[0].of(weights).reshape(spec.phases, 2, 32), spec.parts[1].of(weights)
        sums = sums + jnp.einsum("nks,pks->np", inputs[:, :2] - inputs[:, 2:, ::-1], table) + tempo
    if spec.patterns:
        sums = sums + _pattern_sums(spec, weights, inputs)
    if spec.phases > 1:
        place = (PIECES - inputs.sum(axis=(1, 2))) * ((spec.phases - 1) / PIECES)
        sums = sums * jnp.maximum(0.0, 1.0 - jnp.abs(place[:, None] - jnp.arange(spec.phases)))
    value = sums.sum(axis=1)
    if spec.piece_difference:
        counts = inputs.sum(axis=2)
        value = value + counts[:, 0] - counts[:, 2] + king * (counts[:, 1] - counts[:, 3])
    return value[:, None]


def _layer_sums(spec: Spec, weights: Values, values: Values) -> Values:
    """The sums of the last layer, flat, or of the heads side by side."""
    kept: list[Values] = []
    for number, layer in enumerate(spec.layers):
        part, bias = spec.layer_parts(number)
        values = LAYERS[layer.kind](values, part.of(weights), spec.shapes[number]) + bias.of(weights)
        if layer.residual:
            values = values + kept[number - 2]
        if number < len(spec.layers) - 1 or spec.heads:
            values = ACTIVATIONS[layer.activation](values)
        kept.append(values)
    heads = []
    for number, layer in enumerate(spec.head_layers, len(spec.layers)):
        part, bias = spec.layer_parts(number)
        sums = LAYERS[layer.kind](values, part.of(weights), spec.shapes[-1]) + bias.of(weights)
        heads.append(_flat(sums, spec.joint(number)[2]))
    return jnp.concatenate(heads, axis=1) if heads else _flat(values, spec.shapes[-1])


def expected_result(outputs: Values) -> Values:
    """P(win) - P(loss) of the first three outputs, those of a head ``wdl``: float32 of shape (positions,)."""
    chances = jax.nn.softmax(outputs[:, :3], axis=1)
    return chances[:, 0] - chances[:, 2]


def _seen(spec: Spec, inputs: Values, king: Any) -> Values:
    """The inputs in the shape in which the first layer takes them, behind the batch."""
    if spec.by_mover:
        return inputs.reshape(-1, 128) if spec.input == "pieces" else _on_board(inputs)
    signed = spec.own * (inputs[:, 0] - inputs[:, 2] + king * (inputs[:, 1] - inputs[:, 3]))
    return signed if spec.input == "squares" else _on_board(signed[:, None])


def _on_board(planes: Values) -> Values:
    """Planes of 32 squares as 8x8 boards, (positions, 8, 8, planes)."""
    board = jnp.zeros((len(planes), 8, 8, planes.shape[1]), jnp.float32)
    return board.at[:, _PLACES[0], _PLACES[1]].set(planes.transpose(0, 2, 1))


def _pattern_sums(spec: Spec, weights: Values, inputs: Values) -> Values:
    squares = np.array(window_squares())
    digits = (inputs[:, 0] + 2 * inputs[:, 2]).astype(jnp.int32)[:, squares]
    cells = digits @ (3 ** np.arange(squares.shape[1], dtype=np.int32))
    table = spec.pattern_part.of(weights).reshape(spec.phases, len(squares), -1)
    return table[:, np.arange(len(squares)), cells].sum(axis=2).T


def _convolution(values: Values, weights: Values, before: Shape) -> Values:
    return jax.lax.conv_general_dilated(values, weights, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def _dense(values: Values, weights: Values, before: Shape) -> Values:
    return _flat(values, before) @ weights


def _subsquares(values: Values, weights: Values, before: Shape) -> Values:
    parts = subsquares()
    squares = np.concatenate([np.array(part) for part in parts])
    numbers = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return values @ jnp.zeros((32, len(parts)), jnp.float32).at[squares, numbers].set(weights)


def _diagonal(values: Values, weights: Values, before: Shape) -> Values:
    if len(before) == 1:  # numbers of each kind on all squares, one kind after the other
        values = values.reshape(len(values), -1, 32).transpose(2, 0, 1)
    return _joined(values, weights)


_NEIGHBOURS = np.array(neighbours())
_OPPOSITE = (0, 4, 3, 2, 1)
"""The place from which a square is seen that lies in a place: back right from forward left."""


def _square_at(values: Values, place: int) -> Values:
    """What stands in a place of a diagonal layer as each square sees it; zeros off the board."""
    return jnp.pad(values, ((0, 1), (0, 0), (0, 0)))[_NEIGHBOURS[place]]


def _product(values: Values, weights: Values) -> Values:
    return (values.reshape(-1, values.shape[2]) @ weights).reshape(*values.shape[:2], -1)


@jax.custom_vjp
def _joined(values: Values, weights: Values) -> Values:
    """Each square's sums: values of shape (32, positions, inputs), weights (5, inputs, filters)."""
    return _joined_forward(values, weights)[0]


def _joined_forward(values: Values, weights: Values) -> tuple[Values, Any]:
    around = jnp.concatenate([_square_at(values, place) for place in range(len(weights))], axis=2)
    return _product(around, weights.reshape(-1, weights.shape[2])), (around, weights)


def _joined_backward(kept: Any, slopes: Values) -> tuple[Values, Values]:
    """What a square gets back from those that see it is read where they stand: adding up by index is slow."""
    around, weights = kept
    inputs, filters = weights.shape[1:]
    of_weights = around.reshape(-1, around.shape[2]).T @ slopes.reshape(-1, filters)
    back = _product(slopes, weights.reshape(-1, filters).T)
    of_values = sum(
        _square_at(back[:, :, inputs * other : inputs * (other + 1)], place) for place, other in enumerate(_OPPOSITE)
    )
    return of_values, of_weights.reshape(weights.shape)


_joined.defvjp(_joined_forward, _joined_backward)


def _flat(values: Values, shape: Shape) -> Values:
    """The values of each position in a row."""
    values = values.transpose(1, 0, 2) if len(shape) == 2 else values
    return values.reshape(len(values), -1)


LAYERS: dict[str, Callable[[Values, Values, Shape], Values]] = {
    "convolution": _convolution,
    "dense": _dense,
    "diagonal": _diagonal,
    "subsquares": _subsquares,
}
"""By kind: from the inputs of a batch, the weights and the shape of one position's inputs to sums without biases.

Positions come first, but not behind a diagonal layer: its values lie square by square, (32, positions, filters), so
that a neighbour is a stretch of memory.
"""
