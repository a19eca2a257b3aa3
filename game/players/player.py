"""Players: the base class of everything that chooses moves.

`Player` has defaults for everything but `choose`, so a new player is one class with this method (docs/players.md);
other code never tests the class of a player.
"""

from __future__ import annotations

import copy
import math
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

from game import moves
from game.ballots import read_book
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
    """A player cannot continue, for example because its network gives a value that is not finite; it loses the game."""


def check_finite(name: str, values: Iterable[float]) -> None:
    """Check the values that a player's network gives.

    Raises:
        PlayerFailure: one is not a finite number.
    """
    if not all(map(math.isfinite, values)):
        raise PlayerFailure(f"{name}: its network gives a value that is not a finite number", FailureKind.VALUE)


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen move, with the search behind it.

    Attributes:
        score: its score in the player's own units, larger is better; None for forced and random moves.
        depth: completed depth in plies; 0 if nothing was evaluated.
        nodes: number of visited positions.
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
        lead: the score of a clear lead, which is mapped to 0.76 on a scale from 0 (even) to 1 (won).
        bounded: whether scores are chances, from -1 (lost) to 1 (won), so that a man adds less to a large lead.
    """

    unit: str
    lead: float
    bounded: bool = False

    def share(self, score: float, even: float = 0.0) -> float:
        """Map a score to the range from -1 (lost) to 1 (won), where `even` is the score of an even game."""
        if abs(score) > WON:
            return math.copysign(1.0, score)
        return math.tanh((score - even) / self.lead)

    def linear(self, score: float) -> float:
        """Return a score to which each man adds about the same: half the log odds of chances, others unchanged."""
        return math.atanh(min(max(score, -_SURE), _SURE)) if self.bounded else score


PIECES = Scale("a man is 100", 300.0)

_SURE = 0.995
"""Chances closer to 1 are not distinguished."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """Parameters with which compiled code (`game.batch`) plays exactly like the player.

    Attributes:
        search: limits and options; None if only the positions after its own moves are evaluated.
    """

    kind: Literal["random", "material", "network"]
    draws_ties: bool = False
    network: tuple[Spec, Any, float | None] | None = None
    search: tuple[Limits, SearchOptions] | None = None


class Player(ABC):
    """Anything that chooses moves, with defaults for everything but `choose`.

    Attributes:
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
            history: the positions of the game before this one, first to last.
            generator: the player's own random numbers for this game.

        Raises:
            PlayerFailure: the player cannot continue.
        """

    def begin_game(self, rules: DrawRules, seed: int) -> None:  # noqa: B027 (few players have anything to do)
        """Prepare for a game, which may never be played; earlier games must not influence it.

        Raises:
            InputError: the player does not support an option in its name.
        """

    @property
    def deterministic(self) -> bool:
        """True if the same position and history always give the same move."""
        return False

    @property
    def repeatable(self) -> bool:
        """True if the same seed gives the same games; False with a time limit and for external programs."""
        return True

    @property
    def identity(self) -> Hashable:
        """A key that is equal for players that play alike, whatever their names."""
        return type(self).__qualname__, self.canonical_name

    @property
    def canonical_name(self) -> str:
        """The same name for all spellings: options in a fixed order, without options that have no effect."""
        return self.name

    def with_name(self, name: str) -> Self:
        other = copy.copy(self)
        object.__setattr__(other, "name", name)  # works for frozen dataclasses, too
        return other

    def describe(self) -> str:
        return "deterministic" if self.deterministic else "chooses at random"

    @property
    def basis(self) -> str:
        """The basis of its choices, in one line without a full stop."""
        return "It gives moves without saying what they are based on"

    @property
    def scale(self) -> Scale:
        """The unit of its scores."""
        return PIECES

    def even_score(self, position: Position) -> float:
        """Return the score in this position at which neither side is ahead: 0, unless the player favours one side."""
        return 0.0

    def man_score(self) -> float:
        """Return the value of a man in the units of its scores, above 0; by default a third of a clear lead."""
        return self.scale.lead / 3

    @property
    def counts_men(self) -> bool:
        return True

    @property
    def network(self) -> tuple[Spec, Any, float | None] | None:
        """Its specification, genome, and king value; None without a network."""
        return None

    def evaluate(self, positions: Sequence[Position], side: int) -> list[float] | None:
        """Evaluate positions for `side` in the units of its scores, without a search.

        Return None if the player has no evaluation.
        """
        return None

    def likelihoods(self, position: Position) -> list[tuple[Move, float]] | None:
        """Return the probability of each legal move under the player's policy; None without a policy.

        Raises:
            PlayerFailure: an output is not a finite number.
        """
        return None

    def result_chances(self, position: Position, side: int) -> tuple[float, float, float] | None:
        """Return the probabilities that `side` wins, draws and loses, without a search; None if they are unknown.

        Raises:
            PlayerFailure: an output is not a finite number.
        """
        return None

    @property
    def searching(self) -> SearchingPlayer | None:
        """The player itself if it can search, else None."""
        return None

    @property
    def tablebase(self) -> int:
        """The largest number of pieces at which it probes existing tablebases; 0 for none.

        Raises:
            InputError: its name requires tables that do not exist.
        """
        return 0

    @property
    def alphabeta(self) -> tuple[Limits, SearchOptions] | None:
        """Limits and options of its alpha-beta search; None if it does not search by alpha-beta."""
        return None

    @property
    def compiled(self) -> Compiled | None:
        """Parameters for compiled code; None if compiled code cannot play like this player."""
        return None


class SearchingPlayer(Player):
    limits: Limits

    @abstractmethod
    def searcher(self) -> Searcher:
        """Return a new searcher with the player's evaluation."""

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

    @cached_property
    def search_key(self) -> Hashable:
        """A key that is equal for players that can share a searcher; kept, since a network's contains all weights."""
        return self.identity

    def looks_ahead(self) -> bool:
        """Return whether it searches, instead of only evaluating the position after each of its own moves."""
        return True

    def describe_search(self) -> str:
        return describe_search(self.limits, PLAIN)

    def describe(self) -> str:
        return f"searches {self.describe_search()}"

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        legal = moves.legal_moves(position)
        if len(legal) == 1:
            return Choice(legal[0])
        searcher = searchers.get(self.search_key, self.searcher)
        return choose_by_search(searcher, self, position, history, generator=generator, rules=rules)


