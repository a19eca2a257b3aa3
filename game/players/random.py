"""A player that plays at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from game import moves
from game.board import Position
from game.generator import SplitMix64
from game.players.protocol import Choice
from game.rules import WCDF, DrawRules


@dataclass(frozen=True)
class RandomPlayer:
    """Any legal move, all equally likely."""

    name: str = "random"
    seed: int = 0
    deterministic: bool = field(default=False, init=False)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """A drawn move; a forced move draws nothing."""
        legal = moves.legal_moves(position)
        return Choice(legal[0] if len(legal) == 1 else legal[generator.below(len(legal))])
