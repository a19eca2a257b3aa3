"""What a player is: anything that chooses moves, and what it says about a choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from game.board import Position
from game.errors import Failure
from game.generator import SplitMix64
from game.moves import Move
from game.rules import WCDF, DrawRules
from game.search.limits import Limits, SearchOptions

if TYPE_CHECKING:
    from game.search.search import Searcher

ONE_PLY = Limits(depth=1)
PLAIN = SearchOptions()


class PlayerFailure(Failure):
    """Raised by a player that cannot go on, such as a network whose value is not a number. It loses that game."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a player decided.

    Attributes:
        move: a legal move.
        score: its value in the player's own units, larger is better; None if it has none (forced moves, random).
        evaluations: network results that the decision took.
        depth: complete plies that were looked at, 0 where nothing was judged (forced moves, random).
        nodes: positions visited for that.
        pv: the principal variation.
    """

    move: Move
    score: float | None = None
    evaluations: int = 0
    depth: int = 0
    nodes: int = 0
    pv: tuple[Move, ...] = ()


class Player(Protocol):
    """Anything that chooses moves.

    Attributes:
        name: as people write it.
        deterministic: the same position and history always give the same move.
        seed: mixed into the generator of each of its games, so that two players of one kind can differ.
    """

    @property
    def name(self) -> str:
        """As people write it."""
        ...

    @property
    def deterministic(self) -> bool:
        """Whether the same position and history always give the same move."""
        ...

    @property
    def seed(self) -> int:
        """Mixed into the generator of each game."""
        ...

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """Choose a move in a position that has one.

        Args:
            position: the board and who moves.
            history: the positions of the game before this one, first to last.
            generator: the player's own stream for this game.
            rules: when the game is a draw.

        Raises:
            PlayerFailure: the player cannot go on.
        """
        ...


class SearchingPlayer(Player, Protocol):
    """A player that searches with an evaluation, or could: at depth 1 it scores the positions after its own moves.

    Attributes:
        limits: what ends its searches.
        style: how it looks.
    """

    @property
    def limits(self) -> Limits:
        """What ends its searches."""
        ...

    @property
    def style(self) -> SearchOptions:
        """How it looks."""
        ...

    def searcher(self) -> Searcher:
        """A search with its evaluation and style, for `Searcher.search`."""
        ...


def repeatable(player: Player) -> bool:
    """Whether the same seed gives the same games: not with a limit of time, and not for other programs."""
    if hasattr(player, "contract"):
        return False
    limits: Limits | None = getattr(player, "limits", None)
    return limits is None or limits.deterministic


def looks_ahead(player: SearchingPlayer) -> bool:
    """Whether a player needs a search: more than a score of the positions after its own moves."""
    return player.limits != ONE_PLY or player.style.quiescence or player.style.blondie
