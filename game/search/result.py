"""Results of searches, in the units of evaluations, and in words."""

from __future__ import annotations

from dataclasses import dataclass

from game.moves import Move
from game.number_text import plies_text, signed_text

WIN = 1_000_000.0
"""Score of a won game; a win in n plies is worth n less. A loss is negative."""

TABLEBASE_WON = 950_000.0
"""Score of a win that tablebases know without its distance, less the plies to the position that they cover. It is below
every score of a win whose distance is known."""

WON = 900_000.0
"""Scores beyond this, in either direction, are proved. Evaluations are clamped to it."""

DRAWN = WON - 1
"""Score of a draw by the rules of the game if tablebases know the position to be lost; its opposite if it is won.

The winning side gives that score to any position that occurs again, even if the game may continue there.
"""

BY_TABLEBASE = " (tablebase)"
"""The end of the text of a result that only tablebases know."""


def plies_to_win(score: float) -> int | None:
    """Return the plies to a proved win, negative for a loss; None if nothing is proved, or its distance is unknown."""
    if abs(score) <= TABLEBASE_WON:
        return None
    plies = round(WIN - abs(score))
    return plies if score > 0 else -plies


def score_text(score: float) -> str:
    """Return a score for people: ``+0.53``, ``win in 23 plies``, ``loss in 8 plies``, ``won (tablebase)``."""
    plies = plies_to_win(score)
    if plies is None and abs(score) > WON:
        return f"{'won' if score > 0 else 'lost'}{BY_TABLEBASE}"
    if abs(score) == DRAWN:
        return "draw by the rules" if score > 0 else "draw by the rules, or occurs again"
    if plies is None:
        return signed_text(score, 2)
    return f"{'win' if score > 0 else 'loss'} in {plies_text(abs(plies))}"


def reported_score(score: float) -> float:
    """Return a score for people: a draw by the rules is 0, however much the search seeks or avoids it."""
    return 0.0 if abs(score) == DRAWN else score


@dataclass(frozen=True, slots=True)
class RootMove:
    """A move of the root and its score.

    Attributes:
        move: the move.
        score: its value to the side to move.
        exact: whether the score is exact; if not, it is an upper bound.
        depth: depth of the iteration that gave this score.
    """

    move: Move
    score: float
    exact: bool
    depth: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search: that of its last complete iteration, with one exception.

    A search may be ended within an iteration that has already found a better move than the last complete one. Then that
    is the best move, and its score, the principal variation and the scores of the moves searched so far are those of
    the deeper iteration. Each root move has its own depth.

    Attributes:
        move: the best move; of equal ones the first in the order of moves.
        score: its value to the side to move, in the evaluation's units; a proved win is `WIN` less the plies to it.
        depth: depth of the last complete iteration; that of the best move is `root[0].depth`.
        nodes: positions visited.
        evaluations: network results.
        seconds: time taken.
        pv: the principal variation; it may be shorter than the depth.
        root: every move, best first; moves searched in a deeper iteration come before all others.
        verdict: the value of the position in tablebases to the side to move: 1 won, 0 drawn, -1 lost; None if they do
            not cover it. Moves that give it away are not searched: they come last, with depth 0 and their exact value.
        tablebase_hits: positions that were looked up in tablebases.
    """

    move: Move
    score: float
    depth: int
    nodes: int
    evaluations: int
    seconds: float
    pv: tuple[Move, ...]
    root: tuple[RootMove, ...]
    verdict: int | None = None
    tablebase_hits: int = 0

    @property
    def reported(self) -> float:
        """The score for people: the result if tablebases know it, and not the hopes of an evaluation."""
        if self.verdict is None or abs(self.score) > WON:
            return self.score
        return 0.0 if abs(self.score) == DRAWN else TABLEBASE_WON * self.verdict
