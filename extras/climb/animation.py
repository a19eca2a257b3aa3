"""The climb as an animated picture: the curve of the rating, game by game. Needs no display."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gui.animation import LAST, animated
from gui.geometry import Rect
from gui.look.canvas import Canvas, Fonts, Look
from gui.look.theme import LIGHT
from gui.toolkit import pygame
from gui.widgets.base import Ui
from gui.widgets.plot import Curve, Plot

if TYPE_CHECKING:
    from gui.rating.record import ClimbRecord


def gif(climb: ClimbRecord, size: int = 400, delay: float = 0.8) -> bytes:
    """Return a climb as an animated GIF that repeats for ever.

    Raises:
        InputError: `size` or `delay` is out of range.
        MissingExtraError: Pillow is not installed.
    """
    return animated(_frames(climb, size), size, delay)


def _frames(climb: ClimbRecord, size: int) -> Iterator[tuple[Any, int]]:
    look = Look(LIGHT, max(size / 480, 0.5), Fonts())
    rated = [None, *climb.games]
    values = [climb.before, *(game.rating for game in climb.games)]
    lows, highs = [None, *(game.low for game in climb.games)], [None, *(game.high for game in climb.games)]
    known = [value for row in (values, lows, highs) for value in row if value is not None]
    height, edge = size * 2 // 3, size // 30
    for at, game in enumerate(rated):
        surface = pygame.Surface((size, height), 0, 32)
        surface.fill(LIGHT.background)
        canvas = Canvas(surface, look)

        def so_far(row: Sequence[float | None], end: int = at + 1) -> list[float | None]:
            return [*row[:end], *[None] * (len(rated) - end)]

        curve = Curve(so_far(values), 0, low=so_far(lows), high=so_far(highs))
        head, plot = Rect(edge, edge, size - 2 * edge, height - 2 * edge).rows(size // 12, None, gap=edge)
        words = "Before the first game" if game is None else f"Game {at}: {game.text}"
        canvas.text(words, head, size=round(size * 0.036), bold=True, may_cut=True)
        Plot(key="plot", rect=plot, curves=(curve,), low=min(known), high=max(known),
             title="Rating over games").draw(canvas, Ui())  # fmt: skip
        yield surface, LAST if at == len(climb.games) else 1
