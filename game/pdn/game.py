"""Recorded games as values: grouping tokens of PDN into games, and writing games as PDN."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import IO, Any, Protocol

from game.board import Position, is_lettered
from game.errors import InputError
from game.moves import Move
from game.notation import (
    OTHER_NAMES,
    STANDARD,
    BoardView,
    has_letters,
    read_result,
    rewrite_moves,
    square_number,
    tag_name,
    views,
)
from game.pdn.lexer import (
    LIMIT,
    MARKS,
    MOVE,
    TAG,
    KeptText,
    Lexer,
    Token,
    collapse_spaces,
    make_encodable,
    plain_variation,
    quote_text,
)
from game.rules import BLACK

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""Results in PDN: Black, the first mover of GameType 21, won; White won; a draw; unknown."""

GAME_TYPE = "21"
DERIVED_TAGS = ("Result", "GameType", "SetUp", "FEN")
"""Tags that follow from other attributes of a `Game`, or are the same for all games."""

LONGEST_MARK = 8
NO_PATH = -1
_DECISIVE = ("FEN", "SetUp", "GameType")  # without these tags the moves could mean anything
_ITEM_WEIGHT = 32  # approximate memory of a tag, move or note in addition to its characters
_ESCAPE = re.compile(r'\\(["\\])')
_SEPARATOR = re.compile(r"[-x:]")
_LONGEST_MESSAGE = 400
_NO_LETTER = re.compile(r"\W")
_AMERICAN = re.compile(r"0?21|(?:american|english)(?:checkers|draughts)?")
_NO_FEN = ("", "?", "-", "*", "start", "startpos")
_START = Position.start()


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a file.

    Attributes:
        game: number of the game in the file, from 1; None if the file has no games.
        ply: number of the ply, from 1, of the wrong move or the next one; None if the fault is in a tag or the result.
        message: describes the fault and a remedy; ASCII, one line.
    """

    game: int | None
    line: int
    ply: int | None
    message: str

    def __str__(self) -> str:
        place = "" if self.game is None else f"game {self.game}" + ("" if self.ply is None else f", ply {self.ply}")
        return f"{self.line}: {place}{': ' if place else ''}{self.message}"


def make_fault(game: int | None, line: int, ply: int | None, message: str) -> Fault:
    """Return a fault with a message in ASCII, which is safe for any terminal."""
    text = message.encode("ascii", "backslashreplace").decode("ascii")
    text = text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 3] + "..."
    return Fault(game, line, ply, text)


@dataclass(slots=True)
class RawGame:
    """A game as written, before its moves are checked.

    Attributes:
        written: the moves, encoded by `encode_path`.
        result: one of RESULTS.
        sound: whether all its moves could be read; faults of other tags, marks and results do not matter.
        start: the first position; None if the tags describe none.
        view: the view in which `start` and `written` are read; `look` chooses another.
        written_result: the result after the moves; None if there is none yet.
        weight: approximate memory of the game, in bytes.
    """

    number: int
    line: int
    tags: dict[str, str] = field(default_factory=dict)
    written: list[int] = field(default_factory=list)
    notes: list[tuple[int, str, str]] = field(default_factory=list)
    result: str = "*"
    faults: list[Fault] = field(default_factory=list)
    sound: bool = True
    start: Position | None = None
    views: tuple[BoardView, ...] = (STANDARD,)
    view: BoardView = STANDARD
    tag_lines: dict[str, int] = field(default_factory=dict)
    runs: list[tuple[int, int, str]] = field(default_factory=list)
    written_result: str | None = None
    last_line: int = 0
    moving: bool = False  # the tags have ended
    first_note: int = 0  # index of the first note at the last ply that has notes
    letters: bool = False  # some moves are written with letters
    result_sound: bool = True
    lost: bool = False  # a part was skipped
    weight: int = 0

    def place(self, ply: int) -> tuple[int, str]:
        """Return the line and the text of the move at a ply, from 0."""
        first, line, text = next(run for run in reversed(self.runs) if run[0] <= ply)
        for index, match in enumerate(MOVE.finditer(text)):
            if index == ply - first:
                return line + text.count("\n", 0, match.start()), match[0]
        raise AssertionError(f"no move of ply {ply} in {text!r}")

    def look(self, view: BoardView) -> None:
        """Read the moves and the first position as they are in a view of the board."""
        self.written = [encode_path(move, view) for _, _, text in self.runs for move in MOVE.findall(text)]
        self.start = _start_in(self, view)
        self.view = view

    def read_notes(self) -> list[tuple[int, str, str]]:
        """Return the notes, with the moves of variations numbered as PDN does."""
        if self.view == STANDARD and not self.letters:
            return self.notes
        return [
            (ply, kind, rewrite_moves(text, self.view) if kind == "variation" else text)
            for ply, kind, text in self.notes
        ]

    def add_fault(self, line: int, ply: int | None, message: str, *, ends: bool = True) -> None:
        """Record a fault, and none after one that `ends` the reading of the game, since others may result from it."""
        if self.sound:
            self.faults.append(make_fault(self.number, line, ply, message))
        self.sound &= not ends

    def add_result_fault(self, line: int, message: str) -> None:
        """Record a fault of the result, but only the first one."""
        if self.result_sound:
            self.faults.append(make_fault(self.number, line, None, message))
        self.result_sound = False

    def begin_moves(self) -> None:
        """End the tags, and read the first position from them."""
        if not self.moving:
            self.moving = True
            self.start = _start(self)

    def holds_something(self) -> bool:
        """Return whether this is a game rather than only comments between games."""
        return bool(self.tags or self.written or self.faults or self.written_result or self.moving)


@lru_cache(maxsize=1 << 14)
def encode_path(text: str, view: BoardView = STANDARD) -> int:
    """Encode a move such as ``22x15`` or ``d4xb6``: the number of its squares, then five bits for each square."""
    squares = [square_number(square, view) - 1 for square in _SEPARATOR.split(text)]
    if len(squares) > 10 or max(squares) > 31:
        return NO_PATH
    path = len(squares)
    for index, square in enumerate(squares):
        path |= square << (4 + 5 * index)
    return path


def raw_games(stream: IO[Any], *, notes: bool = True, kept: KeptText | None = None) -> Iterator[RawGame]:
    """Yield all games of a text or binary stream, with their faults; skipping `notes` is faster.

    While a game is used, `kept` has its text.

    A game ends with its result, or where the tags of the next game start: at a tag after moves, or after an empty line
    at a tag that the game already has.
    """
    lexer = Lexer(stream, kept)
    game = RawGame(1, 1)
    for token in lexer.tokens():
        if _starts_game(game, token) and game.holds_something():
            yield _finish(game)
            if kept is not None:
                kept.forget()
            game = RawGame(game.number + 1, token.line)
        if not game.holds_something():
            game.line = token.line
        _add(game, token, notes)
        if game.weight > LIMIT:
            needs = f"the game is longer than {LIMIT >> 20} MB in memory"
            counted = f"its characters, and {_ITEM_WEIGHT} bytes for each move, tag and note"
            game.add_fault(token.line, None, f"{needs} ({counted}): the rest is not read")
            game.lost = True
            game.weight = 0
            lexer.skip()
    if game.holds_something():
        yield _finish(game)


def _starts_game(game: RawGame, token: Token) -> bool:
    if token.kind in ("tag", "header"):
        match = TAG.fullmatch(token.text)
        repeated = match is not None and tag_name(match[1]) in game.tags
        return game.moving or game.lost or (token.kind == "header" and repeated)
    return game.written_result is not None and token.kind in ("moves", "nag", "bad tag")


def _add(game: RawGame, token: Token, notes: bool) -> None:
    kind, line, text = token
    ply = len(game.written)
    game.last_line = line
    game.weight += len(text) + _ITEM_WEIGHT
    if kind == "variation" and game.written_result is not None:
        kind = "comment"  # such as (time) after a result
    if kind in ("moves", "variation", "nag", "result") or (kind == "fault" and not game.tags):
        game.begin_moves()
    if kind == "moves":
        if game.sound:
            moves = MOVE.findall(text)
            game.runs.append((ply, line, text))
            game.written.extend(map(encode_path, moves))
            game.letters = game.letters or has_letters(text)
            game.weight += _ITEM_WEIGHT * len(moves)
        game.last_line += text.rstrip().count("\n")
    elif kind in ("tag", "header"):
        _add_tag(game, line, text)
    elif kind == "result":
        _add_result(game, line, text)
    elif kind == "fault" and game.written_result is not None:
        game.add_result_fault(line, text)
    elif kind in ("fault", "lost"):
        game.add_fault(line, ply + 1, text)
        game.lost = kind == "lost"
    elif kind == "bad tag":
        ends = game.moving or tag_name(text[2:].partition(" ")[0]) in _DECISIVE
        game.add_fault(line, ply + 1 if game.moving else None, text, ends=ends)
    elif (notes or kind == "mark") and game.sound:
        _add_note(game, line, kind, text)


def _add_note(game: RawGame, line: int, kind: str, text: str) -> None:
    notes, ply = game.notes, len(game.written)
    if not notes or notes[-1][0] != ply:
        game.first_note = len(notes)
    if kind != "mark":
        notes.append((ply, kind, text))
        return
    first = game.first_note
    if first < len(notes) and notes[first][1] == "mark":
        text = notes[first][2] + text
        del notes[first]
    if ply == 0 or len(text) > LONGEST_MARK:
        message = f"{quote_text(text)}: expected at most {LONGEST_MARK} such marks, after a move"
        game.add_fault(line, ply + 1, message, ends=False)
        return
    notes.insert(first, (ply, "mark", text))  # before other notes, since a mark directly follows its move


def _add_tag(game: RawGame, line: int, text: str) -> None:
    match = TAG.fullmatch(text)
    assert match is not None, "a token of the kind tag"
    name, value = tag_name(match[1]), _ESCAPE.sub(r"\1", match[2])
    if name == "SetUp" and ":" in value:
        name = "FEN"
    if name in game.tags:
        if game.tags[name] != value:
            message = f"tag {quote_text(name)} is given twice: remove one"
            game.add_fault(line, None, message, ends=name in _DECISIVE)
        return
    game.tags[name] = value
    game.tag_lines[name] = line
    if name == "GameType" and _game_type(game) != GAME_TYPE:
        game.add_fault(line, None, f"GameType {quote_text(value)}: expected {GAME_TYPE}, American checkers")


def _add_result(game: RawGame, line: int, text: str) -> None:
    result = read_result(text)
    if game.written_result is None:
        game.written_result = result or "*"
    elif result not in ("*", game.written_result):  # in PDN 3.0 a * may follow the result as a separator
        game.add_result_fault(line, f"{text}: the game has a result already, {game.written_result}: remove one")
    if result is None:
        game.add_result_fault(line, f"{text}: no result of GameType {GAME_TYPE} (expected {', '.join(RESULTS)})")


def _finish(game: RawGame) -> RawGame:
    game.begin_moves()
    for name, other in OTHER_NAMES.items():
        if name in game.tags and other not in game.tags:
            game.tags = {other if each == name else each: value for each, value in game.tags.items()}
            game.tag_lines[other] = game.tag_lines[name]
    if game.start is not None and (game.letters or "FEN" in game.tags or "GameType" in game.tags):
        _choose_views(game)
    given, tag = game.written_result, game.tags.get("Result")
    tagged = None if tag is None else read_result(tag)
    line = game.tag_lines.get("Result", game.line)
    # PDN 3.0 ends every game with * and gives the result in its tag.
    if _game_type(game) == GAME_TYPE:  # other games may count the results of White
        game.result = (tagged if given in (None, "*") else given) or "*"
    if tag is not None and tagged is None:
        game.add_result_fault(line, f"tag Result is {quote_text(tag)}: expected {', '.join(RESULTS)}")
    elif tagged not in (None, "*", game.result):
        game.add_result_fault(line, f"tag Result is {tag} but the moves end with {given}: correct one of them")
    if given is None and tagged is None and not game.lost and (game.tags or game.written):
        game.add_result_fault(game.last_line, f"no result after the moves: add {', '.join(RESULTS[:-1])} or *")
    game.faults.sort(key=lambda fault: fault.line)
    return game


def _choose_views(game: RawGame) -> None:
    """Find the views in which the game may be written, and read it as in the first that gives a position."""
    kind = re.split("[,;]", game.tags.get("GameType", ""))
    letters = game.letters or is_lettered(_fen(game))
    pair = views(kind[4].strip() if len(kind) > 4 else "", letters=letters)
    game.views = tuple(view for view in pair if _start_in(game, view) is not None) or (STANDARD,)
    if game.views[0] != STANDARD:
        game.look(game.views[0])


def _game_type(game: RawGame) -> str:
    written = re.split("[,;]", game.tags.get("GameType", GAME_TYPE))[0].strip()
    return GAME_TYPE if _AMERICAN.fullmatch(_NO_LETTER.sub("", written).lower()) else written


def _start(game: RawGame) -> Position | None:
    if _game_type(game) != GAME_TYPE:
        return None
    setup = game.tags.get("SetUp")
    if setup is not None and setup.strip() not in ("0", "1"):
        message = f"tag SetUp is {quote_text(str(setup))}: expected 0 or 1"
        game.add_fault(game.tag_lines["SetUp"], None, message, ends=False)
    if setup is not None and setup.strip() == "1" and "FEN" not in game.tags:
        game.add_fault(game.tag_lines["SetUp"], None, "tag SetUp is 1 but there is no tag FEN: add it")
        return None
    try:
        return Position.from_fen(_fen(game)) if _fen(game) else _START
    except InputError as error:
        game.add_fault(game.tag_lines["FEN"], None, f"tag FEN: {error}")
        return None


def _fen(game: RawGame) -> str:
    """Return the FEN of the first position; empty for the start position."""
    fen = "" if game.tags.get("SetUp") == "0" else game.tags.get("FEN", "")
    return "" if fen.strip().lower() in _NO_FEN else fen


def _start_in(game: RawGame, view: BoardView) -> Position | None:
    """Return the first position as it is in a view; None if it is none there."""
    try:
        return Position.from_fen(_fen(game), view) if _fen(game) else _START
    except InputError:
        return None


LINE_WIDTH = 79
NO_DATE = "????.??.??"
"""An unknown date, or one that would make files of the same games differ."""

_TAG_NAME = re.compile(r"[A-Za-z0-9_]{1,255}")
_MARK = re.compile(rf"[!?*]{{1,{LONGEST_MARK}}}")
_NAG = re.compile(r"\$(?:0|[1-9][0-9]{0,8})")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Where a line may be broken: no line may start like a tag or an escape line.
_BREAK = re.compile(r" (?![\[%])")


class PdnError(InputError):
    """A PDN file cannot be read, or a game cannot be written.

    Attributes:
        file: name of the file; None if no file was read.
        fault: the fault with its game, line and ply; None if the error does not belong to a line.
    """

    def __init__(self, message: str, file: str | None = None, fault: Fault | None = None) -> None:
        super().__init__(message)
        self.file = file
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation of a game, with single spaces.

    Attributes:
        kind: "mark" (directly after a move: ``!``, ``?``, ``*``), "nag" (``$5``), "comment", or "variation": the text
            of moves that replace the last one, with comments and further variations.
        text: as written, without braces or parentheses.

    Raises:
        PdnError: the kind is unknown, or the note would change if it were written and read again.
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
    """A recorded game: an immutable value that remains the same if it is written and read again.

    Attributes:
        start: the first position.
        moves: whole turns, which must be legal; this is not checked.
        result: one of `RESULTS`; ``1-0`` means that Black won.
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
                raise PdnError(f"note {note.text!a} at ply {note.ply}: expected notes by ply, one mark first")
            before = here

    @property
    def black_result(self) -> int | None:
        return {"1-0": 1, "1/2-1/2": 0, "0-1": -1}.get(self.result)

    def tag(self, name: str) -> str | None:
        """Return the value of a tag; None if there is no such tag."""
        return dict(self.tags).get(name)


