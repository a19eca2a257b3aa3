"""A player that counts pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from game import moves
from game.board import Position
from game.generator import SplitMix64
from game.players import searching
from game.players.protocol import ONE_PLY, PLAIN, Choice, looks_ahead
from game.rules import WCDF, DrawRules
from game.search.layout import KING_VALUE, MAN_VALUE
from game.search.limits import Limits, SearchOptions

if TYPE_CHECKING:
    from game.search.search import Searcher


@dataclass(frozen=True)
class MaterialPlayer:
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
    def deterministic(self) -> bool:
        """Whether ties are broken by the order of moves, and no clock decides."""
        return not self.draws_ties and self.limits.deterministic

    def searcher(self) -> Searcher:
        """A search with the piece count."""
        from game.search.search import Searcher

        return Searcher(None, self.style)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """The best move by piece count; a forced move draws nothing."""
        after = moves.successors(position)
        if len(after) == 1:
            return Choice(after[0][0])
        if looks_ahead(self):
            searcher = _material_searcher(self.style)
            return searching.searched(searcher, self, position, history, generator=generator, rules=rules)
        scores = [material(board, position.side) for _, board in after]
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


def _material_searcher(style: SearchOptions) -> Searcher:
    from game.search.search import Searcher

    return searching.kept.get(style, lambda: Searcher(None, style))
