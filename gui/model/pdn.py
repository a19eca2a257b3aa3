"""Read and write games as PDN and FEN, and index files of many games, without compiled code."""

from __future__ import annotations

import io
import re
import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from sys import intern
from typing import IO

from evolve.run.files import signature_of
from game import plain
from game.board import Position
from game.endings import REASON_TEXT, Reason
from game.errors import InputError
from game.notation import plain_text
from game.pdn.game import DERIVED_TAGS, NO_DATE, Annotation, Fault, Game, RawGame, make_fault, raw_games, write_game
from game.pdn.lexer import encoding_of, why_no_text
from game.pdn.meaning import Following, best_view, follow
from game.regular_files import open_regular
from game.review.annotations import annotate
from game.review.judged import Review
from game.rules import BLACK, WCDF, WHITE
from gui.files import kind_of
from gui.model.ending import Cause, Ending, find_ending
from gui.model.game import GameModel
from gui.model.game_search import RESULT_WORDS, GameSearch, RecordedOpening, leads, moves_text, recorded_opening
from gui.model.lines import KIND, Piece, Ply, find_broken
from gui.model.seats import HUMAN, Seat

_FEN = re.compile(r"[\s\"']*[BWR]\s*:\s*[BWR]|\s*\[\s*FEN\b[^\[\]]*\]\s*\Z", re.IGNORECASE)
_RESULT = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}
LATE = 0.6
"""The share of a game after which a small board shows it."""
ALL_MOVES = "All moves could be read, but something else is wrong"
_NO_GAME = "There is no game in this text: expected PDN (such as 1. 11-15 23-19) or a FEN (such as B:W21-32:B1-12)."


class RecordError(InputError):
    """A text or file without a readable game."""


@dataclass(frozen=True)
class Loaded:
    """A game read from PDN or FEN.

    Attributes:
        model: the game up to its first illegal or unreadable move; both seats are people.
    """

    model: GameModel
    faults: tuple[Fault, ...] = ()
    broken: tuple[Fault, ...] = ()
    whole: bool = True

    @property
    def trouble(self) -> str:
        """The first fault in one line; empty if there is none."""
        return _first(self.faults)

    @property
    def warning(self) -> str:
        """A message about the first fault, or about the first variation that cannot be played; empty if all is well."""
        if self.faults:
            return f"{ALL_MOVES if self.whole else 'Only part of the game could be read'}: {self.trouble}"
        return f"Kept as text, since it cannot be played: {_first(self.broken)}" if self.broken else ""


def _first(faults: Sequence[Fault]) -> str:
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"line {faults[0]}{more}" if faults else ""


def to_game(model: GameModel, date: str = "") -> Game:
    """Return the record of a game.

    Args:
        date: the date for a game without tags, such as ``2026.01.31``.
    """
    model = model.whole()
    notes = [Annotation(0, *note) for note in model.notes]
    for index, ply in enumerate(model.plies, 1):
        notes += [Annotation(index, *note) for note in ply.notes]
        if ply.thought is not None and ply.thought.text:
            depth = f" depth {ply.thought.depth}" if ply.thought.depth else ""
            notes.append(Annotation(index, "comment", ply.thought.text + depth))
    result = "*" if model.ending is None else model.ending.pdn_result
    return Game(_tags(model, date), model.start, tuple(ply.move for ply in model.plies), result, tuple(notes))


def to_pdn(model: GameModel, date: str = "", review: Review | None = None) -> str:
    stream = io.StringIO()
    game = to_game(model, date)
    write_game(stream, game if review is None else annotate(game, review))
    return stream.getvalue()


