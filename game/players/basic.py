"""Players without a network: random moves, and a count of pieces."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from game import moves
from game.board import Position
from game.generator import SplitMix64
from game.players.names import write_search
from game.players.player import AlphaBetaPlayer, Choice, Compiled, Player, Successors
from game.rules import WCDF, DrawRules
from game.search.interface import ONE_PLY, PLAIN, Limits, SearchOptions
from game.search.layout import KING_VALUE, MAN_VALUE

if TYPE_CHECKING:
    from game.search.search import AlphaBeta


@dataclass(frozen=True)
class RandomPlayer(Player):
    """A player that chooses among all legal moves with equal probability."""

    name: str = "random"
    seed: int = 0

    @property
    def identity(self) -> Hashable:
        return "random", self.seed

    @property
    def canonical_name(self) -> str:
        return f"random,seed={self.seed}" if self.seed else "random"

    @property
    def basis(self) -> str:
        return "Chooses at random; all moves, pieces and squares are equal to it"

    @property
    def compiled(self) -> Compiled:
        return Compiled("random")

    def describe(self) -> str:
        return "plays any legal move"

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """Choose at random; a forced move does not use the generator."""
        legal = moves.legal_moves(position)
        return Choice(legal[0] if len(legal) == 1 else legal[generator.below(len(legal))])


@dataclass(frozen=True)
class MaterialPlayer(AlphaBetaPlayer):
    """A player that counts pieces: men 100, kings 150.

    Attributes:
        draws_ties: whether it chooses at random among the best moves, instead of the first of them.
    """

    name: str = "material"
    seed: int = 0
    draws_ties: bool = False
    limits: Limits = ONE_PLY
    style: SearchOptions = PLAIN

    @property
    def identity(self) -> Hashable:
        return "material", self.limits, self.plain_style, self.seed if self.draws_ties else None

    @property
    def canonical_name(self) -> str:
        seed = f",seed={self.seed}" if self.draws_ties else ""
        return f"material{write_search(self.limits, self.plain_style)}{seed}"

    @property
    def basis(self) -> str:
        return f"Counts pieces: a man 1, a king {KING_VALUE / MAN_VALUE:g}, wherever they stand"

    def evaluate(self, positions: Sequence[Position], side: int) -> list[float]:
        return [float(material(position, side)) for position in positions]

    @property
    def compiled(self) -> Compiled | None:
        return Compiled("material", self.draws_ties, search=self.compiled_search) if self.compilable else None

    def describe(self) -> str:
        ties = "chooses at random among equal moves" if self.draws_ties else "takes the first of equal moves"
        return f"counts pieces {self.describe_search()}, {ties}"

    def searcher(self) -> AlphaBeta:
        from game.search.search import AlphaBeta

        return AlphaBeta(None, self.style)

    def choose_at_once(self, after: Successors, side: int, generator: SplitMix64) -> Choice:
        scores = [material(board, side) for _, board in after]
        best = [index for index, score in enumerate(scores) if score == max(scores)]
        index = best[generator.below(len(best))] if self.draws_ties and len(best) > 1 else best[0]
        move = after[index][0]
        return Choice(move, float(scores[index]), depth=1, nodes=len(after), pv=(move,))


def material(position: Position, side: int) -> int:
    """Return the value of the pieces of `side` less the other side's: men 100, kings 150."""
    own, opponent = (position.black, position.white) if side == 0 else (position.white, position.black)

    def value(pieces: int) -> int:
        royal = (pieces & position.kings).bit_count()
        return MAN_VALUE * (pieces.bit_count() - royal) + KING_VALUE * royal

    return value(own) - value(opponent)
