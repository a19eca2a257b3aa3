"""Rows that are scrolled, by the wheel or by a bar at their right: what tables and family trees have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from gui.events import Motion, Press
from gui.geometry import Rect
from gui.widgets.base import Widget


@dataclass
class Scrolling:
    """How far rows are scrolled.

    Attributes:
        top: pixels above the window on the rows.
        grip: while the bar is dragged, how far below its upper end it was taken; -1 otherwise.
        row: height of a row, as last drawn.
        bar: width of the bar, as last drawn.
    """

    top: float = 0.0
    grip: int = -1
    row: int = 1
    bar: int = 12


S = TypeVar("S", bound=Scrolling)


class ScrolledWidget(Widget, Generic[S]):
    """A widget of rows of one height, of which only some are in sight.

    Attributes:
        least_thumb: how high the part of the bar is at least that is dragged, in rows.
    """

    least_thumb: ClassVar[float] = 1.0

    @property
    def rows(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def body(self, scroll: S) -> Rect:
        """The part that shows rows."""
        return self.rect

    def furthest(self, scroll: S) -> float:
        """The largest `top`."""
        return max(self.rows * scroll.row - self.body(scroll).h, 0)

    def thumb(self, scroll: S) -> Rect | None:
        """The part of the bar that is dragged; None if all rows are in sight."""
        body, furthest = self.body(scroll), self.furthest(scroll)
        if furthest <= 0 or body.h <= 0:
            return None
        height = max(body.h * body.h // (self.rows * scroll.row), min(int(self.least_thumb * scroll.row), body.h))
        y = body.y + round((body.h - height) * min(scroll.top, furthest) / furthest)
        return Rect(body.right - scroll.bar, y, scroll.bar, height)

    def scroll_by(self, scroll: S, pixels: float) -> bool:
        """Scroll down, or up by fewer than none, as far as there are rows; whether anything moved."""
        before = scroll.top
        scroll.top = min(max(scroll.top + pixels, 0.0), self.furthest(scroll))
        return scroll.top != before

    def take_bar(self, scroll: S, event: Press) -> bool:
        """A press on the bar: it takes its thumb, or turns a page beside that; whether it was there."""
        body, thumb = self.body(scroll), self.thumb(scroll)
        if thumb is None or event.at[0] < thumb.x or not body.holds(event.at):
            return False
        if thumb.holds(event.at):
            scroll.grip = event.at[1] - thumb.y
        else:
            self.scroll_by(scroll, body.h * (1 if event.at[1] > thumb.y else -1))
        return True

    def drag_bar(self, scroll: S, event: Motion) -> bool:
        """The mouse moves; whether it has the bar, which goes with it."""
        if scroll.grip < 0:
            return False
        body, thumb = self.body(scroll), self.thumb(scroll)
        if thumb is not None:
            share = (event.at[1] - scroll.grip - body.y) / max(body.h - thumb.h, 1)
            scroll.top = min(max(share, 0.0), 1.0) * self.furthest(scroll)
        return True
