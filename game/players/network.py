"""A player whose network judges boards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from game import moves
from game.board import Position
from game.errors import FailureKind
from game.generator import SplitMix64
from game.networks.shipped import CNN_247
from game.networks.spec import Spec
from game.players import searching
from game.players.protocol import ONE_PLY, PLAIN, Choice, PlayerFailure, looks_ahead
from game.rules import WCDF, DrawRules
from game.search.limits import Limits, SearchOptions

if TYPE_CHECKING:
    from game.search.search import Searcher


@dataclass(frozen=True)
class NetworkPlayer:
    """The move after which its network likes the board best, now or where a search ends.

    Attributes:
        weights: float32 of shape (spec.weights,), the genome.
        spec: its network.
        king: its own value of a king; the network's if None.
        limits: what ends its searches.
        style: how it looks.
        usual: limits and style that its name need not say: those with which it evolved.
    """

    name: str
    weights: Any
    seed: int = 0
    spec: Spec = CNN_247
    king: float | None = None
    limits: Limits = ONE_PLY
    style: SearchOptions = PLAIN
    usual: tuple[Limits, SearchOptions] = (ONE_PLY, PLAIN)

    @property
    def deterministic(self) -> bool:
        """Whether no clock decides."""
        return self.limits.deterministic

    def searcher(self) -> Searcher:
        """A search with its network."""
        from game.networks.evaluator import Evaluator
        from game.search.search import Searcher

        return Searcher(Evaluator(self.spec, self.weights, self.king), self.style)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """The best-scored move, the first of them on ties; scores are compared before the last activation.

        Raises:
            PlayerFailure: a score is not a finite number.
        """
        from game.networks import evaluator

        after = moves.successors(position)
        if len(after) == 1:
            return Choice(after[0][0])
        if looks_ahead(self):
            weights = evaluator.check_weights(self.spec, self.weights).tobytes()
            searcher = _network_searcher(self.spec, weights, self.king, self.style)
            return searching.searched(searcher, self, position, history, generator=generator, rules=rules)
        scores = evaluator.scores(self.spec, self.weights, [board for _, board in after], position.side, self.king)
        if not all(score - score == 0 for score in scores):
            raise PlayerFailure(
                f"{self.name}: its network gives a value that is not a finite number", FailureKind.VALUE
            )
        best = max(range(len(after)), key=lambda index: scores[index])
        move = after[best][0]
        return Choice(move, scores[best], len(after), depth=1, nodes=len(after), pv=(move,))


def _network_searcher(spec: Spec, weights: bytes, king: float | None, style: SearchOptions) -> Searcher:
    import numpy as np

    from game.networks.evaluator import Evaluator
    from game.search.search import Searcher

    def make() -> Searcher:
        return Searcher(Evaluator(spec, np.frombuffer(weights, np.float32), king), style)

    return searching.kept.get((spec, weights, king, style), make)
