"""The review of a game, and practice at finding better moves than its mistakes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from typing import Any

from game import plain
from game.board import Position
from game.moves import Move
from game.review.chances import KNOWN, Chances, position_chances
from game.review.judged import Judged, Review, read_review, review_as_json
from game.review.reviewing import PositionSearch, Reviewing
from game.rules import BLACK, WHITE
from game.scores import SearchInfo
from gui.model.game import GameModel
from gui.model.seats import Seat

LOOK_SECONDS = 10.0
"""Time limit for analysing a position, however slow the analyst."""


class GameReview:
    """The review of a game, and evaluations of alternatives that the person tries.

    Args:
        values: a saved review of this game; anything else is ignored.

    Attributes:
        stamp: changes with every answer of the analyst.
    """

    def __init__(self, model: GameModel, analyst: Seat, values: object = None) -> None:
        self.stamp = 0
        self._seat = replace(analyst, seconds=LOOK_SECONDS)
        positions = [model.position_at(cursor) for cursor in range(len(model.plies) + 1)]
        moves = [ply.move for ply in model.plies]
        self._reviewing = Reviewing(
            model.start, moves, positions=positions, result=model.result, games=model.games, tags=dict(model.tags)
        )
        known = read_review(values, positions, moves, model.result)
        self._kept = known is not None
        self.review: Review = known or self._reviewing.review(self._name)
        self._answers: dict[Position, SearchInfo] = {}
        self._tried: tuple[int, Position] | None = None
        self._searched: PositionSearch | None = None

    @property
    def _name(self) -> str:
        return self._seat.player or self._seat.brief

    @property
    def finished(self) -> bool:
        return self._kept or self._reviewing.finished

    @property
    def share(self) -> float:
        return 1.0 if self.finished else self._reviewing.done / max(len(self._reviewing.positions), 1)

    @property
    def done(self) -> int:
        return max(self._reviewing.done - 1, 0)

    def values(self, practice: Practice) -> dict[str, Any]:
        return review_as_json(self.review) | {
            "solved": {str(ply): how for ply, how in sorted(practice.solved.items())},
            "finders": {str(mark.ply): round(share, 3) for mark, share in practice.finders.items()},
        }

    def ask(self, ply: int, position: Position) -> None:
        self._tried = (ply, position)

    def answer(self, position: Position) -> tuple[tuple[Move, ...], Chances | None] | None:
        """Return the line after a tried move and the chances of its mover; None if not yet known."""
        if not plain.legal_moves(position):
            return (), KNOWN[1]
        finding = self._answers.get(position)
        if finding is None:
            return None
        chances = position_chances(position, finding, self._reviewing.games)
        return finding.pv, None if chances is None else chances.reversed

    def next_place(self) -> tuple[int, Position, Seat, int] | None:
        """Return the next position to analyse; None if there is none. Positions after tried moves come first."""
        if self._tried is not None:
            ply, position = self._tried
            if position not in self._answers and plain.legal_moves(position):
                self._searched = None
                return ply, position, self._seat, self._reviewing.depth
        self._searched = None if self._kept else self._reviewing.next_search()
        if self._searched is None:
            return None
        search = self._searched
        return search.index, self._reviewing.positions[search.index], self._seat, search.depth

    def learn(self, cursor: int, position: Position, finding: SearchInfo) -> None:
        """Add the analysis of a position to the review or to the tried move."""
        self.stamp += 1
        if self._tried is not None and self._tried[1] == position and position not in self._answers:
            self._answers[position] = finding
        search = self._searched
        if search is not None and search.index == cursor and self._reviewing.positions[cursor] == position:
            self._reviewing.learn(search, finding)
            self.review = self._reviewing.review(self._name)

    def on_tables(self) -> None:
        """Reanalyse the positions that newly opened tablebases may cover."""
        if not self._kept:
            self._reviewing.forget_unjudged()
        self._answers.clear()


FOUND, SHOWN = "found", "shown"
"""How the person learnt the better move, as saved."""


class PracticeStage(Enum):
    LOOKING = "looking"
    ASKED = "asked"
    TRIED = "tried"
    SHOWN = "shown"


class AttemptResult(Enum):
    BEST = "best"
    GOOD = "good"
    WRONG = "wrong"


class Practice:
    """Practice at finding better moves than the mistakes in a game, one by one.

    Attributes:
        side: the side whose mistakes come up; None for both.
        only: the ply number of the only mistake that comes up; None for all.
        person: the side the person played in this game; None if both sides were people or both were programs.
        board: a game from the position before the mistake, with the tried move and the line after it.
        solved: `FOUND` or `SHOWN`, by ply number.
        finders: the share of people that find a better move, by mistake.

    Args:
        values: saved values of `GameReview.values`; what is damaged in them is ignored.
    """

    def __init__(self, game: GameModel, review: GameReview, values: object = None, side: int | None = None) -> None:
        self.game, self.side = game, side
        self.only: int | None = None
        people = [side for side in (BLACK, WHITE) if game.seats[side].human and not game.seats[side].title]
        self.person = people[0] if len(people) == 1 else None
        self._review = review
        self.stage = PracticeStage.LOOKING
        self.mistake: Judged | None = None
        self.board = game
        self.tried: Move | None = None
        self.verdict: AttemptResult | None = None
        self.solved: dict[int, str] = _by_ply(values, "solved", lambda how: how in (FOUND, SHOWN))
        shares = _by_ply(values, "finders", lambda share: type(share) is float and 0 <= share <= 1)
        self.finders = {mark: shares[mark.ply] for mark in review.review.mistakes if mark.ply in shares}
        self._first = 0  # plies of `board` before the position of the mistake

    @property
    def mistakes(self) -> list[Judged]:
        marks = self._review.review.mistakes
        return [mark for mark in marks if self.side in (None, mark.side) and self.only in (None, mark.ply)]

    @property
    def number(self) -> int:
        """The number of the current mistake, from 1; 0 for none."""
        plies = [mark.ply for mark in self.mistakes]
        return plies.index(self.mistake.ply) + 1 if self.mistake is not None and self.mistake.ply in plies else 0

    def next(self) -> Judged | None:
        """Return the mistake after the current one.

        If no mistake is current, return the first one after the visible position, or else the first of all.
        """
        if self.mistake is not None:
            return next((mark for mark in self.mistakes if mark.ply > self.mistake.ply), None)
        at = self.game.cursor if self.game.cursor < len(self.game.plies) else 0
        return next((mark for mark in self.mistakes if mark.ply >= at), None) or next(iter(self.mistakes), None)

    def previous(self) -> Judged | None:
        """Return the mistake before the current one, or before the visible position."""
        here = self.mistake.ply if self.mistake is not None else self.game.cursor + 1
        return next((mark for mark in reversed(self.mistakes) if mark.ply < here), None)

    def begin(self, mistake: Judged) -> None:
        self.mistake, self.stage = mistake, PracticeStage.ASKED
        self.tried, self.verdict = None, None
        before = [ply.move for ply in self.game.plies[max(mistake.ply - 2, 0) : mistake.ply - 1]]
        self.game.go_to(mistake.ply)
        self.board = GameModel.of_moves(self.game.position_at(mistake.ply - 1 - len(before)), before)
        self._first = len(before)

    def leave(self) -> None:
        self.mistake, self.stage, self.board = None, PracticeStage.LOOKING, self.game
        self.tried, self.verdict = None, None

    def take(self) -> None:
        """Judge the move just played on the board; ask the analyst for the line after it if none is known."""
        assert self.mistake is not None
        mistake, self.tried = self.mistake, self.board.plies[-1].move
        self.stage = PracticeStage.TRIED
        if self.tried in mistake.good:
            self.verdict = AttemptResult.BEST if self.tried == mistake.best else AttemptResult.GOOD
            self.solved.setdefault(mistake.ply, FOUND)
            if self.tried == mistake.best:
                self._follow(mistake.line[1:])
        else:
            self.verdict = AttemptResult.WRONG
            if self.tried == mistake.move and mistake.refutation:
                self._follow(mistake.refutation)
                return
        if len(self.board.plies) == self._first + 1:
            self._review.ask(mistake.ply, self.board.last)
            self.hear()

    def hear(self) -> None:
        if self.stage is not PracticeStage.TRIED or len(self.board.plies) != self._first + 1:
            return
        answer = self._review.answer(self.board.plies[-1].after)
        if answer is not None:
            self._follow(answer[0])

    def _follow(self, line: tuple[Move, ...]) -> None:
        """Append a line to the board; the position after the try stays visible."""
        cursor = self.board.cursor
        for move in line:
            if self.board.over:
                break
            self.board.play(move)
        self.board.go_to(cursor)

    def show_answer(self) -> None:
        if self.mistake is None:
            return
        mistake = self.mistake
        self.begin(mistake)
        self.solved.setdefault(mistake.ply, SHOWN)
        self.stage, self.tried = PracticeStage.SHOWN, mistake.best
        self.board.play(mistake.best)
        self._follow(mistake.line[1:])

    def again(self) -> None:
        if self.mistake is not None:
            self.begin(self.mistake)

    @property
    def answered(self) -> bool:
        """True if a good move was found, or the answer revealed, at the current mistake."""
        good = self.verdict in (AttemptResult.BEST, AttemptResult.GOOD)
        return self.stage is PracticeStage.SHOWN or (self.stage is PracticeStage.TRIED and good)

    @property
    def complete(self) -> bool:
        return self.stage is PracticeStage.SHOWN or (
            self.stage is PracticeStage.TRIED and self.verdict is AttemptResult.BEST
        )

    @property
    def unsolved(self) -> Judged | None:
        """The first mistake whose better move was neither found nor revealed; None if there is none."""
        return next((mark for mark in self.mistakes if mark.ply not in self.solved), None)

    @property
    def first(self) -> int:
        """The number of plies on the board before the mistake."""
        return self._first if self.mistake is not None else 0

    @property
    def following(self) -> tuple[Move, ...]:
        """The line after the move that was tried or revealed; empty if not yet known."""
        return tuple(ply.move for ply in self.board.plies[self._first + 1 :]) if self.tried is not None else ()

    @property
    def waits(self) -> bool:
        """True if the refutation of a wrong move is still being computed."""
        return (
            self.verdict is AttemptResult.WRONG
            and not self.following
            and self._review.answer(self.board.position_at(self._first + 1)) is None
        )

    @property
    def expected(self) -> Chances | None:
        """The chances after the tried move; None if not yet known."""
        if self.mistake is None or self.tried is None:
            return None
        if self.tried == self.mistake.best:
            return self.mistake.before
        if self.tried == self.mistake.move:
            return self.mistake.after
        answer = self._review.answer(self.board.position_at(self._first + 1))
        return None if answer is None else answer[1]


def _by_ply(values: Any, key: str, valid: Callable[[Any], bool]) -> dict[int, Any]:
    known = values.get(key) if isinstance(values, dict) else None
    pairs = known.items() if isinstance(known, dict) else ()
    return {int(ply): value for ply, value in pairs if str(ply).isdecimal() and valid(value)}
