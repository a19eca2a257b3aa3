"""A recorded game as an animated GIF, drawn with the window's board widget. Needs no display."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from game import plain
from game.errors import InputError
from game.installation import check_extra
from game.rules import BLACK, WHITE
from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Canvas, Fonts, Look
from gui.look.theme import LIGHT, Theme
from gui.model.lines import pieces_of
from gui.toolkit import pygame
from gui.widgets.base import Ui
from gui.widgets.board import BoardMarks, BoardWidget

if TYPE_CHECKING:
    from game.pdn.game import Game

SIZES = (120, 1600)
"""Minimum and maximum width in pixels."""
DELAYS = (0.02, 60.0)
"""Minimum and maximum time of a position, in seconds."""
LAST = 4
"""The last position stays for this many delays."""
STRIP = 0.085
"""Height of the strips above and below the board, as a share of the width."""
COLOURS = 64
"""Colours of the palette, which all frames share so that equal pixels of two frames are stored once."""

RESULTS = {"1-0": "Black wins", "0-1": "White wins", "1/2-1/2": "Draw"}


def gif(game: Game, size: int = 400, delay: float = 0.8, *, flip: bool = False, theme: Theme = LIGHT) -> bytes:
    """Return a game as an animated GIF that repeats for ever.

    Args:
        game: the game.
        size: width in pixels.
        delay: seconds for which each position is visible.
        flip: White at the top.
        theme: the colours.

    Raises:
        InputError: `size` or `delay` is out of range.
        MissingExtraError: Pillow is not installed.
    """
    if not SIZES[0] <= size <= SIZES[1]:
        raise InputError(f"--size: expected {SIZES[0]} to {SIZES[1]} pixels, got {size}")
    if not DELAYS[0] <= delay <= DELAYS[1]:
        raise InputError(f"--delay: expected {DELAYS[0]} to {DELAYS[1]:g} seconds, got {delay:g}")
    check_extra("pdn gif needs Pillow", "figures", ("PIL",))
    from PIL import Image

    frames = [
        Image.frombytes("RGB", surface.get_size(), pygame.image.tobytes(surface, "RGB"))
        for surface in _frames(game, size, theme, flip=flip)
    ]
    palette = _palette(frames[:: max(len(frames) // 8, 1)])
    small = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    milliseconds = [round(delay * 1000)] * (len(small) - 1) + [round(delay * 1000 * LAST)]
    stream = io.BytesIO()
    small[0].save(stream, "GIF", save_all=True, append_images=small[1:], duration=milliseconds, loop=0, disposal=1)
    return stream.getvalue()


def _palette(frames: list[Any]) -> Any:
    """Return a picture with one palette that suits all the given frames."""
    from PIL import Image

    width, height = frames[0].size
    sheet = Image.new("RGB", (width, height * len(frames)))
    for number, frame in enumerate(frames):
        sheet.paste(frame, (0, number * height))
    return sheet.quantize(COLOURS, dither=Image.Dither.NONE)


def _frames(game: Game, size: int, theme: Theme, *, flip: bool) -> Iterator[Any]:
    """Yield a surface for each position of a game."""
    strip = round(size * STRIP)
    look = Look(theme, 1.0, Fonts())
    black, white = (dict(game.tags).get(side, "").strip() or side for side in ("Black", "White"))
    above, below = ((WHITE, white), (BLACK, black)) if flip else ((BLACK, black), (WHITE, white))
    position, first = game.start, game.start.side == WHITE
    for ply in range(len(game.moves) + 1):
        last: tuple[int, ...] = ()
        words = ""
        if ply:
            move = game.moves[ply - 1]
            number, second = divmod(ply - 1 + first, 2)
            words = f"{number + 1}{'...' if second else '.'} {move}"
            position, last = plain.apply(position, move), move.path
        if ply == len(game.moves):
            words = RESULTS.get(game.result, words)
        surface = pygame.Surface((size, size + 2 * strip), 0, 32)
        surface.fill(theme.background)
        canvas = Canvas(surface, look)
        board = Rect(0, strip, size, size)
        marks = BoardMarks(last=last)
        BoardWidget(key="board", rect=board, pieces=pieces_of(position), flipped=flip, marks=marks).draw(canvas, Ui())
        _draw_strip(canvas, Rect(0, 0, size, strip), *above)
        _draw_strip(canvas, Rect(0, size + strip, size, strip), *below, words)
        yield surface


def _draw_strip(canvas: Canvas, strip: Rect, side: int, name: str, words: str = "") -> None:
    """Draw the piece and the name of a side, and words at the right."""
    edge, text = strip.h // 4, round(strip.h * 0.48)
    colours = canvas.theme.black if side == BLACK else canvas.theme.white
    piece = shapes.piece(strip.h - edge, False, colours)
    canvas.surface.blit(piece, (strip.x + edge, strip.y + edge // 2))
    room = Rect(strip.x + edge + strip.h, strip.y, strip.w - 2 * edge - strip.h, strip.h)
    drawn = canvas.text(words, room, size=text, align="right", bold=words in RESULTS.values())
    canvas.text(name, Rect(room.x, room.y, room.w - drawn.w - edge, room.h), size=text, bold=True, may_cut=True)
