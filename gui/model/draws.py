"""Whether a program agrees to a draw: late, and only where it has not been ahead for some time."""

from __future__ import annotations

from game.board import Position
from game.rules import BLACK
from game.scores import EVEN, share_of
from gui.model.game import GameModel

FIRST_MOVE = 20
"""The number of the first move at which a program may agree."""

TURNS = 4
"""So many of its turns before, too, it must not have been ahead."""


def is_too_early(model: GameModel) -> bool:
    """Whether no program agrees to a draw yet, whatever it thinks."""
    return model.move_number < FIRST_MOVE


def refuse_draw(model: GameModel, side: int, share: float | None) -> str:
    """Why the program of a side declines a draw, in words; empty if it agrees.

    Args:
        model: the game.
        side: the program's.
        share: how it stands by its own judgement, from -1 to 1; None for a player without any, which counts pieces.
    """
    if is_too_early(model):
        return f"it is too early, before move {FIRST_MOVE}"
    level = share_of(EVEN)
    if (_material_share(model.last, side) if share is None else share) > level:
        return "it likes its position"
    before = [ply for ply in model.plies if ply.side == side][-TURNS:]
    for ply in before:
        said = ply.thought.share if ply.thought is not None else None
        if (_material_share(ply.before, side) if said is None else said) > level:
            return "it was ahead a short while ago"
    return ""


def _material_share(position: Position, side: int) -> float:
    """The balance of pieces, from -1 to 1: a king counts as one and a half men."""
    black, white = (
        word.bit_count() + (word & position.kings).bit_count() / 2 for word in (position.black, position.white)
    )
    return share_of(black - white if side == BLACK else white - black)
