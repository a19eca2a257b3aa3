"""The forward pass of `extras.learning.passes` in jax: in batches, in float32, and with gradients.

The four built-in kinds of layers have implementations that are fast to differentiate; other kinds use matrices, as in
numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from extras.learning import passes
from game.networks import quantised
from game.networks.activations import ACTIVATIONS
from game.networks.kinds import Shape, neighbours, subsquares
from game.networks.spec import Spec

Values = Any
"""A float32 array of jax with one row per position."""


class JaxArrays(passes.Arrays):
    """The operations of the forward pass in jax.

    Values of a diagonal layer have the shape (32, positions, filters), so that the values of one neighbour are
    contiguous in memory.
    """

    xp: ClassVar[Any] = jnp

    def layer(self, spec: Spec, number: int, values: Values, weights: Values) -> Values:
        layer, before, after = spec.joint(number)
        if layer.kind not in LAYERS:
            sums = super().layer(spec, number, values, weights)
            return sums.transpose(1, 0, 2) if len(after) == 2 else sums
        part, bias = spec.layer_parts(number)
        return LAYERS[layer.kind](values, part.of(weights), before) + bias.of(weights)

    def genome(self, spec: Spec, weights: Values) -> Values:
        """Return the weights that a network uses; rounding passes gradients on, and limits stop them."""
        if not spec.quantised:
            return weights
        _, limits = quantised.grids(spec)
        limited = jnp.clip(weights, -limits, limits)
        return limited + jax.lax.stop_gradient(quantised.rounded(spec, weights, jnp) - limited)

    def flat(self, values: Values, shape: Shape) -> Values:
        return _flat(values, shape)

    def activate(self, name: str, sums: Values) -> Values:
        activation = ACTIVATIONS[name]
        if activation.jax:
            return getattr(jax.nn, activation.jax)(sums)
        if activation.smooth is None:
            return activation.array(jnp, sums)
        smooth = activation.smooth(jnp, sums)  # the gradient; the value is the one that players use
        return smooth + jax.lax.stop_gradient(activation.array(jnp, sums) - smooth)


JAX = JaxArrays()


def outputs(spec: Spec, weights: Values, inputs: Values, king: Any = None) -> Values:
    """Return all outputs of a network, float32 of shape (positions, spec.outputs); see `extras.learning.passes`."""
    return passes.outputs(spec, weights, inputs, king, JAX)


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
