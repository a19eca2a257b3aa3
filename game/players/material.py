"""A player that counts pieces."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from game.board import Position
from game.generator import SplitMix64
from game.players.base import AlphaBetaBase, Successors
from game.players.names import write_search
from game.players.protocol import Choice, Compiled
from game.search.layout import KING_VALUE, MAN_VALUE
from game.search.limits import ONE_PLY, PLAIN, Limits, SearchOptions

if TYPE_CHECKING:
    from game.search.search import AlphaBeta


@dataclass(frozen=True)
class MaterialPlayer(AlphaBetaBase):
    """Most material: men 100, kings 150.

    Attributes:
        draws_ties: draw among the best moves; otherwise the first of them, as the mover sees the board.
        limits: what ends its searches.
        style: how it looks.
    """

    name: str = "material"
    seed: int = 0
    draws_ties: bool = False
    limits: Limits = ONE_PLY
    style: SearchOptions = PLAIN

    @property
    def identity(self) -> Hashable:
        """How it looks, and its seed if that matters."""
        return "material", self.limits, self.plain_style, self.seed if self.draws_ties else None

    @property
    def canonical_name(self) -> str:
        """With its limits, and its seed if that matters."""
        seed = f",seed={self.seed}" if self.draws_ties else ""
        return f"material{write_search(self.limits, self.plain_style)}{seed}"

    @property
    def basis(self) -> str:
        """Pieces."""
        return f"Counts pieces: a man 1, a king {KING_VALUE / MAN_VALUE:g}, wherever they stand"

    def evaluate(self, positions: Sequence[Position], side: int) -> list[float]:
        """The piece count."""
        return [float(material(position, side)) for position in positions]

    @property
    def compiled(self) -> Compiled | None:
        """By the piece count, unless a clock decides."""
        return Compiled("material", self.draws_ties, search=self.compiled_search) if self.repeatable else None

    def describe(self) -> str:
        """What it does, in words."""
        ties = "draws lots among equal moves" if self.draws_ties else "takes the first of equal moves"
        return f"counts pieces {self.describe_search()}, {ties}"

    def searcher(self) -> AlphaBeta:
        """A search with the piece count."""
        from game.search.search import AlphaBeta

        return AlphaBeta(None, self.style)

    def choose_at_once(self, after: Successors, side: int, generator: SplitMix64) -> Choice:
        """The best move by piece count after it."""
        scores = [material(board, side) for _, board in after]
        best = [index for index, score in enumerate(scores) if score == max(scores)]
        index = best[generator.below(len(best))] if self.draws_ties and len(best) > 1 else best[0]
        move = after[index][0]
        return Choice(move, float(scores[index]), depth=1, nodes=len(after), pv=(move,))


def material(position: Position, side: int) -> int:
    """Men 100, kings 150: the pieces of `side` minus the other's."""
    own, opponent = (position.black, position.white) if side == 0 else (position.white, position.black)

    def value(pieces: int) -> int:
        royal = (pieces & position.kings).bit_count()
        return MAN_VALUE * (pieces.bit_count() - royal) + KING_VALUE * royal

    return value(own) - value(opponent)
