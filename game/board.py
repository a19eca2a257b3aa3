"""Positions, the FEN notation used by people and files, and diagrams."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from game import bitboard
from game.errors import InputError
from game.notation import STANDARD, TURNED, BoardView, plain_text, square_number
from game.rules import BLACK, KING_ROW, PIECES_A_SIDE, SQUARES, START_FEN, WHITE

SIDE_LETTER = {BLACK: "B", WHITE: "W"}
LETTER_SIDE = {"B": BLACK, "W": WHITE, "R": BLACK}
"""Sides by their letters in files; sets of checkers are red and white, too."""

_PIECE = re.compile(r"(K?)\s?([0-9]{1,4}|[A-H][1-8])(?:\s?-\s?(K?)\s?([0-9]{1,4}))?", re.ASCII | re.IGNORECASE)
_TAG = re.compile(r"""\[\s*FEN\s*[:=]?\s*["'\u2018-\u201f]([^"'\u2018-\u201f]*)["'\u2018-\u201f]\s*\]""", re.IGNORECASE)
_QUOTES = " \"'\u2018\u2019\u201a\u201c\u201d\u201e\xab\xbb"
_LETTERED = re.compile(r"(?:[BWR]|,)\s*K?\s?[A-H][1-8]", re.ASCII | re.IGNORECASE)
_NUMBERED = re.compile(r"(?::\s*[BWR]|,)\s*K?\s?[0-9]", re.ASCII | re.IGNORECASE)
_COUNTER = re.compile(r"[HF][0-9]{1,9}", re.ASCII | re.IGNORECASE)
"""Suffixes that lidraughts adds to a FEN: quiet plies and the number of the move, as in ``:H0:F1``."""


class FenError(InputError):
    """A FEN that does not describe a position; the message names the token."""


@dataclass(frozen=True, slots=True)
class Position:
    """A board and the side to move: an immutable value.

    Attributes:
        black: all pieces of Black, a word as in `game.bitboard`.

    The words are not checked; for input from outside use `from_fen` or `from_squares`.
    """

    black: int
    white: int
    kings: int
    side: int

    @classmethod
    @functools.cache
    def start(cls) -> Position:
        """Return the start position: twelve men each, Black to move."""
        return cls.from_fen(START_FEN)

    @classmethod
    def from_squares(cls, black: Iterable[int], white: Iterable[int], kings: Iterable[int], side: int) -> Position:
        """Create a position from PDN squares.

        Raises:
            FenError: a number is outside 1-32, a square occurs twice, a king is on an empty square, a man is on its own
                king row, a side has more than twelve pieces, or `side` is neither 0 nor 1.
        """
        if side not in (BLACK, WHITE):
            raise FenError(f"side to move: expected {BLACK} (Black) or {WHITE} (White), got {side!r}")
        royal, sides, taken = list(kings), (list(black), list(white)), set[int]()
        for colour, squares in zip((BLACK, WHITE), sides, strict=True):
            for square in squares:
                name = f"{SIDE_LETTER[colour]}{square}"
                if not 1 <= square <= SQUARES:
                    raise FenError(f"{name}: squares are numbered 1 to {SQUARES}")
                if square in taken:
                    raise FenError(f"{name}: there are two pieces on square {square}")
                if square in KING_ROW[colour] and square not in royal:
                    raise FenError(f"{name}: a man cannot stand on its own king row (write K{square} for a king)")
                taken.add(square)
            if len(squares) > PIECES_A_SIDE:
                raise FenError(f"{SIDE_LETTER[colour]}: {len(squares)} pieces, a side has at most {PIECES_A_SIDE}")
        for square in royal:
            if square not in taken:
                raise FenError(f"K{square}: there is no piece on this square")
        return cls(_word(sides[BLACK]), _word(sides[WHITE]), _word(royal), side)

    @classmethod
    def from_fen(cls, text: str, view: BoardView | None = None) -> Position:
        """Read a PDN FEN such as ``B:W18,24,K10:B12,K22``, or with letters ``W:Wc3,e3:Bb6,Kd8``.

        The colours may come in any order, ``21-32`` is a range, a trailing dot is allowed, and a side may have no
        pieces. Letters may be lower case, and the text may be a whole tag ``[FEN "..."]``. Counters at the end, such as
        ``:H0:F1``, and a side that is given once more, are ignored; R is Black.

        Args:
            view: how squares are numbered or lettered; by default as in PDN 3.0, and if the letters then describe no
                position, as in chess.

        Raises:
            FenError: the text is not of this form; the message names the token.
        """
        try:
            return cls._from_fen(text, view or STANDARD)
        except FenError:
            if view is not None or not is_lettered(text):
                raise
            try:
                return cls._from_fen(text, TURNED)
            except FenError:
                pass
            raise

    @classmethod
    def _from_fen(cls, text: str, view: BoardView) -> Position:
        body = plain_text(text).strip()
        tag = _TAG.fullmatch(body)
        body = tag[1].strip() if tag is not None else body
        body = body.strip(_QUOTES)
        body = body[:-1].rstrip() if body.endswith(".") else body
        fields = [field.strip() for field in body.split(":")]
        if is_lettered(body) and _NUMBERED.search(body):
            raise FenError(f"{text[:200]!r}: expected numbers or letters for all squares, not both")
        while len(fields) > 3 and _COUNTER.fullmatch(fields[-1]):
            fields.pop()
        if fields[0].upper() not in LETTER_SIDE:
            raise FenError(f"{fields[0][:40]!r}: a FEN starts with the side to move, B or W (as in {START_FEN})")
        while len(fields) > 3 and fields[0] in fields[1:]:
            del fields[fields.index(fields[0], 1)]
        if len(fields) != 3:
            raise FenError(f"{text[:200]!r}: expected three parts as in {START_FEN}, got {len(fields)}")
        pieces: dict[int, list[int]] = {}
        kings: list[int] = []
        for field in fields[1:]:
            if field[:1].upper() not in LETTER_SIDE:
                raise FenError(f"{field[:120]!r}: the pieces of a side start with its letter, W or B")
            colour = LETTER_SIDE[field[0].upper()]
            if colour in pieces:
                raise FenError(f"{field[:120]!r}: the pieces of {field[0]} are given twice")
            pieces[colour] = list(_read_pieces(field, kings, view))
        return cls.from_squares(pieces[BLACK], pieces[WHITE], kings, LETTER_SIDE[fields[0].upper()])

    def fen(self) -> str:
        """Return the position as FEN: squares ascending, a K before each king, White's pieces first as in PDN."""
        return f"{SIDE_LETTER[self.side]}:W{self._side_fen(self.white)}:B{self._side_fen(self.black)}"

    __str__ = fen

    def _side_fen(self, word: int) -> str:
        royal = set(bitboard.squares_of(self.kings))
        return ",".join(f"K{s}" if s in royal else str(s) for s in bitboard.squares_of(word))

    @property
    def own(self) -> int:
        """The pieces of the side to move, a word."""
        return self.black if self.side == BLACK else self.white

    @property
    def opponent(self) -> int:
        """The pieces of the other side, a word."""
        return self.white if self.side == BLACK else self.black

    def mirror(self) -> Position:
        """Return the position with colours exchanged and the board rotated, which has the same value."""
        return Position(
            bitboard.rotate(self.white), bitboard.rotate(self.black), bitboard.rotate(self.kings), 1 - self.side
        )


