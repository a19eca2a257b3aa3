"""A player from outside the program, with its own search: plain minimax over the piece count.

It is an example for docs/players.md: one class searches, one plays, and one call registers them under a name.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from game import moves
from game.board import Position
from game.endings import draw_reason
from game.players.basic import material
from game.players.names import PlayerName, read_settings
from game.players.player import SearchingPlayer
from game.players.registry import PlayerKind
from game.rules import WCDF, DrawRules
from game.search.interface import WIN, Limits, RootMove, SearchResult, Stop

TWO_PLIES = Limits(depth=2)


class _Enough(Exception):
    """The limits are reached."""


class Minimax:
    """A `game.search.interface.Searcher`."""

    def search(
        self,
        position: Position,
        history: Sequence[Position] = (),
        *,
        limits: Limits,
        rules: DrawRules = WCDF,
        all_scores: bool = False,
        stop: Stop | None = None,
        on_depth: Callable[[SearchResult], None] | None = None,
    ) -> SearchResult:
        stop, began, self._nodes, self._root = stop or Stop(), time.perf_counter(), 0, len(history)
        result: SearchResult | None = None
        with stop.after(limits.seconds), contextlib.suppress(_Enough):
            for depth in range(1, (limits.depth or 64) + 1):
                self._stop, self._most = (None, None) if result is None else (stop, limits.nodes)
                lines = [
                    (-score, (move, *line))
                    for move, after in moves.successors(position)
                    for score, line in [self._value(after, [*history, position], depth - 1, rules)]
                ]
                lines.sort(key=lambda each: -each[0])  # stable: the first of equal moves stays the first
                root = tuple(RootMove(line[0], score, True, depth) for score, line in lines)
                score, line = lines[0]
                seconds = time.perf_counter() - began
                result = SearchResult(line[0], score, depth, self._nodes, 0, seconds, line, root)
                if on_depth is not None:
                    on_depth(result)
        assert result is not None
        return result

    def _value(
        self, position: Position, game: list[Position], depth: int, rules: DrawRules
    ) -> tuple[float, tuple[moves.Move, ...]]:
        if (self._stop is not None and self._stop.is_set) or (self._most is not None and self._nodes >= self._most):
            raise _Enough
        self._nodes += 1
        after = moves.successors(position)
        if not after:
            return len(game) - self._root - WIN, ()
        if draw_reason([*game, position], 0, len(game), rules) is not None:
            return 0.0, ()
        if depth == 0:
            return float(material(position, position.side)), ()
        results = [(self._value(board, [*game, position], depth - 1, rules), move) for move, board in after]
        (score, line), move = min(results, key=lambda each: each[0][0])
        return -score, (move, *line)


@dataclass(frozen=True)
class Plodder(SearchingPlayer):
    """A player that searches two plies by minimax, unless its name gives another depth."""

    name: str
    limits: Limits = TWO_PLIES
    seed: int = 0

    def searcher(self) -> Minimax:
        return Minimax()


def plodder(name: PlayerName) -> Plodder:
    return Plodder(name.text, read_settings(name, TWO_PLIES).limits)


KIND = PlayerKind(
    "plodder", plodder, ("depth", "nodes", "time"), title="plain minimax", about="Looks at every line there is."
)
