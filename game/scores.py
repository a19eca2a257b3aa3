"""What scores mean to people: men, 0 where nobody is ahead, whoever says so and however deep it has looked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from game import plain
from game.board import Position
from game.moves import Move
from game.players.player import Scale
from game.search.result import WON, reported_score

if TYPE_CHECKING:
    from game.players.player import Player

MEN = Scale("men", 3.0)
"""The scale of all scores that the window and reviews of games show."""

EVEN = 0.25
"""Men by which nobody is called ahead: a quarter of one is what searches of different depths differ by."""


def share_of(score: float) -> float:
    """A score in men from -1 (lost) to 1 (won)."""
    return MEN.share(score)


class Yardstick:
    """What the scores of one search mean: men, seen by the side that searches, 0 where nobody is ahead.

    Raw scores do not say that. Networks like the side that they play, by an amount that changes with the pieces on the
    board, and who moves last at the end of a line stands better than before the answer, so scores swing from one depth
    to the next. Hence two things, whatever the depth and whoever is to move:

    * of a score that is taken away which its player gives to both sides of the position at the end of the line, so what
      is left there is half the difference of what it says to one side and to the other: opposite for both;
    * what is told after a depth is the mean of that depth and of the one before it.

    A proved win stays what it is, and so does a score of exactly 0: a draw.
    """

    def __init__(self, player: Player, man: float, position: Position) -> None:
        self._player, self._man, self._position = player, man, position
        self._even: dict[int, float] = {}  # by depth
        self._men: dict[int, float] = {}

    def measure(self, depth: int, score: float, line: Sequence[Move]) -> float:
        """The score of the best line that a depth has found, in men."""
        score = reported_score(score)
        last = self._position
        for move in line:
            last = plain.apply(last, move)
        self._even[depth] = self._player.even_score(last)
        if _is_decided(score):
            return score
        here = self._men[depth] = (score - self._even[depth]) / self._man
        return (here + self._men.get(depth - 1, here)) / 2

    def compare(self, depth: int, score: float, told: float) -> float:
        """The score of any move, in men, where the best one was told to be worth `told`."""
        score = reported_score(score)
        if _is_decided(score):
            return score
        swing = told - self._men[depth] if depth in self._men and not _is_decided(told) else 0.0
        return (score - self._even.get(depth, 0.0)) / self._man + swing


def _is_decided(score: float) -> bool:
    """Whether this is a proved win or loss, or a draw, and not what an evaluation says."""
    return score == 0.0 or abs(score) > WON
