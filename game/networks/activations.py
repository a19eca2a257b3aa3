"""Activations: their names, and what each does, in plain numpy and float64.

The compiled block of each stands in `game.networks.vectors`, with a number of the same name in capitals. These two
places are all that an activation needs (docs/networks.md has an example).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _sigmoid(sums: Any) -> Any:
    with np.errstate(over="ignore"):  # e to a large power is infinite, and 1 over that is 0
        return 1.0 / (1.0 + np.exp(-sums))


ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "none": lambda sums: sums,
    "sigmoid": _sigmoid,
    "tanh": np.tanh,
    "relu": lambda sums: np.maximum(sums, 0.0),
}
"""By name; each takes and gives an array of any shape, and lets what is no number through."""
