"""Arrows over the squares of a board: a move to recommend, or one of a line, the paler the later it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from gui.geometry import Point
from gui.look.theme import Colour
from gui.toolkit import pygame

SHARPER = ((48, 3), (150, 2))
"""Squares smaller than so many pixels, and how many times larger arrows are drawn than they are shown on them: on large
ones stairs are not seen, and to scale an arrow down takes as long as all the rest of it."""

EDGE = 0.3
"""Of a square, how far an arrow reaches beyond its points."""


def draw_arrow(
    surface: Any, points: Sequence[Point], cell: int, colour: Colour, outline: Colour, opacity: float = 1.0
) -> None:
    """An arrow along points, with a thin outline that stands out from any square and piece.

    Args:
        surface: where.
        points: from the start over all hops to the end, two or more.
        cell: length of a square, by which the arrow is as thick.
        colour, outline: of it.
        opacity: 1 hides what is below; less lets it shine through.
    """
    left, top, edge = min(x for x, _ in points), min(y for _, y in points), round(EDGE * cell)
    made = _arrow(tuple((x - left, y - top) for x, y in points), cell, colour, outline, round(255 * opacity))
    surface.blit(made, (left - edge, top - edge))


@lru_cache(maxsize=96)
def _arrow(points: tuple[Point, ...], cell: int, colour: Colour, outline: Colour, alpha: int) -> Any:
    """The arrow as a surface that reaches `EDGE` beyond its points; most of it is empty, which its format skips."""
    made = _opaque(points, cell, colour, outline).copy()
    if alpha < 255:
        made.fill((255, 255, 255, alpha), special_flags=pygame.BLEND_RGBA_MULT)
    made.set_alpha(255, pygame.RLEACCEL)
    return made


@lru_cache(maxsize=32)
def _opaque(points: tuple[Point, ...], cell: int, colour: Colour, outline: Colour) -> Any:
    """The same before it is faded: there are few directions and lengths."""
    edge, finer = round(EDGE * cell), next((finer for below, finer in SHARPER if cell < below), 1)
    size = max(x for x, _ in points) + 2 * edge + 1, max(y for _, y in points) + 2 * edge + 1
    places = [((x + edge) * finer, (y + edge) * finer) for x, y in points]
    (x, y), (u, v) = places[-2], places[-1]
    angle, unit = math.atan2(v - y, u - x), cell * finer
    tip = (u + 0.12 * unit * math.cos(angle), v + 0.12 * unit * math.sin(angle))
    head = [tip]
    for turn in (2.5, -2.5):
        head.append((tip[0] + 0.38 * unit * math.cos(angle + turn), tip[1] + 0.38 * unit * math.sin(angle + turn)))
    large = pygame.Surface((size[0] * finer, size[1] * finer), pygame.SRCALPHA, 32)
    large.fill((*outline, 0))
    for shade, more in ((outline, 0.05 * unit), (colour, 0.0)):
        _strip(large, shade, places, 0.1 * unit + more)
        pygame.draw.polygon(large, shade, head)
        if more:
            pygame.draw.lines(large, shade, True, head, round(more))
            for corner in head:
                pygame.draw.circle(large, shade, corner, more / 2)
    return pygame.transform.smoothscale(large, size) if finer > 1 else large


def _strip(surface: Any, colour: Colour, points: Sequence[tuple[float, float]], width: float) -> None:
    """A broad line with round joints."""
    for (x, y), (u, v) in pairwise(points):
        along = max(math.hypot(u - x, v - y), 1e-9)
        dx, dy = -(v - y) / along * width / 2, (u - x) / along * width / 2
        pygame.draw.polygon(surface, colour, [(x + dx, y + dy), (u + dx, v + dy), (u - dx, v - dy), (x - dx, y - dy)])
    for point in points:
        pygame.draw.circle(surface, colour, point, width / 2)
