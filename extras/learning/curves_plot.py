"""Plots of several curves, which a legend and dashes tell apart without colour."""

from __future__ import annotations

from dataclasses import dataclass

from gui.geometry import Rect
from gui.look.canvas import Canvas
from gui.look.theme import LEAST_TEXT, ROOM, TIGHT
from gui.widgets.plot import Curve, Plot

LEGEND, SAMPLE = 15, 24
"""Height of a row of the legend and width of its line samples, in pixels of the design."""

DASHES: tuple[tuple[float, ...], ...] = ((), (9, 5), (2, 4), (9, 4, 2, 4))
"""Alternating lengths of dashes and gaps, in pixels of the design."""


@dataclass(frozen=True, kw_only=True)
class CurvesPlot(Plot):
    @property
    def legend(self) -> list[Curve]:
        named = [curve for curve in self.curves if curve.name]
        return named if len(named) > 1 else []

    def legend_height(self, canvas: Canvas) -> int:
        return canvas.px(LEGEND) * len(self._legend_rows(canvas))

    def _legend_rows(self, canvas: Canvas) -> list[list[tuple[Curve, int]]]:
        rows: list[list[tuple[Curve, int]]] = []
        room = 0
        for curve in self.legend:
            wide = canvas.px(SAMPLE + TIGHT + ROOM) + canvas.width(curve.name, LEAST_TEXT)
            if wide > room or not rows:
                rows.append([])
                room = self.rect.w
            rows[-1].append((curve, min(wide, self.rect.w)))
            room -= wide
        return rows

    def draw_legend(self, canvas: Canvas) -> None:
        px, colours = canvas.px, canvas.theme.plots
        top = self.rect.y + px(20 if self.title else 2)
        for number, entries in enumerate(self._legend_rows(canvas)):
            row = Rect(self.rect.x, top + number * px(LEGEND), self.rect.w, px(LEGEND))
            for (curve, _), place in zip(entries, row.columns(*[wide for _, wide in entries]), strict=True):
                sample, name = place.columns(px(SAMPLE), None, gap=px(TIGHT))
                y = float(sample.centre[1])
                ends = [(float(sample.x), y), (float(sample.right), y)]
                self._line(canvas, curve, colours[curve.colour % len(colours)], ends)
                canvas.text(curve.name, name, canvas.theme.muted, LEAST_TEXT, may_cut=True)

    def _dashes(self, canvas: Canvas, curve: Curve) -> tuple[float, ...]:
        lengths = DASHES[curve.colour % len(DASHES)] if self.legend else ()
        return tuple(float(canvas.px(length)) for length in lengths)
