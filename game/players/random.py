"""A player that plays at random."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from game import moves
from game.board import Position
from game.generator import SplitMix64
from game.players.base import PlayerBase
from game.players.protocol import Choice, Compiled
from game.rules import WCDF, DrawRules


@dataclass(frozen=True)
class RandomPlayer(PlayerBase):
    """Any legal move, all equally likely."""

    name: str = "random"
    seed: int = 0

    @property
    def identity(self) -> Hashable:
        """Its seed."""
        return "random", self.seed

    @property
    def canonical_name(self) -> str:
        """With its seed, unless that is 0."""
        return f"random,seed={self.seed}" if self.seed else "random"

    @property
    def basis(self) -> str:
        """Lots."""
        return "Draws lots: all moves are equal to it, and all pieces and squares"

    @property
    def compiled(self) -> Compiled:
        """At random."""
        return Compiled("random")

    def describe(self) -> str:
        """What it does, in words."""
        return "plays any legal move"

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """A drawn move; a forced move draws nothing."""
        legal = moves.legal_moves(position)
        return Choice(legal[0] if len(legal) == 1 else legal[generator.below(len(legal))])
