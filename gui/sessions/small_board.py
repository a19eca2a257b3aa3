"""What a small board beside a session shows, whoever moves its pieces. No pygame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.model.game import GameModel, Piece


class SmallBoard:
    """A game to watch only.

    Attributes:
        model: the game; None if there is none.
    """

    def __init__(self) -> None:
        self.model: GameModel | None = None

    @property
    def pieces(self) -> Mapping[int, Piece]:
        """What stands on the board."""
        return {} if self.model is None else self.model.pieces()

    @property
    def last_move(self) -> tuple[int, ...]:
        """Squares of the move that was shown last."""
        ply = None if self.model is None else self.model.shown_ply
        return () if ply is None else tuple(ply.move.path)
