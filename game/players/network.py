"""A player whose network judges boards."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from game.board import Position
from game.errors import FailureKind
from game.generator import SplitMix64
from game.moves import Move
from game.networks.description import basis
from game.networks.shipped import CNN_247
from game.networks.spec import Spec
from game.players.base import AlphaBetaBase, Successors, plain_style
from game.players.names import PlayerName, parse_name, write_search
from game.players.policy import policy_likelihoods
from game.players.protocol import Choice, Compiled, PlayerFailure, Scale
from game.rules import BLACK, WHITE
from game.search.limits import ONE_PLY, PLAIN, Limits, SearchOptions

if TYPE_CHECKING:
    from game.search.search import AlphaBeta

LEAST_MAN = 30
"""A man is worth at least this part of what it usually is, or it is no unit."""


@dataclass(frozen=True)
class NetworkPlayer(AlphaBetaBase):
    """The move after which its network likes the board best, now or where a search ends.

    Attributes:
        weights: float32 of shape (spec.weights,), the genome.
        spec: its network.
        king: its own value of a king; the network's if None.
        limits: what ends its searches.
        style: how it looks.
        source: the run, generation or file, and the individual, that it was read from; what `name` says if None.
        usual: limits and style that its name need not say: those with which it evolved.
    """

    name: str
    weights: Any
    seed: int = 0
    spec: Spec = CNN_247
    king: float | None = None
    limits: Limits = ONE_PLY
    style: SearchOptions = PLAIN
    source: PlayerName | None = None
    usual: tuple[Limits, SearchOptions] = (ONE_PLY, PLAIN)

    @property
    def identity(self) -> Hashable:
        """Its network and genome, and how it looks."""
        from game.networks.evaluator import check_weights

        king = self.spec.king if self.king is None else self.king
        return self.spec, check_weights(self.spec, self.weights).tobytes(), king, self.limits, self.plain_style

    @property
    def canonical_name(self) -> str:
        """Where it comes from, with its limits unless they are the usual ones."""
        source = self.source or parse_name(self.name)
        network = {key: value for key, value in source.options.items() if key == "network"}
        written = PlayerName.of(source.target, source.member, network).text
        limits, style = self.usual
        if (self.limits, self.plain_style) == (limits, plain_style(limits, style)):
            return written
        return f"{written}{write_search(self.limits, self.style, limits, style)}"

    @property
    def scale(self) -> Scale:
        """The output of its last layer, before the activation; or from -1 to 1 what it expects of the game."""
        if self.spec.heads and self.spec.heads.value == "wdl":
            return Scale("chance to win less that to lose", 0.5)
        # The sigmoid from 0 to 1 is a hyperbolic tangent from -1 to 1 of half its argument.
        return Scale("output of a network", 2.0 if self.spec.activation == "sigmoid" else 1.0)

    def even_score(self, position: Position) -> float:
        """The mean of what the network says of the board to both sides, without a search.

        Most networks prefer the side that they play. Unless that is taken away, both sides of an even game are ahead as
        long as it is their move. It changes with the pieces on the board, so it is that of this board.
        """
        from game.networks import evaluator

        both = [evaluator.scores(self.spec, self.weights, [position], side, self.king)[0] for side in (BLACK, WHITE)]
        even = float(sum(both)) / 2
        return even if math.isfinite(even) else 0.0

    def man_score(self) -> float:
        """Half the mean difference that it makes to miss any man of the other side instead of one's own at the start.

        A network to which men are worth next to nothing has no such unit: for that one a third of a clear lead.
        """
        return self._man if self.counts_men else super().man_score()

    @property
    def counts_men(self) -> bool:
        """True if a man is worth more than next to nothing to its network."""
        return self._man > super().man_score() / LEAST_MAN

    @cached_property
    def _man(self) -> float:
        from game.networks import evaluator

        return evaluator.man_of(self.spec, self.weights, self.king)

    @property
    def basis(self) -> str:
        """The parts of its network."""
        return basis(self.spec)

    @property
    def network(self) -> tuple[Spec, Any, float | None]:
        """Its own."""
        return self.spec, self.weights, self.king

    def evaluate(self, positions: Sequence[Position], side: int) -> list[float]:
        """By its network."""
        from game.networks import evaluator

        return evaluator.scores(self.spec, self.weights, positions, side, self.king)

    def likelihoods(self, position: Position) -> list[tuple[Move, float]] | None:
        """By its policy, if its network has one beside the value."""
        has = self.spec.heads is not None and self.spec.heads.policy != "none"
        return policy_likelihoods(self.name, self.spec, self.weights, position) if has else None

    def result_chances(self, position: Position, side: int) -> tuple[float, float, float] | None:
        """By its head of win, draw and loss, if its network has one."""
        if self.spec.heads is None or self.spec.heads.value != "wdl":
            return None
        from game.networks import evaluator, policy

        # What does not see who moves sees the board as the side whose pieces are own.
        seen = position if self.spec.by_mover else replace(position, side=side)
        outputs = evaluator.outputs(self.spec, self.weights, [seen], self.king)[0, :3].tolist()
        if not all(map(math.isfinite, outputs)):
            raise PlayerFailure(
                f"{self.name}: its network gives a value that is not a finite number", FailureKind.VALUE
            )
        win, draw, loss = policy.softmax(outputs)
        return (win, draw, loss) if seen.side == side else (loss, draw, win)

    @property
    def compiled(self) -> Compiled | None:
        """By its network, unless a clock decides."""
        return Compiled("network", network=self.network, search=self.compiled_search) if self.repeatable else None

    def describe(self) -> str:
        """What it does, in words."""
        return f"a network of {len(self.weights)} weights judges the board {self.describe_search()}"

    def searcher(self) -> AlphaBeta:
        """A search with its network."""
        from game.networks.evaluator import Evaluator
        from game.search.search import AlphaBeta

        return AlphaBeta(Evaluator(self.spec, self.weights, self.king), self.style)

    def choose_at_once(self, after: Successors, side: int, generator: SplitMix64) -> Choice:
        """The best-scored move, the first of them on ties; scores are compared before the last activation.

        Raises:
            PlayerFailure: a score is not a finite number.
        """
        from game.networks import evaluator

        scores = evaluator.scores(self.spec, self.weights, [board for _, board in after], side, self.king)
        if not all(score - score == 0 for score in scores):
            raise PlayerFailure(
                f"{self.name}: its network gives a value that is not a finite number", FailureKind.VALUE
            )
        best = max(range(len(after)), key=lambda index: scores[index])
        move = after[best][0]
        return Choice(move, scores[best], len(after), depth=1, nodes=len(after), pv=(move,))
