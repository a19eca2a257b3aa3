"""Scores for people: search results as plain values, with scores in men."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from game import plain
from game.board import Position
from game.endgame.verdict import Verdict
from game.moves import Move
from game.players.player import Scale
from game.search.interface import WON, SearchResult, reported_score, score_text

if TYPE_CHECKING:
    from game.endgame.tables import Tables
    from game.players.player import Player

MEN = Scale("men", 3.0)
"""The scale of all scores in the window and in reviews of games."""

EVEN = 0.25
"""A lead below this, in men, is called even: searches of different depths differ by about a quarter of a man."""

LONGEST_LINE = 12
"""Maximum number of plies displayed of a line of perfect play."""


class Yardstick:
    """A conversion of one search's scores to men, as seen by the searching side, 0 for an even game.

    Networks favour the side that they play, by an amount that depends on the pieces on the board. Also, the side that
    made the last move of a line looks better than it does after the reply, so scores swing from one depth to the next.
    Two corrections make scores independent of the depth and of the side to move:

    * The player's bias at the end of the line is subtracted: the mean of its scores for both sides there. The remainder
      is half the difference between the two scores, so it has opposite signs for the two sides.
    * The reported score is the mean of the scores of this depth and of the previous one.

    Chances of a win are converted to log odds first, because there a man counts as much in a large lead as in a small
    one. A proved win and a score of exactly 0, which is a draw, remain unchanged.
    """

    def __init__(self, player: Player, man: float, position: Position) -> None:
        self._player, self._position = player, position
        self._linear = player.scale.linear
        self._man = self._linear(man)
        self._even: dict[int, float] = {}  # by depth
        self._men: dict[int, float] = {}

    def measure(self, depth: int, score: float, line: Sequence[Move]) -> float:
        """Convert the score of a depth's best line to men."""
        score = reported_score(score)
        last = self._position
        for move in line:
            last = plain.apply(last, move)
        self._even[depth] = self._linear(self._player.even_score(last))
        if _is_decided(score):
            return score
        here = self._men[depth] = (self._linear(score) - self._even[depth]) / self._man
        return (here + self._men.get(depth - 1, here)) / 2

    def compare(self, depth: int, score: float, best: float) -> float:
        """Convert the score of any move to men, given the score in men of the best move."""
        score = reported_score(score)
        if _is_decided(score):
            return score
        swing = best - self._men[depth] if depth in self._men and not _is_decided(best) else 0.0
        return (self._linear(score) - self._even.get(depth, 0.0)) / self._man + swing


def _is_decided(score: float) -> bool:
    return score == 0.0 or abs(score) > WON


@dataclass(frozen=True, slots=True)
class Line:
    """One move at the root, with its score.

    Attributes:
        score: in men, as seen by the side to move, 0 if even; a proved win as in `game.search.interface`.
        share: the score on a scale from -1 to 1.
        exact: False if the score is an upper bound.
        verdict: the tablebases' verdict on the position after the move, as seen by the side that makes it.
    """

    move: Move
    score: float
    share: float
    text: str
    exact: bool = True
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class SearchInfo:
    """The result of a search so far, or at its end.

    Attributes:
        score: in men, as seen by the side to move, 0 if even; a proved win as in `game.search.interface`.
        share: the score on a scale from -1 (lost) through 0 (even) to 1 (won).
        depth, nodes, seconds: depth, visited positions and duration of the search.
        text: the score in words, such as ``+0.53`` or ``win in 23 plies``.
        lines: scores of root moves, best first; empty if the player has none.
        verdict: the tablebases' verdict on an analysed position; `lines` are then ordered by it, perfect moves first.
        missing: a message that names the tables that a verdict would need, and how to build them; empty if none.
    """

    move: Move
    score: float | None = None
    share: float | None = None
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    pv: tuple[Move, ...] = ()
    text: str = ""
    lines: tuple[Line, ...] = ()
    verdict: Verdict | None = None
    missing: str = ""


def info_of(result: SearchResult, stick: Yardstick) -> SearchInfo:
    """Convert the result of a search to men."""
    depth = result.root[0].depth  # the depth of the score, which may be deeper than the last complete one
    men = stick.measure(depth, result.score, result.pv)
    values = [stick.compare(root_move.depth, root_move.score, men) for root_move in result.root]
    lines = tuple(
        Line(root_move.move, value, MEN.share(value), score_text(value), root_move.exact)
        for root_move, value in zip(result.root, values, strict=True)
    )
    return SearchInfo(
        result.move, men, MEN.share(men), result.depth, result.nodes, result.seconds, result.pv, score_text(men), lines
    )


def judge_by_tables(tables: Tables, position: Position, info: SearchInfo) -> SearchInfo:
    """Add the verdicts of tablebases to a search result, one for each move, and put perfect moves first."""
    from game.endgame.tables import build_command

    verdict, moves = tables.probe(position), tables.moves(position)
    known = {move: after for move, after in moves if after is not None}
    if verdict is None or len(known) < len(moves):
        pieces = (position.black | position.white).bit_count()
        return replace(info, missing=f"No tables of {pieces} pieces: {build_command(pieces)}")
    lines = [replace(line, verdict=known.get(line.move)) for line in info.lines]
    lines.sort(key=lambda line: known[line.move].merit, reverse=True)  # equal moves keep the order of the search
    move = max((*(line.move for line in lines), info.move, *known), key=lambda legal: known[legal].merit)
    line = _perfect_line(tables, position, move) if verdict.plies is not None else info.pv
    pv = line if line[:1] == (move,) else (move,)
    return replace(info, move=move, pv=pv, lines=tuple(lines), verdict=verdict)


def _perfect_line(tables: Tables, position: Position, move: Move) -> tuple[Move, ...]:
    line = [move]
    while len(line) < LONGEST_LINE:
        position = plain.apply(position, line[-1])
        known = {reply: after.merit for reply, after in tables.moves(position) if after is not None}
        if not known:
            break
        line.append(max(known, key=known.__getitem__))
    return tuple(line)
