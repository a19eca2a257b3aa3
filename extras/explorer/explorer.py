"""An incremental index of the positions in many games: the moves played from each, with results.

A position is a board with the side to move, so transpositions are counted together. A move played twice from
the same position in one game counts once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from game import plain
from game.board import Position
from game.moves import Move
from game.pdn.game import RESULTS, RawGame
from gui.model.game_search import code_of, follow

MOST_MOVES = 2_000_000
"""Limit on the number of distinct moves (200 MB); beyond it, only moves of the first `EARLY` plies are added."""

EARLY = 24

_BITS = 20
_UNIT = {result: 1 << _BITS * place for place, result in enumerate(RESULTS)}
"""The increment for one game, by result: an integer holds four counts of `_BITS` bits each."""


@dataclass(frozen=True)
class RecordedGame:
    start: Position | None
    written: list[int]
    result: str


class GameSource(Protocol):
    @property
    def share(self) -> float: ...

    @property
    def trouble(self) -> str:
        """The reason why part of the source could not be read; empty if there was no error."""
        ...

    def read(self) -> RecordedGame | RawGame | None:
        """Return the next game; None after the last one."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Results:
    black: int
    white: int
    draws: int
    unknown: int

    @property
    def games(self) -> int:
        return self.black + self.white + self.draws + self.unknown

    @property
    def shares(self) -> tuple[float, float, float]:
        """Shares of games with a result: won by Black, drawn, won by White; zeros if there are none."""
        ended = self.black + self.draws + self.white
        return (self.black / ended, self.draws / ended, self.white / ended) if ended else (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class PlayedMove:
    move: Move
    results: Results


class Explorer:
    """An index of the positions of all games of a source.

    Attributes:
        limited: number of games counted in full before `MOST_MOVES` was reached; 0 if it was not reached.
    """

    def __init__(self, source: GameSource, clock: Callable[[], float] = time.perf_counter) -> None:
        self.games = 0
        self.limited = 0
        self.complete = False
        self._source = source
        self._clock = clock
        self._counts: dict[int, int] = {}

    @property
    def share(self) -> float:
        return self._source.share

    @property
    def trouble(self) -> str:
        return self._source.trouble

    def step(self, seconds: float) -> bool:
        """Continue reading for this many seconds, then finish the current game; return False once all is done."""
        end = self._clock() + seconds
        while not self.complete:
            game = self._source.read()
            if game is None:
                self.complete = True
                break
            self._count(game)
            if self._clock() >= end:
                break
        return not self.complete

    def close(self) -> None:
        self._source.close()
        self.complete = True

    def moves(self, position: Position) -> list[PlayedMove]:
        """Return the moves played from a position, most frequent first; ties keep the order of legal moves."""
        key = hash((position.black, position.white, position.kings, position.side))
        counts = [(move, self._counts.get(hash((key, code_of(move))), 0)) for move in plain.legal_moves(position)]
        played = [PlayedMove(move, _results(count)) for move, count in counts if count]
        return sorted(played, key=lambda move: -move.results.games)

    def _count(self, game: RecordedGame | RawGame) -> None:
        self.games += 1
        if game.start is None:
            return
        counts, unit = self._counts, _UNIT[game.result]
        full, seen = len(counts) >= MOST_MOVES, set[int]()
        if full and not self.limited:
            self.limited = self.games - 1
        for ply, (place, code, _) in enumerate(follow(game.start, game.written)):
            key = hash((place, code))
            before = counts.get(key)
            if before is None:
                if full and ply >= EARLY:
                    continue
                counts[key] = unit
            elif key not in seen:
                counts[key] = before + unit
            seen.add(key)


def _results(count: int) -> Results:
    mask = (1 << _BITS) - 1
    black, white, draws, unknown = (count >> _BITS * place & mask for place in range(len(RESULTS)))
    return Results(black, white, draws, unknown)
