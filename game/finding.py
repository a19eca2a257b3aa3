"""What a search has found, in men, and what tablebases add to it: plain values that any process can read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from game import plain
from game.board import Position
from game.endgame.verdict import Verdict
from game.moves import Move
from game.scores import Yardstick, share_of
from game.search.result import SearchResult, score_text

if TYPE_CHECKING:
    from game.endgame.tables import Tables

LONGEST_LINE = 12
"""Plies of a perfect line that are shown."""


@dataclass(frozen=True, slots=True)
class Line:
    """One move of the root and what it is worth.

    Attributes:
        move: a legal move.
        score: seen by the side to move in men, 0 where nobody is ahead; a proved win as in `game.search.result`.
        share: the same from -1 to 1.
        text: the score in words.
        exact: False if the move is worth at most this.
        verdict: what tablebases know of the position after it, seen by the side to move before it.
        chance: how likely a policy finds it, which is its text where nothing judges positions; None without a policy.
    """

    move: Move
    score: float
    share: float
    text: str
    exact: bool = True
    verdict: Verdict | None = None
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class SearchInfo:
    """What is known after a depth of a search, or at its end.

    Attributes:
        move: the best one, or that which was chosen.
        score: seen by the side to move in men, 0 where nobody is ahead; a proved win as in `game.search.result`.
        share: the same from -1 (surely lost) over 0 (even) to 1 (surely won).
        depth, nodes, seconds: of the search.
        pv: the principal variation.
        text: the score in words, such as ``+0.53`` or ``win in 23 plies``.
        lines: scores of root moves, best first; empty if the player has none.
        verdict: what tablebases know of an analysed position. Then moves are in their order, perfect ones first.
        results: how likely the side to move wins, draws and loses, as a network judges the end of `pv`; None if it does
            not tell them apart.
        missing: which tables would know it, and how they are built; empty if others would not help.
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
    results: tuple[float, float, float] | None = None


def finding_of(found: SearchResult, stick: Yardstick) -> SearchInfo:
    """What a search has found, in men."""
    depth = found.root[0].depth  # the score is of this one, which a limit may have cut short
    men = stick.measure(depth, found.score, found.pv)
    values = [stick.compare(each.depth, each.score, men) for each in found.root]
    lines = tuple(
        Line(each.move, value, share_of(value), score_text(value), each.exact)
        for each, value in zip(found.root, values, strict=True)
    )
    return SearchInfo(
        found.move, men, share_of(men), found.depth, found.nodes, found.seconds, found.pv, score_text(men), lines
    )


def judge_by_tables(tables: Tables, position: Position, finding: SearchInfo) -> SearchInfo:
    """A finding of a position with what tablebases know: the verdict of each move, and perfect moves first.

    Where they do not know all moves it names those that would.
    """
    from game.endgame.reports import build_command

    verdict, moves = tables.probe(position), tables.moves(position)
    known = {move: after for move, after in moves if after is not None}
    if verdict is None or len(known) < len(moves):
        pieces = (position.black | position.white).bit_count()
        return replace(finding, missing=f"No tables of {pieces} pieces: {build_command(pieces)}")
    lines = [replace(line, verdict=known.get(line.move)) for line in finding.lines]
    lines.sort(key=lambda line: known[line.move].merit, reverse=True)  # equal ones stay in the order of the search
    move = max((*(line.move for line in lines), finding.move, *known), key=lambda each: known[each].merit)
    line = _perfect_line(tables, position, move) if verdict.plies is not None else finding.pv
    pv = line if line[:1] == (move,) else (move,)
    return replace(finding, move=move, pv=pv, lines=tuple(lines), verdict=verdict)


def _perfect_line(tables: Tables, position: Position, move: Move) -> tuple[Move, ...]:
    """Perfect play from a decided position, beginning with a move."""
    line = [move]
    while len(line) < LONGEST_LINE:
        position = plain.apply(position, line[-1])
        known = {each: after.merit for each, after in tables.moves(position) if after is not None}
        if not known:
            break
        line.append(max(known, key=known.__getitem__))
    return tuple(line)
