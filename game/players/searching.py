"""Choosing by a search: the searches of a thread, and the choice that one leads to."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from game import moves
from game.board import Position
from game.errors import FailureKind
from game.generator import SplitMix64
from game.players.protocol import Choice, PlayerFailure, SearchingPlayer
from game.rules import WCDF, DrawRules
from game.search.limits import Limits

if TYPE_CHECKING:
    from game.search.result import SearchResult
    from game.search.search import Searcher, Stop


class Searchers(threading.local):
    """Searches that were used lately, of this thread: a searcher does one search at a time."""

    def __init__(self) -> None:
        self.known: OrderedDict[Any, Searcher] = OrderedDict()

    def get(self, key: Any, make: Callable[[], Searcher]) -> Searcher:
        """The search of this key, made if it was not used lately."""
        found = self.known.pop(key, None) or make()
        self.known[key] = found
        if len(self.known) > KEPT_SEARCHERS:
            self.known.popitem(last=False)
        return found


KEPT_SEARCHERS = 4
kept = Searchers()


def searched(
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
        on_depth: told what each complete depth found.

    Raises:
        PlayerFailure: a value was not a finite number.
    """
    from game.search.search import EvaluationError

    draws_ties = bool(getattr(player, "draws_ties", False))
    how: dict[str, Any] = {"limits": limits or player.limits, "rules": rules, "stop": stop, "on_depth": on_depth}
    try:
        found = searcher.search(position, history, all_scores=draws_ties, **how)
    except EvaluationError as error:
        raise PlayerFailure(f"{player.name}: {error}", FailureKind.VALUE) from error
    move = found.move
    if draws_ties:
        first = found.root[0]
        best = [
            each.move for each in found.root if each.exact and (each.score, each.depth) == (first.score, first.depth)
        ]
        in_order = [each for each in moves.legal_moves(position) if each in best]
        move = in_order[generator.below(len(in_order))] if len(in_order) > 1 else move
    line = found.pv if move == found.move else (move,)  # of another one of the best nothing more is known
    return Choice(move, found.score, found.evaluations, found.depth, found.nodes, line)
