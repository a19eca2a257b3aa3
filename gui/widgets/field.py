"""A line of text that can be edited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from gui.clipboard import Clipboard
from gui.events import Event, Key, Motion, Press, Text
from gui.geometry import Rect
from gui.look.canvas import Canvas
from gui.look.fonts import Fonts
from gui.widgets.base import Ui, Widget

LOOKED_AT = 4
"""How many times the length of a field of the clipboard is looked at; it may hold anything."""


@dataclass
class Caret:
    """Where one writes.

    Attributes:
        known: the text that it stands in; in a text that the screen has put in its place it goes to the end.
        at: number of characters before it.
        anchor: the other end of what is selected; the same place if nothing is.
        shift: pixels by which a long text is moved to the left.
        left: x of the text's left end on the screen, as last drawn.
        places: x of each character's left edge and of the end, from the left end of the text.
        measured: what `places` belongs to.
    """

    known: str | None = None
    at: int = 0
    anchor: int = 0
    shift: int = 0
    left: int = 0
    places: tuple[int, ...] = (0,)
    measured: tuple[str, int] = ("", 0)

    def within(self, text: str) -> tuple[int, int]:
        """Return both ends, ordered and inside the text."""
        if text != self.known:
            self.known, self.at, self.anchor = text, len(text), len(text)
        return min(self.at, self.anchor), max(self.at, self.anchor)


@dataclass(frozen=True, kw_only=True)
class Field(Widget):
    """A text field.

    Attributes:
        value: its text, kept by the screen.
        change: told the new text.
        enter: what Enter does.
        ghost: shown while it is empty.
        icon: at its left.
        wrong: whether the text cannot be used; told by a sign and a border.
        longest: characters it takes.
        clipboard: for copying and pasting.
    """

    focusable: ClassVar[bool] = True
    shows_focus: ClassVar[bool] = True

    value: str
    change: Callable[[str], object]
    enter: Callable[[], object] | None = None
    ghost: str = ""
    icon: str = ""
    wrong: bool = False
    longest: int = 500
    clipboard: Clipboard | None = None

    def _inner(self, canvas: Canvas) -> Rect:
        left = canvas.px(32 if self.icon else 10)
        right = canvas.px(30 if self.wrong else 10)
        return Rect(self.rect.x + left, self.rect.y, self.rect.w - left - right, self.rect.h)

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """The box, the text, what is selected, and the caret."""
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
                canvas.text(self.ghost, inner, theme.muted, may_cut=True)
            if focused:
                canvas.fill(Rect(left + x, top, canvas.px(1.5), line), theme.text)

    def handle(self, event: Event, ui: Ui) -> bool:
        """Typing, deleting, selecting, the clipboard."""
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
        new = (self.value[:low] + text + self.value[high:])[: self.longest]
        caret.known, caret.at = new, min(low + len(text), len(new))
        caret.anchor = caret.at
        if new != self.value:
            self.change(new)

    def _key(self, caret: Caret, name: str, low: int, high: int, ui: Ui) -> bool:
        if name == "return" and self.enter is not None:
            self.enter()
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
        # A sign that comes as text as well is nobody else's.
        return len(plain) == 1 or plain == "space"

    def _board(self, caret: Caret, name: str, low: int, high: int, ui: Ui) -> bool:
        if name == "ctrl+a":
            caret.anchor, caret.at = 0, len(self.value)
            return True
        if self.clipboard is None:
            return False
        if name == "ctrl+v":
            text = self.clipboard.paste()[: LOOKED_AT * self.longest].strip("\r\n")
            self._replace(caret, low, high, "".join(c if c.isprintable() else " " for c in text))
        elif low != high:
            ui.trouble = self.clipboard.copy(self.value[low:high])
            if name == "ctrl+x":
                self._replace(caret, low, high, "")
        return True

    def _word(self, at: int, step: int) -> int:
        text = self.value
        if step < 0:
            while at > 0 and not text[at - 1].isalnum():
                at -= 1
            while at > 0 and text[at - 1].isalnum():
                at -= 1
            return at
        while at < len(text) and not text[at].isalnum():
            at += 1
        while at < len(text) and text[at].isalnum():
            at += 1
        return at


def _places(fonts: Fonts, text: str, size: int) -> tuple[int, ...]:
    return tuple(fonts.size(text[:n], size)[0] for n in range(len(text) + 1))
