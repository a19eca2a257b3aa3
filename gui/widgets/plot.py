"""Plots: smooth curves over whole numbers such as generations or moves, and the race to the levels."""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from gui.events import LEFT, Event, Motion, Press
from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Canvas
from gui.look.theme import BODY, GAP, SMALL, TIGHT, Colour, contrast
from gui.toolkit import pygame
from gui.widgets.base import Ui, Widget

STRONG = 3.0
"""Contrast with the background above which grid lines are drawn fainter."""

_MORE = re.compile(r" of | over |, | \(")
"""What follows in a title is left out where there is no room for it."""

NAME = 16
MOST_TICKS = 6
DASH = 5
"""Length of the dashes of an estimated curve and of the gaps between them, in pixels of the design."""
CLOSE, MANY = 4, 24
"""Pixels between sparse values below which, and number of them above which, their intervals are drawn as one band."""


@dataclass(frozen=True)
class ReferenceLine:
    """A named horizontal line at a known value."""

    value: float
    name: str


@dataclass(frozen=True)
class Curve:
    """A line of a plot.

    Attributes:
        values: y for x = 0, 1, ...; None for gaps.
        sparse: whether each value is a dot with a line from `low` to `high`, or with a band if values are close. If it
            has only a `low`, the value is above the plot, and an arrow points there.
        hollow: whether these dots are rings.
        estimated: whether it is drawn grey and dashed.
    """

    values: Sequence[float | None]
    colour: int = 0
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None
    sparse: bool = False
    hollow: bool = False
    name: str = ""
    estimated: bool = False

    # These properties examine all values, so they are cached, and a screen with many curves keeps its `Curve` objects.

    @cached_property
    def ends(self) -> tuple[float, float] | None:
        """The smallest and the largest number of values and band; None if there are no numbers."""
        rows = (self.values, self.low or (), self.high or ())
        known = [value for row in rows for value in row if value is not None and math.isfinite(value)]
        return (min(known), max(known)) if known else None

    @cached_property
    def known(self) -> list[tuple[int, float | None, float | None, float | None]]:
        """Each x that has a value or an interval, as x, value, low, high."""
        nothing: Sequence[float | None] = [None] * len(self.values)
        rows = zip(self.values, self.low or nothing, self.high or nothing, strict=True)
        return [(at, *row) for at, row in enumerate(rows) if row[0] is not None or row[1] is not None]

    @cached_property
    def places(self) -> list[int]:
        return [row[0] for row in self.known]


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    span = high - low
    if not span > 0 or not math.isfinite(span):
        return [low]
    rough = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)]


def tick_text(value: float) -> str:
    return (f"{value:,.0f}" if value == round(value) else f"{value:,.6g}").replace("-", "−")


