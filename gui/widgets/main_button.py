"""The large button of a screen: a headline, and a line below that says what will happen."""

from __future__ import annotations

from gui.geometry import Rect
from gui.look.canvas import Canvas
from gui.widgets.base import Ui
from gui.widgets.button import Button


class MainButton(Button):
    """The large button: a headline and a line below."""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Icon, headline, what will happen."""
        fill, border, colour = self.colours(canvas, ui)
        canvas.box(self.rect, fill, border, 12)
        ui.ring(canvas, self, 12)
        inner = self.rect.inset(canvas.px(18), canvas.px(10))
        side = canvas.px(40)
        canvas.icon(self.icon, Rect(inner.x, inner.y, side, inner.h), colour, 30)
        room = Rect(inner.x + side + canvas.px(12), inner.y, inner.w - side - canvas.px(12), inner.h)
        head_text, _, line_text = self.text.partition("\n")
        fonts, small = canvas.look.fonts, canvas.px(13)
        lines = min(len(fonts.wrap(line_text, room.w, small)), 2)
        head, line = room.rows(None, lines * fonts.height(small))
        canvas.text(head_text, head, colour, 20, bold=True)
        canvas.paragraph(line_text, line, colour, 13, may_cut=True)
        canvas.text(self.shortcut, head, colour, 13, align="right")
