"""Going through a game: which of its positions the analyst looks at next, and what comes of it. No time, no threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from game import plain
from game.board import Position
from game.finding import SearchInfo
from game.moves import Move
from game.review.chances import find_chances
from game.review.judged import SLIP, Judged, Review, judge
from game.rules import BLACK

DEPTH = 12
"""Plies that the analyst looks ahead in each position."""

DEEPER = 6
"""Plies more with which it looks again before it says that a move was wrong."""


@dataclass(frozen=True, slots=True)
class Look:
    """A position of the game to look at.

    Attributes:
        index: after so many moves.
        depth: plies to look ahead.
    """

    index: int
    depth: int


class Reviewing:
    """A review on its way.

    Each position is looked at in its order. Where a move seems to be wrong, or the game changed more than its
    mover's search said, the position before it is looked at again, deeper: only that decides.

    Args:
        start: of the game.
        moves: of the game.
        depth: plies to look ahead at first.

    Attributes:
        positions: of the game, one more than it has moves.
    """

    def __init__(self, start: Position, moves: Sequence[Move], depth: int = DEPTH) -> None:
        self.moves = tuple(moves)
        self.depth = depth
        positions = [start]
        for move in self.moves:
            positions.append(plain.apply(positions[-1], move))
        self.positions = tuple(positions)
        self._findings: dict[int, SearchInfo] = {}
        self._depths: dict[int, int] = {}
        self._next = 0
        self._again: int | None = None
        self._skip()

    def next_look(self) -> Look | None:
        """What to look at now; None once everything is known."""
        if self._again is not None:
            return Look(self._again, self.depth + DEEPER)
        return None if self._next >= len(self.positions) else Look(self._next, self.depth)

    def learn(self, look: Look, finding: SearchInfo) -> None:
        """Take what was found in a position that was to be looked at."""
        self._findings[look.index], self._depths[look.index] = finding, look.depth
        if look.index == self._next:
            self._next += 1
            self._skip()
        self._again = next((index for index in (look.index - 1, look.index) if self._is_suspect(index)), None)

    def _skip(self) -> None:
        """Pass over a position in which nobody can move: who should has lost."""
        if self._next < len(self.positions) and not plain.legal_moves(self.positions[self._next]):
            self._next += 1

    @property
    def done(self) -> int:
        """Positions that were looked at, or need not be."""
        return self._next

    @property
    def finished(self) -> bool:
        """Whether everything is known."""
        return self.next_look() is None

    def _is_suspect(self, index: int) -> bool:
        """Whether to look again at the position before a move."""
        if not 0 <= index < len(self.moves) or self._depths.get(index) != self.depth:
            return False
        finding = self._findings[index]
        if len(finding.lines) < 2:
            return False
        if self._judged(index) is not None:
            return True
        here, after = self._points(index), self._points(index + 1)
        return here is not None and after is not None and abs(here - after) >= SLIP

    def _judged(self, index: int) -> Judged | None:
        if index not in self._findings:
            return None
        after = self._findings.get(index + 1)
        refutation = after.pv if after is not None else ()
        return judge(index + 1, self.positions[index], self.moves[index], self._findings[index], refutation)

    def _points(self, index: int) -> float | None:
        """What Black can expect in a position."""
        finding, position = self._findings.get(index), self.positions[index]
        if finding is None:
            known = index < self._next  # nobody can move
            return None if not known else float(position.side != BLACK)
        if finding.score is None and finding.verdict is None:
            return None
        pieces = (position.black | position.white).bit_count()
        points = find_chances(finding.score or 0.0, pieces, finding.verdict).points
        return points if position.side == BLACK else 1 - points

    def review(self, analyst: str) -> Review:
        """What is known by now.

        Args:
            analyst: its name.
        """
        marks = [self._judged(index) for index in range(len(self.moves)) if not self._is_suspect(index)]
        points = tuple(self._points(index) for index in range(len(self.positions)))
        return Review(analyst, self.depth, self.moves, points, tuple(mark for mark in marks if mark is not None))
