"""Activation functions by name, in numpy and float64.

The compiled version of each is in `game.networks.vectors`, with a constant of the same name in capitals. An activation
needs no other place (docs/networks.md has an example).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _sigmoid(sums: Any) -> Any:
    import numpy as np  # here and below: who reads a configuration, such as the window, does not wait for it

    with np.errstate(over="ignore"):  # exp overflows to infinity, and 1 / infinity is 0
        return 1.0 / (1.0 + np.exp(-sums))


def _tanh(sums: Any) -> Any:
    import numpy as np

    return np.tanh(sums)


def _relu(sums: Any) -> Any:
    import numpy as np

    return np.maximum(sums, 0.0)


ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "none": lambda sums: sums,
    "sigmoid": _sigmoid,
    "tanh": _tanh,
    "relu": _relu,
}
"""By name; each maps an array of any shape to one of the same shape, and NaN to NaN."""
