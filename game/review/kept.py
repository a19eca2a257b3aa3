"""A review as plain JSON values, which are kept with its game, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from game import plain
from game.board import Position
from game.moves import Move
from game.review.chances import Games, Result
from game.review.judged import Judged, Mark, Phase, Review, Slide
from game.rules import BLACK, WHITE

VERSION, OLDEST = 2, 1
"""Version 1 was judged by a curve of programs' games that is no longer used: such a review opens as outdated."""

SIDE_KEYS = {"black": BLACK, "white": WHITE}


def to_dict(review: Review) -> dict[str, Any]:
    """A review as plain values, with its summary for whoever lists games."""
    return {
        "version": VERSION,
        "analyst": review.analyst,
        "depth": review.depth,
        "curve": None if review.games is None else review.games.value,
        "moves": _text(review.moves),
        "chances": [None if each is None else round(each, 4) for each in review.points],
        "marks": [_mark(mark) for mark in review.marks],
        "summary": {
            key: {phase.value: count for phase, count in review.summary[side].items()}
            for key, side in SIDE_KEYS.items()
        },
        "slides": {key: _slide(review.slide_of(side)) for key, side in SIDE_KEYS.items()},
    }


def _slide(slide: Slide | None) -> dict[str, Any] | None:
    if slide is None:
        return None
    chances = {"before": round(slide.before, 4), "after": round(slide.after, 4)}
    return {"first": slide.first, "last": slide.last} | chances


def _text(moves: Iterable[Move]) -> str:
    return " ".join(map(str, moves))


def _mark(mark: Judged) -> dict[str, Any]:
    return {
        "ply": mark.ply,
        "side": mark.side,
        "phase": mark.phase.value,
        "mark": mark.mark.value,
        "had": mark.had.value,
        "left": mark.left.value,
        "before": round(mark.before, 4),
        "after": round(mark.after, 4),
        "certain": mark.certain,
        "line": _text(mark.line),
        "good": _text(mark.good),
        "refutation": _text(mark.refutation),
    }


def from_dict(
    values: object, positions: Sequence[Position], moves: Sequence[Move], result: int | None = None
) -> Review | None:
    """The review of a game; None if these values are none, or one of another game.

    Args:
        values: whatever was kept.
        positions: of the game, one more than it has moves.
        moves: of the game.
        result: of the game for Black: 1, 0 or -1; None if it is not known.
    """
    try:
        return _review(values, positions, tuple(moves), result)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return None


def _review(values: Any, positions: Sequence[Position], moves: tuple[Move, ...], result: int | None) -> Review | None:
    if not OLDEST <= values["version"] <= VERSION or values["moves"] != _text(moves):
        return None
    curve = values["curve"] if values["version"] == VERSION else None
    points = tuple(None if each is None else _share(each) for each in values["chances"])
    if len(points) != len(positions):
        return None
    marks = tuple(_read_mark(each, positions, moves) for each in values["marks"])
    return Review(
        str(values["analyst"]),
        int(values["depth"]),
        moves,
        points,
        marks,
        first=positions[0].side,
        result=result,
        games=None if curve is None else Games(curve),
    )


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
        Phase(values["phase"]),
        Mark(values["mark"]),
        moves[ply - 1],
        Result(values["had"]),
        Result(values["left"]),
        _share(values["before"]),
        _share(values["after"]),
        bool(values["certain"]),
        line,
        tuple(_read_line(text, before)[0] for text in values["good"].split()),
        _read_line(values["refutation"], after),
    )


def _read_line(text: str, position: Position) -> tuple[Move, ...]:
    """Moves from a position, which are legal.

    Raises:
        ValueError: they are not.
    """
    line = []
    for word in text.split():
        found = next(((move, after) for move, after in plain.successors(position) if str(move) == word), None)
        if found is None:
            raise ValueError(f"{word}: not legal in {position.fen()}")
        line.append(found[0])
        position = found[1]
    return tuple(line)
