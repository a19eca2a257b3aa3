"""Activations: their names, and what each does, in plain numpy and float64.

The compiled block of each stands in `game.networks.vectors`, with a number of the same name in capitals. These two
places are all that an activation needs (docs/networks.md has an example).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _sigmoid(sums: Any) -> Any:
    import numpy as np  # here and below: who reads a configuration, such as the window, does not wait for it

    with np.errstate(over="ignore"):  # e to a large power is infinite, and 1 over that is 0
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
"""By name; each takes and gives an array of any shape, and lets what is no number through."""
