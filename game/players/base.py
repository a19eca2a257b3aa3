"""The usual answers of a player, and how one that searches comes to its choice."""

from __future__ import annotations

import copy
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from game import moves
from game.board import Position
from game.errors import FailureKind
from game.generator import SplitMix64
from game.moves import Move
from game.players.protocol import PIECES, Choice, Compiled, PlayerFailure, Scale, SearchingPlayer
from game.rules import WCDF, DrawRules
from game.search.limits import PLAIN, Limits, SearchOptions, describe_search, needs_search

if TYPE_CHECKING:
    from game.networks.spec import Spec
    from game.search.limits import Searcher, Stop
    from game.search.result import SearchResult

KEPT_SEARCHERS = 4

Successors = Sequence[tuple[Move, Position]]


class PlayerBase:
    """The usual answers of a player. A class that derives from it has `name`, `seed` and a method `choose`."""

    name: str
    seed: int

    @property
    def deterministic(self) -> bool:
        """It may draw from its generator."""
        return False

    @property
    def repeatable(self) -> bool:
        """It draws from nothing but its generator."""
        return True

    @property
    def identity(self) -> Hashable:
        """By its name."""
        return type(self).__qualname__, self.canonical_name

    @property
    def canonical_name(self) -> str:
        """As it was written."""
        return self.name

    @property
    def scale(self) -> Scale:
        """The scale of material."""
        return PIECES

    def even_score(self, position: Position) -> float:
        """Nothing: it says the opposite to the other side."""
        return 0.0

    def man_score(self) -> float:
        """A third of a clear lead."""
        return self.scale.lead / 3

    @property
    def counts_men(self) -> bool:
        """True: its scores are those of material."""
        return True

    @property
    def basis(self) -> str:
        """Nobody knows."""
        return "It tells its moves, and nothing of what they rest on"

    @property
    def network(self) -> tuple[Spec, Any, float | None] | None:
        """It has none."""
        return None

    def evaluate(self, positions: Sequence[Position], side: int) -> list[float] | None:
        """It tells no such thing."""
        return None

    @property
    def searching(self) -> SearchingPlayer | None:
        """It tells nothing but its move."""
        return None

    @property
    def tablebase(self) -> int:
        """None."""
        return 0

    def likelihoods(self, position: Position) -> list[tuple[Move, float]] | None:
        """It knows no such thing."""
        return None

    def result_chances(self, position: Position, side: int) -> tuple[float, float, float] | None:
        """It knows no such thing."""
        return None

    @property
    def compiled(self) -> Compiled | None:
        """Compiled code does not know it."""
        return None

    def describe(self) -> str:
        """Whether it draws lots."""
        return "deterministic" if self.deterministic else "draws lots"

    def begin_game(self, rules: DrawRules, seed: int) -> None:
        """It remembers nothing of games before."""

    def with_name(self, name: str) -> Self:
        """A copy with this name."""
        other = copy.copy(self)
        object.__setattr__(other, "name", name)  # also of a frozen dataclass
        return other


class SearchingBase(PlayerBase, ABC):
    """The usual answers of a player that searches. A class that derives from it has also `limits` and `searcher`."""

    limits: Limits

    @abstractmethod
    def searcher(self) -> Searcher:
        """A new search with its evaluation."""

    @property
    def draws_ties(self) -> bool:
        """It takes the first of equal moves."""
        return False

    @property
    def deterministic(self) -> bool:
        """Whether no clock decides, and no lots are drawn."""
        return self.limits.deterministic and not self.draws_ties

    @property
    def repeatable(self) -> bool:
        """Whether no clock decides."""
        return self.limits.deterministic

    @property
    def searching(self) -> SearchingPlayer | None:
        """Itself."""
        return self

    @property
    def search_key(self) -> Hashable:
        """Players for which this is equal share their searches."""
        return self.identity

    def looks_ahead(self) -> bool:
        """It always searches."""
        return True

    def describe_search(self) -> str:
        """Its limits."""
        return describe_search(self.limits, PLAIN)

    def describe(self) -> str:
        """How far it looks."""
        return f"searches {self.describe_search()}"

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """The move that its search finds; a forced one is not searched.

        Raises:
            PlayerFailure: a value is not a finite number.
        """
        legal = moves.legal_moves(position)
        if len(legal) == 1:
            return Choice(legal[0])
        searcher = _searchers.get(self.search_key, self.searcher)
        return choose_by_search(searcher, self, position, history, generator=generator, rules=rules)


