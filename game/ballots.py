"""Openings by name, the three-move ballots with the federation's numbers and status, and the book of these ballots.

Names are read from ``data/federation_ballots.tsv`` and ``data/openings.tsv``, which name their sources. The window uses
this module, so it is plain Python and loads no compiled code.
"""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from game import plain
from game.board import Position
from game.errors import InputError, capital, describe
from game.moves import Move
from game.regular_files import read_regular
from game.rules import WCDF, DrawRules

TABLE = Path(__file__).parent / "data" / "federation_ballots.tsv"
"""One ballot per line: number, moves, status, name; lines with # are comments."""

CLASSICAL = Path(__file__).parent / "data" / "openings.tsv"
"""One classical opening per line: moves, name, and the page or book that was read; lines with # are comments."""

BOOK = Path(__file__).parent / "data" / "book.tsv"
"""A header; then for each position, separated by tabs, its FEN, the depth of its search, and its best moves with their
scores in men, the best one first. `python -m tests.measurements.book` makes it."""
BOOK_HEADER, LONGEST, MOST_BYTES = "# Crownhead book 1 for American checkers, {}", 150, 1_000_000

PLIES = 3

PLAYED = {"crossboard": "played at the board and by mail", "mail": "played by mail only", "barred": "barred from play"}
"""Descriptions of the statuses."""

WHERE = {"crossboard": "at the board", "mail": "by mail", "barred": "barred"}
"""The statuses in at most three words."""


@dataclass(frozen=True, slots=True)
class NamedOpening:
    """Moves with a name, from the start of a game.

    Attributes:
        moves: its usual moves, as in PDN.
        source: the page or book that gives moves and name; empty for ballots.
    """

    moves: str
    name: str
    source: str = ""

    @property
    def title(self) -> str:
        return self.name

    @property
    def pdn(self) -> str:
        """Its text for the PDN tag Opening, such as ``Kelso (10-15)``."""
        return f"{self.name} ({self.moves})"

    @property
    def line(self) -> tuple[Move, ...]:
        return tuple(move for move, _ in _played(self.moves.split()))


@dataclass(frozen=True, slots=True)
class Ballot(NamedOpening):
    """An opening of three plies, named by its nickname or by the longest classical opening that begins it.

    Attributes:
        number: the number of the American Checker Federation, from 1.
        played: its status, ``crossboard``, ``mail`` or ``barred``; a key of `PLAYED`.
    """

    number: int = 0
    played: str = ""

    @property
    def title(self) -> str:
        """Its name and number, such as ``Double Cross, ballot 46``."""
        return f"{self.name}, ballot {self.number}" if self.name else f"Ballot {self.number}"

    @property
    def pdn(self) -> str:
        """Its text for the PDN tag Opening, such as ``Double Cross (ballot 46: 9-14 23-18 14x23)``."""
        return f"{self.name} (ballot {self.number}: {self.moves})".lstrip()


class GameOpening(NamedTuple):
    """The opening of a game, as far as it has a name.

    Attributes:
        named: the longest opening with a name whose position the game reached, in any order of moves; a ballot if its
            own name is the longest; None if there is none.
        ballot: the ballot of its first three plies; None if it is shorter, or if they are no ballot.
    """

    named: NamedOpening | None = None
    ballot: Ballot | None = None

    @property
    def name(self) -> str:
        return self.named.name if self.named is not None else ""

    @property
    def title(self) -> str:
        """Name and ballot, such as ``Old Fourteenth, ballot 120``; empty if there is neither."""
        ballot = f"ballot {self.ballot.number}" if self.ballot is not None else ""
        text = ", ".join(filter(None, (self.name, ballot)))
        return capital(text)

    @property
    def pdn(self) -> str:
        """Its text for the PDN tag Opening; empty if there is neither name nor ballot."""
        if self.ballot is None:
            return self.named.pdn if self.named is not None else ""
        head = f"{self.name} (ballot" if self.name else "Ballot"
        return f"{head} {self.ballot.number}: {self.ballot.moves}{')' if self.name else ''}"


