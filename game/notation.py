"""Squares, moves and results as people and programs write them: numbers or letters, typography, and views of the board.

Moves are rewritten as PDN writes them (``22x15``), or with letters (``d4xb6``) until the view of the board is known.
"""

from __future__ import annotations

import functools
import html
import re
import unicodedata
from typing import NamedTuple

from game.rules import SQUARES

ROW = 4
"""Number of dark squares of a row."""

_NUMBER = r"(?:0[1-9]|[1-9][0-9]?)"
_LETTERS = r"k?[a-h][1-8]"
_SIGN = r"(?:\s{0,2}(?:-{1,3}>?|[x:>]<?)\s{0,2})"
_LETTER_PATH = rf"{_LETTERS}(?:{_SIGN}?{_LETTERS}){{1,12}}"
_PATHS = rf"(?:k?{_NUMBER}(?:{_SIGN}k?{_NUMBER}){{1,12}}|{_LETTER_PATH})"
_MOVE = re.compile(rf"[0-9]{{1,2}}(?:{_SIGN}[0-9]{{1,2}}){{1,12}}|{_LETTER_PATH}")
_SQUARE = re.compile(r"[a-h]?[0-9]+")

_HYPHENS = "\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2192\u21d2\u2212\u2794\u2e3a\u30fc\ufe58"
_CROSSES = "\u00d7\u03a7\u03c7\u0425\u0445\u2573\u2715\u2716\u2a09\u2a2f"
_SPECIAL = {
    **dict.fromkeys(_HYPHENS, "-"),
    **dict.fromkeys(_CROSSES, "x"),
    **dict.fromkeys("\u02d0\u2236\ua789", ":"),
    **dict.fromkeys("\u2044\u2215", "/"),
    "\u200b": " ",  # a zero-width space, which ends lines on web pages
    "\u203d": "?!",
}
"""Signs that look like those of moves and results, but are no compatibility forms of them."""

_SIDES = r"(?:black|white|red|[bwr])"
_WORDS = re.compile(
    rf"(?P<result>(?:1/2\s?[-:]\s?1/2|[0.,]{{1,2}}5\s?[-:]\s?[0.,]{{1,2}}5|[012]\s?[-:]\s?[012](?!\s?[-x:0-9])|1/2"
    rf"|drawn?(?:\s(?:by\s)?agree(?:d|ment))?|{_SIDES}\.?\s(?:wins|won))[.,*]?(?=\s|\Z))"
    rf"|(?P<number>[0-9]{{1,3}}(?:\s?\.){{1,9}}|(?:\.\s?){{1,9}}|[0-9]{{1,3}}[:),]?(?=\s+{_PATHS}(?![0-9]))"
    rf"|[0-9]{{1,3}}\)(?={_PATHS})|{_SIDES}[.:](?=\s))"
    rf"|(?P<move>{_PATHS})(?P<mark>[!?*]{{0,8}})[+#]?(?:[,/]|\.?(?=\s|\Z))"
    rf"|(?P<strength>[!?]{{1,8}})(?=\s|\Z)"
    r"|(?P<nothing>\s+)"
)

_RESULTS = {
    "1-0": ("1-0", "2-0", *(side + end for side in ("black", "red", "b", "b.", "r", "r.") for end in ("wins", "won"))),
    "0-1": ("0-1", "0-2", *(side + end for side in ("white", "w", "w.") for end in ("wins", "won"))),
    "1/2-1/2": ("1/2-1/2", "1-1", "0.5-0.5", ".5-.5", "1/2", "=", "draw", "drawn"),
    "*": ("*", "?", "", "-"),
}
_RESULT_OF = {written: result for result, forms in _RESULTS.items() for written in forms}


TAGS = (
    "Event", "Site", "Date", "Round", "Black", "White", "Result", "GameType", "SetUp", "FEN",
    "Opening", "Annotator", "Termination", "TimeControl", "Red", "P1", "P2",
)  # fmt: skip
"""Tags that are recognised in any case."""

_TAG_OF = {name.lower(): name for name in TAGS} | {"player1": "P1", "player2": "P2", "startfen": "FEN"}
OTHER_NAMES = {"Red": "Black", "P1": "Black", "P2": "White"}
"""Tags that name the player who moves first or second in files of some programs and sites."""


@functools.lru_cache(maxsize=1 << 10)
def tag_name(written: str) -> str:
    """Return the name of a tag as PDN writes it; an unknown name remains as it is."""
    return _TAG_OF.get(written.lower().replace("_", ""), written)


class BoardView(NamedTuple):
    """A view of the board, from which squares are counted or lettered.

    Attributes:
        turned: whether a1 is a corner of the player who moves second.
        corner: of square 1, seen by the first mover, as in GameType: 0 bottom left, 1 bottom right (of American
            checkers), 2 top left, 3 top right.
    """

    turned: bool = False
    corner: int = 1


STANDARD = BoardView()
"""The view of PDN 3.0 for American checkers: a1 is Black's left corner, square 4; square 1 is on Black's right."""

TURNED = BoardView(turned=True)
"""The view of chess, in which White sits below: a1 is square 29."""


