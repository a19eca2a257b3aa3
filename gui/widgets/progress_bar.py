"""A bar that fills."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gui.geometry import Rect
from gui.look.canvas import Canvas
from gui.look.measures import SMALL
from gui.widgets.base import Ui, Widget


@dataclass(frozen=True, kw_only=True)
class ProgressBar(Widget):
    """How far something is; without a share a piece of the bar wanders, to say that something goes on."""

    share: float | None
    text: str = ""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """The track, the part that is done, and the text over it."""
        theme, rect = canvas.theme, self.rect
        canvas.box(rect, theme.mix(theme.panel, theme.control_line, 0.3), None, 4)
        if self.share is None:
            piece = max(rect.w // 4, 1)
            swing = (1 - math.cos(ui.now * 2.4)) / 2
            canvas.box(Rect(rect.x + round((rect.w - piece) * swing), rect.y, piece, rect.h), theme.accent, None, 4)
        elif self.share > 0:
            canvas.box(Rect(rect.x, rect.y, round(rect.w * min(self.share, 1.0)), rect.h), theme.accent, None, 4)
        if self.text and rect.h >= canvas.line_height(SMALL):
            canvas.text(self.text, rect, theme.text, SMALL, align="centre", may_cut=True)
