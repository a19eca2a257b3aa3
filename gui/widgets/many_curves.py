"""A plot of many curves, drawn into a picture that is cached until a curve changes."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from gui.events import Event, Key
from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Canvas
from gui.look.theme import Colour, Theme
from gui.toolkit import pygame
from gui.widgets.base import Ui
from gui.widgets.plot import DASHES, Curve, Plot

BESIDE = 5
"""Pixels between the bars of different curves at the same x."""
FINER = 2
"""The factor by which the picture is drawn larger and then scaled down."""

LINE = 2.4
"""Thickness of a horizontal curve in pixels of the design; a steep one is thinner."""


def colour_of(theme: Theme, number: int) -> Colour:
    return theme.plots[number % len(theme.plots)]


def dashes_of(theme: Theme, number: int) -> tuple[float, ...]:
    return DASHES[number // len(theme.plots) % len(DASHES)]


def draw_sample(number: int, on: bool, canvas: Canvas, rect: Rect) -> None:
    """Draw a sample of a curve for a legend, a thin one if the curve is hidden."""
    theme = canvas.theme
    y = rect.y + rect.h // 2
    points = [(float(rect.x), float(y)), (float(rect.right), float(y))]
    if on:
        wide = max(canvas.px(2.5), 2)
        shapes.dash_line(
            canvas.surface, colour_of(theme, number), points, wide, [canvas.px(d) for d in dashes_of(theme, number)]
        )
    else:
        canvas.fill(Rect(rect.x, y, rect.w, 1), theme.control_line)


@dataclass(frozen=True, kw_only=True)
class ManyCurves(Plot):
    """A plot of curves whose `colour` is their number; those beyond the colours of the theme are dashed.

    The values on display belong to the nearest x at which any curve has a value.
    """

    above: ClassVar[int] = 8

    def x_at(self, ui: Ui) -> int | None:
        """Return the x whose values are displayed: the one under the pointer, else the marked one, else None."""
        field: Rect | None = ui.memory.get(f"{self.key}.field")
        pointed = self._pointed(ui, field) if field is not None else None
        x = self.mark if pointed is None else pointed
        nearest = self._nearest(x) if x >= 0 else -1
        return nearest if nearest >= 0 else None

    def _nearest(self, index: int) -> int:
        best = -1
        for curve in self.curves:
            places = curve.places
            after = bisect.bisect_left(places, index)
            for at in places[max(after - 1, 0) : after + 1]:
                if best < 0 or (abs(at - index), at) < (abs(best - index), best):
                    best = at
        return best

    def _draw_curves(self, canvas: Canvas, ui: Ui, field: Rect) -> None:
        name = f"{self.key}.picture"
        wanted = (list(map(id, self.curves)), field, self.range, self.length, canvas.theme.name)
        kept = ui.memory.get(name)
        if kept is None or kept[0] != wanted:
            size = (field.w * FINER, field.h * FINER)
            large = kept[2] if kept is not None and kept[2].get_size() == size else None
            large = pygame.Surface(size, pygame.SRCALPHA, 32) if large is None else large  # creating one takes 10 ms
            # Keep the curves alive, so that no other object gets their ids.
            kept = ui.memory[name] = (wanted, self._painted(large, canvas, field), large, self.curves)
        canvas.surface.blit(kept[1], (field.x, field.y))

    def handle(self, event: Event, ui: Ui) -> bool:
        return not isinstance(event, Key) and super().handle(event, ui)

    def _painted(self, large: Any, canvas: Canvas, field: Rect) -> Any:
        theme = canvas.theme
        large.fill((*theme.background, 0))  # antialiased edges blend into this colour
        place = Rect(0, 0, field.w * FINER, field.h * FINER)
        shifts = self._shifts(canvas)
        for curve, shift in zip(self.curves, shifts, strict=True):
            self._paint_band(large, curve, place, colour_of(theme, curve.colour), canvas, shift)
        for curve, shift in zip(self.curves, shifts, strict=True):
            self._paint_curve(large, curve, place, canvas, shift)
        return pygame.transform.smoothscale(large, (field.w, field.h))

    def _shifts(self, canvas: Canvas) -> list[float]:
        """Return the offset of each curve in pixels, since bars at the same x would hide each other."""
        apart = [number for number, curve in enumerate(self.curves) if curve.sparse and curve.low is not None]
        step = canvas.px(BESIDE) * FINER
        places = {number: (at - (len(apart) - 1) / 2) * step for at, number in enumerate(apart)}
        return [places.get(number, 0.0) for number in range(len(self.curves))]

    def _paint_band(
        self, surface: Any, curve: Curve, field: Rect, colour: Colour, canvas: Canvas, shift: float
    ) -> None:
        """Draw the band around a curve, or intervals if its values are sparse."""
        if curve.low is None:
            return
        faint = (*colour, 56)
        known = [(self._x(at, field), low, high) for at, _, low, high in curve.known if low is not None]
        ends = [(x, field.y if high is None else self._y(high, field), self._y(low, field)) for x, low, high in known]
        if not curve.sparse:
            for piece in _pieces(curve.low, curve.high or ()):
                points = [(self._x(at, field), self._y(top, field)) for at, _, top in piece]
                points += [(self._x(at, field), self._y(low, field)) for at, low, _ in reversed(piece)]
                if len(points) > 2:
                    pygame.draw.polygon(surface, faint, points)
            return
        wide = max(canvas.px(1.5), 1) * FINER
        pale = canvas.theme.mix(canvas.theme.background, colour, 0.5)
        for x, top, end in ends:
            pygame.draw.rect(
                surface,
                pale,
                (round(_inside(x + shift, field, wide)) - wide // 2, round(top), wide, max(round(end - top), 1)),
            )

    def _paint_curve(self, surface: Any, curve: Curve, field: Rect, canvas: Canvas, shift: float) -> None:
        theme = canvas.theme
        colour = colour_of(theme, curve.colour)
        dashes = [canvas.px(length) * FINER for length in dashes_of(theme, curve.colour)]
        wide = max(round(LINE * canvas.look.scale * FINER), 2)
        side = canvas.px(3) * FINER
        runs = self._runs(curve.values, field)
        if curve.sparse:
            runs = [[]]
            for at, value, low, _ in curve.known:
                x = _inside(self._x(at, field) + shift, field, side) if shift else self._x(at, field)
                if value is not None:
                    runs[-1].append((x, self._y(value, field)))
                elif low is not None:  # above the scale
                    runs.append([])
                    pygame.draw.polygon(surface, colour, [(x - side, side * 1.5), (x, 0), (x + side, side * 1.5)])
        for run in runs:
            shapes.dash_line(surface, colour, run, wide, dashes)
            if curve.sparse or len(run) == 1:
                for point in run if len(run) * 3 * side < field.w else run[:1] if len(run) == 1 else ():
                    pygame.draw.circle(surface, colour, point, side)


def _inside(x: float, field: Rect, margin: int) -> float:
    """Return the x nearest to the given one that is inside the field."""
    return min(max(x, field.x + margin / 2), field.x + field.w - margin / 2)


def _pieces(low: Sequence[float | None], high: Sequence[float | None]) -> list[list[tuple[int, float, float]]]:
    """Return the pieces of a band without gaps: x, lower and upper end."""
    runs: list[list[tuple[int, float, float]]] = [[]]
    for at, (below, above) in enumerate(zip(low, high, strict=False)):
        if below is not None and above is not None:
            runs[-1].append((at, below, above))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]
