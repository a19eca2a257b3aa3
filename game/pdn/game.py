"""Recorded games as values, and writing them as PDN."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from game.board import Position
from game.errors import InputError
from game.moves import Move
from game.pdn.lexer import MARKS, collapse_spaces, make_encodable, plain_variation
from game.pdn.text import DERIVED_TAGS, GAME_TYPE, LONGEST_MARK, RESULTS, Fault
from game.rules import BLACK

LINE_WIDTH = 79
NO_DATE = "????.??.??"
"""Date that is not known, or that would make files of the same games differ."""

_TAG_NAME = re.compile(r"[A-Za-z0-9_]{1,255}")
_MARK = re.compile(rf"[!?*]{{1,{LONGEST_MARK}}}")
_NAG = re.compile(r"\$(?:0|[1-9][0-9]{0,8})")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Where a line may be broken: no line may start like a tag or an escape line.
_BREAK = re.compile(r" (?![\[%])")


class PdnError(InputError):
    """A PDN file cannot be read, or a game cannot be written.

    Attributes:
        file: name of the file, None if none was read.
        fault: the fault with its game, line and ply, None if the error has no place.
    """

    def __init__(self, message: str, file: str | None = None, fault: Fault | None = None) -> None:
        super().__init__(message)
        self.file = file
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation in a game. Its white space is collapsed to single spaces.

    Attributes:
        ply: number of moves before it.
        kind: "mark" (directly after a move: ``!``, ``?``, ``*``), "nag" (``$5``), "comment", or "variation": other
            moves from the position before the last one, kept as text, which may hold comments and more variations.
        text: as written, without braces or parentheses.

    Raises:
        PdnError: unknown kind, or a text that would not be read back as the same note.
    """

    ply: int
    kind: str
    text: str

    def __post_init__(self) -> None:
        text = self.text
        if self.kind == "comment":
            text = collapse_spaces(text)
        elif self.kind == "variation":
            enclosed = f"({make_encodable(text)})"
            text, end = plain_variation(enclosed + "\n", 0)
            if end != len(enclosed) or MARKS.fullmatch(text):
                raise PdnError(f"variation {self.text!a}: expected moves, with parentheses and braces in pairs")
        elif self.kind == "nag":
            if _NAG.fullmatch(text) is None:
                raise PdnError(f"NAG {text!a}: expected a dollar and a number, like $5")
        elif self.kind != "mark":
            raise PdnError(f"note of kind {self.kind!r}: expected mark, nag, comment or variation")
        elif _MARK.fullmatch(text) is None or self.ply < 1:
            raise PdnError(f"mark {text!a} at ply {self.ply}: expected at most {LONGEST_MARK} of ! ? * after a move")
        object.__setattr__(self, "text", text)


@dataclass(frozen=True, slots=True)
class Game:
    """A recorded game. Immutable; compares and hashes by value. A game that is written and read again is equal.

    Attributes:
        tags: names and values in order, without Result, SetUp and FEN, which follow from `result` and `start`, and
            GameType, which is 21.
        start: the first position.
        moves: whole turns, legal from `start` on (trusted, as `Position` trusts its words).
        result: one of `RESULTS`; ``1-0`` means Black won.
        notes: in order of ply; each ply has at most one mark, before its other notes.

    Raises:
        PdnError: a tag, the result or the order of notes is invalid.
    """

    tags: tuple[tuple[str, str], ...]
    start: Position
    moves: tuple[Move, ...]
    result: str = "*"
    notes: tuple[Annotation, ...] = ()

    def __post_init__(self) -> None:
        names = set(DERIVED_TAGS)
        for name, _ in self.tags:
            if _TAG_NAME.fullmatch(name) is None or name in names:
                raise PdnError(
                    f"tag {name!a}: expected letters, digits or _, each name once, none of {', '.join(DERIVED_TAGS)}"
                )
            names.add(name)
        if self.result not in RESULTS:
            raise PdnError(f"result {self.result!a}: expected {', '.join(RESULTS)}")
        tags = tuple((name, _CONTROL.sub(" ", make_encodable(value))) for name, value in self.tags)
        object.__setattr__(self, "tags", tags)
        before = (0, False)
        for note in self.notes:
            here = (note.ply, note.kind != "mark")
            if here < before or (here == before and not here[1]) or note.ply > len(self.moves):
                raise PdnError(f"note {note.text!a} at ply {note.ply}: notes go by ply, one mark first")
            before = here

    @property
    def black_result(self) -> int | None:
        """The result for Black: 1, 0 or -1; None if it is not known."""
        return {"1-0": 1, "1/2-1/2": 0, "0-1": -1}.get(self.result)

    def tag(self, name: str) -> str | None:
        """The value of a tag, None if there is no such tag."""
        return dict(self.tags).get(name)


class _Writable(Protocol):
    def write(self, text: str, /) -> Any: ...


def write_game(stream: _Writable, game: Game) -> None:
    """Write a game to a text stream, in one call: tags, moves with full capture paths, an empty line.

    Lines have at most LINE_WIDTH columns, except tags and comments that contain a closing brace, which must be written
    as comments to the end of the line. Streams should be UTF-8.

    Raises:
        OSError: writing fails.
    """
    tags = [*game.tags, ("Result", game.result), ("GameType", GAME_TYPE)]
    if game.start != Position.start():
        tags += [("SetUp", "1"), ("FEN", game.start.fen())]
    lines = [f'[{name} "{_escape(value)}"]' for name, value in tags]
    lines.append("")
    line = ""
    for word in [*_words(game), game.result]:
        if word.startswith(";"):
            lines += [line] if line else []
            lines.append(word)
            line = ""
        elif line and len(line) + 1 + len(word) > LINE_WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    stream.write("\n".join([*lines, line, "\n"]))


def _words(game: Game) -> Iterator[str]:
    """The words of the moves and notes, between which lines may be broken."""
    notes = iter(game.notes)
    note = next(notes, None)
    numbered = False
    for ply in range(len(game.moves) + 1):
        if ply > 0:
            mover = (game.start.side + ply - 1) % 2
            if mover == BLACK or not numbered:
                number = (ply - 1 + game.start.side) // 2 + 1
                yield f"{number}." if mover == BLACK else f"{number}..."
            numbered = True
            move = str(game.moves[ply - 1])
            if note is not None and note.ply == ply and note.kind == "mark":
                move += note.text
                note = next(notes, None)
            yield move
        while note is not None and note.ply == ply:
            numbered = False
            if note.kind == "nag":
                yield note.text
            elif note.kind == "variation":
                yield from _BREAK.split(f"({note.text})")
            elif "}" in note.text:
                yield f"; {note.text}"
            else:
                yield from _BREAK.split(f"{{{note.text}}}")
            note = next(notes, None)


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
