"""Icons, drawn on a 24 by 24 grid so that no icon font is needed."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from gui.look.shapes import Place, smooth, thick_line
from gui.look.theme import Colour
from gui.toolkit import pygame

STROKE = 2.0


class _Pen:
    def __init__(self, surface: Any, colour: Colour, unit: float) -> None:
        self.surface, self.colour, self.unit = surface, colour, unit

    def _at(self, place: Place) -> Place:
        return place[0] * self.unit, place[1] * self.unit

    def line(self, *points: Place, width: float = STROKE) -> None:
        thick_line(self.surface, self.colour, [self._at(point) for point in points], width * self.unit)

    def dot(self, centre: Place, radius: float) -> None:
        pygame.draw.circle(self.surface, self.colour, self._at(centre), radius * self.unit)

    def area(self, *points: Place) -> None:
        pygame.draw.polygon(self.surface, self.colour, [self._at(point) for point in points])

    def arc(self, centre: Place, radius: float, start: float, end: float, width: float = STROKE) -> None:
        """Draw an arc of a circle; angles are in degrees clockwise from the right."""
        steps = max(int(abs(end - start) / 8), 2)
        turns = [math.radians(start + (end - start) * step / steps) for step in range(steps + 1)]
        self.line(*((centre[0] + radius * math.cos(t), centre[1] + radius * math.sin(t)) for t in turns), width=width)

    def box(self, x: float, y: float, w: float, h: float) -> None:
        self.line((x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y))


def _turning(pen: _Pen, mirror: bool) -> None:
    def flipped(x: float) -> float:
        return 24 - x if mirror else x

    pen.line(*((flipped(x), y) for x, y in ((9, 4), (4, 9), (9, 14))))
    turns = [math.radians(-90 + 180 * step / 20) for step in range(21)]
    curve = [(14 + 5.5 * math.cos(t), 14.5 + 5.5 * math.sin(t)) for t in turns]
    pen.line(*((flipped(x), y) for x, y in ((4, 9), *curve, (8, 20))))


def _gear(pen: _Pen) -> None:
    for tooth in range(8):
        angle = math.radians(45 * tooth)
        near, far = 6.4, 9.6
        start = (12 + near * math.cos(angle), 12 + near * math.sin(angle))
        pen.line(start, (12 + far * math.cos(angle), 12 + far * math.sin(angle)), width=3.4)
    pen.arc((12, 12), 6.2, 0, 360, 2.4)
    pen.arc((12, 12), 2.2, 0, 360, 1.6)


def _speaker(pen: _Pen) -> None:
    pen.area((3, 9), (7, 9), (12, 4.5), (12, 19.5), (7, 15), (3, 15))


def _ellipse(y: float) -> list[Place]:
    """Return the outline of a piece in perspective, its front first."""
    turns = [math.pi * step / 16 for step in range(32)]
    return [(12 + 9 * math.cos(turn), y + 4.5 * math.sin(turn)) for turn in turns]


def _crown(pen: _Pen) -> None:
    pen.area((4, 17), (3, 7), (8, 11.5), (12, 4.5), (16, 11.5), (21, 7), (20, 17))
    pen.line((4.6, 20), (19.4, 20))


def _star(pen: _Pen) -> None:
    turns = [math.radians(-90 + 36 * n) for n in range(10)]
    pen.area(*((12 + (9.5, 4)[n % 2] * math.cos(t), 12.8 + (9.5, 4)[n % 2] * math.sin(t)) for n, t in enumerate(turns)))


def _helix(pen: _Pen) -> None:
    heights = [2.5 + 19 * step / 24 for step in range(25)]
    for turn in (0.0, math.pi):
        pen.line(*((12 + 6 * math.cos(turn + (y - 2.5) / 19 * 2 * math.pi), y) for y in heights))
    for y in (3.5, 8.5, 15.5, 20.5):
        half = 6 * math.cos((y - 2.5) / 19 * 2 * math.pi)
        pen.line((12 - half, y), (12 + half, y), width=1.4)


def _circling(pen: _Pen) -> None:
    pen.arc((12, 12), 8, 200, 320)
    pen.arc((12, 12), 8, 20, 140)
    pen.area((20.5, 3), (21, 10.5), (14.5, 7.5))
    pen.area((3.5, 21), (3, 13.5), (9.5, 16.5))


def _many(*parts: Callable[[_Pen], None]) -> Callable[[_Pen], None]:
    def paint(pen: _Pen) -> None:
        for part in parts:
            part(pen)

    return paint


DRAWINGS: dict[str, Callable[[_Pen], None]] = {
    "play": lambda p: p.area((7, 4), (20, 12), (7, 20)),
    "pause": _many(lambda p: p.line((8, 5), (8, 19), width=4), lambda p: p.line((16, 5), (16, 19), width=4)),
    "first": _many(lambda p: p.line((5, 5), (5, 19)), lambda p: p.line((18, 5), (10, 12), (18, 19))),
    "previous": lambda p: p.line((15, 5), (8, 12), (15, 19)),
    "next": lambda p: p.line((9, 5), (16, 12), (9, 19)),
    "last": _many(lambda p: p.line((19, 5), (19, 19)), lambda p: p.line((6, 5), (14, 12), (6, 19))),
    "down": lambda p: p.line((5, 9), (12, 16), (19, 9)),
    "up": lambda p: p.line((5, 16), (12, 9), (19, 16)),
    "sort-down": lambda p: p.area((5, 9), (19, 9), (12, 17)),
    "sort-up": lambda p: p.area((5, 16), (19, 16), (12, 8)),
    "resume": _many(lambda p: p.line((5, 5), (5, 19), width=2.6), lambda p: p.area((9, 4), (20, 12), (9, 20))),
    "stop": lambda p: p.area((5, 5), (19, 5), (19, 19), (5, 19)),
    "finish": _many(lambda p: p.box(5, 5, 14, 14), lambda p: p.area((9, 9), (15, 9), (15, 15), (9, 15))),
    "delete": _many(
        lambda p: p.line((4, 6.5), (20, 6.5)),
        lambda p: p.line((9, 6), (9, 3.5), (15, 3.5), (15, 6)),
        lambda p: p.line((6, 7), (7, 20.5), (17, 20.5), (18, 7)),
        *(lambda p, x=x: p.line((x, 10.5), (x, 16.5), width=1.6) for x in (10, 14)),
    ),
    "erase": _many(
        lambda p: p.line((9, 20), (3.5, 14.5), (14, 4), (20.5, 10.5), (11, 20), (9, 20)),
        lambda p: p.line((8.5, 9.5), (15, 16)),
        lambda p: p.line((9, 20), (20, 20)),
    ),
    "cycle": _circling,
    "tag": _many(
        lambda p: p.line((3.5, 3.5), (12, 3.5), (20.5, 12), (12, 20.5), (3.5, 12), (3.5, 3.5)),
        lambda p: p.dot((8, 8), 1.8),
    ),
    "archive": _many(
        lambda p: p.box(3, 4, 18, 4.5),
        lambda p: p.line((5, 9), (5, 20), (19, 20), (19, 9)),
        lambda p: p.line((9.5, 13), (14.5, 13)),
    ),
    "evolution": _helix,
    "menu": _many(*(lambda p, y=y: p.line((4, y), (20, y), width=2.4) for y in (6, 12, 18))),
    "scores": _many(
        *(lambda p, y=y, x=x: p.line((4, y), (x, y), width=3.4) for y, x in ((6, 19.5), (12, 14), (18, 8)))
    ),
    "write": _many(
        lambda p: p.line((4, 20), (5, 15.5), (16, 4.5), (19.5, 8), (8.5, 19), (4, 20)),
        lambda p: p.line((13.5, 7), (17, 10.5), width=1.6),
    ),
    "program": _many(
        lambda p: p.box(3, 4.5, 18, 15),
        lambda p: p.line((6.5, 9), (9.5, 12), (6.5, 15)),
        lambda p: p.line((12, 15.5), (17, 15.5)),
    ),
    "people": _many(
        *(lambda p, x=x: p.dot((x, 8.5), 3.2) for x in (7, 17)),
        *(lambda p, x=x: p.arc((x, 19.5), 5, 180, 360, 2.6) for x in (7, 17)),
    ),
    "equal": _many(
        lambda p: p.line((12, 3.5), (12, 20)),
        lambda p: p.line((8, 20), (16, 20)),
        lambda p: p.line((4, 6.5), (20, 6.5)),
        *(lambda p, x=x: p.arc((x, 12), 3.6, 0, 180) for x in (5, 19)),
        *(lambda p, x=x: p.line((x - 3.6, 12), (x, 6.5), (x + 3.6, 12), width=1.2) for x in (5, 19)),
    ),
    "close": _many(lambda p: p.line((6, 6), (18, 18)), lambda p: p.line((18, 6), (6, 18))),
    "back": lambda p: p.line((11, 5), (4, 12), (11, 19), (4, 12), (20, 12)),
    "undo": lambda p: _turning(p, False),
    "redo": lambda p: _turning(p, True),
    "flip": _many(
        lambda p: p.line((3.5, 8), (8, 3.5), (12.5, 8), (8, 3.5), (8, 19)),
        lambda p: p.line((11.5, 16), (16, 20.5), (20.5, 16), (16, 20.5), (16, 5)),
    ),
    "hint": _many(
        lambda p: p.arc((12, 9.5), 6, 140, 400),
        lambda p: p.line((9, 15), (9, 17), (15, 17), (15, 15)),
        lambda p: p.line((10.5, 20.5), (13.5, 20.5)),
    ),
    "help": _many(
        lambda p: p.arc((12, 12), 9.2, 0, 360),
        lambda p: p.arc((12, 9.6), 2.8, 180, 400),
        lambda p: p.line((14, 11.6), (12, 13.4), (12, 14.4)),
        lambda p: p.dot((12, 17.3), 1.3),
    ),
    "info": _many(
        lambda p: p.arc((12, 12), 9.2, 0, 360), lambda p: p.line((12, 11), (12, 16.5)), lambda p: p.dot((12, 7.6), 1.3)
    ),
    "warning": _many(
        lambda p: p.line((12, 3.5), (21.5, 20), (2.5, 20), (12, 3.5)),
        lambda p: p.line((12, 9.5), (12, 14)),
        lambda p: p.dot((12, 17), 1.2),
    ),
    "settings": _gear,
    "check": lambda p: p.line((4.5, 12.5), (10, 18), (20, 6.5), width=2.8),
    "plus": _many(lambda p: p.line((12, 4), (12, 20)), lambda p: p.line((4, 12), (20, 12))),
    "search": _many(lambda p: p.arc((10, 10), 6.2, 0, 360), lambda p: p.line((14.8, 14.8), (20.5, 20.5), width=2.6)),
    "file": _many(lambda p: p.line((14, 3), (5, 3), (5, 21), (19, 21), (19, 8), (14, 3), (14, 8), (19, 8))),
    "folder": lambda p: p.line((3, 19), (3, 5), (9, 5), (11, 8), (21, 8), (21, 19), (3, 19)),
    "save": _many(
        lambda p: p.line((12, 3.5), (12, 14.5)),
        lambda p: p.line((7, 10), (12, 15), (17, 10)),
        lambda p: p.line((4, 16), (4, 20.5), (20, 20.5), (20, 16)),
    ),
    "open": _many(
        lambda p: p.line((3, 19), (3, 5), (9, 5), (11, 8), (19, 8), (19, 11)),
        lambda p: p.line((3, 19), (7, 11), (22, 11), (18, 19), (3, 19)),
    ),
    "copy": _many(
        lambda p: p.box(9, 9, 11.5, 11.5), lambda p: p.line((6, 15), (3.5, 15), (3.5, 3.5), (15, 3.5), (15, 6))
    ),
    "paste": _many(lambda p: p.box(4.5, 5, 15, 16), lambda p: p.line((9, 4.5), (15, 4.5), width=4.5)),
    "flag": _many(
        lambda p: p.line((5, 3), (5, 21)), lambda p: p.area((5, 4), (19.5, 4), (16, 8.75), (19.5, 13.5), (5, 13.5))
    ),
    "draw": _many(lambda p: p.line((4, 9), (20, 9), width=2.8), lambda p: p.line((4, 15), (20, 15), width=2.8)),
    "sound": _many(_speaker, lambda p: p.arc((12, 12), 4.5, -40, 40), lambda p: p.arc((12, 12), 8.5, -42, 42)),
    "mute": _many(_speaker, lambda p: p.line((15.5, 9), (21, 15)), lambda p: p.line((21, 9), (15.5, 15))),
    "crown": _crown,
    "star": _star,
    "review": _many(
        lambda p: p.arc((7.6, 8.6), 4, 180, 400),
        lambda p: p.line((10.8, 11), (7.9, 13.6), (7.9, 15)),
        lambda p: p.dot((7.9, 19.4), 1.5),
        lambda p: p.line((17.5, 4.8), (17.5, 15), width=2.8),
        lambda p: p.dot((17.5, 19.4), 1.5),
    ),
    "ladder": _many(
        *(lambda p, x=x: p.line((x, 3), (x, 21)) for x in (7, 17)),
        *(lambda p, y=y: p.line((7, y), (17, y)) for y in (7.5, 12.5, 17.5)),
    ),
    "family": _many(
        *(lambda p, x=x, y=y: p.dot((x, y), 3.2) for x, y in ((12, 5.2), (5, 18.8), (19, 18.8))),
        lambda p: p.line((12, 6), (12, 12)),
        lambda p: p.line((5, 18), (5, 12), (19, 12), (19, 18)),
    ),
    "person": _many(lambda p: p.dot((12, 8), 4.2), lambda p: p.arc((12, 21), 7.5, 180, 360, 3)),
    "home": _many(lambda p: p.line((3, 12), (12, 4), (21, 12)), lambda p: p.line((6, 11), (6, 20), (18, 20), (18, 11))),
    "eye": _many(
        lambda p: p.arc((12, 19), 11.2, -141, -39),
        lambda p: p.arc((12, 5), 11.2, 39, 141),
        lambda p: p.dot((12, 12), 3.2),
    ),
    "rematch": _many(lambda p: p.arc((12, 12), 8, -60, 200), lambda p: p.area((12.5, 0.5), (19.5, 4.5), (13, 9))),
    "swap": _many(
        lambda p: p.line((4, 8), (20, 8), (15.5, 3.5), (20, 8), (15.5, 12)),
        lambda p: p.line((20, 16), (4, 16), (8.5, 12), (4, 16), (8.5, 20.5)),
    ),
    "board": _many(
        lambda p: p.box(3.5, 3.5, 17, 17),
        lambda p: p.area((4, 4), (12, 4), (12, 12), (4, 12)),
        lambda p: p.area((12, 12), (20, 12), (20, 20), (12, 20)),
    ),
    "graph": _many(
        lambda p: p.line((3.5, 3.5), (3.5, 20.5), (20.5, 20.5)),
        lambda p: p.line((6.5, 16), (11, 10), (14.5, 13), (20, 5.5)),
    ),
    "list": _many(
        *(lambda p, y=y: p.line((8.5, y), (20, y)) for y in (6, 12, 18)),
        *(lambda p, y=y: p.dot((4.5, y), 1.6) for y in (6, 12, 18)),
    ),
    "worth": _many(
        lambda p: p.arc((12, 12), 9, 0, 360), lambda p: p.line((12, 8), (12, 16)), lambda p: p.line((8, 12), (16, 12))
    ),
    "bar": _many(lambda p: p.box(8, 3.5, 8, 17), lambda p: p.area((8, 11), (16, 11), (16, 20), (8, 20))),
    "tree": _many(
        lambda p: p.line((4, 12), (10, 12)),
        lambda p: p.line((19, 5), (10, 12), (19, 19)),
        lambda p: p.line((10, 12), (20, 12)),
    ),
    "map": _many(
        *(lambda p, x=x, y=y: p.box(x, y, 5, 5) for x, y in ((3, 3), (16, 3), (9.5, 9.5), (3, 16))),
        *(
            lambda p, x=x, y=y: p.area((x, y), (x + 5, y), (x + 5, y + 5), (x, y + 5))
            for x, y in ((9.5, 3), (3, 9.5), (16, 9.5), (9.5, 16), (16, 16))
        ),
    ),
    "dice": _many(
        lambda p: p.box(3.5, 3.5, 17, 17),
        *(lambda p, x=x, y=y: p.dot((x, y), 1.7) for x, y in ((8, 8), (16, 8), (12, 12), (8, 16), (16, 16))),
    ),
    "men": _many(
        lambda p: p.area(*_ellipse(8.5)), lambda p: p.line(*_ellipse(12.5)[:17]), lambda p: p.line(*_ellipse(16.5)[:17])
    ),
    "bolt": lambda p: p.area((13.5, 2), (4.5, 13.5), (11, 13.5), (10, 22), (19.5, 9.8), (12.8, 9.8)),
}


@lru_cache(maxsize=512)
def icon(name: str, size: int, colour: Colour) -> Any:
    return smooth((size, size), colour, lambda large, finer: DRAWINGS[name](_Pen(large, colour, size * finer / 24)))
