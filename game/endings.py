"""The reasons why games end, and the draw rules. The window uses this module, so it imports nothing slow."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from game.board import Position
from game.rules import BLACK, DrawRules


class Reason(IntEnum):
    NO_MOVE = 0
    REPETITION = 1
    QUIET = 2
    LENGTH = 3
    FAILURE = 4
    TABLEBASE = 5


REASON_TEXT = {
    Reason.NO_MOVE: "no legal move",
    Reason.REPETITION: "repetition",
    Reason.QUIET: "no capture and no man moved",
    Reason.LENGTH: "maximum length reached",
    Reason.FAILURE: "a player failed",
    Reason.TABLEBASE: "adjudicated by tablebase",
}


def draw_reason(reversible: Sequence[Position], quiet: int, plies: int, rules: DrawRules) -> Reason | None:
    """Return the draw rule that ends the game here; None if the game continues.

    Args:
        reversible: positions since the last capture or move of a man, the current one last.
        quiet: consecutive quiet plies, as `rules` counts them.
    """
    if rules.repetition and reversible.count(reversible[-1]) >= rules.repetition:
        return Reason.REPETITION
    if rules.quiet_plies and quiet >= rules.quiet_plies:
        return Reason.QUIET
    if rules.max_plies and plies >= rules.max_plies:
        return Reason.LENGTH
    return None


def is_king_move(before: Position, after: Position) -> bool:
    """Return whether the move between two positions was made by a king."""
    mine, now = (before.black, after.black) if before.side == BLACK else (before.white, after.white)
    left = mine & ~now
    # A king may capture in a circle, back to the square it left; a man cannot.
    return left == 0 or bool(left & before.kings)
