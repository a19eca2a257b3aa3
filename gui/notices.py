"""Temporary messages at the bottom of the window, and tooltips."""

from __future__ import annotations

from collections.abc import Sequence

from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Canvas
from gui.look.theme import SMALL
from gui.widgets.base import Label, Ui, Widget
from gui.widgets.board import BoardWidget
from gui.widgets.button import Pressed
from gui.widgets.field import Field

TOOLTIP_SECONDS = 0.6
SECONDS, SECONDS_A_LETTER = 2.5, 0.05
"""Seconds for which any message is visible, and more seconds for each of its letters, so that a path can be read."""

TEXT, HINT = 15, 13
LEAST_WIDTH = 200
"""Minimum width of an area beside a board for a message."""


class Notices:
    def __init__(self) -> None:
        self._text, self._icon, self._until = "", "", 0.0
        self._rested = 0.0
        self.hinted: tuple[Rect, str] | None = None
        self._typing = False
        self._key, self._pressed, self._dismissed = "", False, False

    @property
    def text(self) -> str:
        return self._text

    def say(self, text: str, icon: str, now: float) -> None:
        self._text, self._icon = text, icon
        self._until = now + SECONDS + SECONDS_A_LETTER * len(text)

    def on_input(self, *, pressed: bool, typed: bool | None = None, clicked: bool = False) -> bool:
        """React to input; return whether the message or the tooltip disappears.

        Args:
            typed: whether text was typed, which suppresses tooltips; None for no change.
        """
        self._typing = self._typing if typed is None else typed
        hinted = self.hinted is not None and self._rested >= TOOLTIP_SECONDS
        self._rested = 0.0
        self._pressed = self._pressed or clicked  # what is clicked has been understood
        gone = bool(pressed and self._text)
        if gone:
            self._text = ""
        return hinted or gone

    def look(self, ui: Ui, widgets: Sequence[Widget], elided: Sequence[tuple[Rect, str]] = ()) -> None:
        """Choose the next tooltip: the full version of a shortened text under the mouse, else the widget's hint."""
        self.hinted = None
        key = "" if ui.opened or ui.held or self._typing else ui.hover or (ui.focus if ui.focus_shown else "")
        if not ui.held:
            self._dismissed = self._pressed or (self._dismissed and key == self._key)
            self._key, self._pressed = key, False
        widget = next((widget for widget in widgets if widget.key == key), None) if key else None
        if widget is None or self._dismissed:
            return
        hint = "\n".join(filter(None, (widget.hint, "" if widget.enabled else widget.why)))
        if hint:
            self.hinted = widget.rect, hint
        for rect, text in elided:
            if rect.holds(ui.mouse) and widget.rect.holds(ui.mouse):
                self.hinted = rect, text

    def tick(self, now: float, dt: float) -> bool:
        before = self._rested
        self._rested += dt
        ended = bool(self._text) and now >= self._until
        if ended:
            self._text = ""
        return ended or (self.hinted is not None and before < TOOLTIP_SECONDS <= self._rested)

    def wait(self, now: float) -> float | None:
        """Return the seconds until the message or the tooltip appears or disappears; None for never."""
        waits = [self._until - now] if self._text else []
        if self.hinted is not None and self._rested < TOOLTIP_SECONDS:
            waits.append(TOOLTIP_SECONDS - self._rested)
        return min(waits, default=None)

    def draw(self, canvas: Canvas, widgets: Sequence[Widget] = ()) -> None:
        """Draw the message and the tooltip; the message avoids covering buttons and boards among `widgets`."""
        if self._text:
            self._draw_sentence(canvas, widgets)
        if self.hinted is not None and self._rested >= TOOLTIP_SECONDS:
            self._draw_tooltip(canvas, *self.hinted)

    def place(self, canvas: Canvas, widgets: Sequence[Widget]) -> Rect:
        """Return the place of the message: as low as possible where it covers no button, no board and no error."""
        px, whole = canvas.px, Rect(0, 0, *canvas.surface.get_size())
        boards = [widget.rect for widget in widgets if isinstance(widget, BoardWidget)]
        errors = [widget.rect for widget in widgets if _is_error(canvas, widget)]
        buttons = [widget.rect for widget in widgets if isinstance(widget, Pressed)]
        left, right = (
            [whole.columns(at.x, None)[0] for at in boards],
            [whole.columns(at.right, None)[1] for at in boards],
        )
        areas = [whole, *(side for side in (*right, *left) if side.w >= px(LEAST_WIDTH))]
        free = [place for area in areas for place in self._places(canvas, area) if not any(map(place.meets, buttons))]
        beside = [place for place in free if not any(map(place.meets, boards))]
        beside = [place for place in beside if not any(map(place.meets, errors))] or beside
        return (beside or free[::-1] or self._places(canvas, whole))[0]

    def _places(self, canvas: Canvas, area: Rect) -> list[Rect]:
        px, fonts = canvas.px, canvas.look.fonts
        lines = self._lines(canvas, area.w)
        wide = max(fonts.size(line, px(TEXT))[0] for line in lines) + px(64)
        tall = len(lines) * fonts.height(px(TEXT)) + px(20)
        below = Rect(area.x + (area.w - wide) // 2, area.bottom - tall - px(22), wide, tall)
        left = below.move(min(area.x + px(22) - below.x, 0), 0)
        ups = range(0, max(below.y - area.y, 1), max(tall // 2, 1))
        return [place.move(0, -up) for up in ups for place in (below, left)]

    def _lines(self, canvas: Canvas, width: int) -> list[str]:
        px = canvas.px
        most = max(min(width - px(20), px(640)) - px(64), px(40))
        return canvas.look.fonts.wrap(self._text, most, px(TEXT))

    def _draw_sentence(self, canvas: Canvas, widgets: Sequence[Widget]) -> None:
        px, theme = canvas.px, canvas.theme
        box = self.place(canvas, widgets)
        shapes.shadow(canvas.surface, box, px(10), px(14))
        canvas.box(box, theme.tooltip, self._border(canvas), 10)
        canvas.icon(self._icon, Rect(box.x + px(8), box.y, px(36), box.h), theme.on_tooltip, 18)
        place = Rect(box.x + px(46), box.y + px(10), box.w - px(64), box.h)
        canvas.paragraph(self._text, place, theme.on_tooltip, TEXT)

    def _draw_tooltip(self, canvas: Canvas, rect: Rect, text: str) -> None:
        px, fonts = canvas.px, canvas.look.fonts
        width, height = canvas.surface.get_size()
        most = max(min(px(340), width - px(30)), px(40))
        lines = fonts.wrap(text, most, px(HINT))
        wide = max(fonts.size(line, px(HINT))[0] for line in lines) + px(20)
        tall = len(lines) * fonts.height(px(HINT)) + px(SMALL)
        y = rect.bottom + px(8)
        if y + tall > height - px(4):
            y = max(rect.y - tall - px(8), 0)
        x = min(max(rect.centre[0] - wide // 2, px(6)), max(width - wide - px(6), 0))
        canvas.box(Rect(x, y, wide, tall), canvas.theme.tooltip, self._border(canvas), 6)
        place = Rect(x + px(10), y + px(6), most, tall)
        canvas.paragraph(text, place, canvas.theme.on_tooltip, HINT)

    @staticmethod
    def _border(canvas: Canvas) -> tuple[int, int, int] | None:
        return canvas.theme.on_tooltip if canvas.theme.name == "contrast" else None


def _is_error(canvas: Canvas, widget: Widget) -> bool:
    if isinstance(widget, Field):
        return widget.wrong
    return isinstance(widget, Label) and bool(widget.text) and widget.colour == canvas.theme.danger
