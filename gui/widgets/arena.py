"""The widget of an arena: many small boards with the games of a generation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from game.bitboard import SQUARE_BIT
from game.rules import SQUARES
from gui.evolving.arena import ArenaBoard
from gui.geometry import Rect, column_of, row_of
from gui.look import shapes
from gui.look.canvas import Canvas
from gui.look.theme import BODY, UNIT, Theme
from gui.toolkit import pygame
from gui.widgets.base import Ui, Widget
from gui.widgets.board_parts import BoardGeometry, frame_of

LEAST_BOARDS = (72, 56, 40)
"""Minimum sizes of a board; the later ones are for places without room for `FEW` of the earlier."""

FEW = 4
"""Number of boards below which they become smaller."""

BADGE, OVER = 13, 3
"""Diameter of the sign of who won, and its distance from the edges of its board."""

_SQUARES = tuple((square, 1 << SQUARE_BIT[square]) for square in range(1, SQUARES + 1))


@lru_cache(maxsize=8)
def board_places(rect: Rect, count: int, least: int, gap: int) -> list[Rect]:
    """Return places for as many of `count` square boards as fit, as large as possible, in full rows if possible.

    Args:
        least: minimum size of a board; a single board may be smaller.
    """
    best = (0, 0, 0, 1)  # number of boards, size of a square, places left empty as a negative number, columns
    for across in range(1, count + 1):
        for down in range(1, -(-count // across) + 1):
            size = min((rect.w + gap) // across, (rect.h + gap) // down) - gap
            if size >= least or across == down == 1:
                number, cell = min(across * down, count), BoardGeometry.within(Rect(0, 0, size, size), False).cell
                best = max(best, (number, cell, number - across * down, across))
    number, cell, empty, across = best
    size, down = 8 * cell + 2 * frame_of(cell), (number - empty) // across
    if size > min(rect.w, rect.h):
        return []
    left = rect.centre_within(across * (size + gap) - gap, rect.h).x
    step = (rect.w - size) // max(across - 1, 1)
    left, step = (rect.x, step) if across > 1 and step <= size + 4 * gap else (left, size + gap)
    rise = min(step, (rect.h - size) // max(down - 1, 1))  # as far apart as across, if there is room
    top = rect.y + (rect.h - size - (down - 1) * rise) // 2
    return [Rect(left + at % across * step, top + at // across * rise, size, size) for at in range(number)]


@dataclass(frozen=True, kw_only=True)
class ArenaBoards(Widget):
    """Small boards.

    Attributes:
        before: the boards of the earlier generation, while the others slide from them to their places.
        sliding: how far they have come, from 0 to 1.
        first: the place of the first board, outside the rectangle; None if it is like the others.
        empty: the text without boards.
    """

    boards: Sequence[ArenaBoard]
    before: Sequence[ArenaBoard] = ()
    sliding: float = 1.0
    first: Rect | None = None
    empty: str = ""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        if not self.boards:
            canvas.paragraph(self.empty, self.rect, canvas.theme.muted, BODY)
            return
        places = self.places(canvas, max(len(self.boards), len(self.before)))
        moving = self.sliding < 1.0
        for board, place in zip(self.before, places, strict=False):
            self._draw_board(canvas, board, place, self.sliding)
        share = self.sliding * self.sliding * (3 - 2 * self.sliding)
        with canvas.clip(self.rect if self.first is None else self.rect.around(self.first)):
            for board, place in zip(self.boards, places, strict=False):
                if moving:
                    start = places[board.origin % len(places)]
                    place = place.move(
                        round((start.x - place.x) * (1 - share)), round((start.y - place.y) * (1 - share))
                    )
                self._draw_board(canvas, board, place, 0.0)

    def places(self, canvas: Canvas, count: int) -> list[Rect]:
        gap, first = 2 * canvas.px(UNIT), [] if self.first is None else [self.first]
        count -= len(first)
        places = list[Rect]()
        for least in LEAST_BOARDS:
            if len(places) < min(FEW, count):
                places = board_places(self.rect, count, canvas.px(least), gap)
        above = places[0].y - self.rect.y if first and places else 0  # the large board begins at the top, too
        return first + [place.move(0, -above) for place in places]

    def _draw_board(self, canvas: Canvas, board: ArenaBoard, place: Rect, veil: float) -> None:
        theme = canvas.theme
        geometry = BoardGeometry.within(place, False)
        canvas.fill(place, theme.frame)
        canvas.surface.blit(small_board(board.position, geometry.cell, theme), geometry.inner[:2])
        if veil > 0:
            canvas.surface.blit(_veil(place.w, round(veil * 16), theme), place[:2])
        if board.result:
            colours = theme.black if board.result > 0 else theme.white
            side, over = canvas.px(BADGE), canvas.px(OVER)
            badge = Rect(place.right - over - side, place.bottom - over - side, side, side)
            shapes.dot(canvas.surface, badge.centre, side, colours.face, colours.outline, 1)
            canvas.icon("crown", badge, colours.crown, BADGE - 5)


@lru_cache(maxsize=128)
def small_board(position: tuple[int, int, int], cell: int, theme: Theme) -> Any:
    """Return a position as a picture, with squares of `cell` pixels; it is cached, because few boards move at once."""
    surface = _empty_board(cell, theme).copy()
    black, white, kings = position
    for square, bit in _SQUARES:
        if (black | white) & bit:
            colours = theme.black if black & bit else theme.white
            sprite = shapes.piece(cell, bool(kings & bit), colours)
            surface.blit(sprite, (column_of(square) * cell, row_of(square) * cell))
    return surface


@lru_cache(maxsize=4)
def _empty_board(cell: int, theme: Theme) -> Any:
    surface = pygame.Surface((8 * cell, 8 * cell))
    surface.fill(theme.square_light)
    for square, _ in _SQUARES:
        pygame.draw.rect(surface, theme.square_dark, (column_of(square) * cell, row_of(square) * cell, cell, cell))
    return surface


@lru_cache(maxsize=64)
def _veil(side: int, sixteenths: int, theme: Theme) -> Any:
    surface = pygame.Surface((side, side))
    surface.fill(theme.background)
    surface.set_alpha(round(255 * sixteenths / 16))
    return surface
