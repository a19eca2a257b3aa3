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
    """Progress of a job; without a share a piece of the bar moves to and fro."""

    share: float | None
    text: str = ""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Draw the track, the filled part, and the text over both."""
        theme, rect = canvas.theme, self.rect
        canvas.box(rect, theme.mix(theme.panel, theme.control_line, 0.3), None, 4)
        if self.share is None:
            piece = max(rect.w // 4, 1)
            swing = (1 - math.cos(ui.now * 2.4)) / 2
            filled = Rect(rect.x + round((rect.w - piece) * swing), rect.y, piece, rect.h)
        else:
            filled = Rect(rect.x, rect.y, round(rect.w * min(max(self.share, 0.0), 1.0)), rect.h)
        if filled.w:
            canvas.box(filled, theme.accent, None, 4)
        if self.text and rect.h >= canvas.line_height(SMALL):
            canvas.text(self.text, rect, theme.text, SMALL, align="centre", may_cut=True)
            with canvas.clip(filled):  # over the colour of the bar the same letters have another colour
                canvas.text(self.text, rect, theme.on_accent, SMALL, align="centre", may_cut=True)
