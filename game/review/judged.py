"""Judged moves: which of them changed what a game was expected to be. Plain values, which are kept and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from game.board import Position
from game.finding import Line, SearchInfo
from game.moves import Move
from game.review.chances import Chances, Games, Result, count_pieces, find_chances
from game.rules import BLACK, WHITE

SLIP, BLUNDER = 0.10, 0.30
"""Points of a game, expected, that a move costs at least: one that is marked at all, and a great mistake."""

OPENING_PIECES, ENDGAME_PIECES = 19, 8
"""At least so many pieces stand in the opening, at most so many in the endgame."""


class Mark(StrEnum):
    """What a move was, as records of games write it. Only the last two are mistakes: they change the result."""

    SLIP = "?!"
    MISTAKE = "?"
    BLUNDER = "??"


class Phase(StrEnum):
    """Part of a game, by the pieces that stand on the board."""

    OPENING = "opening"
    MIDDLE = "middle game"
    ENDGAME = "endgame"


@dataclass(frozen=True, slots=True)
class Judged:
    """A move that cost something.

    Attributes:
        ply: number of the move in the game, from 1.
        side: who moved.
        phase: of the game.
        mark: what the move was.
        move: that was played.
        had, left: the likeliest result before it, with the best move, and after it; for the mover.
        before, after: the points that the mover could expect, 0 to 1.
        certain: whether all that is known for certain.
        line: what should have been played, and what would have followed.
        good: all other moves that keep the result, the best first.
        refutation: what follows the move that was played.
    """

    ply: int
    side: int
    phase: Phase
    mark: Mark
    move: Move
    had: Result
    left: Result
    before: float
    after: float
    certain: bool
    line: tuple[Move, ...]
    good: tuple[Move, ...]
    refutation: tuple[Move, ...] = ()

    @property
    def mistake(self) -> bool:
        """Whether it changed the result that was to be expected."""
        return self.mark is not Mark.SLIP

    @property
    def best(self) -> Move:
        """The best move."""
        return self.line[0]

    @property
    def cost(self) -> str:
        """What it cost in words: ``a win``, ``a draw``; empty for a slip."""
        return "" if not self.mistake else "a win" if self.had is Result.WIN else "a draw"


Summary = Mapping[int, Mapping[Phase, int]]
"""Mistakes by side and phase."""

STRETCH = 20
"""Plies within which the chances of a side slip away that made no single mistake."""


@dataclass(frozen=True, slots=True)
class Slide:
    """A stretch of a game in which the chances of a side fell without a single mistake.

    Attributes:
        first, last: numbers of its first and last move in the game, from 1.
        before, after: the points that the side could expect before the first and after the last, 0 to 1.
    """

    first: int
    last: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Review:
    """What the analyst thinks of a whole game.

    Attributes:
        analyst: its name.
        depth: how many plies it looked ahead.
        moves: of the game.
        points: what Black could expect after 0, 1, 2, ... moves, 0 to 1; None where nobody knows.
        marks: moves that cost something, in order.
        first: the side that moves first.
        result: of the game for Black: 1, 0 or -1; None if it is not known.
        games: whose games the curve was of; None for a review kept from before there were two curves.
    """

    analyst: str
    depth: int
    moves: tuple[Move, ...]
    points: tuple[float | None, ...]
    marks: tuple[Judged, ...]
    first: int = BLACK
    result: int | None = None
    games: Games | None = Games.PEOPLE

    @property
    def mistakes(self) -> tuple[Judged, ...]:
        """Moves that changed the result."""
        return tuple(mark for mark in self.marks if mark.mistake)

    def mistakes_of(self, side: int) -> tuple[Judged, ...]:
        """Return the mistakes of one side."""
        return tuple(mark for mark in self.mistakes if mark.side == side)

    def mark_of(self, ply: int) -> Judged | None:
        """What is wrong with a move, counted from 1; None if nothing is."""
        return next((mark for mark in self.marks if mark.ply == ply), None)

    @property
    def summary(self) -> Summary:
        """How many mistakes each side made in each phase."""
        return summarise(self.marks)

    def result_of(self, side: int) -> int | None:
        """Return the result of the game for one side: 1, 0 or -1; None if it is not known."""
        return self.result if self.result is None or side == BLACK else -self.result

    def slide_of(self, side: int) -> Slide | None:
        """Return where the chances of a side without a mistake went: the largest drop within `STRETCH` plies.

        Of equal drops the shortest, then the first. None if the side made a mistake or won the game, or if no drop is
        as large as an inaccuracy where it lost, else as a blunder.
        """
        if self.mistakes_of(side) or self.result_of(side) == 1:
            return None
        seen = [None if each is None else each if side == BLACK else 1 - each for each in self.points]
        drops = (
            (round(before - after, 2), begin - end, -begin)
            for begin, before in enumerate(seen)
            for end, after in enumerate(seen[begin + 1 : begin + 1 + STRETCH], begin + 1)
            if before is not None and after is not None
        )
        drop, shortness, start = max(drops, default=(0.0, 0, 0))
        if drop < (SLIP if self.result_of(side) == -1 else BLUNDER):
            return None
        before, after = seen[-start], seen[-start - shortness]
        assert before is not None and after is not None
        return Slide(1 - start, -start - shortness, before, after)


def summarise(marks: Sequence[Judged]) -> Summary:
    """How many mistakes each side made in each phase."""
    counts = {side: dict.fromkeys(Phase, 0) for side in (BLACK, WHITE)}
    for mark in marks:
        counts[mark.side][mark.phase] += mark.mistake
    return MappingProxyType(counts)


def phase_of(position: Position) -> Phase:
    """The phase of a game, by the pieces on the board."""
    pieces = count_pieces(position)
    if pieces >= OPENING_PIECES:
        return Phase.OPENING
    return Phase.MIDDLE if pieces > ENDGAME_PIECES else Phase.ENDGAME


def judge(
    ply: int,
    position: Position,
    move: Move,
    finding: SearchInfo,
    refutation: tuple[Move, ...] = (),
    games: Games = Games.PEOPLE,
) -> Judged | None:
    """What a move cost, by the scores of all moves of its position in one search; None if it cost little.

    It is a mistake if another result than before is the likeliest now, and points were lost besides: a game that stands
    on the edge between two results changes sides by itself.

    Args:
        ply: its number in the game, from 1.
        position: before it.
        move: that was played.
        finding: scores of all moves.
        refutation: what follows it.
        games: whose games the curve is of.
    """
    pieces = count_pieces(position)
    known = [(line, find_chances(line.score, pieces, line.verdict, games)) for line in finding.lines]
    played = next((chances for line, chances in known if line.move == move), None)
    if played is None or len(known) < 2:
        return None
    best_line, best = max(known, key=lambda each: each[1].points)  # of equal ones the first, which is the best
    if finding.verdict is not None:
        best_line, best = known[0]  # perfect moves come first
    mark = _mark(best, played)
    if mark is None:
        return None
    good = tuple(
        line.move
        for line, chances in sorted(known, key=lambda each: (each[0] is not best_line, -each[1].points))
        if line.move != move and _mark(best, chances) in (None, Mark.SLIP)
    )
    return Judged(
        ply,
        position.side,
        phase_of(position),
        mark,
        move,
        best.result,
        played.result,
        best.points,
        played.points,
        best.certain and played.certain,
        _line(finding, best_line),
        good,
        refutation,
    )


def _mark(best: Chances, played: Chances) -> Mark | None:
    """What a move with these chances is, where the best one has those."""
    lost = best.points - played.points
    changed = _RANK[played.result] < _RANK[best.result]
    if lost < SLIP or (not changed and best.result is not Result.DRAW):  # what is won or lost stays so
        return None
    return Mark.SLIP if not changed else Mark.BLUNDER if lost >= BLUNDER else Mark.MISTAKE


_RANK = {Result.LOSS: 0, Result.DRAW: 1, Result.WIN: 2}


def _line(finding: SearchInfo, best: Line) -> tuple[Move, ...]:
    """The best move, and what would follow where that is known."""
    return finding.pv if finding.pv[:1] == (best.move,) else (best.move,)
