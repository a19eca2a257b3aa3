"""Positions as PNG pictures, drawn with the window's widgets."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from game.rules import BLACK, WHITE
from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Canvas, Fonts, Look
from gui.look.theme import LIGHT
from gui.model.lines import pieces_of
from gui.toolkit import pygame
from gui.widgets.base import Ui
from gui.widgets.board import BoardMarks, BoardWidget

if TYPE_CHECKING:
    from game.board import Position

STILL = 800
"""Width of a picture of a position with names, in pixels."""
STRIP = 68
"""Height of the strips above and below the board of such a picture, in pixels."""


def png(position: Position, size: int, flip: bool) -> bytes:
    """Return a position as a PNG picture.

    Args:
        size: width and height in pixels.
        flip: White at the top.
    """
    surface = pygame.Surface((size, size), 0, 32)
    canvas = _canvas(surface)
    BoardWidget(key="board", rect=Rect(0, 0, size, size), pieces=pieces_of(position), flipped=flip).draw(canvas, Ui())
    return _as_png(surface)


def still(position: Position, names: Sequence[str], words: str, last: tuple[int, ...] = (), *, flip: bool) -> bytes:
    """Return a PNG picture of a position between the names of both sides.

    Args:
        names: those of Black and White.
        words: at the right of the lower name, such as the result.
        last: the squares of the last move.
        flip: White at the top.
    """
    surface = pygame.Surface((STILL, STILL + 2 * STRIP), 0, 32)
    canvas = _canvas(surface)
    above, board, below = Rect(0, 0, *surface.get_size()).rows(STRIP, None, STRIP)
    marks = BoardMarks(last=last)
    BoardWidget(key="board", rect=board, pieces=pieces_of(position), flipped=flip, marks=marks).draw(canvas, Ui())
    first, second = (WHITE, BLACK) if flip else (BLACK, WHITE)
    _draw_strip(canvas, above, first, names[first])
    _draw_strip(canvas, below, second, names[second], words)
    return _as_png(surface)


def _canvas(surface: Any) -> Canvas:
    surface.fill(LIGHT.background)
    return Canvas(surface, Look(LIGHT, 1.0, Fonts()))


def _draw_strip(canvas: Canvas, strip: Rect, side: int, name: str, words: str = "") -> None:
    edge, text = strip.h // 4, round(strip.h * 0.48)
    colours = canvas.theme.black if side == BLACK else canvas.theme.white
    piece = shapes.piece(strip.h - edge, False, colours)
    canvas.surface.blit(piece, (strip.x + edge, strip.y + edge // 2))
    room = Rect(strip.x + edge + strip.h, strip.y, strip.w - 2 * edge - strip.h, strip.h)
    drawn = canvas.text(words, room, size=text, align="right", bold=True)
    canvas.text(name, Rect(room.x, room.y, room.w - drawn.w - edge, room.h), size=text, bold=True, may_cut=True)


def _as_png(surface: Any) -> bytes:
    stream = io.BytesIO()
    pygame.image.save(surface, stream, "board.png")
    return stream.getvalue()
