"""Parts of the board: its geometry, moving pieces, and arrows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from gui.geometry import Point, Rect, between, column_of, row_of, square_at
from gui.look import shapes
from gui.look.theme import Colour
from gui.model.lines import Piece
from gui.toolkit import pygame

FRAME = 0.16
"""Width of the board's frame as a share of a square."""

LEAST_CELL = 4
"""Minimum size of a square in pixels; in a smaller window the board extends beyond the edge."""


@dataclass(frozen=True)
class BoardGeometry:
    outer: Rect
    cell: int
    flipped: bool

    @classmethod
    def within(cls, rect: Rect, flipped: bool) -> BoardGeometry:
        """Return the largest board that fits in the middle of a rectangle, with squares of whole pixels."""
        cell = max(min(rect.w, rect.h) // 8, LEAST_CELL)
        while cell > LEAST_CELL and 8 * cell + 2 * frame_of(cell) > min(rect.w, rect.h):
            cell -= 1
        side = 8 * cell + 2 * frame_of(cell)
        return cls(Rect(rect.x + (rect.w - side) // 2, rect.y + (rect.h - side) // 2, side, side), cell, flipped)

    @property
    def inner(self) -> Rect:
        return self.outer.inset(frame_of(self.cell))

    def place(self, row: int, column: int) -> Rect:
        if self.flipped:
            row, column = 7 - row, 7 - column
        return Rect(self.inner.x + column * self.cell, self.inner.y + row * self.cell, self.cell, self.cell)

    def rect(self, square: int) -> Rect:
        return self.place(row_of(square), column_of(square))

    def square(self, point: Point) -> int:
        if not self.inner.holds(point):
            return 0
        row, column = (point[1] - self.inner.y) // self.cell, (point[0] - self.inner.x) // self.cell
        return square_at(7 - row, 7 - column) if self.flipped else square_at(row, column)

    def next_square(self, square: int, key: str) -> int:
        """Return the dark square to which an arrow key moves; at the edge, the same one."""
        row, slot = (square - 1) // 4, (square - 1) % 4
        turn = -1 if self.flipped else 1
        row += {"up": -turn, "down": turn}.get(key, 0)
        slot += {"left": -turn, "right": turn}.get(key, 0)
        return 4 * min(max(row, 0), 7) + min(max(slot, 0), 3) + 1


def frame_of(cell: int) -> int:
    return max(round(cell * FRAME), 2)


FADE = 0.6
"""Share of a hop during which a captured piece fades out."""


@dataclass(frozen=True)
class Flight:
    """A move that is being animated.

    Attributes:
        piece: the piece as it looks on its way; a man becomes a king on arrival.
        captured: for each hop, the square and the piece that is jumped; None for a simple step.
        seconds: duration of one hop.
        elapsed: seconds since it started.
    """

    piece: Piece
    hops: tuple[int, ...]
    captured: tuple[tuple[int, Piece] | None, ...]
    seconds: float
    elapsed: float = 0.0

    @classmethod
    def of(cls, pieces: Mapping[int, Piece], hops: tuple[int, ...], seconds: float) -> Flight | None:
        """Return the flight of a piece over these squares; None if there is nothing to animate."""
        if seconds <= 0 or len(hops) < 2 or hops[0] not in pieces:
            return None
        captured: list[tuple[int, Piece] | None] = []
        for start, end in pairwise(hops):
            jumped = between(start, end)
            captured.append((jumped, pieces[jumped]) if jumped in pieces else None)
        return cls(pieces[hops[0]], hops, tuple(captured), seconds)

    def after(self, dt: float) -> Flight:
        return Flight(self.piece, self.hops, self.captured, self.seconds, self.elapsed + dt)

    @property
    def done(self) -> bool:
        return self.elapsed >= self.seconds * (len(self.hops) - 1)

    @property
    def hop(self) -> int:
        return min(int(self.elapsed / self.seconds), len(self.hops) - 2)

    def position(self) -> tuple[float, float]:
        """Return the present row and column; each hop starts and ends slowly."""
        hop = self.hop
        share = min(max(self.elapsed / self.seconds - hop, 0.0), 1.0)
        eased = share * share * (3 - 2 * share)
        start, end = self.hops[hop], self.hops[hop + 1]
        row = row_of(start) + (row_of(end) - row_of(start)) * eased
        return row, column_of(start) + (column_of(end) - column_of(start)) * eased

    def standing(self) -> dict[int, tuple[Piece, float]]:
        """Return the captured pieces that are still visible, with their opacity from 0 to 1."""
        now = self.elapsed / self.seconds
        pieces = {}
        for hop, jumped in enumerate(self.captured):
            if jumped is not None:
                gone = (now - hop - 0.5) / FADE
                if gone < 1:
                    pieces[jumped[0]] = (jumped[1], 1.0 - max(gone, 0.0))
        return pieces


SHARPER = ((48, 3), (150, 2))
"""Pairs of a size in pixels and a factor: on squares smaller than this size, arrows are drawn larger by the factor and
then scaled down. On larger squares jagged edges are invisible, and scaling would double the time of drawing."""

EDGE = 0.3
"""Share of a square by which an arrow extends beyond its points."""

RIM = 0.44
"""Share of a square from the centre of a piece to where an arrow begins or ends beside it."""


def on_the_way(start: Point, end: Point, length: float) -> Point:
    """Return the point at some distance from a point, towards another one."""
    share = length / max(math.dist(start, end), 1.0)
    return round(start[0] + share * (end[0] - start[0])), round(start[1] + share * (end[1] - start[1]))


def draw_arrow(surface: Any, points: Sequence[Point], cell: int, colour: Colour, outline: Colour) -> None:
    """Draw an arrow along points, with a thin outline that stands out from any square and piece.

    Args:
        points: two or more, from the start over all hops to the end.
    """
    left, top, edge = min(x for x, _ in points), min(y for _, y in points), round(EDGE * cell)
    arrow = _arrow(tuple((x - left, y - top) for x, y in points), cell, colour, outline)
    surface.blit(arrow, (left - edge, top - edge))


@lru_cache(maxsize=96)
def _arrow(points: tuple[Point, ...], cell: int, colour: Colour, outline: Colour) -> Any:
    """Return the arrow as a surface that extends `EDGE` beyond its points, in a format that skips empty pixels.

    It is cached, because there are few directions and lengths.
    """
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
        shapes.thick_line(large, shade, places, 0.1 * unit + more)
        pygame.draw.polygon(large, shade, head)
        if more:
            pygame.draw.lines(large, shade, True, head, round(more))
            for corner in head:
                pygame.draw.circle(large, shade, corner, more / 2)
    arrow = pygame.transform.smoothscale(large, size) if finer > 1 else large
    arrow.set_alpha(255, pygame.RLEACCEL)
    return arrow
