"""One of several, chosen from a list that opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from gui.events import LEFT, Event, Key, Motion, Press, Release, Text, Wheel
from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Canvas
from gui.widgets.base import Ui, Widget

MOST_ROWS = 10


@dataclass
class Opened:
    """The open list.

    Attributes:
        marked: the row that Enter takes.
        first: the row at the top.
        box: where the list is, as last drawn.
        pressed: whether the button went down inside, and has not come up since.
        seen: whether it was drawn since it opened.
    """

    marked: int = 0
    seen: bool = False
    first: int = 0
    box: Rect = field(default_factory=lambda: Rect(0, 0, 0, 0))
    row: int = 1
    pressed: bool = False


@dataclass(frozen=True, kw_only=True)
class Dropdown(Widget):
    """Shows what is chosen; a list opens below it, or above where there is more room.

    Attributes:
        names: what can be chosen.
        chosen: which of them is.
        pick: told another one.
        text: a label in front of the name, if any.
    """

    focusable: ClassVar[bool] = True

    names: Sequence[str]
    chosen: int
    pick: Callable[[int], object]
    text: str = ""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """The closed box."""
        theme = canvas.theme
        fill = theme.control_hover if ui.hot(self) or ui.opened == self.key else theme.control
        canvas.box(self.rect, fill, theme.control_line)
        ui.ring(canvas, self)
        inner = self.rect.inset(canvas.px(10), 0)
        arrow = canvas.px(18)
        room = Rect(inner.x, inner.y, inner.w - arrow - canvas.px(4), inner.h)
        colour = theme.text if self.enabled else theme.muted
        if self.text:
            used = canvas.text(self.text, room, theme.muted).w + canvas.px(8)
            room = Rect(room.x + used, room.y, room.w - used, room.h)
        if 0 <= self.chosen < len(self.names):
            canvas.text(self.names[self.chosen], room, colour, may_cut=True)
        canvas.icon("down", Rect(inner.right - arrow, inner.y, arrow, inner.h), theme.muted, 14)

    def draw_above(self, canvas: Canvas, ui: Ui) -> None:
        """The open list."""
        theme, open_ = canvas.theme, ui.recall(self, Opened)
        open_.row = canvas.px(30)
        if not open_.seen:
            open_.marked, open_.seen = max(self.chosen, 0), True
        rows = min(len(self.names), MOST_ROWS)
        height = rows * open_.row + canvas.px(8)
        screen_height = canvas.surface.get_height()
        below = self.rect.bottom + canvas.px(4)
        y = (
            below
            if below + height <= screen_height or below < screen_height // 2
            else self.rect.y - height - canvas.px(4)
        )
        longest = sorted(self.names, key=len)[-3:]
        wide = max([self.rect.w, *(canvas.width(name) + canvas.px(48) for name in longest)])
        x = max(min(self.rect.x, canvas.surface.get_width() - wide), 0)
        open_.box = Rect(x, max(y, 0), wide, height)
        open_.first = min(max(open_.first, open_.marked - rows + 1), open_.marked, max(len(self.names) - rows, 0))
        shapes.shadow(canvas.surface, open_.box, canvas.px(8), canvas.px(12))
        canvas.box(open_.box, theme.panel, theme.control_line)
        for number in range(open_.first, open_.first + rows):
            row = self._row(open_, number, canvas.px(4))
            if number == open_.marked:
                canvas.box(row, theme.selection, None, 6)
            if number == self.chosen:
                canvas.icon("check", Rect(row.x, row.y, canvas.px(26), row.h), theme.text, 14)
            place = Rect(row.x + canvas.px(28), row.y, row.w - canvas.px(34), row.h)
            canvas.text(self.names[number], place, theme.text, may_cut=True)

    @staticmethod
    def _row(open_: Opened, number: int, edge: int) -> Rect:
        box = open_.box
        return Rect(box.x + edge, box.y + edge + (number - open_.first) * open_.row, box.w - 2 * edge, open_.row)

    def _under(self, open_: Opened, event: Press | Release | Motion) -> int | None:
        edge = (open_.box.h - open_.row * min(len(self.names), MOST_ROWS)) // 2
        number = open_.first + (event.at[1] - open_.box.y - edge) // open_.row
        inside = open_.box.holds(event.at) and 0 <= number < len(self.names)
        return number if inside else None

    def handle(self, event: Event, ui: Ui) -> bool:
        """Opens, marks, picks, closes."""
        open_ = ui.recall(self, Opened)
        if ui.opened == self.key:
            return self._when_open(event, open_, ui)
        step = {"up": -1, "down": 1}.get(event.name, 0) if isinstance(event, Key) else 0
        if step:
            self._take(self.chosen + step)
            return True
        pressed = isinstance(event, Press) and event.button == LEFT
        if pressed or (isinstance(event, Key) and event.name in ("return", "space", "alt+down")):
            ui.opened = self.key
            open_.marked, open_.pressed, open_.seen = max(self.chosen, 0), False, True
            return True
        return isinstance(event, Release)

    def _take(self, number: int) -> None:
        if 0 <= number < len(self.names) and number != self.chosen:
            self.pick(number)

    def _close(self, open_: Opened, ui: Ui) -> None:
        open_.seen = False
        ui.close()

    def _when_open(self, event: Event, open_: Opened, ui: Ui) -> bool:
        last = len(self.names) - 1
        if isinstance(event, Key):
            steps = {"up": -1, "down": 1, "pageup": -MOST_ROWS, "pagedown": MOST_ROWS, "home": -last, "end": last}
            if event.name in steps:
                open_.marked = min(max(open_.marked + steps[event.name], 0), last)
            elif event.name in ("return", "space", "escape", "tab"):
                self._close(open_, ui)
                if event.name in ("return", "space"):
                    self._take(open_.marked)
        elif isinstance(event, Text):
            found = [n for n, name in enumerate(self.names) if name.lower().startswith(event.text.lower())]
            if found:
                open_.marked = next((n for n in found if n > open_.marked), found[0])
        elif isinstance(event, Wheel):
            open_.marked = min(max(open_.marked - round(event.up), 0), last)
        elif isinstance(event, (Press, Release, Motion)):
            under = self._under(open_, event)
            if under is not None:
                open_.marked = under
            if isinstance(event, Press):
                open_.pressed = True
                if under is None:
                    self._close(open_, ui)
            elif isinstance(event, Release) and under is not None and (open_.pressed or not self.rect.holds(event.at)):
                self._close(open_, ui)
                self._take(under)
        return True
