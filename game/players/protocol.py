"""What a player is: anything that chooses moves, and what it tells about itself and about a choice.

Nobody asks which class a player has: it tells what it is (`identity`, `canonical_name`, `describe`), what its scores
mean (`scale`), whether it searches (`searching`) and whether compiled code can play it (`compiled`). The usual answers
stand in `game.players.base`, so a new player is one class (docs/players.md).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from game.board import Position
from game.errors import Failure
from game.generator import SplitMix64
from game.moves import Move
from game.rules import WCDF, DrawRules
from game.search.limits import Limits, SearchOptions
from game.search.result import WON

if TYPE_CHECKING:
    from game.networks.spec import Spec
    from game.search.limits import Searcher


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


@dataclass(frozen=True, slots=True)
class Scale:
    """What the scores of a player mean.

    Attributes:
        unit: in words.
        lead: a score that is a clear lead, 0.76 on the way from an even game to a won one.
    """

    unit: str
    lead: float

    def share(self, score: float, even: float = 0.0) -> float:
        """A score from -1 (lost) to 1 (won), where `even` is the score of an even game."""
        if abs(score) > WON:
            return math.copysign(1.0, score)
        return math.tanh((score - even) / self.lead)


PIECES = Scale("a man is 100", 300.0)


@dataclass(frozen=True, slots=True)
class Compiled:
    """How compiled code plays a player, move for move as the player itself (`game.batch`).

    Attributes:
        kind: what decides.
        draws_ties: draw among the best moves.
        network: what it plays by, its genome, and its value of a king.
        search: limits and style; None if it scores the positions after its own moves.
    """

    kind: Literal["random", "material", "network"]
    draws_ties: bool = False
    network: tuple[Spec, Any, float | None] | None = None
    search: tuple[Limits, SearchOptions] | None = None


class Player(Protocol):
    """Anything that chooses moves."""

    @property
    def name(self) -> str:
        """As people write it."""
        ...

    @property
    def seed(self) -> int:
        """Mixed into the generator of each of its games, so that two players of one kind can differ."""
        ...

    @property
    def deterministic(self) -> bool:
        """Whether the same position and history always give the same move."""
        ...

    @property
    def repeatable(self) -> bool:
        """Whether the same seed gives the same games: not with a limit of time, and not for other programs."""
        ...

    @property
    def identity(self) -> Hashable:
        """What it is apart from its name: equal for two that play alike."""
        ...

    @property
    def canonical_name(self) -> str:
        """One name, whatever it was called: options in one order, without those that change nothing."""
        ...

    @property
    def scale(self) -> Scale:
        """What its scores mean."""
        ...

    def even_score(self, position: Position) -> float:
        """What in its scores of a position is no lead: some networks like the side that they play, more or less so
        from position to position. It is the mean of what it says of the board to both sides.
        """
        ...

    def man_score(self) -> float:
        """What a man more is worth by its own evaluation, in the units of its scores; above 0."""
        ...

    @property
    def counts_men(self) -> bool:
        """True if its scores can be expressed in men."""
        ...

    @property
    def basis(self) -> str:
        """What its choices rest on, in one line for people, without a dot at its end."""
        ...

    @property
    def network(self) -> tuple[Spec, Any, float | None] | None:
        """What it plays by, its genome, and its value of a king; None without a network."""
        ...

    def evaluate(self, positions: Sequence[Position], side: int) -> list[float] | None:
        """What positions are worth to `side` in the units of its scores, without a search; None if it cannot say that.

        Args:
            positions: any, whichever side is to move.
            side: `BLACK` or `WHITE`.
        """
        ...

    @property
    def searching(self) -> SearchingPlayer | None:
        """Itself if it can be asked for a search; None if it tells nothing but its move."""
        ...

    @property
    def tablebase(self) -> int:
        """Positions of up to how many pieces it looks up in endgame tablebases that are there; 0 for none.

        Raises:
            InputError: its name asks for tables that are not there.
        """
        ...

    def likelihoods(self, position: Position) -> list[tuple[Move, float]] | None:
        """How likely it finds each legal move of a position that has one, by a policy; None if it has no policy.

        Raises:
            PlayerFailure: the player cannot say it.
        """
        ...

    def result_chances(self, position: Position, side: int) -> tuple[float, float, float] | None:
        """How likely `side` wins, draws and loses from a position, by itself and without a search; None if not known.

        Raises:
            PlayerFailure: the player cannot say it.
        """
        ...

    @property
    def compiled(self) -> Compiled | None:
        """How compiled code plays it; None if that cannot."""
        ...

    def describe(self) -> str:
        """What it does, in words."""
        ...

    def with_name(self, name: str) -> Self:
        """The same player under another name."""
        ...

    def begin_game(self, rules: DrawRules, seed: int) -> None:
        """A game begins (which may yet not be played): what is known of games before must not matter to it.

        Args:
            rules: when it is a draw.
            seed: of the stream that the player draws from in it.

        Raises:
            InputError: the player cannot do what its name asks of it.
        """
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
    """A player that searches, or could: at one ply it may score the positions after its own moves by itself."""

    @property
    def limits(self) -> Limits:
        """What ends its searches."""
        ...

    @property
    def draws_ties(self) -> bool:
        """Whether it draws among moves that are equally good."""
        ...

    def looks_ahead(self) -> bool:
        """Whether a choice takes a search; else a request for one move need not wait for it."""
        ...

    def describe_search(self) -> str:
        """What it looks at, in words."""
        ...

    def searcher(self) -> Searcher:
        """A new search with its evaluation."""
        ...
