"""Boards as pictures in SVG, for notebooks and pages, in the colours of the window's light theme."""

from __future__ import annotations

from typing import NamedTuple

from game import bitboard
from game.rules import SQUARES

LIGHT_SQUARE, DARK_SQUARE, FRAME, NUMBER = "#f2e8d2", "#72977f", "#3d5347", "#182a20"
SQUARE, EDGE = 40, 8
"""Width of a square and of the frame, in units of the picture."""


class SvgColours(NamedTuple):
    """The colours of the pieces of one side."""

    face: str
    rim: str
    outline: str
    crown: str


BLACK_PIECE = SvgColours("#34322f", "#45423e", "#0f0e0d", "#f0d48a")
WHITE_PIECE = SvgColours("#f7f1e3", "#fffdf6", "#5c5344", "#8a4b0f")
_CROWN = "-0.62,0.4 -0.74,-0.3 -0.34,0.02 0,-0.52 0.34,0.02 0.74,-0.3 0.62,0.4"


def board_svg(black: int, white: int, kings: int, caption: str, size: int = 360, *, flipped: bool = False) -> str:
    """Return a board as SVG: Black at the top as in diagrams, numbers on empty dark squares.

    Args:
        black, white, kings: the pieces, words as in `game.bitboard`.
        caption: the position in words, without characters that XML reserves.
        size: width and height in pixels.
    """
    whole = 8 * SQUARE + 2 * EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" width="{size}" height="{size}" '
        f'role="img" aria-label="{caption}"><title>{caption}</title>',
        f'<rect width="{whole}" height="{whole}" rx="4" fill="{FRAME}"/>',
        f'<rect x="{EDGE}" y="{EDGE}" width="{8 * SQUARE}" height="{8 * SQUARE}" fill="{LIGHT_SQUARE}"/>',
    ]
    royal = set(bitboard.squares_of(kings))
    pieces = dict.fromkeys(bitboard.squares_of(black), BLACK_PIECE)
    pieces |= dict.fromkeys(bitboard.squares_of(white), WHITE_PIECE)
    for square in range(1, SQUARES + 1):
        row, place = divmod(SQUARES - square if flipped else square - 1, 4)
        x, y = EDGE + SQUARE * (2 * place + (row + 1) % 2), EDGE + SQUARE * row
        parts.append(f'<rect x="{x}" y="{y}" width="{SQUARE}" height="{SQUARE}" fill="{DARK_SQUARE}"/>')
        if square in pieces:
            parts.append(_piece(x + SQUARE // 2, y + SQUARE // 2, pieces[square], king=square in royal))
        else:
            parts.append(
                f'<text x="{x + 3}" y="{y + 11}" font-family="sans-serif" font-size="9" fill="{NUMBER}">{square}</text>'
            )
    return "\n".join([*parts, "</svg>"])


def _piece(x: int, y: int, colours: SvgColours, *, king: bool) -> str:
    discs = [(15.5, colours.rim), (11.5, colours.face)]
    text = "".join(
        f'<circle r="{radius}" fill="{fill}" stroke="{colours.outline}" stroke-width="1"/>' for radius, fill in discs
    )
    if king:
        text += f'<polygon transform="scale(10)" points="{_CROWN}" fill="{colours.crown}"/>'
    return f'<g transform="translate({x} {y})">{text}</g>'
