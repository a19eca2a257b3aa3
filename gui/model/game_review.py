"""The review of a game on its way: what the analyst is asked, what it has said, and what was kept of that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from game import plain
from game.board import Position
from game.finding import SearchInfo
from game.moves import Move
from game.review import kept
from game.review.chances import position_chances
from game.review.judged import Review
from game.review.reviewing import Look, Reviewing
from gui.model.game import GameModel
from gui.model.seats import Seat

LOOK_SECONDS = 10.0
"""For one position at most, however slow the analyst is."""


class GameReview:
    """A review, and answers to moves that a person tries.

    Args:
        model: the game.
        analyst: who judges it.
        values: a review of this game that was kept; anything else counts as none.

    Attributes:
        review: what is known by now.
        stamp: changes whenever that does.
    """

    def __init__(self, model: GameModel, analyst: Seat, values: object = None) -> None:
        self.stamp = 0
        self._seat = replace(analyst, seconds=LOOK_SECONDS)
        positions = [model.position_at(cursor) for cursor in range(len(model.plies) + 1)]
        moves = [ply.move for ply in model.plies]
        self._reviewing = Reviewing(model.start, moves, positions=positions, result=model.result, games=model.games)
        known = kept.from_dict(values, positions, moves, model.result)
        self._kept = known is not None
        self.review: Review = known or self._reviewing.review(self._name)
        self._answers: dict[Position, SearchInfo] = {}
        self._question: tuple[int, Position] | None = None
        self._looked: Look | None = None

    @property
    def _name(self) -> str:
        return self._seat.player or self._seat.brief

    @property
    def judge(self) -> str:
        """Who would judge now, in words."""
        return self._seat.brief

    @property
    def finished(self) -> bool:
        """Whether the whole game was judged."""
        return self._kept or self._reviewing.finished

    @property
    def outdated(self) -> bool:
        """True if it was kept, and made by another analyst, depth or curve."""
        then, now = self.review, self._reviewing
        return self._kept and (then.analyst, then.depth, then.games) != (self._name, now.depth, now.games)

    @property
    def share(self) -> float:
        """How much of the game was looked at, 0 to 1."""
        return 1.0 if self.finished else self._reviewing.done / max(len(self._reviewing.positions), 1)

    @property
    def done(self) -> int:
        """Moves that were looked at."""
        return max(self._reviewing.done - 1, 0)

    def values(self, solved: dict[int, str]) -> dict[str, Any]:
        """What to keep with the game.

        Args:
            solved: by number of the move, how a person came to know what was better: ``found`` or ``shown``.
        """
        return kept.to_dict(self.review) | {"solved": {str(ply): how for ply, how in sorted(solved.items())}}

    # Moves that were tried ----------------------------------------------------------------------------------------

    def ask(self, ply: int, position: Position) -> None:
        """Want to know what comes after a move that was tried in place of move number `ply`."""
        self._question = (ply, position)

    def answer(self, position: Position) -> tuple[tuple[Move, ...], float] | None:
        """What follows a move that was tried, and what its mover can expect then; None if that is not known yet."""
        if not plain.legal_moves(position):
            return (), 1.0
        finding = self._answers.get(position)
        if finding is None:
            return None
        chances = position_chances(position, finding, self._reviewing.games)
        return finding.pv, 0.5 if chances is None else chances.reversed.points

    # What the analyst is asked (`gui.model.thinks.Errands`) -------------------------------------------------------

    def next_place(self) -> tuple[int, Position, Seat, int] | None:
        """A move that was tried first, then the game."""
        if self._question is not None:
            ply, position = self._question
            if position not in self._answers and plain.legal_moves(position):
                self._looked = None
                return ply, position, self._seat, self._reviewing.depth
        self._looked = None if self._kept else self._reviewing.next_look()
        if self._looked is None:
            return None
        look = self._looked
        return look.index, self._reviewing.positions[look.index], self._seat, look.depth

    def learn(self, cursor: int, position: Position, finding: SearchInfo) -> None:
        """An answer, or a little more of the review."""
        self.stamp += 1
        if self._question is not None and self._question[1] == position and position not in self._answers:
            self._answers[position] = finding
        look = self._looked
        if look is not None and look.index == cursor and self._reviewing.positions[cursor] == position:
            self._reviewing.learn(look, finding)
            self.review = self._reviewing.review(self._name)

    def on_tables(self) -> None:
        """Look again at what tables may know."""
        if not self._kept:
            self._reviewing.forget_unjudged()
        self._answers.clear()