def _tags(model: GameModel, date: str) -> tuple[tuple[str, str], ...]:
    tags = dict(model.tags)
    if not tags:
        tags = {"Event": "Crownhead", "Site": "?", "Date": date or NO_DATE, "Black": "Person", "White": "Person"}
        if model.opening.pdn:
            tags["Opening"] = model.opening.pdn
    for name, seat in (("Black", model.seats[BLACK]), ("White", model.seats[WHITE])):
        if not seat.human:
            tags[name] = ", ".join(filter(None, (seat.player, seat.limits)))
        elif seat.title:
            tags[name] = seat.title
    return tuple(tags.items())


def read(text: str) -> Loaded:
    """Return the position (FEN) or the first game (PDN) in a text.

    Raises:
        RecordError: the text contains neither.
    """
    if _FEN.match(plain_text(text)):
        try:
            return Loaded(GameModel(start=Position.from_fen(text.strip(" \t\r\n\"'"))))
        except InputError as error:
            raise RecordError(str(error)) from error
    loaded = next(iter(read_all(io.StringIO(text))), None)
    if loaded is None or not (loaded.model.plies or loaded.model.tags or loaded.model.start != Position.start()):
        raise RecordError(_NO_GAME)
    return loaded


@lru_cache(maxsize=64)
def late_pieces(text: str) -> Mapping[int, Piece] | None:
    """Return a position late in the first game of a PDN text; None if there is no game, or it cannot be read."""
    try:
        model = read("[Event " + text.split("[Event ")[1]).model
    except (RecordError, IndexError):
        return None
    model.go_to(round(len(model.plies) * LATE))
    return model.pieces()


def read_all(stream: IO[str]) -> Iterable[Loaded]:
    for raw in raw_games(stream):
        loaded = of_raw(raw)
        if loaded is not None:
            yield loaded


def of_raw(raw: RawGame) -> Loaded | None:
    """Return a game up to its first illegal move; None if it has no starting position."""
    if raw.start is None:
        return None
    faults, broken = list(raw.faults), list[Fault]()
    best_view(raw, lambda: len(_follow(raw).plies))
    plies: list[Ply] = []
    notes: dict[int, list[tuple[str, str]]] = {}
    for at, kind, text in raw.read_notes():
        notes.setdefault(at, []).append((kind, text))
    followed = _follow(raw)
    for position, move, after in followed.plies:
        plies.append(Ply(position, move, after, notes=tuple(notes.get(len(plies) + 1, ()))))
        broken += _broken_variations(raw, plies)
    if len(plies) < len(raw.written):
        line, text = raw.place(len(plies))
        here = f"after {plies[-1].move}" if plies else "in the first position"
        why = f"ambiguous, could be {', '.join(map(str, followed.meant))}" if followed.meant else f"not legal {here}"
        faults.append(make_fault(raw.number, line, len(plies) + 1, f"{text}: {why}"))
        faults.sort(key=lambda fault: fault.line)
    tags = tuple(item for item in raw.tags.items() if item[0] not in DERIVED_TAGS)
    seats = _seat(raw.tags.get("Black", "")), _seat(raw.tags.get("White", ""))
    whole = raw.sound and len(plies) == len(raw.written)
    model = GameModel(
        seats, raw.start, tags=tags, plies=plies, cursor=len(plies), ending=_ending(raw, plies) if whole else None,
        notes=tuple(notes.get(0, ())),
    )  # fmt: skip
    return Loaded(model, tuple(faults), tuple(broken), whole)


def _follow(raw: RawGame) -> Following:
    assert raw.start is not None
    return follow(raw.start, raw.written, plain.successors)


def _broken_variations(raw: RawGame, plies: list[Ply]) -> Iterator[Fault]:
    """Yield a fault for each variation of the last move that cannot be played; it is kept as text."""
    for kind, text in plies[-1].notes:
        if kind == KIND:
            line, _ = raw.place(len(plies) - 1)
            for why in find_broken(plies[-1].before, text):
                yield make_fault(raw.number, line, len(plies), why)


def _seat(name: str) -> Seat:
    return Seat(title=name) if name.strip() else HUMAN


