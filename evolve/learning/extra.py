"""What only learning needs, and whether it is installed. Loads nothing of it."""

from __future__ import annotations

import importlib.util

from game.errors import InputError
from game.installation import INSTALLED

EXTRA = ("jax", "jaxlib", "optax")
MISSING = "train needs jax and optax: " + (
    "install crownhead[learning]"
    if INSTALLED
    else "python -m pip install --require-hashes -r requirements-learning.txt"
)


class MissingExtraError(InputError):
    """What only learning needs is not installed."""


def check_extra() -> None:
    """Refuse to begin without what only learning needs.

    Raises:
        MissingExtraError: it is not installed.
    """
    if any(importlib.util.find_spec(name) is None for name in EXTRA):
        raise MissingExtraError(MISSING)
