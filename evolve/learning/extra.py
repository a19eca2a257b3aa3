"""What only learning needs, and whether it is installed. Loads nothing of it."""

from __future__ import annotations

from game import installation
from game.installation import missing_extra

EXTRA = ("jax", "jaxlib", "optax")
NEED = "train needs jax and optax"
MISSING = missing_extra(NEED, "learning")


def check_extra() -> None:
    """Refuse to begin without what only learning needs.

    Raises:
        MissingExtraError: it is not installed.
    """
    installation.check_extra(NEED, "learning", EXTRA)
