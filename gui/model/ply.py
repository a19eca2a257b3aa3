"""One move of a game, and what its player reported about it."""

from __future__ import annotations

from dataclasses import dataclass

from game import bitboard
from game.board import Position
from game.moves import Move
from game.rules import KING_ROW


@dataclass(frozen=True, slots=True)
class Thought:
    """What a player reported about its move; None where it reported nothing.

    Attributes:
        score: seen by the mover in men, 0 where nobody is ahead; a proved win as in `game.search.result`.
        share: the same from -1 (surely lost) over 0 (even) to 1 (surely won), for bars and graphs of any player.
        depth, nodes, seconds: of the search.
        pv: the moves it expected, its own first.
        text: the score in words, such as ``+0.53`` or ``win in 23 plies``.
    """

    score: float | None = None
    share: float | None = None
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    pv: tuple[Move, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Ply:
    """One move of a game.

    Attributes:
        before, after: positions; `before.side` moved.
        move: a whole turn.
        thought: what the mover said, if it was a program.
        notes: (kind, text) of a recorded game, as in `game.pdn.check.Annotation`.
    """

    before: Position
    move: Move
    after: Position
    thought: Thought | None = None
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def side(self) -> int:
        """The side that moved."""
        return self.before.side

    @property
    def by_king(self) -> bool:
        """Whether a king moved."""
        return bool(self.before.kings >> bitboard.SQUARE_BIT[self.move.path[0]] & 1)

    @property
    def crowned(self) -> bool:
        """Whether a man became a king."""
        return not self.by_king and self.move.path[-1] in KING_ROW[self.side]

    @property
    def reversible(self) -> bool:
        """Whether the position before it could come again: a king moved and captured nothing."""
        return self.by_king and not self.move.captured