class AlphaBetaPlayer(SearchingPlayer):
    """A player whose evaluation is used by the program's alpha-beta search."""

    style: SearchOptions

    @property
    def plain_style(self) -> SearchOptions:
        """Its search options without those that have no effect."""
        return plain_style(self.limits, self.style)

    @property
    def tablebase(self) -> int:
        if not self.style.tablebase:
            return 0
        from game.search.memory import open_for

        return min(self.style.tablebase, open_for(self.style.tablebase).pieces)

    @property
    def alphabeta(self) -> tuple[Limits, SearchOptions] | None:
        return self.limits, self.plain_style

    @property
    def compilable(self) -> bool:
        """True if compiled code plays its games: that has no clock and no book."""
        return self.repeatable and not self.style.book

    @property
    def compiled_search(self) -> tuple[Limits, SearchOptions] | None:
        return (self.limits, self.style) if self.looks_ahead() else None

    def begin_game(self, rules: DrawRules, seed: int) -> None:
        """Open its tablebases and its book, and clear a transposition table kept from the previous game."""
        _ = self.tablebase
        if self.style.book:
            read_book(rules)
        if self.style.keeps_table:
            searchers.known.pop(self.search_key, None)

    def looks_ahead(self) -> bool:
        return needs_search(self.limits, self.style)

    def describe_search(self) -> str:
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
            after: all legal moves, at least two, with the positions after them.

        Raises:
            PlayerFailure: a value is not a finite number.
        """


def plain_style(limits: Limits, style: SearchOptions) -> SearchOptions:
    """Return search options without those that have no effect, because others imply them or there is no search."""
    if not needs_search(limits, style):
        return PLAIN
    return replace(style, quiescence=False) if style.blondie or style.threats else style


def move_by_book(player: Player, position: Position, rules: DrawRules = WCDF) -> Move | None:
    """Return the best move in the book of a player; None if the player has no book, or its book no such position.

    Raises:
        InputError: the book is damaged, or for other rules.
    """
    if player.alphabeta is None or not player.alphabeta[1].book:
        return None
    known = read_book(rules).get(position.fen())
    return None if known is None else moves.parse_move(position, known.replies[0][0])


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
    """Choose a move by a search, or by the book if the player has one.

    Args:
        limits: limits to use instead of the player's own.
        on_depth: called with the result of each completed iteration.

    Raises:
        PlayerFailure: a value is not a finite number.
    """
    from game.search.interface import EvaluationError

    if (move := move_by_book(player, position, rules)) is not None:
        return Choice(move)
    try:
        result = searcher.search(
            position, history, limits=limits or player.limits, rules=rules, all_scores=player.draws_ties, stop=stop,
            on_depth=on_depth,
        )  # fmt: skip
    except EvaluationError as error:
        raise PlayerFailure(f"{player.name}: {error}", FailureKind.VALUE) from error
    move = result.move
    if player.draws_ties:
        first = result.root[0]
        best = [
            root.move for root in result.root if root.exact and (root.score, root.depth) == (first.score, first.depth)
        ]
        # Use the order of legal moves, since the order of the search depends on earlier searches.
        in_order = [legal for legal in moves.legal_moves(position) if legal in best]
        move = in_order[generator.below(len(in_order))] if len(in_order) > 1 else move
    line = result.pv if move == result.move else (move,)  # the search has no line for the other best moves
    return Choice(move, result.reported, result.evaluations, result.depth, result.nodes, line)


class _Searchers(threading.local):
    """Recently used searchers of this thread; a searcher can do only one search at a time."""

    def __init__(self) -> None:
        self.known: OrderedDict[Hashable, Searcher] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Searcher]) -> Searcher:
        searcher = self.known.pop(key, None) or make()
        self.known[key] = searcher
        if len(self.known) > KEPT_SEARCHERS:
            self.known.popitem(last=False)
        return searcher


searchers = _Searchers()
"""The searchers of this thread, by `SearchingPlayer.search_key`."""
