"""The large button of a screen: a headline, and a line below that says what will happen."""

from __future__ import annotations

from gui.geometry import Rect
from gui.look.canvas import Canvas
from gui.look.measures import BODY, EDGE, GAP, HEADING, ROOM, SMALL
from gui.widgets.base import Ui
from gui.widgets.button import Button


class MainButton(Button):
    """The large button: a headline and a line below."""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Icon, headline, what will happen."""
        fill, border, colour = self.colours(canvas, ui)
        canvas.box(self.rect, fill, border, 12)
        ui.ring(canvas, self, 12)
        inner = self.rect.inset(canvas.px(EDGE), canvas.px(GAP))
        side = canvas.px(40)
        canvas.icon(self.icon, Rect(inner.x, inner.y, side, inner.h), colour, 30)
        room = Rect(inner.x + side + canvas.px(ROOM), inner.y, inner.w - side - canvas.px(ROOM), inner.h)
        head_text, _, line_text = self.text.partition("\n")
        size = BODY if canvas.width(line_text) <= room.w else SMALL  # two lines of these have room
        lines = min(len(canvas.look.fonts.wrap(line_text, room.w, canvas.px(size))), 2)
        head, line = room.rows(None, lines * canvas.line_height(size))
        canvas.text(head_text, head, colour, HEADING, bold=True)
        canvas.paragraph(line_text, line, colour, size, may_cut=True)
        canvas.text(self.shortcut, head, colour, SMALL, align="right")
