"""Results of a search in men, with the verdicts of tablebases: plain values that any process can read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from game import plain
from game.board import Position
from game.endgame.slices import Verdict
from game.moves import Move
from game.scores import Yardstick, share_of
from game.search.result import SearchResult, score_text

if TYPE_CHECKING:
    from game.endgame.tables import Tables

LONGEST_LINE = 12
"""Plies of a line of perfect play that are displayed."""


@dataclass(frozen=True, slots=True)
class Line:
    """One move at the root, with its score.

    Attributes:
        move: a legal move.
        score: in men, as seen by the side to move, 0 if even; a proved win as in `game.search.result`.
        share: the score on a scale from -1 to 1.
        text: the score in words.
        exact: False if the score is an upper bound.
        verdict: of tablebases for the position after it, as seen by the side to move before it.
        chance: its probability by a policy, which is its text if the player has no evaluation; None without a policy.
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
    """The result of a search so far, or at its end.

    Attributes:
        move: the best one, or the one chosen.
        score: in men, as seen by the side to move, 0 if even; a proved win as in `game.search.result`.
        share: the score on a scale from -1 (lost) over 0 (even) to 1 (won).
        depth, nodes, seconds: of the search.
        pv: the principal variation.
        text: the score in words, such as ``+0.53`` or ``win in 23 plies``.
        lines: scores of root moves, best first; empty if the player has none.
        verdict: of tablebases for an analysed position. Moves are then in their order, perfect ones first.
        results: probabilities that the side to move wins, draws and loses, evaluated at the end of `pv`; None if the
            network has no such outputs.
        missing: the missing tables that would have a verdict, and how to build them; empty if none would help.
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
    """Convert the result of a search to men."""
    depth = found.root[0].depth  # of the score; a limit may have interrupted this depth
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
    """Add the verdicts of tablebases to a search result: one for each move, with perfect moves first.

    If they do not have all moves, name the tables that would.
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
    """Return perfect play from a decided position, beginning with a move."""
    line = [move]
    while len(line) < LONGEST_LINE:
        position = plain.apply(position, line[-1])
        known = {each: after.merit for each, after in tables.moves(position) if after is not None}
        if not known:
            break
        line.append(max(known, key=known.__getitem__))
    return tuple(line)
