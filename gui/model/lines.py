"""The moves of a game, and variations: lines that replace a move, as text in its notes and as moves to be played."""

from __future__ import annotations

import functools
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from game import bitboard, plain
from game.board import Position
from game.errors import InputError
from game.moves import Move
from game.pdn.game import Annotation, raw_games, variation_text
from game.pdn.meaning import best_view, follow
from game.rules import BLACK, KING_ROW, WHITE

KIND = "variation"
"""The kind of the notes that are variations, as in `game.pdn.game.Annotation`."""

DEEPEST = 16
"""Maximum number of variations inside each other that are checked, since each is read as a part of all around it."""

Notes = tuple[tuple[str, str], ...]
"""Annotations of a move as (kind, text)."""


class VariationError(InputError):
    """A variation that cannot be played; the message is one line."""

    line: tuple[Ply, ...] = ()


@dataclass(frozen=True, slots=True)
class Thought:
    """A player's report on its move; missing values are None or empty.

    Attributes:
        share: the score scaled from -1 (lost) to 1 (won), for any player.
        text: the score in words.
    """

    share: float | None = None
    depth: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Ply:
    """One move of a game.

    Attributes:
        notes: annotations of a recorded game as (kind, text), as in `game.pdn.game.Annotation`.
    """

    before: Position
    move: Move
    after: Position
    thought: Thought | None = None
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def side(self) -> int:
        return self.before.side

    @property
    def by_king(self) -> bool:
        return bool(self.before.kings >> bitboard.SQUARE_BIT[self.move.path[0]] & 1)

    @property
    def crowned(self) -> bool:
        return not self.by_king and self.move.path[-1] in KING_ROW[self.side]

    @property
    def reversible(self) -> bool:
        """True if the position before it could recur: a king moved and captured nothing."""
        return self.by_king and not self.move.captured


class Piece(NamedTuple):
    side: int
    king: bool


def pieces_of(position: Position) -> dict[int, Piece]:
    return dict(_pieces_of(position))


@functools.lru_cache(maxsize=256)
def _pieces_of(position: Position) -> dict[int, Piece]:
    return {
        square: Piece(side, bool(position.kings >> bitboard.SQUARE_BIT[square] & 1))
        for side, word in ((BLACK, position.black), (WHITE, position.white))
        for square in bitboard.squares_of(word)
    }


@functools.lru_cache(maxsize=1024)
def read_variation(position: Position, text: str) -> tuple[Ply, ...]:
    """Return the moves of a variation, with their notes.

    Raises:
        VariationError: it has no moves, or one of them is unreadable, illegal or ambiguous.
    """
    raw = next(iter(raw_games(io.StringIO(f"{text} *"))), None)
    if raw is None or not raw.written or raw.tags or raw.faults:
        why = raw.faults[0].message if raw is not None and raw.faults else "expected moves such as 11-15 23-19"
        raise VariationError(f"variation {text[:60]!r}: {why}")
    best_view(raw, lambda: len(follow(position, raw.written, plain.successors).plies))
    line: list[Ply] = []
    result = follow(position, raw.written, plain.successors)
    for ply, (before, move, after) in enumerate(result.plies, 1):
        # Comments before the first move belong to it as well: a variation has no earlier place for them.
        notes = [(kind, words) for at, kind, words in raw.notes if at == ply or (at == 0 and ply == 1)]
        notes.sort(key=lambda note: note[0] != "mark")
        line.append(Ply(before, move, after, notes=tuple(notes)))
    if len(line) < len(raw.written):
        why = f"could be {', '.join(map(str, result.meant))}" if result.meant else "is not legal there"
        error = VariationError(f"variation {text[:60]!r}: {raw.place(len(line))[1]} {why}")
        error.line = tuple(line)
        raise error
    return tuple(line)


def find_broken(position: Position, text: str) -> Iterator[str]:
    """Yield why a variation and those inside it cannot be played, one line for each that cannot."""
    left = [(position, text, 1)]
    while left:
        before, written, depth = left.pop()
        if depth > DEEPEST:
            yield f"variation {written[:60]!r}: expected at most {DEEPEST} variations inside each other"
            continue
        try:
            line = read_variation(before, written)
        except VariationError as error:
            yield str(error)
            line = error.line
        inside = [(ply.before, inner, depth + 1) for ply in line for kind, inner in ply.notes if kind == KIND]
        left += reversed(inside)


def write_variation(line: Sequence[Ply], played: int) -> str:
    """Return moves with their notes as the text of a variation; the inverse of `read_variation`.

    Args:
        line: at least one move.
        played: number of plies before the first of them, counted as if Black had begun the game.
    """
    notes = [Annotation(ply, *note) for ply, each in enumerate(line, 1) for note in each.notes]
    return variation_text(line[0].before, [each.move for each in line], notes, played)


def variations_of(before: Position, notes: Notes) -> list[tuple[int, tuple[Ply, ...]]]:
    result = []
    for index, (kind, text) in enumerate(notes):
        if kind == KIND:
            try:
                result.append((index, read_variation(before, text)))
            except VariationError:
                continue  # it stays in the file as it is
    return result


def replace_variation(notes: Notes, index: int, line: Sequence[Ply], played: int) -> Notes:
    """Return the notes of a move with one variation changed, or removed if the line is empty."""
    changed = ((KIND, write_variation(line, played)),) if line else ()
    return (*notes[:index], *changed, *notes[index + 1 :])


@dataclass(frozen=True, slots=True)
class Branch:
    """The rest of a game that a variation replaces while it is displayed.

    Attributes:
        note: index of the variation among the notes of this move in the game.
        state: the ending of the game, and the moves that can be redone (`gui.model.game`).
    """

    index: int
    note: int
    text: str
    rest: tuple[Ply, ...]
    state: tuple[Any, Any]


def keep_line(ply: Ply, old: Sequence[Ply], played: int) -> tuple[Ply, tuple[Ply, ...]]:
    """Let a new move replace the rest of a game, which becomes a variation of it.

    Args:
        old: the moves that it replaces; may be empty.
        played: as in `write_variation`.

    Returns:
        The move with its notes, and the moves that continue it: the other ones of `old` if it is their first, or of a
        variation that begins with it, which is dissolved.
    """
    if not old:
        return ply, ()
    if old[0].move == ply.move:
        return replace(ply, notes=old[0].notes), tuple(old[1:])
    others = _split(old[0].notes)[1]
    same = next(((at, line) for at, line in variations_of(ply.before, others) if line[0].move == ply.move), None)
    if same is None:
        return replace(ply, notes=_with_line(others, old, played)), ()
    at, line = same
    notes = (*line[0].notes, *replace_variation(others, at, (), played))
    return replace(ply, notes=_with_line(notes, old, played)), line[1:]


def swap_line(ply: Ply, branch: Branch, played: int) -> Ply:
    """Return the first move of a variation with the moves of the game as a variation of it, and with all others."""
    others = _split(replace_variation(branch.rest[0].notes, branch.note, (), played))[1]
    return replace(ply, notes=_with_line((*ply.notes, *others), branch.rest, played))


def _with_line(notes: Notes, line: Sequence[Ply], played: int) -> Notes:
    """Return the notes of a move with a line as its first variation, without those of the line's first move."""
    own, others = _split(notes)
    first = replace(line[0], notes=_split(line[0].notes)[0])
    return (*own, (KIND, write_variation([first, *line[1:]], played)), *others)


def _split(notes: Notes) -> tuple[Notes, Notes]:
    own, others = (tuple(note for note in notes if (note[0] == KIND) is kind) for kind in (False, True))
    return own, others
