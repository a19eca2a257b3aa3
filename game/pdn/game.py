"""A recorded game as a value, and how it is written as PDN text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from game.board import Position
from game.errors import InputError
from game.moves import Move
from game.pdn.lexer import MARKS, encodable, plain_variation, spaced
from game.pdn.text import DERIVED_TAGS, LONGEST_MARK, RESULTS, Fault
from game.rules import BLACK

LINE_WIDTH = 79

_TAG_NAME = re.compile(r"[A-Za-z0-9_]{1,255}")
_MARK = re.compile(rf"[!?*]{{1,{LONGEST_MARK}}}")
_NAG = re.compile(r"\$(?:0|[1-9][0-9]{0,8})")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# No line starts with a word that would look like a tag or like an escape line.
_BREAK = re.compile(r" (?![\[%])")


class PdnError(InputError):
    """A PDN file that cannot be used, or a game that cannot be written.

    Attributes:
        file: what was read, None if nothing was.
        fault: game, line and ply, None if the error has no place.
    """

    def __init__(self, message: str, file: str | None = None, fault: Fault | None = None) -> None:
        super().__init__(message)
        self.file = file
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Note:
    """Something said about a game at one point of it. White space is made single spaces.

    Attributes:
        ply: how many moves stand before it.
        kind: "mark" (directly after a move: ``!``, ``?``, ``*``), "nag" (``$5``), "comment", or "variation": other
            moves from the position before the last one, kept as text, which may hold comments and more variations.
        text: as written, without braces or parentheses.

    Raises:
        PdnError: no such kind, or a text that could not be read again as the same note.
    """

    ply: int
    kind: str
    text: str

    def __post_init__(self) -> None:
        text = self.text
        if self.kind == "comment":
            text = spaced(text)
        elif self.kind == "variation":
            enclosed = f"({encodable(text)})"
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
    """A recorded game. Immutable, compares and hashes by value; `write_game` and `read_games` keep it equal.

    Attributes:
        tags: names and values in order, without Result, SetUp and FEN, which `result` and `start` stand for.
        start: the first position.
        moves: whole turns, legal from `start` on (trusted, as `Position` trusts its words).
        result: one of `RESULTS`; ``1-0`` means Black won.
        notes: in order of ply; at a ply a mark comes first, and there is only one.

    Raises:
        PdnError: a tag, the result, or the order of notes is not of this form.
    """

    tags: tuple[tuple[str, str], ...]
    start: Position
    moves: tuple[Move, ...]
    result: str = "*"
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        names = set(DERIVED_TAGS)
        for name, _ in self.tags:
            if _TAG_NAME.fullmatch(name) is None or name in names:
                raise PdnError(f"tag {name!a}: expected letters, digits or _, each name once, not Result or FEN")
            names.add(name)
        if self.result not in RESULTS:
            raise PdnError(f"result {self.result!a}: expected {', '.join(RESULTS)}")
        tags = tuple((name, _CONTROL.sub(" ", encodable(value))) for name, value in self.tags)
        object.__setattr__(self, "tags", tags)
        before = (0, False)
        for note in self.notes:
            here = (note.ply, note.kind != "mark")
            if here < before or (here == before and not here[1]) or note.ply > len(self.moves):
                raise PdnError(f"note {note.text!a} at ply {note.ply}: notes go by ply, one mark first")
            before = here

    def tag(self, name: str) -> str | None:
        """The value of a tag, None if the game does not have it."""
        return dict(self.tags).get(name)


class _Writable(Protocol):
    def write(self, text: str, /) -> Any: ...


def write_game(stream: _Writable, game: Game) -> None:
    """Write a game to a text stream, by one call: tags, moves with full capture paths, an empty line after it.

    Lines have at most LINE_WIDTH columns; only a tag or a comment with a closing brace in it (which must be a comment
    to the end of a line) can be longer. Streams should be UTF-8.

    Raises:
        OSError: the stream cannot be written.
    """
    tags = [*game.tags, ("Result", game.result)]
    if game.start != Position.start():
        tags += [("SetUp", "1"), ("FEN", game.start.fen())]
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in tags]
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
    """What a line break may stand between."""
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


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
