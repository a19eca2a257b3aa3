"""Boards as pictures in SVG, for notebooks and pages, in the colours of the window's light theme."""

from __future__ import annotations

from game import bitboard
from game.board import Position, mover
from game.rules import SQUARES
from gui.look.theme import LIGHT, Colour, PieceColours

SQUARE, EDGE = 40, 8
"""Width of a square and of the frame, in units of the picture."""

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
    whole, dark, number = 8 * SQUARE + 2 * EDGE, as_hex(LIGHT.square_dark), as_hex(LIGHT.number)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" width="{size}" height="{size}" '
        f'role="img" aria-label="{caption}"><title>{caption}</title>',
        *map(light_svg, (LIGHT.black, LIGHT.white)),
        f'<rect width="{whole}" height="{whole}" rx="4" fill="{as_hex(LIGHT.frame)}"/>',
        f'<rect x="{EDGE}" y="{EDGE}" width="{8 * SQUARE}" height="{8 * SQUARE}" fill="{as_hex(LIGHT.square_light)}"/>',
    ]
    royal = set(bitboard.squares_of(position.kings))
    pieces = dict.fromkeys(bitboard.squares_of(position.black), LIGHT.black)
    pieces |= dict.fromkeys(bitboard.squares_of(position.white), LIGHT.white)
    for square in range(1, SQUARES + 1):
        row, place = divmod(SQUARES - square if flipped else square - 1, 4)
        x, y = EDGE + SQUARE * (2 * place + (row + 1) % 2), EDGE + SQUARE * row
        parts.append(f'<rect x="{x}" y="{y}" width="{SQUARE}" height="{SQUARE}" fill="{dark}"/>')
        if square in pieces:
            drawn = piece_svg(pieces[square], king=square in royal)
            parts.append(f'<g transform="translate({x} {y}) scale({SQUARE / PIECE})">{drawn}</g>')
        else:
            parts.append(
                f'<text x="{x + 3}" y="{y + 11}" font-family="sans-serif" font-size="9" fill="{number}">{square}</text>'
            )
    return "\n".join([*parts, "</svg>"])


def piece_svg(colours: PieceColours, *, king: bool = False) -> str:
    """Return the elements of a piece in the middle of a square of `PIECE` units, as the window draws it."""
    radius, low = (38.4, 57.1) if king else (40.0, 53.8)
    text = _disc(low, radius, colours)
    if king:
        text += _disc(low - 9, radius, colours)
        text += (
            f'<path transform="translate(50 {low - 15.9:.1f}) scale({radius * 0.64:.1f})" d="{_CROWN}" '
            f'fill="{as_hex(colours.crown)}" stroke="{as_hex(colours.groove)}" stroke-width=".2" paint-order="stroke"/>'
        )
    return text


def light_svg(colours: PieceColours) -> str:
    """Return the gradients with which the pieces of a side are filled, once for a picture."""
    rim, face = _lights(colours)
    stops = (rim, "#fff", 0.16, "#fff", 0), (face, as_hex(colours.rim), 1, as_hex(colours.face), 1)
    return "".join(
        f'<radialGradient id="{name}" fx=".39" fy=".31"><stop stop-color="{bright}" stop-opacity="{begin}"/>'
        f'<stop offset="1" stop-color="{dark}" stop-opacity="{end}"/></radialGradient>'
        for name, bright, begin, dark, end in stops
    )


def _disc(middle: float, radius: float, colours: PieceColours) -> str:
    """Return a disc whose side is visible below its face, which is lit from the upper left."""
    top, whole = middle - _THICK / 2, 2 * radius
    rim, face = _lights(colours)
    fills = as_hex(colours.rim), f"url(#{rim})", as_hex(colours.groove), f"url(#{face})"
    rings = "".join(
        f'<circle cx="50" cy="{top:.1f}" r="{radius * r:.1f}" fill="{fill}"/>'
        for r, fill in zip((0.965, 0.965, 0.79, 0.745), fills, strict=True)
    )
    return (
        f'<rect x="{50 - radius:.1f}" y="{top - radius:.1f}" width="{whole:.1f}" height="{whole + _THICK:.1f}" '
        f'rx="{radius:.1f}" fill="{as_hex(colours.edge)}" stroke="{as_hex(colours.outline)}" stroke-width="2.8"/>'
        f'{rings}<circle cx="50" cy="{top:.1f}" r="{radius / 2:.1f}" fill="none" stroke="{as_hex(colours.groove)}" '
        f'stroke-width="1.4"/>'
    )


def _lights(colours: PieceColours) -> list[str]:
    """Return the names of the gradients on rim and face, which say their colours, as a page may have many pictures."""
    return [f"{part}{as_hex(colour)[1:]}" for part, colour in (("rim", colours.rim), ("face", colours.face))]


def as_hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
