"""Reviewing a game: the order in which its positions are searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from game import plain
from game.ballots import plies_by_lot
from game.board import Position
from game.endgame.slices import MOST_BUILT
from game.moves import Move
from game.review.chances import KNOWN, Chances, GameKind, count_pieces, position_chances
from game.review.judged import SLIP, Judged, Review, judge
from game.rules import BLACK
from game.scores import SearchInfo

DEPTH = 12
"""Number of plies that the analyst looks ahead in each position."""

DEEPER = 6
"""Number of additional plies in the second search, before a move is marked."""


@dataclass(frozen=True, slots=True)
class PositionSearch:
    index: int
    depth: int


class Reviewing:
    """A review in progress.

    If a move seems to be wrong, or the evaluation after it contradicts the search before it, the position before the
    move is searched again, more deeply, and only the deeper search counts.

    Args:
        result: result of the game for Black: 1, 0 or -1; None if unknown.
        tags: the PDN tags of the game, which may say how its opening was chosen.

    Attributes:
        lot: number of first plies that a lot may have chosen, which are not judged.
    """

    def __init__(
        self,
        start: Position,
        moves: Sequence[Move],
        depth: int = DEPTH,
        positions: Sequence[Position] = (),
        *,
        result: int | None = None,
        games: GameKind = GameKind.PEOPLE,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        self.moves = tuple(moves)
        self.depth = depth
        self.result, self.games = result, games
        known = list(positions) or [start]
        for move in self.moves[len(known) - 1 :]:
            known.append(plain.apply(known[-1], move))
        self.positions = tuple(known)
        self.lot = plies_by_lot(self.positions[0], self.moves, tags)
        self._findings: dict[int, SearchInfo] = {}
        self._depths: dict[int, int] = {}
        self._ends = not plain.legal_moves(self.positions[-1])  # only the last position can be without moves
        self._open = list(range(len(self.positions) - self._ends))
        self._again: list[int] = []
        self._judged: list[Judged | None] = [None] * len(self.moves)

    def next_search(self) -> PositionSearch | None:
        if self._again:
            return PositionSearch(self._again[0], self.depth + DEEPER)
        return PositionSearch(self._open[0], self.depth) if self._open else None

    def learn(self, search: PositionSearch, finding: SearchInfo) -> None:
        self._findings[search.index], self._depths[search.index] = finding, search.depth
        if search.index in self._open:
            self._open.remove(search.index)
        around = [index for index in (search.index - 1, search.index) if 0 <= index < len(self.moves)]
        for index in around:
            self._judged[index] = self._judge(index)
        others = [index for index in self._again if index not in around]
        self._again = [*(index for index in around if self._is_suspect(index)), *others]

    def forget_unjudged(self) -> None:
        """Schedule positions with few pieces and no verdict for another search, after tablebases have been opened."""
        for index, finding in list(self._findings.items()):
            if finding.verdict is None and count_pieces(self.positions[index]) <= MOST_BUILT:
                del self._findings[index], self._depths[index]
                self._open.append(index)
        self._open.sort()
        self._again = [index for index in self._again if index in self._findings]

    @property
    def done(self) -> int:
        return len(self.positions) - self._ends - len(self._open)

    @property
    def finished(self) -> bool:
        return self.next_search() is None

    def _is_suspect(self, index: int) -> bool:
        finding = self._findings.get(index)
        if finding is None or self._depths[index] != self.depth or len(finding.lines) < 2:
            return False
        if self._judged[index] is not None:
            return True
        here, after = self._chances(index), self._chances(index + 1)
        return here is not None and after is not None and abs(here.points - after.points) >= SLIP

    def _judge(self, index: int) -> Judged | None:
        if index not in self._findings or index < self.lot:
            return None
        after = self._findings.get(index + 1)
        refutation = after.pv if after is not None else ()
        return judge(index + 1, self.positions[index], self.moves[index], self._findings[index], refutation, self.games)

    def _chances(self, index: int) -> Chances | None:
        finding, position = self._findings.get(index), self.positions[index]
        if finding is not None:
            chances = position_chances(position, finding, self.games)
        else:
            chances = KNOWN[-1] if self._ends and index == len(self.moves) else None
        return chances if chances is None or position.side == BLACK else chances.reversed

    def review(self, analyst: str) -> Review:
        marks = [mark for mark in self._judged if mark is not None and mark.ply - 1 not in self._again]
        chances = tuple(self._chances(index) for index in range(len(self.positions)))
        return Review(
            analyst,
            self.depth,
            self.moves,
            chances,
            tuple(marks),
            first=self.positions[0].side,
            result=self.result,
            games=self.games,
            lot=self.lot,
            positions=self.positions,
        )
