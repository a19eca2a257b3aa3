"""Smooth shapes and pieces, drawn large and scaled down because pygame does not antialias."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from gui.geometry import Rect, Size
from gui.look.theme import Colour, PieceColours, mix
from gui.toolkit import pygame

FINER = 4
INK = (1024, 64)
"""Width and height of the surfaces of one colour from which rectangles are copied."""

Place = tuple[float, float]


def smooth(size: Size, colour: Colour, paint: Callable[[Any, int], None]) -> Any:
    """Return a transparent surface drawn by ``paint(large surface, factor)``.

    `colour` is the colour of the edges; transparent pixels get it too, so that scaling does not darken the edges.
    """
    size = max(size[0], 1), max(size[1], 1)
    large = pygame.Surface((size[0] * FINER, size[1] * FINER), pygame.SRCALPHA, 32)
    large.fill((*colour, 0))
    paint(large, FINER)
    return pygame.transform.smoothscale(large, size)


@lru_cache(maxsize=32)
def _ink(colour: Colour) -> Any:
    made = pygame.Surface(INK)
    made.fill(colour)
    return made


def fill_rect(surface: Any, colour: Colour, rect: tuple[int, int, int, int]) -> None:
    """Fill a rectangle. A small one is a copy: SDL fills rows that begin at odd places up to 30 times more slowly."""
    x, y, w, h = rect
    if 0 < w <= INK[0] and 0 < h <= INK[1]:
        surface.blit(_ink(colour), (x, y), (0, 0, w, h))
    else:
        pygame.draw.rect(surface, colour, rect)


@lru_cache(maxsize=256)
def _round_tile(radius: int, fill: Colour | None, border: Colour | None, width: int) -> Any:
    def paint(large: Any, finer: int) -> None:
        middle = (radius * finer, radius * finer)
        if border is not None:
            pygame.draw.circle(large, border, middle, radius * finer)
        inner = (radius - (width if border is not None else 0)) * finer
        colour = (*(border or (0, 0, 0)), 0) if fill is None else fill
        pygame.draw.circle(large, colour, middle, max(inner, 0))

    return smooth((2 * radius, 2 * radius), border or fill or (0, 0, 0), paint)


def draw_rounded(
    surface: Any, rect: Rect, radius: int, fill: Colour | None, border: Colour | None = None, width: int = 1
) -> None:
    x, y, w, h = rect
    radius = max(min(radius, w // 2, h // 2), 0)
    if w <= 0 or h <= 0:
        return
    if radius > 0:
        tile = _round_tile(radius, fill, border, width)
        for right in (0, 1):
            for low in (0, 1):
                corner = (x + right * (w - radius), y + low * (h - radius))
                surface.blit(tile, corner, (right * radius, low * radius, radius, radius))
    if fill is not None:
        fill_rect(surface, fill, (x + radius, y, w - 2 * radius, h))
        fill_rect(surface, fill, (x, y + radius, radius, h - 2 * radius))
        fill_rect(surface, fill, (x + w - radius, y + radius, radius, h - 2 * radius))
    if border is not None:
        fill_rect(surface, border, (x + radius, y, w - 2 * radius, width))
        fill_rect(surface, border, (x + radius, y + h - width, w - 2 * radius, width))
        fill_rect(surface, border, (x, y + radius, width, h - 2 * radius))
        fill_rect(surface, border, (x + w - width, y + radius, width, h - 2 * radius))


@lru_cache(maxsize=128)
def disc(diameter: int, fill: Colour | None, border: Colour | None = None, width: int = 0) -> Any:
    """Return a smooth disc or ring."""
    return _round_tile((diameter + 1) // 2, fill, border, width)


@lru_cache(maxsize=64)
def dashed_ring(diameter: int, colour: Colour, width: int) -> Any:
    dashes = 12

    def paint(large: Any, finer: int) -> None:
        middle, outer = diameter * finer / 2, diameter * finer / 2 - 1
        inner = outer - width * finer
        for dash in range(dashes):
            angles = [2 * math.pi * (dash + share / 8 * 0.62) / dashes for share in range(9)]
            rim = [(middle + outer * math.cos(a), middle + outer * math.sin(a)) for a in angles]
            rim += [(middle + inner * math.cos(a), middle + inner * math.sin(a)) for a in reversed(angles)]
            pygame.draw.polygon(large, colour, rim)

    return smooth((diameter, diameter), colour, paint)


def shadow(surface: Any, rect: Rect, radius: int, reach: int) -> None:
    surface.blit(_shadow((rect.w, rect.h), radius, reach), (rect.x - reach, rect.y - reach + reach // 3))


@lru_cache(maxsize=8)
def _shadow(size: Size, radius: int, reach: int) -> Any:
    w, h = size[0] + 2 * reach, size[1] + 2 * reach
    made = pygame.Surface((w, h), pygame.SRCALPHA, 32)
    for step in range(reach + 1):
        colour = (0, 0, 0, round(90 * (step / max(reach, 1)) ** 2))
        box = (step, step, w - 2 * step, h - 2 * step)
        pygame.draw.rect(made, colour, box, border_radius=max(radius + reach - step, 1))
    return made


def thick_line(surface: Any, colour: Colour, points: Sequence[Place], width: float) -> None:
    """Draw a line through points, with round ends and joints, on a large surface that is scaled down afterwards."""
    for (x, y), (u, v) in pairwise(points):
        along = max(math.hypot(u - x, v - y), 1e-9)
        dx, dy = -(v - y) / along * width / 2, (u - x) / along * width / 2
        pygame.draw.polygon(surface, colour, [(x + dx, y + dy), (u + dx, v + dy), (u - dx, v - dy), (x - dx, y - dy)])
    for point in points:
        pygame.draw.circle(surface, colour, point, width / 2)


def dot(surface: Any, centre: Place, diameter: int, fill: Colour, border: Colour | None = None, width: int = 0) -> None:
    """Draw a smooth disc around a point."""
    made = disc(diameter, fill, border, width)
    surface.blit(made, (round(centre[0] - made.get_width() / 2), round(centre[1] - made.get_height() / 2)))


def lines(surface: Any, colour: Colour, points: Sequence[Place], width: float, dashes: tuple[float, ...] = ()) -> None:
    """Draw a smooth line through points, with round joints; with alternating lengths of dashes and gaps, dashed."""
    if len(points) < 2:
        return
    left, top = min(int(x) for x, _ in points), min(int(y) for _, y in points)
    edge = math.ceil(width) + 1
    drawn = _polyline(tuple((x - left + edge, y - top + edge) for x, y in points), colour, width, edge, dashes)
    surface.blit(drawn, (left - edge, top - edge))


@lru_cache(maxsize=32)
def _polyline(points: tuple[Place, ...], colour: Colour, width: float, edge: int, dashes: tuple[float, ...]) -> Any:
    size = (math.ceil(max(x for x, _ in points)) + edge, math.ceil(max(y for _, y in points)) + edge)

    def paint(large: Any, finer: int) -> None:
        for piece in dashed(points, dashes) if dashes else [points]:
            thick_line(large, colour, [(x * finer, y * finer) for x, y in piece], width * finer)

    return smooth(size, colour, paint)


def dashed(points: Sequence[Place], dashes: Sequence[float]) -> list[list[Place]]:
    """Return the dashes of a line through points, given alternating lengths of dashes and gaps."""
    number, left, pieces = 0, dashes[0], [[points[0]]]
    for (x, y), (u, v) in pairwise(points):
        along, done = math.hypot(u - x, v - y), 0.0
        while along - done > left:
            done += left
            at = (x + (u - x) * done / along, y + (v - y) * done / along)
            pieces[-1].append(at)
            pieces.append([at])
            number += 1
            left = dashes[number % len(dashes)]
        left -= along - done
        pieces[-1].append((u, v))
    return [piece for piece in pieces[::2] if len(piece) > 1]


ROUND = 0.80
"""Diameter of a piece as a share of its square."""

THICK = 0.075
"""Height of one disc as a share of the square."""

_CROWN: tuple[Place, ...] = (
    (-0.62, 0.34), (-0.74, -0.30), (-0.34, 0.02), (0.0, -0.52), (0.34, 0.02), (0.74, -0.30), (0.62, 0.34),
)  # fmt: skip
_BALLS: tuple[Place, ...] = ((-0.74, -0.36), (0.0, -0.58), (0.74, -0.36))


@lru_cache(maxsize=32)
def piece(square: int, king: bool, colours: PieceColours) -> Any:
    """Return a piece on a transparent surface as large as its square."""

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
    # The side: the disc extended downwards, with its outline.
    for place, size, colour in ((low, radius + line, colours.outline), (high, radius + line, colours.outline)):
        pygame.draw.circle(surface, colour, place, size)
    pygame.draw.rect(surface, colours.outline, (x - radius - line, high[1], 2 * (radius + line), low[1] - high[1]))
    pygame.draw.circle(surface, colours.edge, low, radius)
    pygame.draw.rect(surface, colours.edge, (x - radius, high[1], 2 * radius, low[1] - high[1]))
    pygame.draw.circle(surface, mix(colours.edge, colours.rim, 0.35), high, radius)
    # The face, lit from the upper left: rings with slightly shifting centres give a soft gradient.
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

    # Draw the crown twice, first larger and in the groove colour, which leaves a border.
    bed = colours.face if _flat(colours) else colours.groove
    for colour, swell in ((bed, size * 0.10), (colours.crown, 0.0)):
        points = [at(place) for place in _CROWN]
        if swell:
            thick_line(surface, colour, [*points, points[0]], 2 * swell)
        pygame.draw.polygon(surface, colour, points)
        for ball in _BALLS:
            pygame.draw.circle(surface, colour, at(ball), size * 0.115 + swell)
        left, right = at((-0.60, 0.46)), at((0.60, 0.64))
        box = (left[0] - swell, left[1] - swell, right[0] - left[0] + 2 * swell, right[1] - left[1] + 2 * swell)
        pygame.draw.rect(surface, colour, box, border_radius=max(round(size * 0.06), 1))


def _flat(colours: PieceColours) -> bool:
    return colours.face == colours.rim == colours.edge


@lru_cache(maxsize=8)
def piece_shadow(square: int) -> Any:
    coarse = max(square // 4, 4)
    small = pygame.Surface((coarse, coarse), pygame.SRCALPHA, 32)
    for step in range(6):
        radius = coarse * ROUND / 2 * (1.12 - step * 0.06)
        layer = pygame.Surface((coarse, coarse), pygame.SRCALPHA, 32)
        pygame.draw.circle(layer, (0, 0, 0, 18), (coarse / 2, coarse / 2 + coarse * 0.08), radius)
        small.blit(layer, (0, 0))
    return pygame.transform.smoothscale(small, (square, square))
