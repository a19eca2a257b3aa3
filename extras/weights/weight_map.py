"""Weights as pictures, with colours that everybody can distinguish, and signs.

Orange is negative and blue is positive, on one symmetric scale for all pictures. Negative weights have a small bar if
there is room, so that nothing depends on colour alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from game.networks.first_layer import Picture, scale_of
from gui.geometry import Rect
from gui.look.canvas import Canvas
from gui.look.theme import BODY, GAP, SMALL, Colour, Theme, contrast, signed_colour
from gui.toolkit import pygame
from gui.widgets.base import Ui, Widget

SIGNED, FAINT, SOFT = 9, 0.05, 0.6
"""Minimum width in pixels, and minimum share of the strongest colour, of a weight that is drawn with its sign; and the
share of ink in the colour of the sign."""

CAPTION = 16


def places(rect: Rect, pictures: Sequence[Picture], gap: int, title: int) -> tuple[int, list[Rect]]:
    """Return the size of a weight in pixels and the areas of the pictures, as large as possible and spread out."""
    if not pictures:
        return 0, []
    columns, rows = pictures[0].size
    best, across = 0, 1
    for count in range(1, len(pictures) + 1):
        lines = -(-len(pictures) // count)
        wide = (rect.w - gap * (count - 1)) // (count * columns)
        high = (rect.h - (gap + title) * lines + gap) // (lines * rows)
        if min(wide, high) > best:
            best, across = min(wide, high), count
    cell = max(best, 1)
    areas = []
    for number in range(len(pictures)):
        line, column = divmod(number, across)
        x = rect.x + column * (rect.w + gap) // across
        y = rect.y + title + line * (cell * rows + gap + title)
        areas.append(Rect(x, y, cell * columns, cell * rows))
    return cell, areas


def _short_title(title: str) -> str:
    """Return a shorter title: ``3`` for ``filter 3``, ``men, opening`` for ``men in the opening``."""
    word, _, less = title.partition(" ")
    return less if word.isalpha() and less[:1].isdigit() else title.replace(" in the ", ", ")


@dataclass(frozen=True, kw_only=True)
class WeightMap(Widget):
    """Pictures of weights, all of the same size, each with its title.

    Attributes:
        scale: the weight that has the strongest colour; 0 for the largest of these pictures.
    """

    pictures: Sequence[Picture]
    scale: float = 0.0
    empty: str = ""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        theme = canvas.theme
        if not self.pictures:
            canvas.paragraph(self.empty, self.rect, theme.muted, BODY)
            return
        scale = self.scale or scale_of(self.pictures)
        gap, title = canvas.px(GAP), canvas.px(CAPTION) if len(self.pictures) > 1 else 0
        cell, areas = places(self.rect, self.pictures, gap, title)
        room = (areas[1].x if len(areas) > 1 and areas[1].x > areas[0].x else self.rect.right) - areas[0].x - gap
        whole = all(canvas.width(picture.title, SMALL) <= room for picture in self.pictures)
        with canvas.clip(self.rect):  # a picture of one pixel a weight may still be too high
            for picture, area in zip(self.pictures, areas, strict=True):
                canvas.surface.blit(_drawn(picture, scale, cell, theme), (area.x, area.y))
                head = Rect(area.x, area.y - title, room, title)
                text = picture.title if whole else _short_title(picture.title)
                canvas.text(text if title else "", head, theme.muted, SMALL, may_cut=True)


@lru_cache(maxsize=64)
def _sign_colour(sixteenths: int, theme: Theme) -> Colour:
    colour = signed_colour(sixteenths / 16, theme.panel)
    ink = theme.text if contrast(theme.text, colour) > contrast(theme.panel, colour) else theme.panel
    return theme.mix(colour, ink, SOFT)


@lru_cache(maxsize=256)
def _drawn(picture: Picture, scale: float, cell: int, theme: Theme) -> Any:
    columns, rows = picture.size
    surface = pygame.Surface((columns * cell, rows * cell))
    surface.fill(theme.panel)
    for y, row in enumerate(picture.rows):
        for x, value in enumerate(row):
            if value is None:
                continue
            colour = signed_colour(value / scale, theme.panel)
            pygame.draw.rect(surface, colour, (x * cell, y * cell, cell, cell))
            if value < -scale * FAINT and cell >= SIGNED:
                wide, thick = cell * 2 // 5, max(cell // 12, 1)
                sign = _sign_colour(round(16 * value / scale), theme)
                pygame.draw.rect(
                    surface, sign, (x * cell + (cell - wide) // 2, y * cell + (cell - thick) // 2, wide, thick)
                )
    pygame.draw.rect(surface, theme.frame, surface.get_rect(), max(cell // 12, 1))
    return surface