def give_titles(model: GameModel, title_of: Callable[[str, str], str]) -> None:
    event = dict(model.tags).get("Event", "")
    black, white = (replace(seat, title=title_of(seat.title, event)) for seat in model.seats)
    model.seats = black, white


def _ending(raw: RawGame, plies: list[Ply]) -> Ending | None:
    """Return the ending by the moves if it is decisive or agrees with the record, otherwise the recorded one."""
    assert raw.start is not None
    by_moves = find_ending(raw.start, plies, WCDF)
    recorded = _RESULT.get(raw.result)
    if by_moves is not None and (recorded in (None, by_moves.result) or by_moves.result):
        return by_moves
    if recorded is None:
        return None
    why = REASON_TEXT[Reason.TABLEBASE]
    return Ending(recorded, Cause.RECORDED, why if raw.tags.get("Termination") == why else "")


LARGEST_GAME = 2_000_000
"""Maximum size of a game in bytes, far larger than any real game; reading more would take longer than a frame."""

MOST_CONVERTED = 64_000_000
"""Maximum number of bytes of a file in another encoding than UTF-8 that are read."""

_BLOCK = 1 << 16
_NEWLINE = re.compile(rb"\r\n|\r|\n")


def _open_utf_8(path: Path) -> IO[bytes]:
    """Open a file so that its lines end in line feeds of one byte; one in UTF-16 or UTF-32 is converted."""
    file = open_regular(path, links=True)
    encoding = encoding_of(file.peek(_BLOCK))  # type: ignore[attr-defined]
    if encoding == "utf-8":
        return file
    with file:
        data = file.read(MOST_CONVERTED)
    return io.BytesIO(data.decode(encoding, "replace").encode())


class PdnReader:
    def __init__(self, path: Path) -> None:
        """Open a file.

        Raises:
            RecordError: it cannot be opened, or is not a text file.
        """
        self.path = path
        self.games = 0
        self.trouble = ""
        try:
            if not path.is_file():  # opening a pipe would wait for its writer
                path.stat()
                raise RecordError(f"{path}: is {kind_of(path)}, expected a PDN file")
            self.stream = LinedFile(_open_utf_8(path))
            self.signature = signature_of(path)
        except OSError as error:
            raise RecordError(f"{path}: cannot be opened: {error.strerror}") from error
        try:
            why = why_no_text(self.stream.file.read(_BLOCK), "is not a text file, expected PDN")
            if why:
                raise RecordError(f"{path}: {why}")
            self.stream.file.seek(0)
        except RecordError:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise RecordError(f"{path}: cannot be read: {error.strerror}") from error
        self._games: Iterator[RawGame] | None = raw_games(self.stream, notes=False)  # type: ignore[arg-type]

    @property
    def complete(self) -> bool:
        return self._games is None

    @property
    def share(self) -> float:
        return 1.0 if self._games is None else self.stream.read_bytes / max(self.signature.size, 1)

    def read(self) -> RawGame | None:
        """Return the next game; None after the last one, or after an error, which `trouble` describes."""
        try:
            raw = None if self._games is None else next(self._games, None)
        except OSError as error:
            self.trouble = f"{self.path}: cannot be read further: {error.strerror}"
            raw = None
        if raw is None or self.stream.too_long:
            if self.stream.too_long:
                after = f"after game {self.games}, " if self.games else ""
                size = f"{LARGEST_GAME // 1_000_000} MB"
                self.trouble = f"{self.path}: {after}more than {size} without the end of a game: the rest is not read"
            self.close()
            return None
        self.stream.game_from = self.stream.read_bytes
        if raw.start is not None:
            best_view(raw, lambda: len(_follow(raw).plies))
        self.games += 1
        return raw

    def close(self) -> None:
        self._games = None
        self.stream.file.close()


