"""The chances of Black, of a draw, and of White as bars in three parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from game.review.annotations import result_percents
from game.review.chances import Chances
from gui.geometry import Rect
from gui.look.canvas import Align, Canvas
from gui.look.theme import SMALL, Colour, Theme
from gui.widgets.base import Ui, Widget

MIDDLE = 0.55
"""Grey level of draws, from 0 (black) to 1 (white); light enough for dark letters."""


ALIGNED: tuple[Align, ...] = ("left", "centre", "right")


def result_colours(theme: Theme) -> tuple[tuple[Colour, Colour], ...]:
    """Return colour and letters of the parts for a win of Black, a draw, and a win of White."""
    black, white = theme.black.face, theme.white.face
    return (black, white), (theme.mix(black, white, MIDDLE), black), (white, black)


def draw_results(shares: Sequence[float], texts: Sequence[str], canvas: Canvas, rect: Rect) -> None:
    """Draw a thin bar in three parts for Black, draws and White, and above it the texts of all three."""
    px = canvas.px
    figures, bar = rect.rows(None, px(6) + 2)
    widths = [canvas.width(text, SMALL, tabular=True) for text in texts]
    wide = max(widths) * len(texts) > figures.w  # "100 %" needs more than a third of a narrow column
    places = figures.columns(widths[0], None, widths[2]) if wide else figures.columns(None, None, None)
    for text, place, align in zip(texts, places, ALIGNED, strict=True):
        canvas.text(text, place, size=SMALL, align=align, tabular=True)
    bar = bar.move(0, -px(3))
    canvas.fill(bar, canvas.theme.control_line)
    inner = bar.inset(1)
    edge, done = inner.x, 0.0
    for share, (colour, _) in zip(shares, result_colours(canvas.theme), strict=True):
        done += share
        right = inner.x + round(inner.w * min(done, 1.0))
        canvas.fill(Rect(edge, inner.y, right - edge, inner.h), colour)
        edge = right


def bar_heights(shares: Sequence[float], length: int, least: int) -> list[int]:
    """Divide a length by shares; a part for which `least` is more gets it at the expense of the largest one."""
    ends = [round(length * min(sum(shares[: at + 1]), 1.0)) for at in range(len(shares))]
    sizes = [max(end - start, least) for start, end in zip([0, *ends], ends, strict=False)]
    sizes[sizes.index(max(sizes))] -= sum(sizes) - length
    return sizes


@dataclass(frozen=True, kw_only=True)
class EvaluationBar(Widget):
    """The chances of Black, of a draw, and of White, as a bar in three parts.

    Attributes:
        chances: Black's chances; None if unknown, which leaves the bar without parts.
        text: a known result, or why nothing is known, in up to three lines.
    """

    chances: Chances | None = None
    text: str = ""
    flipped: bool = False

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Draw a letter at each end, and between them the parts with their percentages, or a known result."""
        theme, px = canvas.theme, canvas.px
        black, white = theme.black.face, theme.white.face
        canvas.fill(self.rect, theme.control_line)
        inner = self.rect.inset(max(px(1), 1))
        cap = min(px(18), inner.h // 4)
        upper, middle, lower = inner.rows(cap, None, cap)
        ends = (upper, "B", black, white), (lower, "W", white, black)
        for place, letter, fill, ink in ends if not self.flipped else ((lower, *ends[0][1:]), (upper, *ends[1][1:])):
            canvas.fill(place, fill)
            canvas.text(letter, place, ink, SMALL, bold=True, align="centre")
        chances, ink = self.chances, theme.text
        if chances is None:
            canvas.fill(middle, theme.control)
        else:
            ink = self._draw_parts(canvas, chances, middle, cap)
        if chances is not None and not chances.certain:
            return
        lines = self.text.splitlines()
        place = middle.centre_within(middle.w, cap).move(0, -cap * len(lines) // 2)
        for text in lines if middle.h >= 5 * cap else ():
            size = canvas.fitting(text, place.w, SMALL)
            canvas.text(text, place, ink, size, align="centre", may_cut=True)
            place = place.move(0, cap)
        if lines and chances is not None and middle.h >= 5 * cap:
            canvas.icon("check", place, ink, 16)

    def _draw_parts(self, canvas: Canvas, chances: Chances, middle: Rect, cap: int) -> Colour:
        """Draw the parts; return the colour of letters on the largest one."""
        shares, line = (chances.win, chances.draw, chances.loss), max(canvas.px(1), 1)
        parts = list(zip(shares, result_percents(chances), result_colours(canvas.theme), strict=True))
        heights = bar_heights(shares, middle.h, 0 if chances.certain else min(cap + 2 * line, middle.h // 3))
        top = middle.y
        for height, (_, text, (fill, ink)) in list(zip(heights, parts, strict=True))[:: -1 if self.flipped else 1]:
            place = Rect(middle.x, top, middle.w, height)
            canvas.fill(place, fill)
            if middle.y < top < middle.bottom:
                canvas.fill(Rect(self.rect.x, top - line, self.rect.w, 2 * line), canvas.theme.control_line)
            if not chances.certain:
                text = text.replace(" ", "")
                canvas.text(text, place, ink, canvas.fitting(text, place.w, SMALL), align="centre")
            top = place.bottom
        return max(parts, key=lambda part: part[0])[2][1]
