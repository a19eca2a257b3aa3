"""What is thought in pictures of the window: made up, the same every time."""

from __future__ import annotations

import functools
import random
from array import array
from collections.abc import Callable

from game import plain
from game.bitboard import SQUARE_BIT, squares_of
from game.board import Position
from game.likes import Likes
from game.rules import BLACK
from game.scores import MEN, Line, SearchInfo
from game.search.interface import score_text
from gui.evolving.games import ShownGames, SmallGame, generation_games
from gui.thinking.beside import finders_of, likes_of
from gui.thinking.messages import Phase, Reply, SearchRequest, SideResult, SideWork

GAME = """
    11-15 23-19 8-11 22-17 4-8 17-13 15-18 24-20 11-15 28-24 8-11 26-23 9-14 31-26 6-9 13x6 2x9 26-22
    1-6 32-28 3-8 30-26
"""

COURSE = (0.0, 0.06, 0.02, 0.12, 0.09, 0.21, 0.18, 0.05, -0.12, -0.22, -0.31, -0.26, 0.1, 0.48, 0.62)
"""How Black stands after each move of the game, in men."""

WRONG_MOVES = (6, 11, 14)
"""Moves of the game that a review calls wrong."""


def find(request: SearchRequest) -> SearchInfo:
    """Scores that fall from move to move."""
    legal = plain.legal_moves(request.position)
    black = COURSE[len(request.history) % len(COURSE)]
    men = [(black if request.position.side == BLACK else -black) - 0.17 * number for number in range(len(legal))]
    lines = [Line(move, score, MEN.share(score), score_text(score)) for move, score in zip(legal, men, strict=True)]
    after = plain.apply(request.position, legal[0])
    follow = plain.legal_moves(after)[:1]
    best = lines[0]
    return SearchInfo(best.move, best.score, best.share, 12, 48_210, 0.8, (best.move, *follow), best.text, tuple(lines))


def judge(request: SearchRequest) -> SearchInfo:
    """Scores by which the moves of the game are the best ones, but for three."""
    played, legal = GAME.split(), plain.legal_moves(request.position)
    number = len(request.history)
    black = COURSE[number % len(COURSE)]
    score = black if request.position.side == BLACK else -black
    legal.sort(key=lambda move: number >= len(played) or str(move) != played[number])
    if number in WRONG_MOVES:
        legal.append(legal.pop(0))
    men = [score - 0.17 * place - (0.9 if place == len(legal) - 1 else 0.0) for place in range(len(legal))]
    lines = [Line(move, each, MEN.share(each), score_text(each)) for move, each in zip(legal, men, strict=True)]
    pv, position = [legal[0]], plain.apply(request.position, legal[0])
    while len(pv) < 6 and (follow := plain.legal_moves(position)):
        pv.append(follow[-1])
        position = plain.apply(position, follow[-1])
    return SearchInfo(legal[0], score, MEN.share(score), 12, 48_210, 0.8, tuple(pv), score_text(score), tuple(lines))


@functools.cache
def arena_games(generation: int, count: int = 32) -> ShownGames:
    """Games of a generation with random moves, so that nothing is compiled."""
    chance, games = random.Random(generation), []
    for number in range(count):
        position = Position.start()
        words = [position.black, position.white, position.kings]
        for _ in range(24 + number % 7):
            position = plain.apply(position, chance.choice(plain.legal_moves(position)))
            words += [position.black, position.white, position.kings]
        names = f"Gen{generation:02d}_{2 * number:04d}", f"Gen{generation:02d}_{2 * number + 1:04d}"
        games.append(SmallGame(names, frozenset(), (1, -1, 0)[number % 3], array("Q", words)))
    return ShownGames(generation, tuple(games), False, "Now holds its back row (2.64 men, 2.10 before).")


@functools.cache
def like(position: Position) -> Likes:
    values = {}
    for square in squares_of(position.black | position.white):
        black = position.black >> SQUARE_BIT[square] & 1
        row = (square - 1) // 4 if black else 7 - (square - 1) // 4
        worth = (1.4 if position.kings >> SQUARE_BIT[square] & 1 else 0.85) + 0.05 * row
        values[square] = worth if black else -worth
    basis = "Judges by 3 filters of 5 × 5 squares, then 3 layers; 247 weights"
    return Likes(basis, values)


class Scripted:
    """A thinker that says what it is given."""

    def __init__(self) -> None:
        self.phase = Phase.READY
        self.compiling = None
        self.tables_opened = self.last_ticket = 0
        self.say: Callable[[int, SearchRequest], Reply] | None = None
        self._replies: list[Reply] = []

    def ask(self, request: SearchRequest) -> int:
        self.last_ticket += 1
        if self.say is not None:
            self._replies.append(self.say(self.last_ticket, request))
        return self.last_ticket

    def poll(self, now: float) -> list[Reply]:
        replies, self._replies = self._replies, []
        return replies

    def work(self, request: SideWork) -> SideResult | None:
        if request.function is likes_of:
            return SideResult(request, like(request.arguments[2]))
        if request.function is finders_of:
            return SideResult(request, 0.4)
        if request.function is generation_games:
            return SideResult(request, arena_games(request.arguments[1]))
        return SideResult(request, request.function(*request.arguments))

    def move_now(self) -> None:
        """Nothing."""

    def drop(self) -> None:
        """Nothing."""

    def warm_up(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""