@dataclass(frozen=True, kw_only=True)
class Plot(Widget):
    """Curves, bands, axes and a mark at one x, which clicks move; keys of the screen do the same.

    Attributes:
        low, high: ends of the y axis; None for the smallest and largest value of the curves.
        mark: the x that is marked; -1 for none.
        zero: whether a line is drawn at y = 0, and the area between it and the curve is filled.
        levels: reference lines.
        says: describes the values at an x, in words that are displayed beside the title, for the x under the pointer or
            else the mark. If that x has no value, the nearest one with a value is described.
        aligned: a plot above or below, whose axis of x has the same ends.
        across: the name of the axis of x, where there is room at the right.
    """

    curves: Sequence[Curve]
    low: float | None = None
    high: float | None = None
    mark: int = -1
    pick: Callable[[int], object] | None = None
    axes: bool = True
    zero: bool = False
    title: str = ""
    empty: str = ""
    least: int = 2
    levels: Sequence[ReferenceLine] = ()
    says: Callable[[int], str] | None = None
    aligned: Plot | None = None
    across: str = ""

    @cached_property
    def length(self) -> int:
        return max([len(curve.values) for curve in self.curves] + [self.least])

    @cached_property
    def range(self) -> tuple[float, float]:
        """The ends of the y axis; cached, because every point of every curve needs them."""
        known = [curve.ends for curve in self.curves if curve.ends is not None]
        low = self.low if self.low is not None else min((low for low, _ in known), default=0.0)
        high = self.high if self.high is not None else max((high for _, high in known), default=1.0)
        if low == high:
            low, high = low - 0.5, high + 0.5
        edge = (high - low) * 0.05
        return low - edge * (self.low is None), high + edge * (self.high is None)

    def field(self, canvas: Canvas) -> Rect:
        top = canvas.px(22 if self.title else 4) + self.legend_height(canvas)
        if not self.axes:
            place = self.rect.rows(top if self.title or top > canvas.px(4) else 0, None)[1]
            return place.columns(None, self._names(canvas))[0]
        bottom = canvas.px(20)
        sides = [plot._sides(canvas, top + bottom) for plot in (self, self.aligned) if plot is not None]
        left, right = map(max, zip(*sides, strict=True))
        return Rect(self.rect.x + left, self.rect.y + top, self.rect.w - left - right, self.rect.h - top - bottom)

    def _sides(self, canvas: Canvas, used: int) -> tuple[int, int]:
        """Return the widths of the numbers at the left and of what is at the right of the field."""
        labels = ticks(*self.range, _most_ticks(canvas, self.rect.h - used))
        left = max((canvas.width(tick_text(t), SMALL) for t in labels), default=0) + canvas.px(8)
        return left, max(canvas.px(6), self._names(canvas))

    def _names(self, canvas: Canvas) -> int:
        names = [level.name for level in self.levels if self.range[0] <= level.value <= self.range[1]]
        return max((canvas.width(name, SMALL) + canvas.px(GAP) for name in names), default=0)

    def legend_height(self, canvas: Canvas) -> int:
        return 0

    def draw_legend(self, canvas: Canvas) -> None:
        """Draw what tells several curves apart, below the title."""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        theme, field = canvas.theme, self.field(canvas)
        ui.memory[f"{self.key}.field"] = field
        pointed = self._pointed(ui, field)
        self._draw_title(canvas, self.mark if pointed is None else pointed, pointed=pointed is not None)
        self.draw_legend(canvas)
        if field.w < 4 or field.h < 4:
            return
        known = any(value is not None for curve in self.curves for value in curve.values)
        if self.axes:
            self._draw_axes(canvas, field)
        if self.zero and (known or not self.empty):  # the text for an empty plot replaces the line
            y = self._y(0.0, field)
            canvas.fill(Rect(field.x, round(y), field.w, 1), theme.control_line)
        if not known and self.empty:
            canvas.text(self.empty, field, theme.muted, BODY, align="centre")
        if self.mark >= 0:
            x = round(self._x(self.mark, field))
            canvas.fill(Rect(x, field.y, max(canvas.px(1), 1), field.h), theme.muted)
        if pointed is not None and known and self.says is not None:
            x = round(self._x(self._nearest(pointed), field))
            canvas.fill(Rect(x, field.y, 1, field.h), theme.control_line)
        self._draw_levels(canvas, field)
        with canvas.clip(field.inset(-canvas.px(TIGHT))):
            self._draw_curves(canvas, ui, field)

    def _draw_curves(self, canvas: Canvas, ui: Ui, field: Rect) -> None:
        for curve in self.curves:
            self._draw_curve(canvas, curve, field)

    def _draw_title(self, canvas: Canvas, index: int, *, pointed: bool = False) -> None:
        row = Rect(self.rect.x, self.rect.y, self.rect.w, canvas.px(18))
        at = self._nearest(index) if self.says is not None and index >= 0 else -1
        titles = self.title, _MORE.split(self.title, maxsplit=1)[0]
        described = self.says(at) if self.says is not None and at >= 0 else ""
        choices = [(title, described) for title in titles]

        def needs(choice: tuple[str, str]) -> int:
            title, values = choice
            beside = canvas.width(values, SMALL, tabular=True) + canvas.px(12) if values else 0
            return canvas.width(title, BODY, bold=True) + beside

        only = ("", described) if pointed else (self.title, "")
        title, values = next((choice for choice in choices if needs(choice) <= row.w), only)
        drawn = canvas.text(title, row, canvas.theme.text, BODY, bold=True, may_cut=True)
        beside = drawn.right + canvas.px(12) if title else row.x
        rest = Rect(beside, row.y, max(row.right - beside, 0), row.h)
        canvas.text(values, rest, canvas.theme.muted, SMALL, align="right", tabular=True, may_cut=True)

    def _line(self, canvas: Canvas, curve: Curve, colour: Colour, points: Sequence[tuple[float, float]]) -> None:
        shapes.lines(canvas.surface, colour, points, max(2.0 * canvas.look.scale, 1.5), self._dashes(canvas, curve))

    def _dashes(self, canvas: Canvas, curve: Curve) -> tuple[float, ...]:
        return (canvas.px(DASH), canvas.px(DASH)) if curve.estimated else ()

    @staticmethod
    def _colour(canvas: Canvas, curve: Curve) -> Colour:
        colours = canvas.theme.plots
        return canvas.theme.muted if curve.estimated else colours[curve.colour % len(colours)]

    def _draw_levels(self, canvas: Canvas, field: Rect) -> None:
        low, high = self.range
        for level in self.levels:
            if low <= level.value <= high:
                y, tall = round(self._y(level.value, field)), canvas.px(NAME)
                draw_dashes(canvas, field.x, y, field.w)
                beside = Rect(field.right, y - tall // 2, self.rect.right - field.right, tall)
                canvas.text(level.name, beside, canvas.theme.muted, SMALL, align="right")

    def _nearest(self, index: int) -> int:
        """Return the nearest x at which the first curve has a value or an interval; -1 if it has none."""
        places = self.curves[0].places if self.curves else []
        after = bisect.bisect_left(places, index)
        return min(places[max(after - 1, 0) : after + 1], key=lambda at: (abs(at - index), at), default=-1)

    def _pointed(self, ui: Ui, field: Rect) -> int | None:
        return self._index(ui.mouse[0], field) if ui.hot(self) and field.holds(ui.mouse) else None

    def _index(self, x: float, field: Rect) -> int:
        share = (x - field.x) / max(field.w - 1, 1)
        return min(max(round(share * (self.length - 1)), 0), self.length - 1)

    def _x(self, index: float, field: Rect) -> float:
        return field.x + (field.w - 1) * index / max(self.length - 1, 1)

    def _y(self, value: float, field: Rect) -> float:
        low, high = self.range
        return field.bottom - 1 - (field.h - 1) * (min(max(value, low), high) - low) / (high - low)

    def _draw_axes(self, canvas: Canvas, field: Rect) -> None:
        theme = canvas.theme
        low, high = self.range
        # In the high-contrast theme, grid lines would be as strong as curves.
        grid = (
            theme.line
            if contrast(theme.line, theme.background) < STRONG
            else theme.mix(theme.background, theme.line, 0.35)
        )
        for tick in ticks(low, high, _most_ticks(canvas, field.h)):
            y = round(self._y(tick, field))
            canvas.fill(Rect(field.x, y, field.w, 1), grid)
            place = Rect(self.rect.x, y - canvas.px(8), field.x - self.rect.x - canvas.px(6), canvas.px(16))
            canvas.text(tick_text(tick), place, theme.muted, SMALL, align="right")
        beside = Rect(field.right, field.bottom + canvas.px(3), self.rect.right - field.right, canvas.px(16))
        canvas.text(self.across, beside, theme.muted, SMALL, align="right", may_cut=True)
        last = self.length - 1
        for tick in ticks(0, last, max(field.w // canvas.px(70), 2)):
            if tick != round(tick):
                continue
            x = round(self._x(tick, field))
            place = Rect(x - canvas.px(30), field.bottom + canvas.px(3), canvas.px(60), canvas.px(16))
            canvas.text(tick_text(tick), place, theme.muted, SMALL, align="centre")
        canvas.fill(Rect(field.x, field.bottom - 1, field.w, 1), theme.control_line)

    def _runs(self, row: Sequence[float | None], field: Rect) -> list[list[tuple[float, float]]]:
        """Return the curve as pieces without gaps, with about one screen point for each pixel of the width."""
        runs: list[list[tuple[float, float]]] = [[]]
        step = max(len(row) // max(field.w, 1), 1)
        (low, high), wide, bottom = self.range, (field.w - 1) / max(self.length - 1, 1), field.bottom - 1
        tall = (field.h - 1) / (high - low)
        for index in range(0, len(row), step):
            value = row[index]
            if value is None or not math.isfinite(value):
                if runs[-1]:
                    runs.append([])
            else:
                above = 0.0 if value < low else high - low if value > high else value - low
                runs[-1].append((field.x + wide * index, bottom - tall * above))
        return [run for run in runs if run]

    def _draw_curve(self, canvas: Canvas, curve: Curve, field: Rect) -> None:
        colour = self._colour(canvas, curve)
        if curve.sparse:
            self._draw_sparse(canvas, curve, field, colour)
            return
        if curve.low is not None and curve.high is not None:
            upper, lower = self._runs(curve.high, field), self._runs(curve.low, field)
            for above, below in zip(upper, lower, strict=False):
                _area(canvas, [*above, *reversed(below)], (*colour, 56))
        for run in self._runs(curve.values, field):
            if self.zero:
                zero = self._y(0.0, field)
                _area(canvas, [(run[0][0], zero), *run, (run[-1][0], zero)], (*colour, 70))
            if len(run) == 1:
                shapes.dot(canvas.surface, run[0], canvas.px(5), colour)
            self._line(canvas, curve, colour, run)

    def _draw_sparse(self, canvas: Canvas, curve: Curve, field: Rect, colour: Colour) -> None:
        """Draw dots with their intervals, joined unless a value between two of them is off the plot."""
        joined, above = [list[tuple[float, float]]()], list[float]()
        bars: list[tuple[float, float, float]] = []
        for index, value, low, high in curve.known:
            x = self._x(index, field)
            if low is not None:
                bars.append((x, field.y if high is None else self._y(high, field), self._y(low, field)))
            if value is not None:
                joined[-1].append((x, self._y(value, field)))
            elif low is not None:
                joined.append([])
                above.append(x)
        close = len(bars) > 1 and (bars[-1][0] - bars[0][0]) / (len(bars) - 1) < canvas.px(CLOSE)
        dense = close or len(bars) > MANY
        if dense:
            _area(canvas, [(x, top) for x, top, _ in bars] + [(x, end) for x, _, end in reversed(bars)], (*colour, 56))
        else:
            self._draw_bars(canvas, bars, canvas.theme.mix(canvas.theme.background, colour, 0.5))
        side = canvas.px(4)
        for x in above:
            arrow = [(x - side, field.y + side * 1.5), (x, field.y), (x + side, field.y + side * 1.5)]
            pygame.draw.polygon(canvas.surface, colour, arrow)
            pygame.draw.aalines(canvas.surface, colour, True, arrow)
        for run in joined:
            self._line(canvas, curve, colour, run)
            for place in run if not dense or len(run) == 1 else ():
                shapes.dot(canvas.surface, place, canvas.px(7), colour)
                if curve.hollow:
                    shapes.dot(canvas.surface, place, canvas.px(4), canvas.theme.panel)

    @staticmethod
    def _draw_bars(canvas: Canvas, bars: Sequence[tuple[float, float, float]], colour: Colour) -> None:
        wide = max(canvas.px(1.5), 1)
        for x, top, end in bars:
            canvas.fill(Rect(round(x) - wide // 2, round(top), wide, max(round(end) - round(top), 1)), colour)

    def handle(self, event: Event, ui: Ui) -> bool:
        field: Rect | None = ui.memory.get(f"{self.key}.field")
        if isinstance(event, Motion) and self.says is not None and field is not None and ui.held != self.key:
            pointed, name = self._pointed(ui, field), f"{self.key}.pointed"
            changed = pointed != ui.memory.get(name)
            ui.memory[name] = pointed
            return changed
        if self.pick is None:
            return False
        if isinstance(event, (Press, Motion)) and field is not None and ui.held == self.key:
            if isinstance(event, Press) and event.button != LEFT:
                return False
            index = self._index(event.at[0], field)
            if index != self.mark:
                self.pick(index)
            return True
        return isinstance(event, Press)


def draw_dashes(canvas: Canvas, x: int, y: int, wide: int) -> None:
    if wide > 0:
        canvas.surface.blit(_dashes(wide, canvas.px(7), canvas.px(3), canvas.theme.muted), (x, y))


@lru_cache(maxsize=32)
def _dashes(wide: int, step: int, dash: int, colour: Colour) -> Any:
    line = pygame.Surface((wide, 1), pygame.SRCALPHA, 32)
    for x in range(0, wide, step):
        line.fill(colour, (x, 0, dash, 1))
    return line


def _most_ticks(canvas: Canvas, height: int) -> int:
    return min(max(height // canvas.px(34), 2), MOST_TICKS)


def _area(canvas: Canvas, points: Sequence[tuple[float, float]], colour: tuple[int, int, int, int]) -> None:
    if len(points) < 3:
        return
    left, top = math.floor(min(x for x, _ in points)), math.floor(min(y for _, y in points))
    right, bottom = math.ceil(max(x for x, _ in points)), math.ceil(max(y for _, y in points))
    layer = pygame.Surface((right - left + 1, bottom - top + 1), pygame.SRCALPHA, 32)
    pygame.draw.polygon(layer, colour, [(x - left, y - top) for x, y in points])
    canvas.surface.blit(layer, (left, top))


TICK = 9
CHECK = 11
"""Size of the mark beside the name of a level that was beaten."""


@dataclass(frozen=True, kw_only=True)
class RacePlot(Plot):
    """A plot with reference lines that are to be reached.

    Attributes:
        beaten: for each of the `levels`, the x at which it was reached; -1 for none.
        lost: for each of them, whether it was lost again.
        flashing: index of a level that was just reached; -1 for none.
        flash: its brightness, from 0 to 1.
        ticks: values of x that are marked on the axis.
    """

    beaten: Sequence[int] = ()
    lost: Sequence[bool] = ()
    flashing: int = -1
    flash: float = 0.0
    ticks: Sequence[int] = ()

    def _sides(self, canvas: Canvas, used: int) -> tuple[int, int]:
        """Leave the room for the names of levels with their marks."""
        return super()._sides(canvas, used)[0], self._name_width(canvas) + canvas.px(CHECK + 2 * TIGHT)

    def _draw_levels(self, canvas: Canvas, field: Rect) -> None:
        theme = canvas.theme
        names = dict(self.level_names(canvas))
        for tick in self.ticks:
            x, high = round(self._x(tick, field)), canvas.px(TICK)
            canvas.fill(Rect(x, field.bottom - high, max(canvas.px(2), 1), high), theme.accent)
        for number, (level, beaten, lost) in enumerate(zip(self.levels, self.beaten, self.lost, strict=True)):
            y = round(self._y(level.value, field))
            done = beaten >= 0 and not lost
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
            side = canvas.px(CHECK)
            mark = Rect(place.x - side - canvas.px(TIGHT), place.y, side, canvas.px(NAME))
            if done:
                canvas.icon("check", mark, theme.good, CHECK)
            elif lost:
                self._draw_ring(canvas, mark.centre)

    def level_names(self, canvas: Canvas) -> list[tuple[str, Rect]]:
        """Return the names of levels with their places, from weak to strong, moved up where they would touch.

        If there is hardly room for all, those that were beaten before another one have none: their lines say enough.
        """
        wide, field, high = self._name_width(canvas), self.field(canvas), canvas.px(NAME)
        names, y = list[tuple[str, Rect]](), field.bottom + canvas.px(3)
        beaten = [number for number, at in enumerate(self.beaten) if at >= 0 and not self.lost[number]]
        least = max(beaten, default=0) if high * len(self.levels) > field.h else 0
        for level in self.levels[least:]:
            y = min(round(self._y(level.value, field)) - high // 2, y - high)
            names.append((level.name, Rect(self.rect.right - wide, y, wide, high)))
        return names

    def _name_width(self, canvas: Canvas) -> int:
        """Return the width of the names in bold letters: names are never left out, however narrow the plot is."""
        return max(canvas.width(level.name, SMALL, bold=True) + 1 for level in self.levels)

    def _draw_curves(self, canvas: Canvas, ui: Ui, field: Rect) -> None:
        super()._draw_curves(canvas, ui, field)
        for level, beaten, lost in zip(self.levels, self.beaten, self.lost, strict=True):
            if beaten >= 0 and not lost:
                self._draw_ring(canvas, (self._x(beaten, field), self._y(level.value, field)))
        known = self.curves[0].known if self.curves else []
        if known and known[-1][1] is not None:
            place = self._x(known[-1][0], field), self._y(known[-1][1], field)
            shapes.dot(canvas.surface, place, canvas.px(11), self._colour(canvas, self.curves[0]))

    @staticmethod
    def _draw_ring(canvas: Canvas, place: tuple[float, float]) -> None:
        shapes.dot(canvas.surface, place, canvas.px(7), canvas.theme.panel, canvas.theme.good, max(canvas.px(1.5), 1))
