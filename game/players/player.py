"""Players: anything that chooses moves, described without naming its class.

Other code never tests the class of a player. It asks for its identity, its names and descriptions, what its scores
mean (`scale`), its search (`searching`) and whether compiled code can play it (`compiled`). `Player` has defaults for
all of it, so a new player is one class with a method `choose` (docs/players.md).
"""

from __future__ import annotations

import copy
import math
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

from game import moves
from game.board import Position
from game.errors import Failure, FailureKind
from game.generator import SplitMix64
from game.moves import Move
from game.rules import WCDF, DrawRules
from game.search.interface import PLAIN, WON, Limits, SearchOptions, describe_search, needs_search

if TYPE_CHECKING:
    from game.networks.spec import Spec
    from game.search.interface import Searcher, SearchResult, Stop

KEPT_SEARCHERS = 4

Successors = Sequence[tuple[Move, Position]]


class PlayerFailure(Failure):
    """A player cannot go on, for example because its network gives no finite value. It loses the game."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen move, with the search behind it.

    Attributes:
        move: a legal move.
        score: its value in the player's own units, larger is better; None for forced and random moves.
        evaluations: network results computed for it.
        depth: completed plies; 0 if nothing was evaluated.
        nodes: positions visited.
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
    """The unit of a player's scores.

    Attributes:
        unit: in words.
        lead: a score that is a clear lead: 0.76 on a scale from 0 (even) to 1 (won).
    """

    unit: str
    lead: float

    def share(self, score: float, even: float = 0.0) -> float:
        """Map a score to the range from -1 (lost) to 1 (won), where `even` is the score of an even game."""
        if abs(score) > WON:
            return math.copysign(1.0, score)
        return math.tanh((score - even) / self.lead)


PIECES = Scale("a man is 100", 300.0)


@dataclass(frozen=True, slots=True)
class Compiled:
    """Parameters with which compiled code (`game.batch`) plays exactly as the player does.

    Attributes:
        kind: the evaluation.
        draws_ties: choose at random among the best moves.
        network: specification, genome, and own value of a king.
        search: limits and options; None if only the positions after its own moves are scored.
    """

    kind: Literal["random", "material", "network"]
    draws_ties: bool = False
    network: tuple[Spec, Any, float | None] | None = None
    search: tuple[Limits, SearchOptions] | None = None


class Player(ABC):
    """Anything that chooses moves, with defaults for everything but `choose`.

    Attributes:
        name: as people write it.
        seed: mixed into the generator of each of its games, so that two players of one kind can differ.
    """

    name: str
    seed: int

    @abstractmethod
    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """Choose a move in a position that has one.

        Args:
            position: the board and who moves.
            history: the positions of the game before this one, first to last.
            generator: the player's own stream of random numbers for this game.
            rules: when the game is a draw.

        Raises:
            PlayerFailure: the player cannot go on.
        """

    def begin_game(self, rules: DrawRules, seed: int) -> None:  # noqa: B027 (few players have anything to do)
        """Prepare for a game, which may never be played; earlier games must not influence it.

        Args:
            rules: when it is a draw.
            seed: the seed of the player's random numbers in it.

        Raises:
            InputError: the player cannot do what its name asks for.
        """

    @property
    def deterministic(self) -> bool:
        """True if the same position and history always give the same move."""
        return False

    @property
    def repeatable(self) -> bool:
        """True if the same seed gives the same games: not with a time limit, and not for external programs."""
        return True

    @property
    def identity(self) -> Hashable:
        """A key without the name: equal for two players that play alike."""
        return type(self).__qualname__, self.canonical_name

    @property
    def canonical_name(self) -> str:
        """One name for all spellings: options in a fixed order, without those that change nothing."""
        return self.name

    def with_name(self, name: str) -> Self:
        """Return the same player under another name."""
        other = copy.copy(self)
        object.__setattr__(other, "name", name)  # also of a frozen dataclass
        return other

    def describe(self) -> str:
        """Describe how it plays."""
        return "deterministic" if self.deterministic else "draws lots"

    @property
    def basis(self) -> str:
        """The basis of its choices, in one line without a full stop."""
        return "It gives moves, but not what they are based on"

    @property
    def scale(self) -> Scale:
        """The unit of its scores."""
        return PIECES

    def even_score(self, position: Position) -> float:
        """Return the score that is no lead in this position.

        Some networks prefer the side that they play, by an amount that depends on the position. This is the mean of
        their evaluations for both sides.
        """
        return 0.0

    def man_score(self) -> float:
        """Return the worth of an extra man in the units of its scores, above 0; by default a third of a clear lead."""
        return self.scale.lead / 3

    @property
    def counts_men(self) -> bool:
        """True if its scores can be expressed in men."""
        return True

    @property
    def network(self) -> tuple[Spec, Any, float | None] | None:
        """Its specification, genome, and own value of a king; None without a network."""
        return None

    def evaluate(self, positions: Sequence[Position], side: int) -> list[float] | None:
        """Return what positions are worth to `side` in the units of its scores, without a search.

        Returns None if the player has no evaluation. Either side may be to move in the positions.
        """
        return None

    def likelihoods(self, position: Position) -> list[tuple[Move, float]] | None:
        """Return the probability of each legal move by the player's policy; None without a policy.

        Raises:
            PlayerFailure: an output is not a finite number.
        """
        return None

    def result_chances(self, position: Position, side: int) -> tuple[float, float, float] | None:
        """Return the probabilities that `side` wins, draws and loses, without a search; None if it has none.

        Raises:
            PlayerFailure: an output is not a finite number.
        """
        return None

    @property
    def searching(self) -> SearchingPlayer | None:
        """The player itself if it can be asked for a search, else None."""
        return None

    @property
    def tablebase(self) -> int:
        """The most pieces of a position that it looks up in the tablebases that exist; 0 for none.

        Raises:
            InputError: its name asks for tables that do not exist.
        """
        return 0

    @property
    def compiled(self) -> Compiled | None:
        """Parameters with which compiled code plays it; None if that is impossible."""
        return None


class SearchingPlayer(Player):
    """A player that searches.

    Attributes:
        limits: end its searches.
    """

    limits: Limits

    @abstractmethod
    def searcher(self) -> Searcher:
        """Return a new search with the player's evaluation."""

    @property
    def draws_ties(self) -> bool:
        """True if it chooses at random among equally good moves."""
        return False

    @property
    def deterministic(self) -> bool:
        return self.limits.deterministic and not self.draws_ties

    @property
    def repeatable(self) -> bool:
        return self.limits.deterministic

    @property
    def searching(self) -> SearchingPlayer | None:
        return self

    @property
    def search_key(self) -> Hashable:
        """A key that is equal for players that can share a searcher."""
        return self.identity

    def looks_ahead(self) -> bool:
        """Return whether a choice takes a search, rather than only a score of each position after its own moves."""
        return True

    def describe_search(self) -> str:
        """Describe its limits."""
        return describe_search(self.limits, PLAIN)

    def describe(self) -> str:
        return f"searches {self.describe_search()}"

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        legal = moves.legal_moves(position)
        if len(legal) == 1:
            return Choice(legal[0])
        searcher = _searchers.get(self.search_key, self.searcher)
        return choose_by_search(searcher, self, position, history, generator=generator, rules=rules)


