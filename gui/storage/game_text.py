"""Games as JSON, including all that PDN cannot hold: seats, cursor, thoughts, ending."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from game import plain
from game.ballots import longest
from game.board import Position
from game.errors import InputError
from game.moves import Move
from game.pdn.game import Annotation, encode_path
from game.review.judged import Mark, Review, read_review
from game.rules import BLACK, WHITE, DrawRules
from gui.model.ending import Cause, Ending, Undone
from gui.model.game import MOST_SEED, GameModel
from gui.model.game_search import recorded_opening
from gui.model.kept_game import PERSON, KeptGame
from gui.model.lines import Notes, Ply, Thought
from gui.model.seats import Seat

FORMAT = 1
FAR_AWAY = 1e15
"""Limit in seconds for dates, counted from 1970."""
_MOVE = re.compile(r"[0-9]{1,2}([-x][0-9]{1,2}){1,9}")


class SavedGameError(InputError):
    """A text is not a valid saved game."""


def to_text(model: GameModel, extra: dict[str, Any] | None = None, when: float | None = None) -> str:
    """Return a game as JSON.

    Args:
        when: seconds since 1970 when it was last played; omitted if None.
    """
    model = model.whole()
    return json.dumps(
        {
            "format": FORMAT,
            **({} if when is None else {"when": round(when, 3)}),
            "start": model.start.fen(),
            **_played(model.plies, model.ending, model.notes),
            "undone": [_played(undone.plies, undone.ending) for undone in model.undone],
            "seats": [[seat.player, seat.depth, seat.seconds, seat.title] for seat in model.seats],
            "cursor": model.cursor,
            "seed": model.seed,
            "tags": model.tags,
            "rules": [model.rules.repetition, model.rules.quiet_plies, model.rules.men_reset, model.rules.max_plies],
            "extra": extra or {},
        }
    )


def _played(plies: Sequence[Ply], ending: Ending | None, notes: Notes = ()) -> dict[str, Any]:
    return {
        "moves": [str(ply.move) for ply in plies],
        "thoughts": [None if ply.thought is None else _thought(ply.thought) for ply in plies],
        "notes": [notes, *(ply.notes for ply in plies)],
        "ending": None if ending is None else [ending.result, ending.cause, ending.detail],
    }


def from_text(text: str | bytes) -> tuple[GameModel, dict[str, Any]]:
    """Return a game and the window's values saved with it.

    Raises:
        SavedGameError: the text is not a saved game, or its moves are not legal.
    """
    with _reading(text) as values:
        extra = values["extra"]
        return _model(values), extra if isinstance(extra, dict) else {}


@contextlib.contextmanager
def _reading(text: str | bytes) -> Iterator[dict[str, Any]]:
    """Yield the values of a saved game, and report whatever is wrong with them as a `SavedGameError`."""
    try:
        values = json.loads(text)
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise SavedGameError(f"not a saved game of format {FORMAT}")
        yield values
    except SavedGameError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError) as error:
        raise SavedGameError(f"not a saved game: {type(error).__name__}: {str(error)[:200]}") from error


def review_in(extra: dict[str, Any], model: GameModel) -> Review | None:
    """Return the review that was saved with a game; None if there is none that fits its moves."""
    positions = [model.start, *(ply.after for ply in model.plies)]
    return read_review(extra.get("review"), positions, [ply.move for ply in model.plies], model.result)


def read_facts(text: bytes, name: str, changed: float) -> KeptGame:
    """Return the facts about a saved game that lists need; its moves are not replayed until it is opened.

    Args:
        changed: time of the file in seconds since 1970, used for games that do not record when they were played.

    Raises:
        SavedGameError: the text is not a saved game.
    """
    with _reading(text) as values:
        moves, ending, when = values["moves"], values["ending"], check_date(values.get("when", changed))
        players = [_player(*seat) for seat in values["seats"]]
        names = [short for short, _, _ in players]
        if names[0] == names[1]:
            names = [whole for _, whole, _ in players]
        black, white = names
        start = Position.start() if values["start"] == Position.start().fen() else None
        opening = recorded_opening(start, [encode_path(_text(move)) for move in moves[: longest()]])
        result = None if ending is None else ending[0]
        if result not in (-1, 0, 1, None) or type(moves) is not list:
            raise SavedGameError("the result or the list of moves is invalid")
        mistakes = _mistakes(values.get("extra"))
        details = players[0][2], players[1][2]
        first, second = ((seat[0] or "", seat[1]) for seat in values["seats"])
        return KeptGame(name, when, (black, white), details, result, len(moves), *opening, *mistakes, (first, second))


def check_date(when: Any) -> float:
    """Return a time in seconds since 1970.

    Raises:
        SavedGameError: the value is not such a time.
    """
    if type(when) not in (int, float) or not abs(when) < FAR_AWAY:
        raise SavedGameError(f"not a date: {when!r}")
    return float(when)


def _player(player: Any, depth: Any, seconds: Any, title: Any) -> tuple[str, str, str]:
    seat = Seat(None if player is None else _text(player), depth, seconds, _text(title))
    if seat.human:
        return (seat.title, seat.title, "") if seat.title else (PERSON, PERSON, "")
    return seat.brief, seat.shown, seat.detail


def _mistakes(extra: Any) -> tuple[tuple[int, int] | None, tuple[int, int]]:
    """Return the mistakes of each side, None without a review, and how many of them are proved."""
    review = extra.get("review") if isinstance(extra, dict) else None
    summary = review.get("summary") if isinstance(review, dict) else None
    if not isinstance(review, dict) or not isinstance(summary, dict):
        return None, (0, 0)
    black, white = (sum(summary[side].values()) for side in ("black", "white"))
    mistakes = (mark for mark in review.get("marks", ()) if mark["mark"] != Mark.SLIP)
    proved = [mark["side"] for mark in mistakes if type(mark["before"]) is type(mark["after"]) is str]  # not chances
    return (black, white), (proved.count(BLACK), proved.count(WHITE))


def _read_played(values: dict[str, Any], position: Position) -> tuple[list[Ply], Ending | None, Notes]:
    notes = [_notes(ply, pairs) for ply, pairs in enumerate(values["notes"])]
    plies = []
    for text, thought, made in zip(values["moves"], values["thoughts"], notes[1:], strict=True):
        move, after = _legal(position, text)
        plies.append(Ply(position, move, after, None if thought is None else _read_thought(thought), made))
        position = after
    if values["ending"] is None:
        return plies, None, notes[0]
    result, cause, detail = values["ending"]
    if result not in (-1, 0, 1):
        raise SavedGameError(f"not a result: {result!r}")
    return plies, Ending(result, Cause(cause), _text(detail)), notes[0]


def _read_undone(values: list[dict[str, Any]], position: Position) -> list[Undone]:
    """Return the entries that `redo` restores; the last begins at `position`, any other where the next one ends."""
    undone = []
    for entry in reversed(values):
        plies, ending, _ = _read_played(entry, position)
        undone.append(Undone(tuple(plies), ending))
        position = plies[-1].after if plies else position
    return undone[::-1]


def _model(values: dict[str, Any]) -> GameModel:
    start = Position.from_fen(_text(values["start"]))
    plies, ending, notes = _read_played(values, start)
    black, white = (Seat(None if player is None else _text(player), *rest) for player, *rest in values["seats"])
    for seat in (black, white):
        _text(seat.title)
        if type(seat.depth) is not int or type(seat.seconds) not in (int, float, type(None)):
            raise SavedGameError("the limits of a seat are invalid")
    repetition, quiet, men_reset, longest = values["rules"]
    if type(men_reset) is not bool or any(type(number) is not int for number in (repetition, quiet, longest)):
        raise SavedGameError("the draw rules are invalid")
    tags = tuple((_text(name), _text(value)) for name, value in values["tags"])
    seed = values.get("seed", 0)
    if type(seed) is not int or not 0 <= seed <= MOST_SEED:
        raise SavedGameError(f"not a seed: {seed!r}")
    model = GameModel(
        (black, white), start, DrawRules(repetition, quiet, men_reset, longest), tags, plies=plies, ending=ending,
        notes=notes, undone=_read_undone(values.get("undone", []), plies[-1].after if plies else start), seed=seed,
    )  # fmt: skip
    cursor = values["cursor"]
    model.go_to(cursor if type(cursor) is int else len(plies))
    return model


def _thought(thought: Thought) -> list[Any]:
    """Return a thought as saved, with places for what earlier versions also kept."""
    return [None, thought.share, thought.depth, None, None, thought.text, []]


def _read_thought(values: list[Any]) -> Thought:
    _, share, depth, _, _, text, _ = values
    if any(type(number) not in (int, float, type(None)) for number in (share, depth)):
        raise SavedGameError("the value of a thought is not a number")
    if share is not None and not -1 <= share <= 1:
        raise SavedGameError(f"not a share: {share!r}")
    return Thought(share, depth, _text(text))


def _notes(ply: int, values: Any) -> Notes:
    made = [Annotation(ply, _text(kind), _text(text)) for kind, text in values]
    return tuple((note.kind, note.text) for note in made)


def _legal(position: Position, text: str) -> tuple[Move, Position]:
    path = _written(text).path
    for move, after in plain.successors(position):
        if move.path == path:
            return move, after
    raise SavedGameError(f"{text!r} is not legal in {position.fen()}")


def _written(text: Any) -> Move:
    """Return the move that a text describes; the captured pieces remain unknown."""
    if not isinstance(text, str) or _MOVE.fullmatch(text) is None:
        raise SavedGameError(f"not a move: {text!r}")
    return Move(tuple(map(int, re.split("[-x]", text))))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise SavedGameError(f"expected text, got {value!r}")
    return value