class LinedFile:
    """A binary file that records the line number at the start of each block."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.read_bytes = 0
        self.game_from = 0
        self.too_long = False
        self._offsets, self._lines = array("Q", [0]), array("Q", [1])
        self._line = 1
        self._after_return = False

    def read(self, size: int) -> bytes:
        """Read a block; return an empty one once a game is too long."""
        self.too_long = self.too_long or self.read_bytes - self.game_from > LARGEST_GAME
        if self.too_long:
            return b""
        block = self.file.read(size)
        split = self._after_return and block.startswith(b"\n")
        if self.read_bytes and block and not split:
            self._offsets.append(self.read_bytes)
            self._lines.append(self._line)
        self._line += block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n") - split
        self._after_return = block.endswith(b"\r")
        self.read_bytes += len(block)
        return block

    def seek_line(self, file: IO[bytes], line: int) -> None:
        """Go to the start of a line of the same file."""
        known = max(bisect_left(self._lines, line) - 1, 0)  # the last block that starts on an earlier line
        offset, missing = self._offsets[known], line - self._lines[known]
        while missing:
            file.seek(offset)
            block = file.read(_BLOCK)
            if not block:
                return
            if block.endswith(b"\r"):  # perhaps the first half of a newline
                block += file.read(1)
            ends = [newline.end() for newline in _NEWLINE.finditer(block)]
            used = min(missing, len(ends))
            missing -= used
            offset += ends[used - 1] if used and not missing else len(block)
        file.seek(offset)


MOST_GAMES = 500_000
_NAMES = ("Black", "White", "Event", "Date")


@dataclass(frozen=True, slots=True)
class GameEntry:
    """A game in the index of a file.

    Attributes:
        number, line: the number of the game and of its first line, both from 1.
        moves: its first moves, as in `gui.model.game_search.moves_text`.
        sound: whether its text has no faults; legality is checked when it is opened.
        alone: whether no earlier game ends on its first line.
    """

    number: int
    line: int
    black: str
    white: str
    event: str
    date: str
    result: str
    plies: int
    moves: str
    opening: RecordedOpening
    sound: bool
    alone: bool

    def matches(self, wanted: GameSearch) -> bool:
        result = RESULT_WORDS.get(self.result, self.result)
        text = f"game {self.number}; {self.black}; {self.white}; {self.event}; {self.date}; {result}".lower()
        return wanted.fits(f"{text}; {self.opening.names}", self.moves)


class PdnIndex:
    """A PDN file as a list of games.

    Attributes:
        first_fault: the first fault of the games read so far; None if there is none.
    """

    def __init__(
        self,
        path: Path,
        clock: Callable[[], float] = time.perf_counter,
        title_of: Callable[[str, str], str] = lambda name, event: name,
    ) -> None:
        """Open a file; `step` reads it.

        Args:
            title_of: returns the title of a player from its name and the event of the game.

        Raises:
            RecordError: it cannot be opened, or is not a text file.
        """
        self.path = path
        self.entries: list[GameEntry] = []
        self.rows: list[int] = []
        self._clock, self._title_of = clock, title_of
        self._text, self._search = "", GameSearch()
        self.first_fault: Fault | None = None
        self._filtered = self._leading = 0
        self._last_line = 0
        self._trouble = ""
        self._reader = PdnReader(path)

    @property
    def complete(self) -> bool:
        """True if the whole file was read and searched."""
        return self._reader.complete and self._filtered == len(self.entries)

    @property
    def share(self) -> float:
        return self._reader.share

    @property
    def trouble(self) -> str:
        """The reason why the list is incomplete or has no games; empty if there is none."""
        trouble = self._trouble or self._reader.trouble
        if not trouble and self._reader.complete and not self.entries:
            return f"{self.path}: no games found"
        return trouble

    @property
    def search(self) -> str:
        """Words, openings and first moves that games must have; `step` continues the search."""
        return self._text

    @search.setter
    def search(self, text: str) -> None:
        self._text, self._search, self._filtered, self._leading, self.rows = text, GameSearch.of(text), 0, 0, []

    def step(self, seconds: float) -> bool:
        """Read and search for this many seconds, then finish the current game; return False once all is done."""
        end = self._clock() + seconds
        while not self.complete:
            if self._filtered < len(self.entries):
                if self._search.empty or self.entries[self._filtered].matches(self._search):
                    first = leads(self.entries[self._filtered].opening.title, self._text)
                    self.rows.insert(self._leading if first else len(self.rows), self._filtered)
                    self._leading += first
                self._filtered += 1
            else:
                self._read_on()
            if self._clock() >= end:
                break
        return not self.complete

    def _read_on(self) -> None:
        raw = self._reader.read()
        if raw is None:
            return
        if self.first_fault is None and raw.faults:
            self.first_fault = raw.faults[0]
        tags = raw.tags
        black, white, event, date = (intern(text) for text in self._facts(tags))
        entry = GameEntry(
            raw.number, raw.line, black, white, event, date, raw.result, len(raw.written),
            moves_text(raw.written) if raw.start == Position.start() else "",
            recorded_opening(raw.start, raw.written), sound=not raw.faults, alone=raw.line > self._last_line,
        )  # fmt: skip
        self._last_line = raw.last_line
        self.entries.append(entry)
        if len(self.entries) >= MOST_GAMES:
            self._trouble = f"{self.path}: only the first {MOST_GAMES:,} games are listed"
            self.close()

    def _facts(self, tags: Mapping[str, str]) -> tuple[str, str, str, str]:
        black, white, event, date = (tags.get(name, "") for name in _NAMES)
        return self._title_of(black, event), self._title_of(white, event), event, date

    def close(self) -> None:
        self._reader.close()

    def load(self, index: int) -> Loaded:
        """Open a game of `entries`.

        Raises:
            RecordError: it cannot be read, or the file has changed.
        """
        entry = self.entries[index]
        try:
            if signature_of(self.path) != self._reader.signature:
                raise RecordError(f"{self.path}: has changed since it was listed: open it again")
            raw = self._reread(index)
        except OSError as error:
            raise RecordError(f"{self.path}: cannot be read: {error.strerror}") from error
        loaded = None if raw is None else of_raw(raw)
        if loaded is None:
            why = f": line {raw.faults[0]}" if raw is not None and raw.faults else ""
            raise RecordError(f"{self.path}: game {entry.number} cannot be shown{why}")
        give_titles(loaded.model, self._title_of)
        return loaded

    def _reread(self, index: int) -> RawGame | None:
        first = index
        while not self.entries[first].alone:  # it starts in the middle of a line: read that line from its start
            first -= 1
        raw = self._read_from(first, index)
        return self._read_from(0, index) if raw is None and first else raw

    def _read_from(self, first: int, index: int) -> RawGame | None:
        """Read game `index`, starting at the first line of the earlier game `first`; return None if it is not there."""
        start, entry = self.entries[first], self.entries[index]
        with _open_utf_8(self.path) as file:
            self._reader.stream.seek_line(file, start.line)
            stream = LinedFile(file)
            for raw in raw_games(stream):  # type: ignore[arg-type]
                raw.number += start.number - 1
                if raw.number == entry.number and not stream.too_long:
                    _shift(raw, start.line - 1)
                    return raw if self._is(raw, entry) else None
        if stream.too_long:
            raise RecordError(f"{self.path}: game {entry.number}: too much text precedes it on its line")
        return None

    def _is(self, raw: RawGame, entry: GameEntry) -> bool:
        facts = (*self._facts(raw.tags), raw.result, len(raw.written))
        return facts == (entry.black, entry.white, entry.event, entry.date, entry.result, entry.plies)


def _shift(raw: RawGame, lines: int) -> None:
    raw.line += lines
    raw.faults = [make_fault(raw.number, fault.line + lines, fault.ply, fault.message) for fault in raw.faults]
    raw.runs = [(ply, line + lines, text) for ply, line, text in raw.runs]
