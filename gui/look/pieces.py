"""Men and kings, drawn four times as large as they are shown.

Seen from slightly in front: a disc has a face, a rim and a side below. A king is two discs with a crown on the upper
one, so it is known by its outline, its height and its crown, whatever one sees of colours.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from gui.look.shapes import Place, smooth
from gui.look.theme import PieceColours, mix
from gui.toolkit import pygame

ROUND = 0.80
"""Diameter of a piece as a share of its square."""

THICK = 0.075
"""Height of one disc as a share of the square."""

_CROWN: tuple[Place, ...] = (
    (-0.62, 0.34),
    (-0.74, -0.30),
    (-0.34, 0.02),
    (0.0, -0.52),
    (0.34, 0.02),
    (0.74, -0.30),
    (0.62, 0.34),
)
_BALLS: tuple[Place, ...] = ((-0.74, -0.36), (0.0, -0.58), (0.74, -0.36))


@lru_cache(maxsize=32)
def piece(square: int, king: bool, colours: PieceColours) -> Any:
    """A piece on a transparent surface of the size of its square."""

    def paint(large: Any, finer: int) -> None:
        side = square * finer
        middle, radius, thick = side / 2, side * ROUND / 2, side * THICK
        base = side / 2 + thick * 0.5
        if king:
            radius *= 0.96
            _disc(large, (middle, base + thick * 0.45), radius, thick, colours)
            top = base - thick * 0.75
            _disc(large, (middle, top), radius, thick, colours)
            _draw_crown(large, (middle, top - thick * 0.42), radius * 0.64, colours)
        else:
            _disc(large, (middle, base), radius, thick, colours)

    return smooth((square, square), colours.outline, paint)


def _disc(surface: Any, centre: Place, radius: float, thick: float, colours: PieceColours) -> None:
    x, y = centre
    line = max(radius * 0.035, 2)
    low = (x, y + thick * 0.5)
    high = (x, y - thick * 0.5)
    # The side: the disc drawn downwards, with its outline.
    for place, size, colour in ((low, radius + line, colours.outline), (high, radius + line, colours.outline)):
        pygame.draw.circle(surface, colour, place, size)
    pygame.draw.rect(surface, colours.outline, (x - radius - line, high[1], 2 * (radius + line), low[1] - high[1]))
    pygame.draw.circle(surface, colours.edge, low, radius)
    pygame.draw.rect(surface, colours.edge, (x - radius, high[1], 2 * radius, low[1] - high[1]))
    pygame.draw.circle(surface, mix(colours.edge, colours.rim, 0.35), high, radius)
    # The face, lit from above left: rings whose middle moves a little give a soft gradient.
    _shaded(surface, high, radius * 0.965, colours, raised=True)
    pygame.draw.circle(surface, colours.groove, high, radius * 0.79)
    _shaded(surface, high, radius * 0.745, colours, raised=False)
    pygame.draw.circle(surface, colours.groove, high, radius * 0.50, max(round(radius * 0.035), 1))


def _shaded(surface: Any, centre: Place, radius: float, colours: PieceColours, *, raised: bool) -> None:
    dark, bright = (colours.rim, mix(colours.rim, (255, 255, 255), 0.16)) if raised else (colours.face, colours.rim)
    if _flat(colours):
        dark = bright = colours.face
    steps = 14
    for step in range(steps):
        share = step / steps
        size = radius * (1 - share * 0.9)
        shift = (radius - size) * 0.42
        place = (centre[0] - shift * 0.6, centre[1] - shift)
        pygame.draw.circle(surface, mix(dark, bright, share**1.3), place, size)


def _draw_crown(surface: Any, centre: Place, size: float, colours: PieceColours) -> None:
    def at(place: Place, grow: float = 1.0) -> Place:
        return centre[0] + place[0] * size * grow, centre[1] + (place[1] + 0.06) * size * grow

    # First larger in the colour of the groove, so that the crown lies in a dark (or light) bed.
    bed = colours.face if _flat(colours) else colours.groove
    for colour, swell in ((bed, size * 0.10), (colours.crown, 0.0)):
        points = [at(place) for place in _CROWN]
        if swell:
            _thick_outline(surface, colour, points, swell)
        pygame.draw.polygon(surface, colour, points)
        for ball in _BALLS:
            pygame.draw.circle(surface, colour, at(ball), size * 0.115 + swell)
        left, right = at((-0.60, 0.46)), at((0.60, 0.64))
        box = (left[0] - swell, left[1] - swell, right[0] - left[0] + 2 * swell, right[1] - left[1] + 2 * swell)
        pygame.draw.rect(surface, colour, box, border_radius=max(round(size * 0.06), 1))


def _flat(colours: PieceColours) -> bool:
    """Whether the theme wants plain areas, as high contrast does."""
    return colours.face == colours.rim == colours.edge


def _thick_outline(surface: Any, colour: tuple[int, int, int], points: list[Place], width: float) -> None:
    for (x, y), (u, v) in zip(points, [*points[1:], points[0]], strict=True):
        along = max(math.hypot(u - x, v - y), 1e-9)
        dx, dy = -(v - y) / along * width, (u - x) / along * width
        pygame.draw.polygon(surface, colour, [(x + dx, y + dy), (u + dx, v + dy), (u - dx, v - dy), (x - dx, y - dy)])
        pygame.draw.circle(surface, colour, (x, y), width)


@lru_cache(maxsize=8)
def piece_shadow(square: int) -> Any:
    """A soft shadow under a lifted piece."""
    coarse = max(square // 4, 4)
    small = pygame.Surface((coarse, coarse), pygame.SRCALPHA, 32)
    for step in range(6):
        radius = coarse * ROUND / 2 * (1.12 - step * 0.06)
        layer = pygame.Surface((coarse, coarse), pygame.SRCALPHA, 32)
        pygame.draw.circle(layer, (0, 0, 0, 18), (coarse / 2, coarse / 2 + coarse * 0.08), radius)
        small.blit(layer, (0, 0))
    return pygame.transform.smoothscale(small, (square, square))
