"""Games and reviews as GIFs, and positions as PNG, drawn with the window's widgets."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from game import plain
from game.errors import InputError
from game.installation import check_extra
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
    from game.pdn.game import Game
    from game.review.judged import Judged, Review

SIZES = (120, 1600)
"""Minimum and maximum width in pixels."""
DELAYS = (0.02, 60.0)
"""Minimum and maximum time of a position, in seconds."""
LAST = 4
"""The last position stays for this many delays."""
STILL = 800
"""Width of a picture of a position with names, in pixels."""
STRIP = 0.085
"""Height of the strips above and below the board, as a share of the width."""
COLOURS = 64
"""Colours of the palette, which all frames share so that equal pixels of two frames are stored once."""

RESULTS = {"1-0": "Black wins", "0-1": "White wins", "1/2-1/2": "Draw"}


def gif(
    game: Game,
    size: int = 400,
    delay: float = 0.8,
    *,
    flip: bool = False,
    review: Review | None = None,
) -> bytes:
    """Return a game as an animated GIF that repeats for ever.

    Args:
        size: width in pixels.
        delay: seconds for which each position is visible.

    Raises:
        InputError: `size` or `delay` is out of range.
        MissingExtraError: Pillow is not installed.
    """
    return animated(_frames(game, size, review, flip=flip), size, delay)


def png(position: Position, size: int = 400, *, flip: bool = False) -> bytes:
    """Return a position as a PNG picture; it does not need Pillow.

    Args:
        size: width and height in pixels.
        flip: White at the top.

    Raises:
        InputError: `size` is out of range.
    """
    check_size(size)
    surface = pygame.Surface((size, size), 0, 32)
    surface.fill(LIGHT.background)
    board = BoardWidget(key="board", rect=Rect(0, 0, size, size), pieces=pieces_of(position), flipped=flip)
    board.draw(Canvas(surface, Look(LIGHT, 1.0, Fonts())), Ui())
    return _as_png(surface)


def still(position: Position, names: Sequence[str], words: str, last: tuple[int, ...] = (), *, flip: bool) -> bytes:
    """Return a PNG picture of a position with the names of Black and White, and words such as the result.

    Args:
        last: the squares of the last move.
        flip: White at the top.
    """
    look = Look(LIGHT, 1.0, Fonts())
    return _as_png(_frame(look, position, names, words, BoardMarks(last=last), STILL, flip=flip))


def _as_png(surface: Any) -> bytes:
    stream = io.BytesIO()
    pygame.image.save(surface, stream, "board.png")
    return stream.getvalue()


def check_size(size: int) -> None:
    if not SIZES[0] <= size <= SIZES[1]:
        raise InputError(f"--size: expected {SIZES[0]} to {SIZES[1]} pixels, got {size}")


def animated(surfaces: Iterator[tuple[Any, int]], size: int, delay: float) -> bytes:
    """Return surfaces, each with the number of delays for which it stays, as an animated GIF.

    Raises:
        InputError: `size` or `delay` is out of range.
        MissingExtraError: Pillow is not installed.
    """
    check_size(size)
    if not DELAYS[0] <= delay <= DELAYS[1]:
        raise InputError(f"--delay: expected {DELAYS[0]} to {DELAYS[1]:g} seconds, got {delay:g}")
    check_extra("a GIF needs Pillow", "figures", ("PIL",))
    from PIL import Image

    frames, milliseconds = [], []
    for surface, delays in surfaces:
        frames.append(Image.frombytes("RGB", surface.get_size(), pygame.image.tobytes(surface, "RGB")))
        milliseconds.append(round(delay * 1000 * delays))
    palette = _palette(frames[:: max(len(frames) // 8, 1)])
    small = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
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


def _frames(game: Game, size: int, review: Review | None, *, flip: bool) -> Iterator[tuple[Any, int]]:
    look = Look(LIGHT, 1.0, Fonts())
    names = [(game.tag(tag) or "").strip() or tag for tag in ("Black", "White")]
    position, first = game.start, game.start.side == WHITE

    def frame(words: str, marks: BoardMarks) -> Any:
        return _frame(look, position, names, words, marks, size, flip=flip)

    yield frame("" if game.moves else RESULTS.get(game.result, ""), BoardMarks()), 1
    for ply, move in enumerate(game.moves, 1):
        number, second = divmod(ply - 1 + first, 2)
        written = f"{number + 1}{'...' if second else '.'} {move}"
        mark: Judged | None = None if review is None else review.mark_of(ply)
        if mark is not None and mark.mistake:
            yield frame(f"{written}{mark.mark}", BoardMarks(played=move.path)), 2
            yield frame(f"better {mark.best}", BoardMarks(better=mark.best.path, played=move.path)), LAST
        position = plain.apply(position, move)
        end = ply == len(game.moves)
        words = RESULTS.get(game.result, written) if end else written
        yield frame(words, BoardMarks(last=move.path)), LAST if end else 1


def _frame(
    look: Look, position: Position, names: Sequence[str], words: str, marks: BoardMarks, size: int, *, flip: bool
) -> Any:
    """Return a picture of a position between the names of both sides, with words at the right of the lower one."""
    strip = round(size * STRIP)
    surface = pygame.Surface((size, size + 2 * strip), 0, 32)
    surface.fill(LIGHT.background)
    canvas = Canvas(surface, look)
    board = Rect(0, strip, size, size)
    BoardWidget(key="board", rect=board, pieces=pieces_of(position), flipped=flip, marks=marks).draw(canvas, Ui())
    above, below = (WHITE, BLACK) if flip else (BLACK, WHITE)
    _draw_strip(canvas, Rect(0, 0, size, strip), above, names[above])
    _draw_strip(canvas, Rect(0, size + strip, size, strip), below, names[below], words)
    return surface


def _draw_strip(canvas: Canvas, strip: Rect, side: int, name: str, words: str = "") -> None:
    """Draw the piece and the name of a side, and words at the right."""
    edge, text = strip.h // 4, round(strip.h * 0.48)
    colours = canvas.theme.black if side == BLACK else canvas.theme.white
    piece = shapes.piece(strip.h - edge, False, colours)
    canvas.surface.blit(piece, (strip.x + edge, strip.y + edge // 2))
    room = Rect(strip.x + edge + strip.h, strip.y, strip.w - 2 * edge - strip.h, strip.h)
    drawn = canvas.text(words, room, size=text, align="right", bold=words in RESULTS.values())
    canvas.text(name, Rect(room.x, room.y, room.w - drawn.w - edge, room.h), size=text, bold=True, may_cut=True)
