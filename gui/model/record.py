"""Games as text: PDN and FEN out of the window and into it, without waiting for compiled code."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO

from game import plain
from game.board import Position
from game.endings import REASON_TEXT, Reason
from game.errors import InputError
from game.moves import Move
from game.pdn.game import DERIVED_TAGS, NO_DATE, Annotation, Fault, Game, RawGame, make_fault, raw_games, write_game
from game.review.annotations import annotate
from game.review.judged import Review
from game.rules import BLACK, WCDF, WHITE
from gui.model.game import Cause, Ending, GameModel, Ply, find_ending
from gui.model.seats import HUMAN, Seat

_FEN = re.compile(r"[\s\"']*[BW]\s*:\s*[BW]|\s*\[\s*FEN\s+\"[^\"]*\"\s*\]\s*\Z", re.IGNORECASE)
_RESULT = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}
_NO_GAME = "There is no game in this text: expected PDN (as 1. 11-15 23-19) or a FEN (as B:W21-32:B1-12)."


class RecordError(InputError):
    """Text or a file that holds no game that could be shown; the text is fit for people."""


@dataclass(frozen=True)
class Loaded:
    """A game that was read.

    Attributes:
        model: the game as far as it could be read and its moves are legal; both seats are persons'.
        faults: what is wrong with it, in order of lines.
    """

    model: GameModel
    faults: tuple[Fault, ...] = ()

    @property
    def trouble(self) -> str:
        """A message for the person, in one line; empty if all is well."""
        if not self.faults:
            return ""
        more = f" (and {len(self.faults) - 1} more)" if len(self.faults) > 1 else ""
        return f"line {self.faults[0]}{more}"


# Out --------------------------------------------------------------------------------------------------------------


def to_game(model: GameModel, date: str = "") -> Game:
    """The record of a game.

    Args:
        model: the game.
        date: of today, for a game that was played here, as ``2026.01.31``.
    """
    notes = [Annotation(0, *note) for note in model.notes]
    for index, ply in enumerate(model.plies, 1):
        notes += [Annotation(index, *note) for note in ply.notes]
        if ply.thought is not None and ply.thought.text:
            depth = f" depth {ply.thought.depth}" if ply.thought.depth else ""
            notes.append(Annotation(index, "comment", ply.thought.text + depth))
    result = "*" if model.ending is None else model.ending.pdn_result
    return Game(_tags(model, date), model.start, tuple(ply.move for ply in model.plies), result, tuple(notes))


def to_pdn(model: GameModel, date: str = "", review: Review | None = None) -> str:
    """The game as PDN text, with what a review of it says."""
    stream = io.StringIO()
    game = to_game(model, date)
    write_game(stream, game if review is None else annotate(game, review))
    return stream.getvalue()


def _tags(model: GameModel, date: str) -> tuple[tuple[str, str], ...]:
    tags = dict(model.tags)
    if not tags:
        tags = {"Event": "Crownhead", "Site": "?", "Date": date or NO_DATE, "Black": "Person", "White": "Person"}
        if model.ballot is not None:
            tags["Opening"] = model.ballot.pdn
    for name, seat in (("Black", model.seats[BLACK]), ("White", model.seats[WHITE])):
        if not seat.human:
            tags[name] = ", ".join(filter(None, (seat.player, seat.limits)))
        elif seat.title:
            tags[name] = seat.title
    return tuple(tags.items())


# In ---------------------------------------------------------------------------------------------------------------


def read(text: str) -> Loaded:
    """A position (FEN) or the first game (PDN) of a text, such as people paste.

    Raises:
        RecordError: there is neither.
    """
    if _FEN.match(text):
        try:
            return Loaded(GameModel(start=Position.from_fen(text.strip(" \t\r\n\"'"))))
        except InputError as error:
            raise RecordError(str(error)) from error
    loaded = next(iter(read_all(io.StringIO(text))), None)
    if loaded is None or not (loaded.model.plies or loaded.model.tags or loaded.model.start != Position.start()):
        raise RecordError(_NO_GAME)
    return loaded


def read_all(stream: IO[str]) -> Iterable[Loaded]:
    """The games of a stream that have a start, one at a time."""
    for raw in raw_games(stream):
        loaded = of_raw(raw)
        if loaded is not None:
            yield loaded


def of_raw(raw: RawGame) -> Loaded | None:
    """A game as it was written, up to its first illegal move; None if it has no start that could be shown."""
    if raw.start is None:
        return None
    faults = list(raw.faults)
    position, plies = raw.start, []
    notes: dict[int, list[tuple[str, str]]] = {}
    for at, kind, text in raw.notes:
        notes.setdefault(at, []).append((kind, text))
    for ply, written in enumerate(raw.written):
        meant = find_meant(position, written)
        if len(meant) != 1:
            line, text = raw.place(ply)
            why = f"ambiguous, could be {', '.join(map(str, meant))}" if meant else f"not legal in {position.fen()}"
            faults.append(make_fault(raw.number, line, ply + 1, f"{text}: {why}"))
            faults.sort(key=lambda fault: fault.line)
            break
        after = plain.apply(position, meant[0])
        plies.append(Ply(position, meant[0], after, notes=tuple(notes.get(ply + 1, ()))))
        position = after
    tags = tuple(item for item in raw.tags.items() if item[0] not in DERIVED_TAGS)
    seats = _seat(raw.tags.get("Black", "")), _seat(raw.tags.get("White", ""))
    whole = len(plies) == len(raw.written)
    model = GameModel(
        seats,
        raw.start,
        tags=tags,
        plies=plies,
        cursor=len(plies),
        ending=_ending(raw, plies) if whole else None,
        notes=tuple(notes.get(0, ())),
    )
    return Loaded(model, tuple(faults))


def _seat(name: str) -> Seat:
    return Seat(title=name) if name.strip() else HUMAN


def _ending(raw: RawGame, plies: list[Ply]) -> Ending | None:
    """The ending in the record, unless the moves give the same, or leave a side without a move."""
    assert raw.start is not None
    by_moves = find_ending(raw.start, plies, WCDF)
    said = _RESULT.get(raw.result)
    if by_moves is not None and (said in (None, by_moves.result) or by_moves.result):
        return by_moves
    if said is None:
        return None
    why = REASON_TEXT[Reason.TABLEBASE]
    return Ending(said, Cause.RECORDED, why if raw.tags.get("Termination") == why else "")


def find_meant(position: Position, written: int) -> list[Move]:
    """The legal moves that a written path may mean, as `game.pdn.game.encode_path` packs it."""
    if written < 0:
        return []
    count = written & 15
    path = tuple((written >> (4 + 5 * index) & 31) + 1 for index in range(count))
    legal = plain.legal_moves(position)
    exact = [move for move in legal if move.path == path]
    return exact or [move for move in legal if count == 2 and (move.path[0], move.path[-1]) == path]
