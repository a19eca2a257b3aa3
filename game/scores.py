"""Scores for people: in men, 0 for an even game, comparable between players and depths."""

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
"""The scale of all scores in the window and in reviews of games."""

EVEN = 0.25
"""A lead below this, in men, is called even: searches of different depths differ by about a quarter of a man."""


def share_of(score: float) -> float:
    """Map a score in men to the range from -1 (lost) to 1 (won)."""
    return MEN.share(score)


class Yardstick:
    """A conversion of one search's scores to men, as seen by the searching side, 0 for an even game.

    Raw scores cannot be used directly. Networks prefer the side that they play, by an amount that depends on the pieces
    on the board. Also, the side that moved last at the end of a line looks better than after the reply, so scores swing
    from one depth to the next. Two corrections make scores independent of the depth and of the side to move:

    * The player's bias at the end of the line is subtracted: the mean of its scores for both sides there. The rest is
      half the difference of the two scores, and so is opposite for the two sides.
    * The reported score is the mean of this depth and the previous one.

    A proved win is unchanged, and so is a score of exactly 0, a draw.
    """

    def __init__(self, player: Player, man: float, position: Position) -> None:
        self._player, self._man, self._position = player, man, position
        self._even: dict[int, float] = {}  # by depth
        self._men: dict[int, float] = {}

    def measure(self, depth: int, score: float, line: Sequence[Move]) -> float:
        """Return the score of the best line of a depth in men."""
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
        """Return the score of any move in men, given that `told` was reported for the best one."""
        score = reported_score(score)
        if _is_decided(score):
            return score
        swing = told - self._men[depth] if depth in self._men and not _is_decided(told) else 0.0
        return (score - self._even.get(depth, 0.0)) / self._man + swing


def _is_decided(score: float) -> bool:
    """Return whether the score is a proved win or loss, or a draw, rather than an evaluation."""
    return score == 0.0 or abs(score) > WON
