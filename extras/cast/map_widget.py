"""A map of two traits as coloured squares: the number in each says how strong its best member is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from extras.cast.characters import Place
from gui.events import LEFT, Event, Key, Motion, Press
from gui.geometry import Rect
from gui.look.canvas import Canvas
from gui.look.theme import BODY, SMALL, Colour, Theme, contrast
from gui.widgets.base import Ui, Widget

ARROWS = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}
LEGEND, NUMBERS, TRAIT, GAP = 26, 22, 20, 3
"""Pixels of the design: the legend, the numbers along an axis, the name of a trait, the gap between cells."""
LEAST_NUMBER = 22
"""Minimum width of a cell with a number in it, in pixels of the design."""
WEAKEST, STRONGEST = 0.22, 0.95
"""Shares of the accent in the colours of the weakest and the strongest member."""
STEPS = 5
"""Number of squares in the legend."""


@dataclass
class DrawnCells:
    """The cells as last drawn, and the one under the mouse."""

    cells: dict[Place, Rect] = field(default_factory=dict)
    hover: Place | None = None


def colour_of(share: float, theme: Theme) -> Colour:
    """Return the colour of a strength, given as a share of the range between the weakest and the strongest member."""
    return theme.mix(theme.panel, theme.accent, WEAKEST + (STRONGEST - WEAKEST) * min(max(share, 0.0), 1.0))


def _draw_empty(canvas: Canvas, rect: Rect) -> None:
    """Draw a frame with a dot in the middle."""
    theme, dot = canvas.theme, max(canvas.px(2), 1)
    colour = theme.mix(theme.line, theme.control_line, 0.5)
    canvas.box(rect, None, colour, 3)
    canvas.fill(Rect(rect.centre[0] - dot // 2, rect.centre[1] - dot // 2, dot, dot), colour)


@dataclass(frozen=True, kw_only=True)
class CharacterMapWidget(Widget):
    """A map with one chosen cell.

    Cells with members are filled, and have the score of the best one in per cent; empty cells are only framed, with a
    dot. Arrow keys lead to the next cell with members in this direction.

    Attributes:
        size: number of columns and rows.
        squares: the cells with members, with the score of the best one, from 0 to 1.
        chosen: the chosen cell; None if there is none.
        choose: called with a newly chosen cell.
        activate: called after a double click or Enter.
        across, up: names of the traits.
        low, high: scores of the weakest and the strongest member.
    """

    focusable: ClassVar[bool] = True

    size: Place
    squares: Mapping[Place, float]
    chosen: Place | None
    choose: Callable[[Place], object]
    activate: Callable[[Place], object]
    across: str
    up: str
    low: float
    high: float

    @property
    def takes_focus(self) -> bool:
        """True if there is a cell to choose."""
        return self.enabled and bool(self.squares)

    def share(self, score: float) -> float:
        """Return a score as a share of the range of all members; 1 if they are equal."""
        return (score - self.low) / (self.high - self.low) if self.high > self.low else 1.0

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Draw the cells, the axes and the legend."""
        drawn, theme, px = ui.recall(self, DrawnCells), canvas.theme, canvas.px
        body, legend = self.rect.rows(None, px(LEGEND))
        left = px(NUMBERS)
        top = px(TRAIT) if self.up else 0
        room = Rect(body.x + left, body.y + top, body.w - left, body.h - top - px(NUMBERS) - px(TRAIT))
        columns, rows = self.size
        side = max(min(room.w // columns, room.h // rows), 1)
        wide = max(min(room.w // columns, side * 2), 1)  # in a wide window, cells are wider than high
        gap = px(GAP) if side > 3 * px(GAP) else 1
        drawn.cells = {
            (column, row): Rect(
                room.x + (column - 1) * wide, room.y + (rows - row) * side, max(wide - gap, 1), max(side - gap, 1)
            )
            for column in range(1, columns + 1)
            for row in range(1, rows + 1)
        }
        with canvas.clip(body):
            for place, rect in drawn.cells.items():
                self._draw_cell(canvas, place, rect, hot=ui.hot(self) and place == drawn.hover)
        base, end = room.y + rows * side, room.x + columns * wide
        if self.up:
            canvas.text(f"{self.up} ↑", Rect(body.x, body.y, body.w, top), theme.muted, SMALL, may_cut=True)
            self._numbers(canvas, [drawn.cells[1, row] for row in range(1, rows + 1)], body.x, left, upright=True)
        self._numbers(canvas, [drawn.cells[column, 1] for column in range(1, columns + 1)], base, px(NUMBERS))
        name = Rect(room.x, base + px(NUMBERS), max(end - room.x, body.right - room.x), px(TRAIT))
        canvas.text(f"{self.across} →", name, theme.muted, SMALL, may_cut=True)
        below = min(name.bottom, legend.y)
        self._draw_legend(canvas, Rect(room.x, below, legend.right - room.x, legend.h))
        ui.ring(canvas, self)

    def _draw_cell(self, canvas: Canvas, place: Place, rect: Rect, *, hot: bool) -> None:
        theme, score = canvas.theme, self.squares.get(place)
        if score is None:
            _draw_empty(canvas, rect)
        else:
            colour = colour_of(self.share(score), theme)
            canvas.box(rect, colour, theme.control_line if hot else None, 4)
            ink = max(theme.text, theme.panel, key=lambda each: contrast(each, colour))
            if min(rect.w, rect.h) >= canvas.px(LEAST_NUMBER):
                canvas.text(f"{100 * score:.0f}", rect, ink, BODY, bold=place == self.chosen, align="centre")
        if place == self.chosen:
            canvas.box(rect.inset(-canvas.px(1)), None, theme.text, 5, 3)

    @staticmethod
    def _numbers(canvas: Canvas, cells: list[Rect], at: int, room: int, *, upright: bool = False) -> None:
        """Write the numbers of cells along an axis, as many as fit."""
        length = min(cell.h if upright else cell.w for cell in cells)
        step = max(-(-canvas.px(LEAST_NUMBER) // max(length, 1)), 1)
        for number, cell in enumerate(cells, 1):
            if (number - 1) % step == 0:
                place = Rect(at, cell.y, room, cell.h) if upright else Rect(cell.x, at, cell.w, room)
                canvas.text(str(number), place, canvas.theme.muted, SMALL, align="centre", may_cut=True)

    def _draw_legend(self, canvas: Canvas, rect: Rect) -> None:
        """Draw squares from the weakest to the strongest, with scores, and an empty one."""
        theme, px = canvas.theme, canvas.px
        side, gap = px(14), px(4)
        y, x = rect.y + (rect.h - side) // 2, rect.x
        weakest, strongest, none = f"{100 * self.low:.0f} %", f"{100 * self.high:.0f} % of the points", "no member"
        x += canvas.text(weakest, Rect(x, rect.y, rect.w, rect.h), theme.muted, SMALL).w + gap
        for number in range(STEPS):
            canvas.box(Rect(x, y, side, side), colour_of(number / (STEPS - 1), theme), theme.line, 3)
            x += side + px(2)
        x += gap
        if x + canvas.width(strongest, SMALL) > rect.right:
            strongest = strongest.partition(" of")[0]
        x += canvas.text(strongest, Rect(x, rect.y, rect.right - x, rect.h), theme.muted, SMALL).w + px(12)
        if x + side + gap + canvas.width(none, SMALL) <= rect.right:
            empty = Rect(x, y, side, side)
            _draw_empty(canvas, empty)
            x += side + gap
            canvas.text(none, Rect(x, rect.y, rect.right - x, rect.h), theme.muted, SMALL)

    # Reacting -----------------------------------------------------------------------------------------------------

    def handle(self, event: Event, ui: Ui) -> bool:
        """Choose a cell by a click or an arrow key; a double click or Enter activates it."""
        drawn = ui.recall(self, DrawnCells)
        if isinstance(event, Motion):
            before, drawn.hover = drawn.hover, self._at(event.at, drawn)
            return before != drawn.hover
        if isinstance(event, Press) and event.button == LEFT:
            place = self._at(event.at, drawn)
            if place is not None and place in self.squares:
                self.choose(place)
                if event.clicks == 2:
                    self.activate(place)
            return True
        if isinstance(event, Key) and event.name in ARROWS:
            place = self.next(event.name)
            if place is not None:
                self.choose(place)
            return True
        if isinstance(event, Key) and event.name == "return" and self.chosen is not None:
            self.activate(self.chosen)
            return True
        return False

    @staticmethod
    def _at(point: tuple[int, int], drawn: DrawnCells) -> Place | None:
        return next((place for place, rect in drawn.cells.items() if rect.holds(point)), None)

    def next(self, key: str) -> Place | None:
        """Return the nearest cell with members in the direction of an arrow key; None if there is none.

        Steps aside count double.
        """
        if self.chosen is None:
            return min(self.squares, default=None)
        dx, dy = ARROWS[key]
        x, y = self.chosen

        def distance(place: Place) -> tuple[int, int]:
            ahead = (place[0] - x) * dx + (place[1] - y) * dy
            aside = abs((place[0] - x) * dy) + abs((place[1] - y) * dx)
            return ahead + 2 * aside, aside

        ahead = [place for place in self.squares if (place[0] - x) * dx + (place[1] - y) * dy > 0]
        return min(ahead, key=distance, default=None)