def _lines(table: Path) -> list[list[str]]:
    return [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


@functools.cache
def classical_openings() -> tuple[NamedOpening, ...]:
    """Return the classical openings, ordered by their moves."""
    return tuple(NamedOpening(moves, name, source) for moves, name, source in _lines(CLASSICAL))


@functools.cache
def all_ballots() -> tuple[Ballot, ...]:
    """Return the 174 ballots by number."""
    return tuple(
        Ballot(moves, name or _classical_name(moves.split()), "", int(number), played)
        for number, moves, played, name in _lines(TABLE)
    )


def _classical_name(moves: Sequence[str]) -> str:
    known = (_classical().get(position) for _, position in reversed(_played(moves)))
    return next((opening.name for opening in known if opening is not None), "")


def openings_with_names() -> list[NamedOpening]:
    """Return the classical openings, then the ballots with a name of their own, which counts more."""
    return [*classical_openings(), *(ballot for ballot in all_ballots() if ballot.number in _nicknamed())]


@functools.cache
def deck() -> tuple[Ballot, ...]:
    """Return the 156 ballots that are not barred, from which the opening of a game is drawn."""
    return tuple(ballot for ballot in all_ballots() if ballot.played != "barred")


@functools.cache
def longest() -> int:
    return max(len(opening.moves.split()) for opening in classical_openings())


def opening_of(moves: Sequence[str]) -> GameOpening:
    """Return the opening of a game from the start position.

    Args:
        moves: its moves, as in PDN; those after the first illegal one are ignored.
    """
    return _opening(tuple(moves[: longest()]))


@functools.lru_cache(maxsize=4096)
def _opening(moves: tuple[str, ...]) -> GameOpening:
    reached = [position for _, position in _played(moves)]
    ballot = _by_position().get(reached[PLIES - 1]) if len(reached) >= PLIES else None
    return GameOpening(next(filter(None, map(opening_at, reversed(reached))), None), ballot)


def opening_at(position: Position) -> NamedOpening | None:
    """Return the opening with a name that leads to a position, in any order of moves; None if there is none."""
    ballot = _by_position().get(position)
    return ballot if ballot is not None and ballot.number in _nicknamed() else _classical().get(position)


def _played(moves: Sequence[str]) -> list[tuple[Move, Position]]:
    """Return each move with the position after it, up to the first one that is illegal."""
    position, played = Position.start(), list[tuple[Move, Position]]()
    for text in moves:
        pair = next((pair for pair in plain.successors(position) if str(pair[0]) == text), None)
        if pair is None:
            break
        played.append(pair)
        position = pair[1]
    return played


@functools.cache
def _nicknamed() -> frozenset[int]:
    return frozenset(int(number) for number, _, _, name in _lines(TABLE) if name)


def _end(opening: NamedOpening) -> Position:
    return _played(opening.moves.split())[-1][1]


@functools.cache
def _by_position() -> dict[Position, Ballot]:
    return {_end(ballot): ballot for ballot in all_ballots()}


@functools.cache
def _classical() -> dict[Position, NamedOpening]:
    return {_end(opening): opening for opening in classical_openings()}


_CHOSEN = re.compile(r"\bgo[ -]?as[ -]?you[ -]?please\b|\bgayp\b|\bfree[ -]?style\b|\bunrestricted\b", re.IGNORECASE)
_WHERE_SAID = ("Event", "Round", "Opening", "Restriction", "GameType", "Variant")


def plies_by_lot(start: Position, moves: Sequence[Move], tags: Mapping[str, str] | None = None) -> int:
    """Return the number of first plies of a game that a lot may have chosen.

    A record seldom says how its opening was chosen, so these are the plies with which a ballot of the deck begins, in
    any order of moves. Some tags say more: `match` writes the moves of its openings, which may be longer, or "start" as
    the tag Opening; and in a game whose tags call it go-as-you-please or freestyle the players chose every move.
    """
    tags = tags or {}
    opening = tags.get("Opening", "").split()
    chosen = opening == ["start"] or any(_CHOSEN.search(tags.get(name, "")) for name in _WHERE_SAID)
    if chosen or start != Position.start():
        return 0
    if opening and opening == [str(move) for move in moves[: len(opening)]]:
        return len(opening)
    position, deals = start, frozenset(ballot.number for ballot in deck())
    for plies, move in enumerate(moves[:PLIES]):
        position = plain.apply(position, move)
        if not deals & _led_to(position, (), PLIES - 1 - plies):
            return plies
    return min(len(moves), PLIES)


def find_openings(words: str) -> list[NamedOpening]:
    """Search ballots and classical openings by number, name and moves.

    An opening matches if its number, name and moves contain each word; a ballot also if the words are moves, in any
    order that leads to its position. Openings with exactly the typed name come first, then those whose name begins with
    it, and classical openings before ballots.

    Args:
        words: the typed text, in which the last move may be incomplete; an empty text matches all, ballots first.
    """
    wanted = tuple(words.lower().replace(",", " ").split())
    if not wanted:
        return [*all_ballots(), *classical_openings()]
    if len(wanted) == 1 and wanted[0].isdigit():
        return [ballot for ballot in all_ballots() if str(ballot.number).startswith(wanted[0])]
    led_to, typed = _led_to(Position.start(), wanted), " ".join(wanted)
    results = [each for each in (*classical_openings(), *all_ballots()) if _matches(each, wanted, led_to)]
    return sorted(results, key=lambda each: (each.name.lower() != typed, not each.name.lower().startswith(typed)))


def _matches(opening: NamedOpening, wanted: Sequence[str], led_to: frozenset[int]) -> bool:
    number = opening.number if isinstance(opening, Ballot) else 0
    text = f"{number or ''} {opening.name} {opening.moves}".lower()
    return number in led_to or all(word in text for word in wanted)


@functools.lru_cache(maxsize=4096)
def _led_to(position: Position, moves: tuple[str, ...], plies: int = PLIES) -> frozenset[int]:
    """Return the numbers of the ballots that a position can lead to by moves whose texts begin with the given ones."""
    if plies == 0:
        ballot = None if moves else _by_position().get(position)
        return frozenset() if ballot is None else frozenset((ballot.number,))
    typed = moves[0] if moves else ""
    after = (after for move, after in plain.successors(position) if str(move).startswith(typed))
    return frozenset().union(*(_led_to(position_after, moves[1:], plies - 1) for position_after in after))


class BookEntry(NamedTuple):
    """The depth of the search of a position, and its best moves with their scores in men, the best one first."""

    depth: int
    replies: tuple[tuple[str, float], ...]


@functools.cache
def read_book(rules: DrawRules = WCDF, path: Path = BOOK) -> Mapping[str, BookEntry]:
    """Read what long searches found of the ballots and of the positions after their best moves, by FEN.

    Raises:
        InputError: the file cannot be read, is damaged, or is for other rules.
    """
    try:
        head, _, body = read_regular(path, MOST_BYTES, links=True).decode("ascii", "replace").partition("\n")
    except OSError as error:
        raise InputError(f"book: {describe(error)}; use book=no") from error
    kind, _, check = head.rpartition(", check ")
    if check != f"{zlib.crc32(body.encode()):08x}":
        raise InputError(f"book: {path}: is damaged or no book; use book=no")
    if kind != BOOK_HEADER.format(rules):
        raise InputError(f"book: {path}: expected one for {rules}, got {kind[:LONGEST]!r}; use book=no")
    lines = (line.split("\t") for line in body.splitlines() if not line.startswith("#"))
    words = ((fen, int(depth), replies.split()) for fen, depth, replies in lines)
    return {fen: BookEntry(n, tuple(zip(best[::2], map(float, best[1::2]), strict=True))) for fen, n, best in words}
