"""The plot of a race to the levels: all of them from the start, and marks where they were beaten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Canvas
from gui.look.theme import SMALL, TIGHT
from gui.toolkit import pygame
from gui.widgets.base import Ui
from gui.widgets.plot import NAME, Plot, draw_dashes

TICK = 9
CHECK = 11
"""Size of the mark beside the name of a level that was beaten."""


@dataclass(frozen=True, kw_only=True)
class RacePlot(Plot):
    """A plot with reference lines that are to be reached.

    Attributes:
        beaten: for each of the `levels`, the x at which it was reached; -1 for none.
        flashing: index of a level that was just reached; -1 for none.
        flash: its brightness, from 0 to 1.
        ticks: values of x that are marked on the axis.
    """

    beaten: Sequence[int] = ()
    flashing: int = -1
    flash: float = 0.0
    ticks: Sequence[int] = ()

    def field(self, canvas: Canvas) -> Rect:
        """Leave the room for marks beside the names of levels."""
        field = super().field(canvas)
        return Rect(field.x, field.y, max(field.w - canvas.px(CHECK + TIGHT), 0), field.h)

    def _draw_levels(self, canvas: Canvas, field: Rect) -> None:
        theme = canvas.theme
        names = dict(self.level_names(canvas))
        for tick in self.ticks:
            x, high = round(self._x(tick, field)), canvas.px(TICK)
            canvas.fill(Rect(x, field.bottom - high, max(canvas.px(2), 1), high), theme.accent)
        for number, (level, beaten) in enumerate(zip(self.levels, self.beaten, strict=True)):
            y = round(self._y(level.value, field))
            done = beaten >= 0
            if number == self.flashing and self.flash > 0:
                high = canvas.px(22)
                glow = pygame.Surface((self.rect.right - field.x, high), pygame.SRCALPHA, 32)
                glow.fill((*theme.last_to, round(200 * self.flash)))
                canvas.surface.blit(glow, (field.x, y - high // 2))
            reached = round(self._x(beaten, field)) if done else field.right
            draw_dashes(canvas, field.x, y, reached - field.x)
            if done:  # from there on, the line is solid
                soft = theme.mix(theme.background, theme.good, 0.6)
                canvas.fill(Rect(reached, y, field.right - reached, max(canvas.px(1.5), 1)), soft)
            place = names.get(level.name)
            if place is None:
                continue
            canvas.text(level.name, place, theme.good if done else theme.muted, SMALL, bold=done, may_cut=True)
            if done:
                side = canvas.px(CHECK)
                mark = Rect(place.x - side - canvas.px(TIGHT), place.y, side, canvas.px(NAME))
                canvas.icon("check", mark, theme.good, CHECK)

    def level_names(self, canvas: Canvas) -> list[tuple[str, Rect]]:
        """Return the names of all levels with their places, from weak to strong, moved up where they would touch."""
        wide, field, high = self._name_width(canvas), self.field(canvas), canvas.px(NAME)
        names, y = list[tuple[str, Rect]](), field.bottom + canvas.px(3)
        for level in self.levels:
            y = min(round(self._y(level.value, field)) - high // 2, y - high)
            names.append((level.name, Rect(self.rect.right - wide, y, wide, high)))
        return names

    def _name_width(self, canvas: Canvas) -> int:
        """Return the width of the names in bold letters: names are never left out, however narrow the plot is."""
        return max(canvas.width(level.name, SMALL, bold=True) + 1 for level in self.levels)

    def _draw_curves(self, canvas: Canvas, ui: Ui, field: Rect) -> None:
        super()._draw_curves(canvas, ui, field)
        theme = canvas.theme
        for level, beaten in zip(self.levels, self.beaten, strict=True):
            if beaten >= 0:
                place = self._x(beaten, field), self._y(level.value, field)
                shapes.dot(canvas.surface, place, canvas.px(7), theme.panel, theme.good, max(canvas.px(1.5), 1))
        known = self.curves[0].known if self.curves else []
        if known and known[-1][1] is not None:
            place = self._x(known[-1][0], field), self._y(known[-1][1], field)
            shapes.dot(canvas.surface, place, canvas.px(11), self._colour(canvas, self.curves[0]))