def _word(squares: Iterable[int]) -> int:
    word = 0
    for square in squares:
        word |= 1 << bitboard.SQUARE_BIT[square]
    return word


def is_lettered(fen: str) -> bool:
    return _LETTERED.search(plain_text(fen)) is not None


def _read_pieces(field: str, kings: list[int], view: BoardView) -> Iterable[int]:
    for token in map(str.strip, re.split("[,;]", field[1:])):
        if not token and not field[1:].strip():
            return
        match = _PIECE.fullmatch(token)
        if match is None:
            raise FenError(
                f"{token[:40]!r} in {field[:120]!r}: expected a square, K and a square, or a range like 21-32"
            )
        if match[2][0].isalpha() and match[4]:
            raise FenError(f"{token[:40]!r} in {field[:120]!r}: ranges are written with numbers")
        first = int(match[2]) if match[2].isdigit() else square_number(match[2], view)
        last = int(match[4] or first)
        if not 1 <= first <= last <= SQUARES:
            raise FenError(f"{token[:40]!r} in {field[:120]!r}: squares are numbered 1 to {SQUARES}, ranges ascend")
        if match[3] and not match[1]:
            raise FenError(f"{token[:40]!r} in {field[:120]!r}: a range of kings is written K1-4")
        squares = [square_number(str(square), view) for square in range(first, last + 1)]
        if match[1]:
            kings.extend(squares)
        yield from squares


LEGEND = "b w men, B W kings"
"""An explanation of the letters of a diagram."""


def diagram(position: Position) -> str:
    """Return eight lines, one per row. A dark square has a piece or a dot, then its number; light squares are blank."""
    squares = {
        letter: set(bitboard.squares_of(word))
        for letter, word in (
            ("b", position.black & ~position.kings),
            ("B", position.black & position.kings),
            ("w", position.white & ~position.kings),
            ("W", position.white & position.kings),
        )
    }
    rows = []
    for first in range(1, SQUARES + 1, 4):
        cells = []
        for square in range(first, first + 4):
            piece = next((letter for letter, where in squares.items() if square in where), ".")
            cells.append(f"{piece}{square}".ljust(4))
        even = (first - 1) // 4 % 2 == 0  # in every other row the first dark square is the leftmost
        rows.append("".join(f"    {cell}" if even else f"{cell}    " for cell in cells).rstrip())
    return "\n".join(rows)


def mover(position: Position) -> str:
    return "Black to move" if position.side == BLACK else "White to move"
