"""A map of two traits as coloured squares: each has the emblem of its strongest member, and says how strong it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from extras.cast.characters import Place
from game.networks.emblem import Emblem
from gui.events import LEFT, Event, Key, Motion, Press
from gui.geometry import Rect
from gui.look.canvas import Align, Canvas
from gui.look.theme import BODY, SMALL
from gui.widgets.base import Ui, Widget
from gui.widgets.emblem import draw_emblem

ARROWS = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}
TRAIT, GAP = 24, 3
"""Pixels of the design: a line with what the ends of a trait mean, the gap between cells."""
LEAST_NUMBER, LEAST_EMBLEM, EMBLEM = 22, 52, 160
"""Minimum sizes of a cell with a number and with an emblem in it, and the largest height of an emblem."""
ALIGNS: dict[int, tuple[Align, ...]] = {2: ("left", "right"), 3: ("left", "centre", "right")}
WEAKEST, STRONGEST = 0.08, 0.45
"""Shares of the accent in the colours of the weakest and the strongest member: text has contrast on both."""


@dataclass
class DrawnCells:
    """The cells as last drawn, and the one under the mouse."""

    cells: dict[Place, Rect] = field(default_factory=dict)
    hover: Place | None = None


@dataclass(frozen=True, kw_only=True)
class CharacterMapWidget(Widget):
    """A map with one chosen cell.

    Cells with members are filled, and say how strong the best one is; empty cells are only framed. Arrow
    keys lead to the next cell with members in this direction.

    Attributes:
        size: number of columns and rows.
        squares: the cells with members, with the strength of the best one.
        emblems, names: the emblems and names of these members, where there is room.
        across, up: what members at both ends of a trait do, in words; empty for none.
        range: strengths of the weakest and the strongest member.
    """

    focusable: ClassVar[bool] = True

    size: Place
    squares: Mapping[Place, float]
    chosen: Place | None
    choose: Callable[[Place], object]
    activate: Callable[[Place], object]
    across: tuple[str, str]
    up: tuple[str, str]
    range: tuple[float, float]
    text: Callable[[float], str]
    emblems: Mapping[Place, Emblem | None] = field(default_factory=dict)
    names: Mapping[Place, str] = field(default_factory=dict)

    @property
    def takes_focus(self) -> bool:
        """True if there is a cell to choose."""
        return self.enabled and bool(self.squares)

    def share(self, strength: float) -> float:
        """Return a strength as a share of the range of all members; 1 if they are equal."""
        low, high = self.range
        return (strength - low) / (high - low) if high > low else 1.0

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        drawn, theme, px = ui.recall(self, DrawnCells), canvas.theme, canvas.px
        columns, rows = self.size
        above, room, below = self.rect.rows(px(TRAIT), None, px(TRAIT))
        side = max(min(room.w // columns, room.h // rows), 1)
        wide = max(min(room.w // columns, side * 2), 1)
        gap = px(GAP) if side > 3 * px(GAP) else 1
        drawn.cells = {
            (column, row): Rect(
                room.x + (column - 1) * wide, room.y + (rows - row) * side, max(wide - gap, 1), max(side - gap, 1)
            )
            for column in range(1, columns + 1)
            for row in range(1, rows + 1)
        }
        with canvas.clip(self.rect):
            for place, rect in drawn.cells.items():
                self._draw_cell(canvas, place, rect, hot=ui.hot(self) and place == drawn.hover)
        places = [below.move(0, rows * side - room.h).columns(None, None, None), above.columns(None, None)]
        texts = [(self.across[0], self.up[0], self.across[1]), (self.up[1], "more colour, more strength")]
        for line, words in zip(places, texts, strict=True):
            size = min(canvas.fitting(text, at.w, BODY) for text, at in zip(words, line, strict=True))
            for text, at, align in zip(words, line, ALIGNS[len(words)], strict=True):
                canvas.text(text, at, theme.muted, size, align=align, may_cut=True)
        ui.ring(canvas, self)

    def _draw_cell(self, canvas: Canvas, place: Place, rect: Rect, *, hot: bool) -> None:
        theme, px, strength = canvas.theme, canvas.px, self.squares.get(place)
        if strength is None:
            canvas.box(rect, None, theme.line, 4)
        else:
            share = min(max(self.share(strength), 0.0), 1.0)
            colour = theme.mix(theme.panel, theme.accent, WEAKEST + (STRONGEST - WEAKEST) * share)
            canvas.box(rect, colour, theme.control_line if hot else None, 4)
            inner = rect.inset(px(2))
            if place in self.emblems and rect.h >= px(LEAST_EMBLEM):
                name, line = self.names.get(place, ""), canvas.line_height(SMALL)
                high = line if rect.h >= 2 * px(LEAST_EMBLEM) and canvas.width(name, SMALL, bold=True) <= inner.w else 0
                picture, named, inner = inner.inset(0, px(4)).rows(None, high, line, gap=px(2))
                if high:
                    canvas.text(name, named, theme.text, SMALL, bold=True, align="centre")
                draw_emblem(canvas, picture.centre_within(picture.w, min(picture.h, px(EMBLEM))), self.emblems[place])
            if min(rect.w, rect.h) >= px(LEAST_NUMBER):
                text, bold = self.text(strength), place == self.chosen
                canvas.text(text, inner, theme.text, SMALL, bold=bold, align="centre", may_cut=True)
        if place == self.chosen:
            canvas.box(rect.inset(-canvas.px(1)), None, theme.text, 5, 3)

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
