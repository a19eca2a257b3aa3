"""Activation functions: each is one entry of `ACTIVATIONS`, with its forms for arrays, compiled code and exports.

Reading a specification needs only their names, so this module loads neither numpy nor Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Vector = Any
"""A vector in compiled code."""

v: Any = None
"""`game.networks.vectors` in compiled forms, which get it when they are compiled."""


class Activation(NamedTuple):
    """A function of one number that is applied to the sums of a layer. All forms map NaN to NaN.

    Attributes:
        array: ``array(xp, sums)``; `xp` is numpy or jax.numpy.
        block: the function of a vector in compiled code; the result in a lane depends only on that lane.
        three: the function of three vectors at once, if they can share a division; else None.
        onnx: ONNX operators in order, such as ``Relu; Mul 128`` with a number as second operand; None if there is none,
            empty for the identity.
        jax: a function of jax.nn that training uses instead of `array`, because of its gradient.
        smooth: ``smooth(xp, sums)``, a form without steps that training uses instead of `array`.
    """

    array: Callable[[Any, Any], Any]
    block: Callable[[Vector], Vector]
    three: Callable[[Vector, Vector, Vector], tuple[Vector, Vector, Vector]] | None = None
    onnx: str | None = None
    jax: str | None = None
    smooth: Callable[[Any, Any], Any] | None = None

    def values(self, sums: Any) -> Any:
        """Apply the function to a numpy array or a number."""
        import numpy as np

        with np.errstate(over="ignore"):  # exp may overflow to infinity, and 1 / infinity is 0
            return self.array(np, sums)


def _sigmoid(x: Vector) -> Vector:
    return v.divide(v.one(), v.add(v.one(), v.exp_minus(x)))


def _sigmoid_three(a: Vector, b: Vector, c: Vector) -> Any:
    return v.reciprocals(v.add(v.one(), v.exp_minus(a)), v.add(v.one(), v.exp_minus(b)), v.add(v.one(), v.exp_minus(c)))


def _tanh(x: Vector) -> Vector:
    """Return 2 / (1 + e**-2x) - 1; absolute error below 3e-7."""
    return v.subtract(v.divide(v.two(), v.add(v.one(), v.exp_minus(v.add(x, x)))), v.one())


def _tanh_three(a: Vector, b: Vector, c: Vector) -> tuple[Vector, Vector, Vector]:
    a, b, c = v.exp_minus(v.add(a, a)), v.exp_minus(v.add(b, b)), v.exp_minus(v.add(c, c))
    a, b, c = v.reciprocals(v.add(v.one(), a), v.add(v.one(), b), v.add(v.one(), c))
    return v.fma(v.two(), a, v.minus_one()), v.fma(v.two(), b, v.minus_one()), v.fma(v.two(), c, v.minus_one())


STEPS = 128
"""Number of steps of the activation `clipped` between 0 and 1."""
TOP = (STEPS - 1) / STEPS
"""The largest value of `clipped`: 127 steps, so that a signed byte can hold it."""


def _clipped(x: Vector) -> Vector:
    steps = v.floor(v.add(v.multiply(v.at_least(v.zero(), x), v.constant(128.0)), v.constant(0.5)))
    return v.multiply(v.at_most(v.constant(127.0), steps), v.constant(1 / 128))


ACTIVATIONS: dict[str, Activation] = {
    "none": Activation(lambda xp, sums: sums, lambda x: x, onnx=""),
    "sigmoid": Activation(
        lambda xp, sums: 1.0 / (1.0 + xp.exp(-sums)), _sigmoid, _sigmoid_three, onnx="Sigmoid", jax="sigmoid"
    ),
    "tanh": Activation(lambda xp, sums: xp.tanh(sums), _tanh, _tanh_three, onnx="Tanh"),
    "relu": Activation(
        lambda xp, sums: xp.maximum(sums, 0.0), lambda x: v.at_least(v.zero(), x), onnx="Relu", jax="relu"
    ),
    "clipped": Activation(
        lambda xp, sums: xp.minimum(xp.floor(xp.maximum(sums, 0.0) * STEPS + 0.5) / STEPS, TOP),
        _clipped,
        onnx="Relu; Mul 128; Add 0.5; Floor; Min 127; Div 128",
        smooth=lambda xp, sums: xp.clip(sums, 0.0, TOP),
    ),
}
"""Activations by their names in specifications. Programs for the kernel number them in this order."""