class AlphaBetaBase(SearchingBase):
    """What players have in common whose evaluation the alpha-beta search takes.

    Attributes:
        style: how it looks.
    """

    style: SearchOptions

    @property
    def plain_style(self) -> SearchOptions:
        """What matters of its style."""
        return plain_style(self.limits, self.style)

    @property
    def tablebase(self) -> int:
        """What its style asks for, as far as it is there."""
        if not self.style.tablebase:
            return 0
        from game.search.search import open_for

        return min(self.style.tablebase, open_for(self.style.tablebase).pieces)

    @property
    def compiled_search(self) -> tuple[Limits, SearchOptions] | None:
        """Its search as `Compiled` has it."""
        return (self.limits, self.style) if self.looks_ahead() else None

    def begin_game(self, rules: DrawRules, seed: int) -> None:
        """Open the tablebases that it asks for, and forget the game before.

        Raises:
            InputError: they are not there.
        """
        _ = self.tablebase
        if self.style.keeps_table:
            _searchers.known.pop(self.search_key, None)

    def looks_ahead(self) -> bool:
        """Whether it takes more than a score of the positions after its own moves."""
        return needs_search(self.limits, self.style)

    def describe_search(self) -> str:
        """What it looks at, in words."""
        return describe_search(self.limits, self.style)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """The move that it likes best; a forced one takes no thought.

        Raises:
            PlayerFailure: a value is not a finite number.
        """
        if self.looks_ahead():
            return super().choose(position, history, generator, rules)
        after = moves.successors(position)
        return Choice(after[0][0]) if len(after) == 1 else self.choose_at_once(after, position.side, generator)

    @abstractmethod
    def choose_at_once(self, after: Successors, side: int, generator: SplitMix64) -> Choice:
        """The move of `side` among two or more whose position it likes best, without a search.

        Args:
            after: legal moves with the positions after them.
            side: who moves.
            generator: for a player that draws among the best moves.

        Raises:
            PlayerFailure: a value is not a finite number.
        """


def plain_style(limits: Limits, style: SearchOptions) -> SearchOptions:
    """What matters of a style: not what another of its parts includes, nor the table of who needs no search."""
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
    """The choice of a player that searches.

    Args:
        searcher: made by the player.
        player: who chooses.
        position: one that has a legal move.
        history: the positions of the game before it.
        generator: for a player that draws among the best moves.
        rules: when the game is a draw.
        limits: instead of the player's own.
        stop: ends the search when it is set.
        on_depth: called with the result of each complete iteration.

    Raises:
        PlayerFailure: a value was not a finite number.
    """
    from game.search.limits import EvaluationError

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
            each.move for each in result.root if each.exact and (each.score, each.depth) == (first.score, first.depth)
        ]
        in_order = [each for each in moves.legal_moves(position) if each in best]
        move = in_order[generator.below(len(in_order))] if len(in_order) > 1 else move
    line = result.pv if move == result.move else (move,)  # of another one of the best nothing more is known
    return Choice(move, result.told, result.evaluations, result.depth, result.nodes, line)


class _Searchers(threading.local):
    """Searches that were used lately, of this thread: a searcher does one search at a time."""

    def __init__(self) -> None:
        self.known: OrderedDict[Hashable, Searcher] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Searcher]) -> Searcher:
        searcher = self.known.pop(key, None) or make()
        self.known[key] = searcher
        if len(self.known) > KEPT_SEARCHERS:
            self.known.popitem(last=False)
        return searcher


_searchers = _Searchers()
