"""Boards as pictures in SVG, for notebooks and pages, in the colours of the window's light theme."""

from __future__ import annotations

from typing import NamedTuple

from game import bitboard
from game.board import Position, mover
from game.rules import SQUARES

LIGHT_SQUARE, DARK_SQUARE, FRAME, NUMBER = "#f2e8d2", "#72977f", "#3d5347", "#182a20"
SQUARE, EDGE = 40, 8
"""Width of a square and of the frame, in units of the picture."""


class SvgColours(NamedTuple):
    """The colours of the pieces of one side, as in the window's themes."""

    face: str
    rim: str
    edge: str
    groove: str
    outline: str
    crown: str


BLACK_PIECE = SvgColours("#34322f", "#45423e", "#191816", "#232120", "#0f0e0d", "#f0d48a")
WHITE_PIECE = SvgColours("#f7f1e3", "#fffdf6", "#c8bca2", "#ddd2ba", "#5c5344", "#8a4b0f")

PIECE = 100
"""Width of the square on which a piece is drawn, in units of `piece_svg`."""

_THICK = 7.5
_CROWN = (
    "M-.62.4-.74-.24-.34.08 0-.46.34.08.74-.24.62.4zM-.6.52H.6V.7H-.6z"
    "M-.855-.3a.115.115 0 1 1 .23 0 .115.115 0 1 1-.23 0zM-.115-.52a.115.115 0 1 1 .23 0 .115.115 0 1 1-.23 0z"
    "M.625-.3a.115.115 0 1 1 .23 0 .115.115 0 1 1-.23 0z"
)


def board_svg(position: Position, size: int, *, flipped: bool = False) -> str:
    """Return a position as SVG: Black at the top as in diagrams unless `flipped`, numbers on empty dark squares.

    Args:
        size: width and height in pixels.
    """
    caption = f"{position.fen()} ({mover(position)})"
    whole = 8 * SQUARE + 2 * EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" width="{size}" height="{size}" '
        f'role="img" aria-label="{caption}"><title>{caption}</title>',
        *map(light_svg, (BLACK_PIECE, WHITE_PIECE)),
        f'<rect width="{whole}" height="{whole}" rx="4" fill="{FRAME}"/>',
        f'<rect x="{EDGE}" y="{EDGE}" width="{8 * SQUARE}" height="{8 * SQUARE}" fill="{LIGHT_SQUARE}"/>',
    ]
    royal = set(bitboard.squares_of(position.kings))
    pieces = dict.fromkeys(bitboard.squares_of(position.black), BLACK_PIECE)
    pieces |= dict.fromkeys(bitboard.squares_of(position.white), WHITE_PIECE)
    for square in range(1, SQUARES + 1):
        row, place = divmod(SQUARES - square if flipped else square - 1, 4)
        x, y = EDGE + SQUARE * (2 * place + (row + 1) % 2), EDGE + SQUARE * row
        parts.append(f'<rect x="{x}" y="{y}" width="{SQUARE}" height="{SQUARE}" fill="{DARK_SQUARE}"/>')
        if square in pieces:
            drawn = piece_svg(pieces[square], king=square in royal)
            parts.append(f'<g transform="translate({x} {y}) scale({SQUARE / PIECE})">{drawn}</g>')
        else:
            parts.append(
                f'<text x="{x + 3}" y="{y + 11}" font-family="sans-serif" font-size="9" fill="{NUMBER}">{square}</text>'
            )
    return "\n".join([*parts, "</svg>"])


def piece_svg(colours: SvgColours, *, king: bool = False) -> str:
    """Return the elements of a piece in the middle of a square of `PIECE` units, as the window draws it."""
    radius, low = (38.4, 57.1) if king else (40.0, 53.8)
    text = _disc(low, radius, colours)
    if king:
        text += _disc(low - 9, radius, colours)
        text += (
            f'<path transform="translate(50 {low - 15.9:.1f}) scale({radius * 0.64:.1f})" d="{_CROWN}" '
            f'fill="{colours.crown}" stroke="{colours.groove}" stroke-width=".2" paint-order="stroke"/>'
        )
    return text


def light_svg(colours: SvgColours) -> str:
    """Return the gradients with which the pieces of a side are filled, once for a picture."""
    rim, face = _lights(colours)
    stops = (rim, "#fff", 0.16, "#fff", 0), (face, colours.rim, 1, colours.face, 1)
    return "".join(
        f'<radialGradient id="{name}" fx=".39" fy=".31"><stop stop-color="{bright}" stop-opacity="{begin}"/>'
        f'<stop offset="1" stop-color="{dark}" stop-opacity="{end}"/></radialGradient>'
        for name, bright, begin, dark, end in stops
    )


def _disc(middle: float, radius: float, colours: SvgColours) -> str:
    """Return a disc whose side is visible below its face, which is lit from the upper left."""
    top, whole = middle - _THICK / 2, 2 * radius
    rim, face = _lights(colours)
    faces = (0.965, colours.rim), (0.965, f"url(#{rim})"), (0.79, colours.groove), (0.745, f"url(#{face})")
    rings = "".join(f'<circle cx="50" cy="{top:.1f}" r="{radius * r:.1f}" fill="{fill}"/>' for r, fill in faces)
    return (
        f'<rect x="{50 - radius:.1f}" y="{top - radius:.1f}" width="{whole:.1f}" height="{whole + _THICK:.1f}" '
        f'rx="{radius:.1f}" fill="{colours.edge}" stroke="{colours.outline}" stroke-width="2.8"/>{rings}'
        f'<circle cx="50" cy="{top:.1f}" r="{radius / 2:.1f}" fill="none" stroke="{colours.groove}" '
        f'stroke-width="1.4"/>'
    )


def _lights(colours: SvgColours) -> list[str]:
    """Return the names of the gradients on rim and face, which say their colours, as a page may have many pictures."""
    return [f"{part}{colour[1:]}" for part, colour in (("rim", colours.rim), ("face", colours.face))]
