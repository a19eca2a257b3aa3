"""What a score means for the result of a game: the chances of a win, a draw and a loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from game.endgame.verdict import Verdict
from game.search.result import WON

LIKELY = 2 / 3
"""Chance from which on a win or a loss is what is expected of a game; between, it is open."""

MOST_PIECES, FEWEST_PIECES = 24, 4


@dataclass(frozen=True, slots=True)
class Curve:
    """What scores come to, by the number of pieces on the board: the fewer, the more of a lead takes a win.

    Attributes:
        level: men at which a win is as likely as not, with all pieces on the board and with the fewest.
        spread: men by which the odds of a win change e times, likewise.
    """

    level: tuple[float, float]
    spread: tuple[float, float]

    def at(self, score: float, pieces: int) -> Chances:
        """The chances of the side that has a score of so many men.

        A win is as likely as 1 / (1 + exp((level - score) / spread)), a loss is a win of the other side, and a draw is
        what is left. Source: Rao and Kupper (1967), ties in paired comparisons.
        """
        part = min(max((MOST_PIECES - pieces) / (MOST_PIECES - FEWEST_PIECES), 0.0), 1.0)
        level, spread = (full + part * (few - full) for full, few in (self.level, self.spread))
        win, loss = (1 / (1 + math.exp(min(max((level - each) / spread, -40), 40))) for each in (score, -score))
        return Chances(win, max(1 - win - loss, 0.0), loss)


class Result(StrEnum):
    """What a game is expected to be, for one side."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


@dataclass(frozen=True, slots=True)
class Chances:
    """How a game may end, for one side; the three add up to 1.

    Attributes:
        win, draw, loss: how likely each result is.
        certain: whether this is known, by tablebases or because a search has seen the end, and no opinion.
    """

    win: float
    draw: float
    loss: float
    certain: bool = False

    @property
    def points(self) -> float:
        """What is expected of the game: 1 for a win, half a point for a draw."""
        return self.win + self.draw / 2

    @property
    def result(self) -> Result:
        """What is expected: a win or a loss if that is likely, else a draw."""
        return Result.WIN if self.win >= LIKELY else Result.LOSS if self.loss >= LIKELY else Result.DRAW


KNOWN = {
    1: Chances(1.0, 0.0, 0.0, certain=True),
    0: Chances(0.0, 1.0, 0.0, certain=True),
    -1: Chances(0.0, 0.0, 1.0, certain=True),
}
"""The chances of a game whose result is known."""

CURVE = Curve(level=(0.26, 0.77), spread=(0.48, 0.23))
"""Of the champion that comes with the program, which is the usual analyst, at depth 12. Other analysts tell scores in
the same unit, so it serves for them, too. Made by ``main.py match crownhead,depth=4 crownhead,depth=5 --games 1000
--seed 1 --pdn games.pdn`` and ``main.py analyse --pdn games.pdn --calibrate``."""


def find_chances(score: float, pieces: int, verdict: Verdict | None = None) -> Chances:
    """By what tablebases know, or a search has proved; else by the curve.

    Args:
        score: of the mover, in men; a proved win as in `game.search.result`.
        pieces: on the board.
        verdict: what tablebases know, seen by the mover.
    """
    if verdict is not None:
        return KNOWN[verdict.value]
    return KNOWN[1 if score > 0 else -1] if abs(score) > WON else CURVE.at(score, pieces)
