"""Players whose search judges positions with few pieces by a network that has learnt from tablebases."""

from __future__ import annotations

import functools
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from game import moves
from game.board import Position
from game.endgame.slices import MOST_PIECES, slices_of
from game.generator import SplitMix64
from game.moves import Move
from game.players.names import PlayerName, PlayerNameError, parse_name
from game.players.network import EndgamePlayer
from game.players.player import AlphaBetaPlayer, Choice, Player, Scale, Successors
from game.rules import BLACK
from game.search.interface import Limits, SearchOptions

if TYPE_CHECKING:
    from game.networks.spec import Spec
    from game.search.search import AlphaBeta

FITTED = 500
"""Number of positions to which the value of a win is fitted."""


@dataclass(frozen=True)
class EndingsPlayer(AlphaBetaPlayer):
    """A player whose search values positions with few pieces by another network: its P(win) - P(loss) times a factor.

    These are positions with at most one piece more than that network was taught, which tablebases do not cover, and in
    which no capture is pending.

    Attributes:
        player: the player, whose search and evaluation it has in all other respects.
        endings: the player of the other network.
    """

    name: str
    player: AlphaBetaPlayer
    endings: EndgamePlayer

    @property
    def seed(self) -> int:  # type: ignore[override]
        return self.player.seed

    @property
    def limits(self) -> Limits:  # type: ignore[override]
        return self.player.limits

    @property
    def style(self) -> SearchOptions:  # type: ignore[override]
        return self.player.style

    @property
    def draws_ties(self) -> bool:
        return self.player.draws_ties

    @property
    def identity(self) -> Hashable:
        return "endings", self.player.identity, self.endings.identity

    @property
    def canonical_name(self) -> str:
        named = parse_name(self.endings.canonical_name).with_options(search=None, threshold=None).text
        return parse_name(self.player.canonical_name).with_options(endings=named).text

    @property
    def pieces(self) -> int:
        """The largest number of pieces of positions that the other network judges."""
        return self.endings.pieces + 1

    def describe(self) -> str:
        return f"{self.player.describe()}; up to {self.pieces} pieces are judged by {self.endings.name}"

    @property
    def basis(self) -> str:
        return self.player.basis

    @property
    def scale(self) -> Scale:
        return self.player.scale

    def even_score(self, position: Position) -> float:
        return self.player.even_score(position)

    def man_score(self) -> float:
        return self.player.man_score()

    @property
    def counts_men(self) -> bool:
        return self.player.counts_men

    @property
    def network(self) -> tuple[Spec, Any, float | None] | None:
        return self.player.network

    def evaluate(self, positions: Sequence[Position], side: int) -> list[float] | None:
        return self.player.evaluate(positions, side)

    def likelihoods(self, position: Position) -> list[tuple[Move, float]] | None:
        return self.player.likelihoods(position)

    def result_chances(self, position: Position, side: int) -> tuple[float, float, float] | None:
        few = (position.black | position.white).bit_count() <= self.pieces
        return (self.endings if few else self.player).result_chances(position, side)

    def looks_ahead(self) -> bool:
        return True

    @cached_property
    def factor(self) -> float:
        """The value of a certain win in the units of the player's evaluation, at least that of a man.

        It is fitted by least squares to both evaluations of random quiet positions with as many pieces as the other
        network was taught. All sums are exact, so it is the same on every machine.
        """
        positions = quiet_positions(min(self.endings.pieces, MOST_PIECES), FITTED)
        own, other = (each.evaluate(positions, BLACK) or [] for each in (self.player, self.endings))
        squares = math.fsum(each * each for each in other)
        fitted = math.fsum(a * b for a, b in zip(own, other, strict=True)) / squares if squares else 0.0
        man = self.player.man_score()
        return fitted if math.isfinite(fitted) and fitted > man else man

    def searcher(self) -> AlphaBeta:
        from game.networks.evaluator import evaluator_of
        from game.search.endings import Endings
        from game.search.search import AlphaBeta

        own = None if self.player.network is None else evaluator_of(*self.player.network)
        endings = Endings(evaluator_of(*self.endings.network), self.pieces, self.factor)
        return AlphaBeta(own, self.player.style, endings)

    def choose_at_once(self, after: Successors, side: int, generator: SplitMix64) -> Choice:
        raise NotImplementedError("it always searches")


@functools.cache
def quiet_positions(pieces: int, count: int) -> list[Position]:
    """Return random positions without a pending capture, Black to move, always the same ones."""
    import numpy as np

    from game.endgame.index_kernels import position_at

    slices = slices_of(pieces)
    total, generator = sum(each.positions for each in slices), SplitMix64(pieces)
    found, words = list[Position](), np.zeros(3, np.uint64)
    while len(found) < count:
        place = generator.below(total)
        for which in slices:
            if place < which.positions:
                break
            place -= which.positions
        position_at(place, which.men, which.kings, which.opponent_men, which.opponent_kings, words)
        own, opponent, kings = map(int, words)
        position = Position(own, opponent, kings, BLACK)
        if not any(move.captured for move in moves.legal_moves(position)) and moves.legal_moves(position):
            found.append(position)
    return found


def with_endings(name: PlayerName, player: Player, endings: Player) -> EndingsPlayer:
    """Return a player whose search judges positions with few pieces by the network of another one.

    Args:
        name: the name with the option ``endings``.
        player: the player of the name without it.
        endings: the player that the option names.

    Raises:
        PlayerNameError: the player does not search by alpha-beta, or the other one has not learnt from tablebases.
    """
    judge, searching = endings.judge, player.alphabeta_player
    if judge is None:
        raise PlayerNameError(
            f"player {name.text!r}: endings={name.options['endings'][:40]}: expected a run that has learnt from "
            "tablebases (train --preset endgame), without options"
        )
    if searching is None:
        raise PlayerNameError(
            f"player {name.text!r}: endings: only alpha-beta uses it; {player.name} plays without (a network with a "
            "value plays by alpha-beta with search=alphabeta)"
        )
    return EndingsPlayer(name.text, searching, judge)
