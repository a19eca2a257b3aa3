"""The tables by which games are adjudicated: ended with the result that perfect play would give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.endgame.slices import LEAST_PIECES, MOST_BUILT
from game.errors import InputError

if TYPE_CHECKING:
    from game.endgame.tables import Tables


def adjudicating_tables(pieces: int) -> Tables:
    """Tables of all positions of up to so many pieces; those of 2 to 4 are built if they are missing.

    Raises:
        InputError: others are missing, or not what was written.
    """
    from game.endgame.tables import complete_tables

    if not LEAST_PIECES <= pieces <= MOST_BUILT:
        raise InputError(f"adjudicate: expected 0 (off) or {LEAST_PIECES} to {MOST_BUILT} pieces, got {pieces}")
    return complete_tables(pieces, "adjudicate")