class AlphaBetaPlayer(SearchingPlayer):
    """A player whose evaluation is used by the program's alpha-beta search.

    Attributes:
        style: search options.
    """

    style: SearchOptions

    @property
    def plain_style(self) -> SearchOptions:
        """Its search options without those that change nothing."""
        return plain_style(self.limits, self.style)

    @property
    def tablebase(self) -> int:
        if not self.style.tablebase:
            return 0
        from game.search.search import open_for

        return min(self.style.tablebase, open_for(self.style.tablebase).pieces)

    @property
    def compiled_search(self) -> tuple[Limits, SearchOptions] | None:
        """Its search, as stored in `Compiled`."""
        return (self.limits, self.style) if self.looks_ahead() else None

    def begin_game(self, rules: DrawRules, seed: int) -> None:
        """Open the tablebases that it asks for, and clear a transposition table kept from the game before."""
        _ = self.tablebase
        if self.style.keeps_table:
            _searchers.known.pop(self.search_key, None)

    def looks_ahead(self) -> bool:
        return needs_search(self.limits, self.style)

    def describe_search(self) -> str:
        """Describe its limits and options."""
        return describe_search(self.limits, self.style)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        if self.looks_ahead():
            return super().choose(position, history, generator, rules)
        after = moves.successors(position)
        return Choice(after[0][0]) if len(after) == 1 else self.choose_at_once(after, position.side, generator)

    @abstractmethod
    def choose_at_once(self, after: Successors, side: int, generator: SplitMix64) -> Choice:
        """Choose by the positions after each move, without a search.

        Args:
            after: two or more legal moves with the positions after them.
            side: the side that moves.
            generator: for a player that chooses at random among the best moves.

        Raises:
            PlayerFailure: a value is not a finite number.
        """


def plain_style(limits: Limits, style: SearchOptions) -> SearchOptions:
    """Return search options without those that change nothing: implied by others, or unused without a search."""
    if not needs_search(limits, style):
        return PLAIN
    return replace(style, quiescence=False) if style.blondie or style.threats else style


def choose_by_search(
    searcher: Searcher,
    player: SearchingPlayer,
    position: Position,
    history: Sequence[Position],
    *,
    generator: SplitMix64,
    rules: DrawRules = WCDF,
    limits: Limits | None = None,
    stop: Stop | None = None,
    on_depth: Callable[[SearchResult], None] | None = None,
) -> Choice:
    """Choose a move by a search.

    Args:
        searcher: from `player.searcher()`.
        player: the player that chooses.
        position: one that has a legal move.
        history: the positions of the game before it.
        generator: for a player that chooses at random among the best moves.
        rules: when the game is a draw.
        limits: replace the player's own.
        stop: ends the search when it is set.
        on_depth: called with the result of each completed iteration.

    Raises:
        PlayerFailure: a value was not a finite number.
    """
    from game.search.interface import EvaluationError

    try:
        result = searcher.search(
            position,
            history,
            limits=limits or player.limits,
            rules=rules,
            all_scores=player.draws_ties,
            stop=stop,
            on_depth=on_depth,
        )
    except EvaluationError as error:
        raise PlayerFailure(f"{player.name}: {error}", FailureKind.VALUE) from error
    move = result.move
    if player.draws_ties:
        first = result.root[0]
        best = [
            root.move for root in result.root if root.exact and (root.score, root.depth) == (first.score, first.depth)
        ]
        # The order of the search depends on earlier searches; that of legal moves does not.
        in_order = [legal for legal in moves.legal_moves(position) if legal in best]
        move = in_order[generator.below(len(in_order))] if len(in_order) > 1 else move
    line = result.pv if move == result.move else (move,)  # the search has no line for the other best moves
    return Choice(move, result.reported, result.evaluations, result.depth, result.nodes, line)


class _Searchers(threading.local):
    """Recently used searchers of this thread; a searcher does one search at a time."""

    def __init__(self) -> None:
        self.known: OrderedDict[Hashable, Searcher] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Searcher]) -> Searcher:
        searcher = self.known.pop(key, None) or make()
        self.known[key] = searcher
        if len(self.known) > KEPT_SEARCHERS:
            self.known.popitem(last=False)
        return searcher


_searchers = _Searchers()
