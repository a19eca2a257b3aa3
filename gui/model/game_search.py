"""Searches in lists of recorded games: by words, by openings, and by the moves with which games begin."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from game import bitboard, plain
from game.ballots import PLIES, Ballot, GameOpening, NamedOpening, all_ballots, longest, openings_with_names
from game.board import Position
from game.moves import Move
from game.notation import plain_text
from game.pdn.game import encode_path
from game.pdn.meaning import find_meant, settle
from game.rules import BLACK, WHITE

BEGINNING = 16
"""Plies at the beginning of a game by which it is found; more would need much memory for large files."""

RESULT_WORDS = {
    "1-0": "1-0 black won black wins",
    "0-1": "0-1 white won white wins",
    "1/2-1/2": "1/2-1/2 draw drawn",
    "*": "* unknown",
}
"""Words for the results of recorded games."""

_CODES = str.maketrans(",;", "  ")
_NUMBER = re.compile(r"[0-9]+\.+")
_MOVE = re.compile(r"(?:[1-9][0-9]?)(?:[-x:][1-9][0-9]?)+")
_BEGUN = re.compile(r"[1-9][0-9]?[-x:]?")
_PHRASE = re.compile(r"(?:ballot|game) [0-9]+(?![^ ])|(?:black|white) (?:won|wins)(?![^ ])|[^ ]+")


class RecordedOpening(NamedTuple):
    """The opening of a recorded game.

    Attributes:
        names: the names of all openings that the game went through, and its ballot, in lower case.
    """

    title: str = ""
    names: str = ""


@dataclass(frozen=True)
class GameSearch:
    """A search in a list of games.

    Attributes:
        words: words and phrases in lower case that the text of a game must contain.
        moves: the moves with which a game must begin, as in `moves_text`; the last one may be incomplete.
        typed: these moves as words; a game whose text contains them is found, too.
        ballot: the ballot to which three moves lead, which games reach in other orders, too; empty if there is none.
    """

    words: tuple[str, ...] = ()
    moves: str = ""
    typed: tuple[str, ...] = ()
    ballot: str = ""

    @classmethod
    def of(cls, text: str) -> GameSearch:
        words: list[str] = []
        moves: list[str] = []
        typed: list[str] = []
        for word in _PHRASE.findall(" ".join(plain_text(text).lower().translate(_CODES).split())):
            word = _NUMBER.sub("", word, count=1) if _NUMBER.match(word) and not _is_date(word) else word
            squares = list(map(int, re.split("[-x:]", word))) if _MOVE.fullmatch(word) else []
            if squares and max(squares) <= 32 and squares[0] != squares[-1]:
                moves.append(f"{squares[0]}-{squares[-1]}")
            elif _BEGUN.fullmatch(word) and (moves or not word[-1].isdigit()):
                moves.append(word.replace("x", "-").replace(":", "-"))
            elif word:
                words.append(word)
                continue
            else:
                continue
            typed.append(word)
        return cls(tuple(words), " ".join(moves), tuple(typed), _ballot(moves))

    @property
    def empty(self) -> bool:
        return not self.words and not self.moves

    def fits(self, text: str, moves: str) -> bool:
        """Return whether a game fits, given its searchable text in lower case and its first moves (`moves_text`)."""
        begins = moves.startswith(self.moves) or (self.ballot and finder(self.ballot)(text))
        return all(finder(word)(text) for word in (self.words if begins else (*self.words, *self.typed)))


def _ballot(moves: Sequence[str]) -> str:
    if len(moves) != PLIES or not all(map(_MOVE.fullmatch, moves)):
        return ""
    reached = [after for *_, after in follow(Position.start(), list(map(encode_path, moves)))]
    ballot = _ballots().get(reached[-1]) if len(reached) == PLIES else None
    return "" if ballot is None else f"ballot {ballot.number}"


def _is_date(word: str) -> bool:
    """Return whether a word with points is a date such as ``1982.05``, not a move with its number."""
    return _MOVE.fullmatch(word.rpartition(".")[2]) is None and word[-1] != "."


@lru_cache(maxsize=256)
def finder(word: str) -> Callable[[str], object]:
    """Return a function that looks for a word in a text; a number must be at the start of a number of the text.

    The number of a phrase, such as ``ballot 46``, must be whole.
    """
    label, _, number = word.rpartition(" ")
    if not number.isdecimal():
        return lambda text: word in text
    pattern = re.escape(word) + (r"(?![0-9])" if label else "")
    return re.compile(rf"(?<![0-9a-z]){pattern}" if label else rf"(?<![0-9]){pattern}").search


def moves_text(written: Sequence[int]) -> str:
    """Return the first moves, encoded by `game.pdn.game.encode_path`, by their first and last squares."""
    return " ".join(map(_move_text, written[:BEGINNING]))


@lru_cache(maxsize=4096)
def _move_text(code: int) -> str:
    if code < 0:
        return "?"
    last = 4 + 5 * ((code & 15) - 1)
    return f"{(code >> 4 & 31) + 1}-{(code >> last & 31) + 1}"


def recorded_opening(start: Position | None, written: Sequence[int]) -> RecordedOpening:
    """Return the opening of a game with these moves; one without names unless it begins with the usual position."""
    if start != Position.start():
        return RecordedOpening()
    named, ballots = _named(), _ballots()
    reached = [after for _, _, after in follow(start, written[: longest()])]
    ballot = reached[PLIES - 1] if len(reached) >= PLIES else 0
    return _opening(tuple(place for place in reached if place in named), ballot if ballot in ballots else 0)


@lru_cache(maxsize=4096)
def _opening(places: tuple[int, ...], ballot_place: int) -> RecordedOpening:
    """Return the opening of games that go through the places of these openings, the last of which is the longest."""
    openings, ballot = [_named()[place] for place in places], _ballots().get(ballot_place)
    names = [opening.name for opening in openings]
    if ballot is not None:
        names += [ballot.name, f"ballot {ballot.number}"]
    result = GameOpening(openings[-1] if openings else None, ballot)
    return RecordedOpening(result.title, "; ".join(dict.fromkeys(names)).lower())


@cache
def _named() -> dict[int, NamedOpening]:
    return {_place(opening): opening for opening in openings_with_names()}


@cache
def _ballots() -> dict[int, Ballot]:
    return {_place(ballot): ballot for ballot in all_ballots()}


def _place(opening: NamedOpening) -> int:
    *_, (_, _, after) = follow(Position.start(), list(map(encode_path, opening.moves.split())))
    return after


def leads(title: str, words: str) -> bool:
    """Return whether the title of an opening begins with the words that were searched."""
    return bool(words.strip()) and title.lower().startswith(words.lower().strip())


def found_by(title: str, names: str, words: str) -> str:
    """Return the title of an opening, after the earlier opening that the words mean, such as ``Kelso: Octopus``."""
    name = next((name for name in names.split("; ") if leads(name, words) and not name.startswith("ballot")), "")
    return f"{name.title()}: {title}" if name and name not in title.lower() else title


_KING_ROWS = (bitboard.BOTTOM_ROW, bitboard.TOP_ROW)
_WORD = [0, *(1 << bit for bit in bitboard.SQUARE_BIT[1:])]


def code_of(move: Move) -> int:
    return encode_path("-".join(map(str, move.path)))


def follow(start: Position, written: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the key of the position before each move, the move, and the key after it, up to the first impossible move.

    Moves are not checked for legality, which makes this ten times as fast; a caller that needs legal ones checks
    them.
    """
    own, opponent, kings, side = start.own, start.opponent, start.kings, start.side
    place = hash((start.black, start.white, kings, side))
    for ply, code in enumerate(written):
        black, white = (own, opponent) if side == BLACK else (opponent, own)
        played = _PLAYED.get(code) or _play(code)
        if played is None or not own & played[0] or opponent & played[2] != played[2]:
            # This may be a capture written with only its first and last squares.
            position = Position(black, white, kings, side)
            meant = [move for move, _ in find_meant(position, code, plain.successors)]
            if len(meant) > 1:
                meant = settle(position, written, plain.successors, ply)
            if not meant:
                return
            code = code_of(meant[0])
            played = _PLAYED.get(code) or _play(code)
            assert played is not None
        start_word, end_word, taken = played
        if end_word & (own & ~start_word | opponent):
            return
        crowned = end_word & _KING_ROWS[side] or start_word & kings
        own = own & ~start_word | end_word
        opponent &= ~taken
        kings = kings & ~start_word & ~taken | (end_word if crowned else 0)
        own, opponent, side = opponent, own, WHITE if side == BLACK else BLACK
        after = hash((own, opponent, kings, side) if side == BLACK else (opponent, own, kings, side))
        yield place, code, after
        place = after


_PLAYED: dict[int, tuple[int, int, int]] = {}
"""Cached results of `_play`, by the code of the path."""


def _play(code: int) -> tuple[int, int, int] | None:
    """Return the first square, last square and captured pieces of a path as bitboards; None if it is not a path."""
    if code < 0:
        return None
    squares = [(code >> (4 + 5 * place) & 31) + 1 for place in range(code & 15)]
    taken = 0
    for start, end in itertools.pairwise(squares):
        a, b = bitboard.SQUARE_BIT[start], bitboard.SQUARE_BIT[end]
        if abs(a - b) in (8, 10):
            taken |= 1 << (a + b) // 2
        elif abs(a - b) not in (4, 5) or len(squares) != 2:
            return None
    if len(_PLAYED) < 10_000:  # files may contain nonsense
        _PLAYED[code] = _WORD[squares[0]], _WORD[squares[-1]], taken
    return _WORD[squares[0]], _WORD[squares[-1]], taken
