"""Reviews of games: the cost of moves, stretches in which chances slipped away, and reviews as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from game import plain
from game.board import Position
from game.moves import Move
from game.review.chances import KNOWN, Chances, GameKind, Result, count_pieces, score_chances
from game.rules import BLACK, WHITE
from game.scores import Line, SearchInfo

SLIP, BLUNDER = 0.10, 0.30
"""Number of expected points that a move must cost to be marked, and to be a blunder."""

OPENING_PIECES, ENDGAME_PIECES = 19, 8
"""Minimum number of pieces in the opening, and maximum number in the endgame."""


class Mark(StrEnum):
    """Marks of moves, as written in game records. Only the last two are mistakes, which change the expected result."""

    SLIP = "?!"
    MISTAKE = "?"
    BLUNDER = "??"


class GamePhase(StrEnum):
    OPENING = "opening"
    MIDDLE = "middle game"
    ENDGAME = "endgame"


@dataclass(frozen=True, slots=True)
class Judged:
    """A marked move: one that cost expected points.

    Attributes:
        had, left: the mover's expected result with the best move, and with the move that was played.
        before, after: the mover's chances with the best move, and with the move that was played.
        line: the best move and its continuation.
        good: all other moves that keep the result, best first.
    """

    ply: int
    side: int
    phase: GamePhase
    mark: Mark
    move: Move
    had: Result
    left: Result
    before: Chances
    after: Chances
    line: tuple[Move, ...]
    good: tuple[Move, ...]
    refutation: tuple[Move, ...] = ()

    @property
    def mistake(self) -> bool:
        """True if it changed the expected result."""
        return self.mark is not Mark.SLIP

    @property
    def certain(self) -> bool:
        return self.before.certain and self.after.certain

    @property
    def lost(self) -> float:
        return self.before.points - self.after.points

    @property
    def best(self) -> Move:
        return self.line[0]


@dataclass(frozen=True, slots=True)
class ProvedMoves:
    """The number of moves with a proved result before and after them, and of those that threw a result away."""

    moves: int = 0
    thrown_away: int = 0

    def __add__(self, other: ProvedMoves) -> ProvedMoves:
        return ProvedMoves(self.moves + other.moves, self.thrown_away + other.thrown_away)

    @property
    def text(self) -> str:
        return f"{self.thrown_away:,} of {self.moves:,}"


Summary = Mapping[int, Mapping[GamePhase, int]]
"""The number of mistakes by side and phase."""

STRETCH = 20
"""Maximum number of plies in which chances that slip away without a mistake count as one slide."""


@dataclass(frozen=True, slots=True)
class Slide:
    """A stretch of a game in which the chances of a side fell without a single mistake.

    Attributes:
        before, after: expected points of the side before the first and after the last, 0 to 1.
    """

    first: int
    last: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Review:
    """The analyst's review of a whole game.

    Attributes:
        depth: number of plies that the analyst looked ahead; 0 if it proved results.
        chances: Black's chances after 0, 1, 2, ... moves; None if unknown.
        result: result of the game for Black: 1, 0 or -1; None if unknown.
        games: the kind of games, which selects the curve.
        lot: number of first plies that a lot may have chosen (`game.ballots.plies_by_lot`), which are not judged.
    """

    analyst: str
    depth: int
    moves: tuple[Move, ...]
    chances: tuple[Chances | None, ...]
    marks: tuple[Judged, ...]
    first: int = BLACK
    result: int | None = None
    games: GameKind = GameKind.PEOPLE
    lot: int = 0
    positions: tuple[Position, ...] = ()

    @property
    def points(self) -> tuple[float | None, ...]:
        """Black's expected points after 0, 1, 2, ... moves, 0 to 1; None if unknown."""
        return tuple(None if chances is None else chances.points for chances in self.chances)

    @property
    def mistakes(self) -> tuple[Judged, ...]:
        return tuple(mark for mark in self.marks if mark.mistake)

    def mistakes_of(self, side: int) -> tuple[Judged, ...]:
        return tuple(mark for mark in self.mistakes if mark.side == side)

    def chances_after(self, ply: int) -> Chances | None:
        """Return Black's chances after a number of moves: after a marked one those of its mark, as in words about it.

        The next search may see further. None if they are unknown.
        """
        mark = self.mark_of(ply)
        if mark is not None:
            return mark.after if mark.side == BLACK else mark.after.reversed
        return self.chances[ply] if ply < len(self.chances) else None

    def mark_of(self, ply: int) -> Judged | None:
        """Return the mark of a move by its number, from 1; None if it has none."""
        return next((mark for mark in self.marks if mark.ply == ply), None)

    @property
    def proved(self) -> dict[int, bool]:
        """Moves by number, from 1, with whether each kept a proved result.

        Only moves with a choice count, if the result before them is proved and not a loss, and that after them, too.
        """
        kept = dict[int, bool]()
        for ply, (position, before) in enumerate(zip(self.positions, self.chances, strict=False), 1):
            after, lost = self.chances_after(ply), 0.0 if position.side == BLACK else 1.0  # points of Black
            if before and after and before.certain and after.certain and before.points != lost and ply > self.lot:
                kept |= {ply: before.result == after.result} if len(plain.legal_moves(position)) > 1 else {}
        return kept

    def proved_of(self, side: int) -> ProvedMoves:
        own = [kept for ply, kept in self.proved.items() if self.positions[ply - 1].side == side]
        return ProvedMoves(len(own), own.count(False))

    @property
    def summary(self) -> Summary:
        return summarise(self.marks)

    def result_of(self, side: int) -> int | None:
        """Return the result of the game for one side: 1, 0 or -1; None if unknown."""
        return self.result if self.result is None or side == BLACK else -self.result

    def slide_of(self, side: int) -> Slide | None:
        """Return the largest drop, within `STRETCH` plies, in the chances of a side that made no mistakes.

        None if the side made a mistake or won the game, or if the drop is less than `SLIP` in a lost game, or less than
        `BLUNDER` in any other game.
        """
        if self.mistakes_of(side) or self.result_of(side) == 1:
            return None
        seen = [None if points is None else points if side == BLACK else 1 - points for points in self.points]
        drops = (
            (round(before - after, 2), begin - end, -begin)
            for begin, before in enumerate(seen)
            if begin >= self.lot
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
    counts = {side: dict.fromkeys(GamePhase, 0) for side in (BLACK, WHITE)}
    for mark in marks:
        counts[mark.side][mark.phase] += mark.mistake
    return MappingProxyType(counts)


def phase_of(position: Position) -> GamePhase:
    pieces = count_pieces(position)
    if pieces >= OPENING_PIECES:
        return GamePhase.OPENING
    return GamePhase.MIDDLE if pieces > ENDGAME_PIECES else GamePhase.ENDGAME


def judge(
    ply: int,
    position: Position,
    move: Move,
    finding: SearchInfo,
    refutation: tuple[Move, ...] = (),
    games: GameKind = GameKind.PEOPLE,
) -> Judged | None:
    """Judge a move by comparing the scores that one search gave all moves; return None if it cost little.

    A mistake changes the expected result and also costs enough points, because near the boundary between two results a
    tiny difference changes the expected result.

    Args:
        ply: number of the move in the game, from 1.
        position: the position before the move.
        refutation: the continuation after the move that was played.
    """
    known = [(line, score_chances(position, line.score, line.verdict, games)) for line in finding.lines]
    played = next((chances for line, chances in known if line.move == move), None)
    if played is None or len(known) < 2:
        return None
    best_line, best = max(known, key=lambda pair: pair[1].points)  # the first of several equal ones
    if finding.verdict is not None:
        best_line, best = known[0]  # perfect moves come first
    mark = _mark(best, played)
    if mark is None:
        return None
    good = tuple(
        line.move
        for line, chances in sorted(known, key=lambda pair: (pair[0] is not best_line, -pair[1].points))
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
        best,
        played,
        _line(finding, best_line),
        good,
        refutation,
    )


def good_moves(position: Position, finding: SearchInfo, games: GameKind = GameKind.PEOPLE) -> tuple[Move, ...]:
    """Return the moves that cost too little to be marked, by the scores of one search; none if all moves do."""
    points = move_points(position, finding, games)
    most = max(points.values(), default=0.0)
    good = tuple(move for move, each in points.items() if most - each < SLIP)
    return good if len(good) < len(points) else ()


def move_points(position: Position, finding: SearchInfo, games: GameKind = GameKind.PEOPLE) -> dict[Move, float]:
    """Return the points that the side to move may expect after each move, by the scores of one search."""
    return {line.move: score_chances(position, line.score, line.verdict, games).points for line in finding.lines}


def _mark(best: Chances, played: Chances) -> Mark | None:
    lost = best.points - played.points
    changed = _RANK[played.result] < _RANK[best.result]
    if lost < SLIP or (not changed and best.result is not Result.DRAW):  # the game stays won or lost
        return None
    return Mark.SLIP if not changed else Mark.BLUNDER if lost >= BLUNDER else Mark.MISTAKE


_RANK = {Result.LOSS: 0, Result.DRAW: 1, Result.WIN: 2}


def _line(finding: SearchInfo, best: Line) -> tuple[Move, ...]:
    return finding.pv if finding.pv[:1] == (best.move,) else (best.move,)


VERSION = 3

SIDE_KEYS = {"black": BLACK, "white": WHITE}


def review_as_json(review: Review) -> dict[str, Any]:
    """Return a review as plain values, with its summary for lists of games."""
    return {
        "version": VERSION,
        "analyst": review.analyst,
        "depth": review.depth,
        "curve": review.games.value,
        "lot": review.lot,
        "moves": _text(review.moves),
        "chances": [None if chances is None else _chances_values(chances) for chances in review.chances],
        "marks": [_mark_values(mark) for mark in review.marks],
        "summary": {
            key: {phase.value: count for phase, count in review.summary[side].items()}
            for key, side in SIDE_KEYS.items()
        },
        "proved": {key: asdict(review.proved_of(side)) for key, side in SIDE_KEYS.items()},
        "slides": {key: _slide_values(review.slide_of(side)) for key, side in SIDE_KEYS.items()},
    }


def _chances_values(chances: Chances) -> str | list[float]:
    if chances.certain:
        return chances.result.value
    return [round(part, 6) for part in (chances.win, chances.draw, chances.loss)]


def _slide_values(slide: Slide | None) -> dict[str, Any] | None:
    if slide is None:
        return None
    chances = {"before": round(slide.before, 4), "after": round(slide.after, 4)}
    return {"first": slide.first, "last": slide.last} | chances


def _text(moves: Iterable[Move]) -> str:
    return " ".join(map(str, moves))


def _mark_values(mark: Judged) -> dict[str, Any]:
    return {
        "ply": mark.ply,
        "side": mark.side,
        "phase": mark.phase.value,
        "mark": mark.mark.value,
        "had": mark.had.value,
        "left": mark.left.value,
        "before": _chances_values(mark.before),
        "after": _chances_values(mark.after),
        "line": _text(mark.line),
        "good": _text(mark.good),
        "refutation": _text(mark.refutation),
    }


def read_review(
    values: object, positions: Sequence[Position], moves: Sequence[Move], result: int | None = None
) -> Review | None:
    """Read the review of a game; return None if the values are not a review, or belong to another game."""
    try:
        return _review(values, positions, tuple(moves), result)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return None


def _review(values: Any, positions: Sequence[Position], moves: tuple[Move, ...], result: int | None) -> Review | None:
    if values["version"] != VERSION or values["moves"] != _text(moves) or len(values["chances"]) != len(positions):
        return None
    return Review(
        str(values["analyst"]),
        int(values["depth"]),
        moves,
        tuple(None if each is None else _read_chances(each) for each in values["chances"]),
        tuple(_read_mark(mark, positions, moves) for mark in values["marks"]),
        first=positions[0].side,
        result=result,
        games=GameKind(values["curve"]),
        lot=int(values["lot"]),
        positions=tuple(positions),
    )


def _read_chances(value: Any) -> Chances:
    """Read stored chances: the name of a certain result, or win, draw and loss; else raise a ValueError."""
    if isinstance(value, str):
        return KNOWN[{Result.WIN: 1, Result.DRAW: 0, Result.LOSS: -1}[Result(value)]]
    win, draw, loss = map(_share, value)
    return Chances(win, draw, loss)


def _share(value: Any) -> float:
    share = float(value)
    if not 0 <= share <= 1:
        raise ValueError(value)
    return share


def _read_mark(values: Mapping[str, Any], positions: Sequence[Position], moves: Sequence[Move]) -> Judged:
    ply = int(values["ply"])
    if not 1 <= ply <= len(moves):
        raise ValueError(ply)
    before, after = positions[ply - 1], positions[ply]
    line = _read_line(values["line"], before)
    if not line:
        raise ValueError("a mark without a better move")
    return Judged(
        ply,
        before.side,
        GamePhase(values["phase"]),
        Mark(values["mark"]),
        moves[ply - 1],
        Result(values["had"]),
        Result(values["left"]),
        _read_chances(values["before"]),
        _read_chances(values["after"]),
        line,
        tuple(_read_line(text, before)[0] for text in values["good"].split()),
        _read_line(values["refutation"], after),
    )


def _read_line(text: str, position: Position) -> tuple[Move, ...]:
    line = []
    for word in text.split():
        legal = {str(move): (move, after) for move, after in plain.successors(position)}
        if word not in legal:
            raise ValueError(f"{word}: not legal in {position.fen()}")
        move, position = legal[word]
        line.append(move)
    return tuple(line)
