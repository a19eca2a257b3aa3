"""Weights as pictures: colours from negative to positive that everybody can tell apart, signs, values on hover.

Orange is negative, blue is positive, on one scale for all pictures that is as far from nothing on both sides. Negative
weights carry a small bar where there is room, so nothing is told by colour alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from gui.events import Event, Key, Motion, Press
from gui.geometry import Point, Rect
from gui.individuals.pictures import Picture, scale_of
from gui.look.canvas import Canvas
from gui.look.theme import BODY, GAP, SMALL, Colour, Theme, contrast, mix, rgb
from gui.toolkit import pygame
from gui.widgets.base import Ui, Widget

LIGHT_ENDS = rgb("a8480a"), rgb("1f559e")
DARK_ENDS = rgb("ffa352"), rgb("74b3ff")
SIGNED = 9
"""Pixels of a weight from which on its sign is drawn."""

CAPTION, FOOT = 16, 22


def ends(theme: Theme) -> tuple[Colour, Colour]:
    """Colours of the most negative and the most positive weight."""
    return _ends(theme.panel)


@lru_cache(maxsize=8)
def _ends(panel: Colour) -> tuple[Colour, Colour]:
    return LIGHT_ENDS if contrast(panel, (255, 255, 255)) < contrast(panel, (0, 0, 0)) else DARK_ENDS


def colour_of(share: float, theme: Theme) -> Colour:
    """The colour of a weight, given as a share of the end of the scale, -1 to 1."""
    low, high = ends(theme)
    return mix(theme.panel, low if share < 0 else high, min(abs(share), 1.0))


def places(rect: Rect, pictures: Sequence[Picture], gap: int, title: int) -> tuple[int, list[Rect]]:
    """Pixels of a weight, and where the pictures are: as large as they all fit, spread over the width."""
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
    found = []
    for number in range(len(pictures)):
        line, column = divmod(number, across)
        x = rect.x + column * (rect.w + gap) // across
        y = rect.y + title + line * (cell * rows + gap + title)
        found.append(Rect(x, y, cell * columns, cell * rows))
    return cell, found


def grid_places(rect: Rect, pictures: Sequence[Picture], gap: int) -> tuple[int, list[Rect]]:
    """As `places`, by line and column of each: as large as they all fit, without room for words."""
    lines, columns = ([*dict.fromkeys(words)] for words in ([p.line for p in pictures], [p.column for p in pictures]))
    wide, high = pictures[0].size
    across, down = len(columns), len(lines)
    cell = min((rect.w - gap * (across - 1)) // (across * wide), (rect.h - gap * (down - 1)) // (down * high))
    cell = max(cell, 1)
    found = []
    for picture in pictures:
        x = rect.x + columns.index(picture.column) * (rect.w + gap) // across
        y = rect.y + lines.index(picture.line) * (cell * high + gap)
        found.append(Rect(x, y, cell * wide, cell * high))
    return cell, found


def _pitch(areas: Sequence[Rect], rect: Rect) -> int:
    """From the left edge of a picture to that of the next; of one alone the whole width."""
    return areas[1].x - areas[0].x if len(areas) > 1 and areas[1].x > areas[0].x else rect.w


def _short_title(title: str) -> str:
    """A title where there is little room: of one such as ``filter 3`` without its first word."""
    word, _, less = title.partition(" ")
    return less if word.isalpha() and less[:1].isdigit() else title


class Arranged(NamedTuple):
    """Where pictures and their words are.

    Attributes:
        cell: pixels of a weight.
        areas: of the pictures.
        titles: what is written where.
        fits: whether all of that has room.
    """

    cell: int
    areas: list[Rect]
    titles: list[tuple[str, Rect]]
    fits: bool = True


def _as_grid(body: Rect, pictures: Sequence[Picture], title: int, canvas: Canvas) -> Arranged:
    """Pictures by line and column, with words beside the lines and, a word below another, above the columns."""
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
    beside = {each.line: Rect(body.x, a.y, margin - gap, a.h) for each, a in zip(pictures, areas, strict=True)}
    above = {each.column: area.x for each, area in zip(pictures, areas, strict=True)}
    titles = [*beside.items()]
    for words, x in zip(heads, above.values(), strict=True):
        top = inner.y - title * len(words)
        titles += [(word, Rect(x, top + title * at, room, title)) for at, word in enumerate(words)]
    return Arranged(cell, areas, titles, all(canvas.width(text, SMALL) <= place.w for text, place in titles))


@dataclass
class Pointed:
    """Which weight is pointed at: picture, row, column; -1 for none.

    Attributes:
        areas: where the pictures were last drawn.
        cell: pixels of a weight there.
    """

    picture: int = -1
    row: int = 0
    column: int = 0
    cell: int = 1
    areas: Sequence[Rect] = ()


@dataclass(frozen=True, kw_only=True)
class WeightMap(Widget):
    """Pictures of weights, all of one size, each with its title.

    Those that are a grid stand by line and column where their titles have no room: words stand beside lines and above
    columns alone then, whichever of the two runs across.

    Attributes:
        pictures: what is shown, as `gui.individuals.pictures.first_layer` makes it.
        scale: the weight that has the strongest colour; 0 takes the largest of these pictures.
        empty: said where there are none.
        legend: whether the scale is shown below.
        where: tells in words where a row and a column of a picture are; by row and column if it tells nothing.
    """

    focusable: ClassVar[bool] = True

    pictures: Sequence[Picture]
    scale: float = 0.0
    empty: str = ""
    legend: bool = True
    where: Callable[[Picture, int, int], str] = lambda picture, row, column: ""

    @property
    def takes_focus(self) -> bool:
        """Where there is something to point at."""
        return self.enabled and bool(self.pictures)

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """The pictures, the scale, and the value that is pointed at."""
        theme, pointed = canvas.theme, ui.recall(self, Pointed)
        if not self.pictures:
            canvas.paragraph(self.empty, self.rect, theme.muted, BODY)
            return
        scale = self.scale or scale_of(self.pictures)
        foot = canvas.px(FOOT) if self.legend else 0
        body = Rect(self.rect.x, self.rect.y, self.rect.w, max(self.rect.h - foot, 1))
        arranged = self._arrange(body, canvas)
        pointed.cell, pointed.areas = arranged.cell, arranged.areas
        with canvas.clip(self.rect):
            for picture, area in zip(self.pictures, pointed.areas, strict=True):
                canvas.surface.blit(_drawn(picture, scale, pointed.cell, theme), (area.x, area.y))
            for text, place in arranged.titles:
                canvas.text(text, place, theme.muted, SMALL, may_cut=True)
            told = self._mark(canvas, ui, pointed)
        if self.legend:
            below = max(area.bottom for area in pointed.areas)
            self._draw_legend(canvas, Rect(self.rect.x, min(below, body.bottom), self.rect.w, foot), scale, told)
        ui.ring(canvas, self)

    def _arrange(self, body: Rect, canvas: Canvas) -> Arranged:
        """With titles above pictures if these have room, else as a grid if they are one."""
        gap, title = canvas.px(GAP), canvas.px(CAPTION) if len(self.pictures) > 1 else 0
        cell, areas = places(body, self.pictures, gap, title)
        if not title:
            return Arranged(cell, areas, [])
        room = _pitch(areas, body) - gap
        heads = [picture.title for picture in self.pictures]
        whole = max(canvas.width(head, SMALL) for head in heads) <= room
        if not whole and all(each.line for each in self.pictures):
            turned = [replace(each, line=each.column, column=each.line) for each in self.pictures]
            grids = [_as_grid(body, pictures, title, canvas) for pictures in (self.pictures, turned)]
            return max(grids, key=lambda grid: (grid.fits, grid.cell))
        titles = [
            (head if whole else _short_title(head), Rect(area.x, area.y - title, room, title))
            for head, area in zip(heads, areas, strict=True)
        ]
        return Arranged(cell, areas, titles)

    def _mark(self, canvas: Canvas, ui: Ui, pointed: Pointed) -> str:
        """Frame the weight that is pointed at; what it is."""
        shown = ui.hot(self) or (ui.focus_shown and ui.has_focus(self))
        if not shown or not 0 <= pointed.picture < len(self.pictures):
            return ""
        picture, area, cell = self.pictures[pointed.picture], pointed.areas[pointed.picture], pointed.cell
        columns, rows = picture.size
        if not (pointed.row < rows and pointed.column < columns):
            return ""
        place = Rect(area.x + pointed.column * cell, area.y + pointed.row * cell, cell, cell)
        pygame.draw.rect(canvas.surface, canvas.theme.focus, place.inset(-1), canvas.px(2))
        value = picture.rows[pointed.row][pointed.column]
        told = self.where(picture, pointed.row, pointed.column)
        where = told or f"row {rows - pointed.row}, column {pointed.column + 1}"
        return f"{picture.title}, {where}: " + ("no weight" if value is None else f"{value:+.6g}".replace("-", "−"))

    @staticmethod
    def _draw_legend(canvas: Canvas, rect: Rect, scale: float, told: str) -> None:
        theme = canvas.theme
        if told:
            canvas.text(told, rect, theme.text, SMALL, may_cut=True)
            return
        low, high = f"−{scale:.3g}", f"+{scale:.3g}"
        left, right = canvas.width(low, SMALL) + canvas.px(6), canvas.width(high, SMALL) + canvas.px(6)
        bar = Rect(rect.x + left, rect.y + rect.h // 2 - canvas.px(4), min(canvas.px(120), rect.w // 2), canvas.px(8))
        canvas.text(low, Rect(rect.x, rect.y, left, rect.h), theme.muted, SMALL)
        canvas.text(high, Rect(bar.right + canvas.px(6), rect.y, right, rect.h), theme.muted, SMALL)
        canvas.surface.blit(_scale(bar.w, bar.h, theme), (bar.x, bar.y))
        pygame.draw.rect(canvas.surface, theme.line, bar, 1)

    # Reacting -----------------------------------------------------------------------------------------------------

    def handle(self, event: Event, ui: Ui) -> bool:
        """The mouse, or the arrow keys, point at a weight."""
        pointed = ui.recall(self, Pointed)
        before = (pointed.picture, pointed.row, pointed.column)
        if isinstance(event, (Motion, Press)):
            self._point(event.at, pointed)
        elif isinstance(event, Key) and ui.focus_shown and event.name in ("left", "right", "up", "down"):
            self._lead(event.name, pointed)
            return True
        return before != (pointed.picture, pointed.row, pointed.column) or isinstance(event, Press)

    def _point(self, at: Point, pointed: Pointed) -> None:
        pointed.picture = next((n for n, area in enumerate(pointed.areas) if area.holds(at)), -1)
        if pointed.picture >= 0:
            area = pointed.areas[pointed.picture]
            pointed.row, pointed.column = (at[1] - area.y) // pointed.cell, (at[0] - area.x) // pointed.cell

    def _lead(self, name: str, pointed: Pointed) -> None:
        """One weight further; beyond the left and right edge lies the next picture."""
        if not 0 <= pointed.picture < len(self.pictures):
            pointed.picture = pointed.row = pointed.column = 0
            return
        columns, rows = self.pictures[pointed.picture].size
        pointed.row = min(max(pointed.row + {"up": -1, "down": 1}.get(name, 0), 0), rows - 1)
        column = pointed.column + {"left": -1, "right": 1}.get(name, 0)
        order = sorted(range(len(self.pictures)), key=lambda at: (pointed.areas[at].y, pointed.areas[at].x))
        to = order.index(pointed.picture) + (column >= columns) - (column < 0)
        if 0 <= to < len(order):
            pointed.picture, pointed.column = order[to], column % columns


@lru_cache(maxsize=64)
def _sign_colour(sixteenths: int, theme: Theme) -> Colour:
    """What stands out from the colour of a share."""
    colour = colour_of(sixteenths / 16, theme)
    return theme.text if contrast(theme.text, colour) > contrast(theme.panel, colour) else theme.panel


@lru_cache(maxsize=8)
def _scale(width: int, height: int, theme: Theme) -> Any:
    """All colours from the most negative to the most positive."""
    surface = pygame.Surface((max(width, 1), height))
    for x in range(width):
        pygame.draw.rect(surface, colour_of(2 * x / max(width - 1, 1) - 1, theme), (x, 0, 1, height))
    return surface


@lru_cache(maxsize=256)
def _drawn(picture: Picture, scale: float, cell: int, theme: Theme) -> Any:
    """A picture as a surface."""
    columns, rows = picture.size
    surface = pygame.Surface((columns * cell, rows * cell))
    surface.fill(theme.panel)
    for y, row in enumerate(picture.rows):
        for x, value in enumerate(row):
            if value is None:
                continue
            colour = colour_of(value / scale, theme)
            pygame.draw.rect(surface, colour, (x * cell, y * cell, cell, cell))
            if value < 0 and cell >= SIGNED:
                wide, thick = cell // 2, max(cell // 10, 1)
                sign = _sign_colour(round(16 * value / scale), theme)
                pygame.draw.rect(
                    surface, sign, (x * cell + (cell - wide) // 2, y * cell + (cell - thick) // 2, wide, thick)
                )
    pygame.draw.rect(surface, theme.line, surface.get_rect(), 1)
    return surface
