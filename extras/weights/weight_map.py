"""Weights as pictures, with colours that everybody can distinguish, and signs.

Orange is negative and blue is positive, on one symmetric scale for all pictures. Negative weights have a small bar if
there is room, so that nothing depends on colour alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

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


def grid_places(rect: Rect, pictures: Sequence[Picture], gap: int) -> tuple[int, list[Rect]]:
    """Return the same as `places` for a grid of pictures, without room for titles."""
    lines, columns = ([*dict.fromkeys(words)] for words in ([p.line for p in pictures], [p.column for p in pictures]))
    wide, high = pictures[0].size
    across, down = len(columns), len(lines)
    cell = min((rect.w - gap * (across - 1)) // (across * wide), (rect.h - gap * (down - 1)) // (down * high))
    cell = max(cell, 1)
    areas = []
    for picture in pictures:
        x = rect.x + columns.index(picture.column) * (rect.w + gap) // across
        y = rect.y + lines.index(picture.line) * (cell * high + gap)
        areas.append(Rect(x, y, cell * wide, cell * high))
    return cell, areas


def _short_title(title: str) -> str:
    """Return a shorter title: ``3`` for ``filter 3``, ``men, opening`` for ``men in the opening``."""
    word, _, less = title.partition(" ")
    return less if word.isalpha() and less[:1].isdigit() else title.replace(" in the ", ", ")


class Arranged(NamedTuple):
    """The places of pictures and their titles.

    Attributes:
        cell: size of a weight in pixels.
    """

    cell: int
    areas: list[Rect]
    titles: list[tuple[str, Rect]]
    fits: bool = True


def _as_grid(body: Rect, pictures: Sequence[Picture], title: int, canvas: Canvas) -> Arranged:
    """Arrange pictures in a grid, with titles beside its lines and, one word per line, above its columns."""
    gap = canvas.px(GAP)
    margin = min(max(canvas.width(picture.line, SMALL) for picture in pictures) + gap, body.w // 3)
    columns = [*dict.fromkeys(picture.column for picture in pictures)]
    room = (body.w - margin + gap) // len(columns) - gap
    heads = [text.split() for text in columns]
    if max(canvas.width(text, SMALL) for text in columns) <= room:
        heads = [[text] for text in columns]
    elif all(len(_short_title(text).split()) == 1 for text in columns):
        heads = [[_short_title(text)] for text in columns]
    high = title * max(map(len, heads))
    inner = Rect(body.x + margin, body.y + high, body.w - margin, max(body.h - high, 1))
    cell, areas = grid_places(inner, pictures, gap)
    beside = {p.line: Rect(body.x, area.y, margin - gap, area.h) for p, area in zip(pictures, areas, strict=True)}
    above = {picture.column: area.x for picture, area in zip(pictures, areas, strict=True)}
    titles = [*beside.items()]
    for words, x in zip(heads, above.values(), strict=True):
        top = inner.y - title * len(words)
        titles += [(word, Rect(x, top + title * at, room, title)) for at, word in enumerate(words)]
    return Arranged(cell, areas, titles, all(canvas.width(text, SMALL) <= place.w for text, place in titles))


@dataclass(frozen=True, kw_only=True)
class WeightMap(Widget):
    """Pictures of weights, all of the same size, each with its title.

    If the pictures form a grid and their titles do not fit, they are arranged by line and column, in the better
    direction, with titles only beside lines and above columns.

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
        arranged = self._arrange(self.rect, canvas)
        with canvas.clip(self.rect):  # a picture of one pixel a weight may still be too high
            for picture, area in zip(self.pictures, arranged.areas, strict=True):
                canvas.surface.blit(_drawn(picture, scale, arranged.cell, theme), (area.x, area.y))
            for text, place in arranged.titles:
                canvas.text(text, place, theme.muted, SMALL, may_cut=True)

    def _arrange(self, body: Rect, canvas: Canvas) -> Arranged:
        gap, title = canvas.px(GAP), canvas.px(CAPTION) if len(self.pictures) > 1 else 0
        cell, areas = places(body, self.pictures, gap, title)
        if not title:
            return Arranged(cell, areas, [])
        room = (areas[1].x - areas[0].x if len(areas) > 1 and areas[1].x > areas[0].x else body.w) - gap
        heads = [picture.title for picture in self.pictures]
        whole = max(canvas.width(head, SMALL) for head in heads) <= room
        if not whole and all(picture.line for picture in self.pictures):
            turned = [replace(picture, line=picture.column, column=picture.line) for picture in self.pictures]
            grids = [_as_grid(body, pictures, title, canvas) for pictures in (self.pictures, turned)]
            return max(grids, key=lambda grid: (grid.fits, grid.cell))
        titles = [
            (head if whole else _short_title(head), Rect(area.x, area.y - title, room, title))
            for head, area in zip(heads, areas, strict=True)
        ]
        return Arranged(cell, areas, titles)


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