_PARTS = re.compile(r"&#?\w{1,10};|.", re.DOTALL)


class Word(NamedTuple):
    """A word of a game as PDN writes it.

    Attributes:
        kind: "move", "result", "number" (of a move), "strength" (marks alone) or "nothing" (invisible signs).
    """

    kind: str
    text: str
    mark: str
    length: int


@functools.lru_cache(maxsize=1 << 12)
def _plain_sign(sign: str) -> str:
    if sign in _SPECIAL:
        return _SPECIAL[sign]
    if unicodedata.category(sign) == "Cf":  # such as zero-width spaces, marks of direction and of byte order
        return ""
    return "".join(_SPECIAL.get(each, each) for each in unicodedata.normalize("NFKC", sign))


def _unescape(reference: str) -> str:
    sign = html.unescape(reference)
    return sign if len(sign) == 1 and sign != "&" else "#"


def plain_text(text: str) -> str:
    """Return a text in which typography of moves, results and positions is replaced by ASCII."""
    return text if text.isascii() else "".join(map(_plain_sign, text))


def read_word(text: str) -> Word | None:
    """Read the move, result, number of a move or marks with which a text begins; None if it begins otherwise.

    The text may have character references, as in the sources of web pages.
    """
    if "&" in text:
        parts = _PARTS.findall(text)
        word = read_word("".join(map(_unescape, parts)))  # without further ampersands
        return None if word is None else word._replace(length=sum(map(len, parts[: word.length])))
    plain = plain_text(text).lower()
    match = _WORDS.match(plain)
    if match is None and "\u00ad" in text:  # also a soft hyphen, which may be invisible
        text = text.replace("\u00ad", "\u200b")
        plain = plain_text(text).lower()
        match = _WORDS.match(plain)
    if match is None:
        return None
    kind = str(match.lastgroup)
    if kind == "mark":  # a group of every move
        kind = "move"
    length, left = 0, match.end()
    while left > 0 or (length < len(text) and _plain_sign(text[length]) == ""):
        left -= len(_plain_sign(text[length]))
        length += 1
    written = match[kind] if kind in ("move", "result") else ""
    mark = match["mark"] if kind == "move" else match["strength"] if kind == "strength" else ""
    return Word(kind, _canonical(written) if kind == "move" else written.rstrip(".,*"), mark, length)


def read_move(text: str) -> str | None:
    """Return a move as PDN writes it, such as ``22x15`` or ``d4xb6``; None if the text is none."""
    plain = plain_text(text).strip().lower()
    return _canonical(plain) if _MOVE.fullmatch(plain) else None


def _canonical(plain: str) -> str:
    sign = "x" if "x" in plain or ":" in plain else "-"
    return sign.join(_SQUARE.findall(plain))


@functools.lru_cache(maxsize=1 << 8)
def read_result(text: str) -> str | None:
    """Return a result as PDN writes it (``*`` if it is unknown), from all forms of its tag; None if it is none."""
    plain = "".join(plain_text(text).lower().split()).replace(":", "-").replace(",", ".")
    return _RESULT_OF.get(plain.removesuffix("byagreement").removesuffix("agreed"))


_MOVES_OF_VARIATION = re.compile(rf"\{{[^}}]*\}}|(?<![\w.-]){_PATHS}(?![\w-])|(?<=\.){_PATHS}(?![\w-])", re.IGNORECASE)


def rewrite_moves(text: str, view: BoardView) -> str:
    """Return a variation with the moves outside its comments as PDN numbers them."""

    def numbered(match: re.Match[str]) -> str:
        if match[0].startswith("{"):
            return match[0]
        plain = _canonical(match[0].lower())
        return ("x" if "x" in plain else "-").join(str(square_number(each, view)) for each in re.split("[-x]", plain))

    return _MOVES_OF_VARIATION.sub(numbered, text)


def has_letters(move: str) -> bool:
    return move[:1].isalpha()


@functools.lru_cache(maxsize=1 << 10)
def square_number(square: str, view: BoardView = STANDARD) -> int:
    """Return the number of a square, written as a number or with a letter."""
    if not square[0].isalpha():
        number = int(square)
        if view.corner in (0, 3):
            number = (number - 1) // ROW * ROW + ROW - (number - 1) % ROW
        return number if view.corner in (0, 1) or not 1 <= number <= SQUARES else SQUARES + 1 - number
    column, row = ord(square[0].lower()) - ord("a"), int(square[1]) - 1
    if (column + row) % 2:
        column = 7 - column
    number = row * ROW + ROW - column // 2
    return SQUARES + 1 - number if view.turned else number


def views(notation: str, *, letters: bool) -> tuple[BoardView, ...]:
    """Return the views in which a game may be written, the likeliest first; `notation` is that of its GameType, such as
    ``A0``.
    """
    kind, corner = notation[:1].upper(), notation[1:2]
    if letters:
        return (TURNED, STANDARD) if kind != "N" and corner in ("2", "3") else (STANDARD, TURNED)
    if kind == "N" and corner in ("0", "2", "3"):
        return BoardView(corner=int(corner)), STANDARD
    return (STANDARD,)
