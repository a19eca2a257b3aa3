"""The forward pass of any network in jax: in batches, in float32, and with gradients.

The four built-in kinds of layers have implementations that are fast to differentiate; other kinds use matrices. Values
of a diagonal layer have the shape (32, positions, filters), so that the values of one neighbour are contiguous in
memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from game import bitboard
from game.networks import quantised
from game.networks.activations import ACTIVATIONS
from game.networks.kinds import KINDS, Shape, neighbours, square_place, subsquares
from game.networks.spec import Spec

Values = Any
"""A float32 array of jax with one row per position."""

_BITS = np.array([bitboard.SQUARE_BIT[square + 1] for square in range(32)], np.uint64)
_PLACES = np.full(64, 32)
"""The index of the dark square at each place of the board, row by row; 32 for light squares."""
for _square in range(32):
    _row, _column = square_place(_square)
    _PLACES[8 * _row + _column] = _square


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


def seen(spec: Spec, inputs: Values, king: Any) -> Values:
    """Return the inputs of the first layer, of shape (positions, *INPUTS[spec.input]), from the result of `inputs_of`.

    Signed inputs are 1 for an own man, `king` for an own king, and negative for the opponent's pieces, all times
    `spec.own`. Inputs seen by the side to move are 1 for each piece, in planes or on 32 squares for each kind. Index 0,
    or row 0 of the board, is the side's own back row: square 1 for Black, square 32 for White.
    """
    if not spec.by_mover:
        inputs = spec.own * (inputs[:, :1] - inputs[:, 2:3] + king * (inputs[:, 1:2] - inputs[:, 3:]))
    if spec.input in ("squares", "pieces"):
        return inputs.reshape(len(inputs), -1)
    light = jnp.zeros((*inputs.shape[:2], 1), inputs.dtype)
    board = jnp.concatenate([inputs, light], axis=2)[:, :, _PLACES]
    return board.transpose(0, 2, 1).reshape(len(inputs), 8, 8, -1)


def outputs(spec: Spec, weights: Values, inputs: Values) -> Values:
    """Return the outputs of all heads, or without heads the value, including all extras, before its activation.

    Args:
        spec: a network without patterns and phases.
        weights: its genome, of shape (spec.weights,).
        inputs: from `inputs_of`.

    Returns:
        float32 of shape (positions, spec.outputs), as from `game.networks.evaluator.Evaluator.output_rows`.
    """
    weights = _used(spec, weights)
    sums: Values = _layers(spec, weights, seen(spec, inputs, spec.king)) if spec.layers else 0.0
    if spec.heads:
        return sums
    if spec.tables:
        table, tempo = spec.parts[0].of(weights).reshape(1, 2, 32), spec.parts[1].of(weights)
        sums = sums + jnp.einsum("nks,pks->np", inputs[:, :2] - inputs[:, 2:, ::-1], table) + tempo
    value = sums[:, 0]
    if spec.piece_difference:
        counts = inputs.sum(axis=2)
        value = value + counts[:, 0] - counts[:, 2] + spec.king * (counts[:, 1] - counts[:, 3])
    return value[:, None]


def activate(name: str, sums: Values) -> Values:
    activation = ACTIVATIONS[name]
    if activation.jax:
        return getattr(jax.nn, activation.jax)(sums)
    if activation.smooth is None:
        return activation.array(jnp, sums)
    smooth = activation.smooth(jnp, sums)  # the gradient; the value is the one that players use
    return smooth + jax.lax.stop_gradient(activation.array(jnp, sums) - smooth)


def _used(spec: Spec, weights: Values) -> Values:
    """Return the weights that a network uses; rounding passes gradients on, and limits stop them."""
    if not spec.quantised:
        return weights
    _, limits = quantised.grids(spec)
    limited = jnp.clip(weights, -limits, limits)
    return limited + jax.lax.stop_gradient(quantised.rounded(spec, weights, jnp) - limited)


def _layers(spec: Spec, weights: Values, values: Values) -> Values:
    """Return the sums of the last layer, or of all heads side by side, with one row per position."""
    kept: list[Values] = []
    for number, layer in enumerate(spec.layers):
        values = _layer(spec, number, values, weights)
        if layer.residual:
            values = values + kept[number - 2]
        if number < len(spec.layers) - 1 or spec.heads:
            values = activate(layer.activation, values)
        kept.append(values)
    last = len(spec.layers)
    if not spec.heads:
        return _flat(values, spec.shapes[-1])
    heads = (_layer(spec, number, values, weights) for number in range(last, last + len(spec.head_layers)))
    return jnp.concatenate([_flat(sums, spec.joint(number)[2]) for number, sums in enumerate(heads, last)], axis=1)


def _layer(spec: Spec, number: int, values: Values, weights: Values) -> Values:
    layer, before, after = spec.joint(number)
    part, bias = spec.layer_parts(number)
    if layer.kind in LAYERS:
        return LAYERS[layer.kind](values, part.of(weights), before) + bias.of(weights)
    # Every kind is linear, so its wiring gives a matrix; index -1 (no connection) reads the zero after the weights.
    index = np.arange(part.stop - part.start).reshape(part.shape)
    wiring = KINDS[layer.kind].wiring(index, before, after)
    matrix = jnp.append(weights[part.start : part.stop], jnp.zeros(1, weights.dtype))[wiring]
    sums = (_flat(values, before) @ matrix).reshape(-1, *after) + bias.of(weights)
    return sums.transpose(1, 0, 2) if len(after) == 2 else sums


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
    if len(before) == 1:  # inputs are ordered by kind of piece, then by square
        values = values.reshape(len(values), -1, 32).transpose(2, 0, 1)
    return _joined(values, weights)


_NEIGHBOURS = np.array(neighbours())
_OPPOSITE = (0, 4, 3, 2, 1)
"""The opposite of each place: from the neighbour at forward left, the square itself is at back right."""


def _square_at(values: Values, place: int) -> Values:
    """Return the values of each square's neighbour at a place; neighbours off the board are zeros."""
    return jnp.pad(values, ((0, 1), (0, 0), (0, 0)))[_NEIGHBOURS[place]]


def _product(values: Values, weights: Values) -> Values:
    return (values.reshape(-1, values.shape[2]) @ weights).reshape(*values.shape[:2], -1)


@jax.custom_vjp
def _joined(values: Values, weights: Values) -> Values:
    """Return the sums of each square, from values (32, positions, inputs) and weights (5, inputs, filters)."""
    return _joined_forward(values, weights)[0]


def _joined_forward(values: Values, weights: Values) -> tuple[Values, Any]:
    around = jnp.concatenate([_square_at(values, place) for place in range(len(weights))], axis=2)
    return _product(around, weights.reshape(-1, weights.shape[2])), (around, weights)


def _joined_backward(kept: Any, slopes: Values) -> tuple[Values, Values]:
    # Gather the gradient of a square from the squares that use its values, because scattering by index is slow.
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
    values = values.transpose(1, 0, 2) if len(shape) == 2 else values
    return values.reshape(len(values), -1)


LAYERS: dict[str, Callable[[Values, Values, Shape], Values]] = {
    "convolution": _convolution,
    "dense": _dense,
    "diagonal": _diagonal,
    "subsquares": _subsquares,
}
"""For each kind of layer, a function that takes inputs, weights and the shape of one input, and returns the weighted
sums without biases."""
