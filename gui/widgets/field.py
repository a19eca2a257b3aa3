"""An editable line of text, and a drop-down list."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from gui.events import LEFT, Event, Key, Motion, Press, Release, Text, Wheel
from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Canvas, Fonts
from gui.look.theme import SMALL
from gui.system import Clipboard
from gui.widgets.base import Ui, Widget

LONGEST, PASTED = 500, 2_000
"""Maximum number of characters of a field, and of those read from the clipboard."""

_WORD = re.compile(r"[^\W_]+")


@dataclass
class Caret:
    """The caret of a field.

    Attributes:
        known: the text that it is in; if the screen replaces the text, the caret goes to the end.
        at: number of characters before it.
        anchor: the other end of the selection; equal to `at` if nothing is selected.
        shift: pixels by which a long text is scrolled to the left.
        places: x of each character's left edge and of the end, from the left end of the text.
    """

    known: str | None = None
    at: int = 0
    anchor: int = 0
    shift: int = 0
    left: int = 0
    places: tuple[int, ...] = (0,)
    measured: tuple[str, int] = ("", 0)

    def within(self, text: str) -> tuple[int, int]:
        """Return both ends of the selection, ordered and inside the text."""
        if text != self.known:
            self.known, self.at, self.anchor = text, len(text), len(text)
        return min(self.at, self.anchor), max(self.at, self.anchor)


@dataclass(frozen=True, kw_only=True)
class Field(Widget):
    """A line of text.

    Attributes:
        below: key of the list to which the key Down moves the focus.
    """

    focusable: ClassVar[bool] = True
    shows_focus: ClassVar[bool] = True

    value: str
    change: Callable[[str], object]
    enter: Callable[[], object] | None = None
    below: str = ""
    ghost: str = ""
    shortcut: str = ""
    icon: str = ""
    wrong: bool = False
    clipboard: Clipboard | None = None

    def _inner(self, canvas: Canvas) -> Rect:
        left = canvas.px(32 if self.icon else 10)
        cap = canvas.width(self.shortcut, SMALL) + canvas.px(18) if self.shortcut and not self.value else 0
        right = canvas.px(30 if self.wrong else 10) + cap
        return Rect(self.rect.x + left, self.rect.y, self.rect.w - left - right, self.rect.h)

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        theme, caret = canvas.theme, ui.recall(self, Caret)
        focused = ui.has_focus(self)
        border = theme.danger if self.wrong else theme.focus if focused else theme.control_line
        canvas.box(self.rect, theme.panel, border, 8, 2 if focused or self.wrong else 1)
        if self.icon:
            canvas.icon(self.icon, Rect(self.rect.x, self.rect.y, canvas.px(34), self.rect.h), theme.muted, 17)
        if self.wrong:
            place = Rect(self.rect.right - canvas.px(32), self.rect.y, canvas.px(28), self.rect.h)
            canvas.icon("warning", place, theme.danger, 16)
        inner = self._inner(canvas)
        if not focused and not self.value:
            canvas.key_beside(self.shortcut, Rect(inner.right, inner.y, 0, inner.h), self.rect)
        low, high = caret.within(self.value)
        if caret.measured != (self.value, canvas.px(14)):
            caret.measured = (self.value, canvas.px(14))
            caret.places = _places(canvas.look.fonts, *caret.measured)
        x = caret.places[caret.at]
        if x - caret.shift > inner.w - canvas.px(2):
            caret.shift = x - inner.w + canvas.px(2)
        caret.shift = max(min(caret.shift, x), 0)
        with canvas.clip(inner):
            left = caret.left = inner.x - caret.shift
            line = canvas.line_height()
            top = inner.y + (inner.h - line) // 2
            if focused and low != high:
                start, end = caret.places[low], caret.places[high]
                canvas.fill(Rect(left + start, top, end - start, line), theme.selection)
            if self.value:
                drawn = canvas.look.fonts.render(self.value, canvas.px(14), theme.text)
                canvas.surface.blit(drawn, (left, inner.y + (inner.h - drawn.get_height()) // 2))
            elif self.ghost:
                ghosts = self.ghost.split("\n")
                ghost = next((text for text in ghosts if canvas.width(text) <= inner.w), ghosts[-1])
                beyond = inner.move(canvas.px(4), 0) if focused else inner  # the caret stands before it
                canvas.text(ghost, beyond, theme.muted, may_cut=True)
            if focused:
                canvas.fill(Rect(left + x, top, canvas.px(1.5), line), theme.text)

    def handle(self, event: Event, ui: Ui) -> bool:
        caret = ui.recall(self, Caret)
        low, high = caret.within(self.value)
        if isinstance(event, Text):
            self._replace(caret, low, high, "".join(c if c.isprintable() else " " for c in event.text))
            return True
        if isinstance(event, (Press, Motion)):
            if ui.held != self.key:
                return False
            x = event.at[0] - caret.left
            caret.at = min(range(len(caret.places)), key=lambda n: abs(caret.places[n] - x))
            if isinstance(event, Press):
                caret.anchor = caret.at
            return True
        return isinstance(event, Key) and self._key(caret, event.name, low, high, ui)

    def _replace(self, caret: Caret, low: int, high: int, text: str) -> None:
        new = (self.value[:low] + text + self.value[high:])[:LONGEST]
        caret.known, caret.at = new, min(low + len(text), len(new))
        caret.anchor = caret.at
        if new != self.value:
            self.change(new)

    def _key(self, caret: Caret, name: str, low: int, high: int, ui: Ui) -> bool:
        if name == "return" and self.enter is not None:
            self.enter()
            return True
        if name == "down" and self.below:
            ui.focus, ui.focus_shown = self.below, True
            return True
        if name in ("ctrl+a", "ctrl+c", "ctrl+x", "ctrl+v"):
            return self._board(caret, name, low, high, ui)
        if name in ("backspace", "ctrl+backspace", "delete", "ctrl+delete"):
            if low == high:
                if "backspace" in name:
                    low = self._word(low, -1) if "ctrl" in name else max(low - 1, 0)
                else:
                    high = self._word(high, 1) if "ctrl" in name else min(high + 1, len(self.value))
            self._replace(caret, low, high, "")
            return True
        shift, plain = name.startswith("shift+"), name.removeprefix("shift+")
        moves = {
            "left": max(caret.at - 1, 0) if shift or low == high else low,
            "right": min(caret.at + 1, len(self.value)) if shift or low == high else high,
            "home": 0,
            "end": len(self.value),
            "ctrl+left": self._word(caret.at, -1),
            "ctrl+right": self._word(caret.at, 1),
        }
        if plain in moves:
            caret.at = moves[plain]
            if not shift:
                caret.anchor = caret.at
            return True
        # A key that also types a character must not run a command.
        return len(plain) == 1 or plain == "space"

    def _board(self, caret: Caret, name: str, low: int, high: int, ui: Ui) -> bool:
        if name == "ctrl+a":
            caret.anchor, caret.at = 0, len(self.value)
            return True
        if self.clipboard is None:
            return False
        if name == "ctrl+v":
            text = self.clipboard.paste()[:PASTED].strip("\r\n")
            self._replace(caret, low, high, "".join(c if c.isprintable() else " " for c in text))
        elif low != high:
            ui.trouble = self.clipboard.copy(self.value[low:high])
            if name == "ctrl+x":
                self._replace(caret, low, high, "")
        return True

    def _word(self, at: int, step: int) -> int:
        """Return the start of the word before a place, or the end of the one after it."""
        words = list(_WORD.finditer(self.value))
        if step < 0:
            return max((word.start() for word in words if word.start() < at), default=0)
        return min((word.end() for word in words if word.end() > at), default=len(self.value))


def _places(fonts: Fonts, text: str, size: int) -> tuple[int, ...]:
    return tuple(fonts.size(text[:n], size)[0] for n in range(len(text) + 1))


MOST_ROWS = 10


@dataclass
class Opened:
    """The state of an open list."""

    marked: int = 0
    seen: bool = False
    first: int = 0
    box: Rect = field(default_factory=lambda: Rect(0, 0, 0, 0))
    row: int = 1
    pressed: bool = False


@dataclass(frozen=True, kw_only=True)
class Dropdown(Widget):
    """A drop-down list, which opens below or, if there is more room, above."""

    focusable: ClassVar[bool] = True

    names: Sequence[str]
    chosen: int
    pick: Callable[[int], object]
    text: str = ""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
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
        theme, open_ = canvas.theme, ui.recall(self, Opened)
        open_.row = canvas.px(30)
        if not open_.seen:
            open_.marked, open_.seen = max(self.chosen, 0), True
        rows = min(len(self.names), MOST_ROWS)
        height = rows * open_.row + canvas.px(8)
        screen_height = canvas.surface.get_height()
        below = self.rect.bottom + canvas.px(4)
        fits = below + height <= screen_height or below < screen_height // 2
        y = below if fits else self.rect.y - height - canvas.px(4)
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
            matches = [n for n, name in enumerate(self.names) if name.lower().startswith(event.text.lower())]
            if matches:
                open_.marked = next((n for n in matches if n > open_.marked), matches[0])
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
