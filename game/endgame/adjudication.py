"""The tables by which games are adjudicated: ended with the result that perfect play would give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.errors import InputError

if TYPE_CHECKING:
    from game.endgame.tables import Tables

MOST_PIECES = 6
"""Pieces of the largest tables by which games are adjudicated."""


def adjudicating_tables(pieces: int) -> Tables:
    """Tables of all positions of up to so many pieces; those of 2 to 4 are built if they are missing.

    Raises:
        InputError: others are missing, or not what was written.
    """
    from game.endgame.tables import open_tables

    if not 2 <= pieces <= MOST_PIECES:
        raise InputError(f"adjudicate: expected 0 (off) or 2 to {MOST_PIECES} pieces, got {pieces}")
    tables = open_tables(pieces)
    if tables.pieces < pieces:
        raise InputError(
            f"adjudicate: the tablebases of up to {pieces} pieces are not complete; build them by "
            f"python main.py tablebase build --pieces {pieces}"
        )
    return tables