class _Writable(Protocol):
    def write(self, text: str, /) -> Any: ...


def write_game(stream: _Writable, game: Game) -> None:
    """Write a game to a text stream, in one call: tags, moves with full capture paths, an empty line.

    Lines have at most LINE_WIDTH columns, except tags and comments that contain a closing brace, which are written with
    a semicolon on a line of their own.
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


def variation_text(start: Position, moves: Sequence[Move], notes: Sequence[Annotation], played: int) -> str:
    """Return moves and their notes as the text of a variation, without its parentheses.

    Args:
        notes: as in `Game`; a closing brace in a comment becomes a parenthesis.
        played: number of plies before the first move, counted as if Black had begun the game.

    Raises:
        PdnError: the notes are not in order.
    """
    sound = [replace(note, text=note.text.replace("}", ")")) if note.kind == "comment" else note for note in notes]
    return " ".join(_words(Game((), start, tuple(moves), notes=tuple(sound)), played))


def _words(game: Game, played: int | None = None) -> Iterator[str]:
    """Yield the words of moves and notes, between which lines may be broken."""
    played = game.start.side if played is None else played
    notes = iter(game.notes)
    note = next(notes, None)
    numbered = False
    for ply in range(len(game.moves) + 1):
        if ply > 0:
            mover = (game.start.side + ply - 1) % 2
            if mover == BLACK or not numbered:
                number = (ply - 1 + played) // 2 + 1
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
