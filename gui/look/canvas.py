"""The canvas on which widgets draw: a surface with a theme and a scale, and text in the shipped font."""

from __future__ import annotations

import bisect
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from gui.geometry import Point, Rect, Size
from gui.look import shapes
from gui.look.icons import icon
from gui.look.theme import BODY, LEAST_TEXT, SMALL, Colour, Theme
from gui.toolkit import pygame

FILES = {False: "Inter-Regular.otf", True: "Inter-SemiBold.otf"}
FOLDER = Path(__file__).parent.parent / "fonts"
OPEN = 64
KEPT = 3_000
MEASURED = 8_000
PICTURES = 300
LONGEST = 1_000
"""Maximum number of characters in a line; longer lines are cut, since no screen has room for them."""

ELLIPSIS = "…"


@lru_cache(maxsize=4_000)
def printable(text: str) -> str:
    """Replace control characters and lone surrogates, which fonts cannot draw."""
    text = text[:LONGEST]
    if text.isascii() and text.isprintable():
        return text
    return "".join("\ufffd" if unicodedata.category(letter) in ("Cc", "Cs", "Cn") else letter for letter in text)


FINE, FINER = 16, 3
"""Size in pixels up to which letters are drawn larger and reduced, and how many times larger."""


def finer(size: int) -> int:
    """Return how many times larger a line is drawn: whole pixels between letters are too coarse for small ones."""
    return FINER if size <= FINE else 1


class Fonts:
    """Text as surfaces, and its measurements; both are cached, since measuring would take a third of a frame.

    Attributes:
        size: ``size(text, size, bold, tabular)`` returns the width and height of a line in pixels.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int, Colour, bool, bool], Any] = OrderedDict()
        self._advances: dict[tuple[str, int, bool], int] = {}
        self.size = lru_cache(MEASURED)(self._measure)
        self.shorten = lru_cache(KEPT)(self._shorten)
        self._lines = lru_cache(KEPT)(self._wrap)

    @staticmethod
    @lru_cache(OPEN)
    def font(size: int, bold: bool = False) -> Any:
        """Share fonts between all windows of a process, since each is an open file."""
        pygame.font.init()
        return pygame.font.Font(str(FOLDER / FILES[bold]), size)

    def height(self, size: int, bold: bool = False) -> int:
        return int(self.font(size, bold).get_linesize())

    def _measure(self, text: str, size: int, bold: bool = False, tabular: bool = False) -> Size:
        text = printable(text)
        if tabular:
            return sum(self._advance(letter, size, bold) for letter in text), self.height(size, bold)
        times = finer(size)
        return -(-self.font(size * times, bold).size(text)[0] // times), int(self.font(size, bold).get_height())

    def render(self, text: str, size: int, colour: Colour, bold: bool = False, *, tabular: bool = False) -> Any:
        """Return a line of text on a transparent surface; with `tabular`, all digits have the same width."""
        key = (text, size, colour, bold, tabular)
        surface = self._kept.get(key)
        if surface is None:
            if tabular:
                surface = self._tabular(printable(text), size, colour, bold)
            else:
                surface = self._drawn(printable(text), size, colour, bold)
            self._kept[key] = surface
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return surface

    def _drawn(self, text: str, size: int, colour: Colour, bold: bool) -> Any:
        times = finer(size)
        surface = self.font(size * times, bold).render(text, True, colour)
        return surface if times == 1 else pygame.transform.smoothscale(surface, self.size(text, size, bold))

    def _tabular(self, text: str, size: int, colour: Colour, bold: bool) -> Any:
        surface = pygame.Surface(self.size(text, size, bold, tabular=True), pygame.SRCALPHA)
        surface.fill((*colour, 0))
        x = 0
        for letter in text:
            glyph = self._drawn(letter, size, colour, bold)
            advance = self._advance(letter, size, bold)
            surface.blit(glyph, (x + (advance - glyph.get_width()) // 2, 0))
            x += advance
        return surface

    def _advance(self, letter: str, size: int, bold: bool) -> int:
        letters = "0123456789" if letter.isdigit() else letter
        advance = self._advances.get((letters, size, bold))
        if advance is None:
            advance = max(self.size(glyph, size, bold)[0] for glyph in letters)
            self._advances[letters, size, bold] = advance
        return advance

    def _shorten(self, text: str, width: int, size: int, bold: bool = False, tabular: bool = False) -> str:
        text = printable(text)
        if self.size(text, size, bold, tabular=tabular)[0] <= width:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self.size(text[:middle].rstrip() + ELLIPSIS, size, bold, tabular=tabular)[0] <= width:
                low = middle
            else:
                high = middle - 1
        return text[:low].rstrip() + ELLIPSIS if low else ""

    def wrap(self, text: str, width: int, size: int, bold: bool = False) -> list[str]:
        """Break a text at spaces into lines that fit a width; a word that is too long is broken anywhere."""
        return list(self._lines(text, width, size, bold))

    def _wrap(self, text: str, width: int, size: int, bold: bool) -> list[str]:
        lines = []
        for paragraph in text.split("\n"):
            line = ""
            for word in paragraph.split(" "):
                longer = f"{line} {word}" if line else word
                if self.size(longer, size, bold)[0] <= width:
                    line = longer
                    continue
                if line:
                    lines.append(line)
                # A letter is at least a pixel wide, so of an endless word no more than `width` letters are measured.
                while len(word) > 1 and self.size(word[: width + 1], size, bold)[0] > width:
                    widths = range(1, min(len(word), width + 1))
                    fitting = bisect.bisect(widths, width, key=lambda n: self.size(word[:n], size, bold)[0])
                    cut = max(fitting, 1)
                    lines.append(word[:cut])
                    word = word[cut:]
                line = word
            lines.append(line)
        return lines


Align = Literal["left", "centre", "right"]

LOWEST_SCALE, HIGHEST_SCALE = 0.7, 4.0
LEAST_PART = 0.75
"""Share of its size to which a line may shrink before it is cut."""

LEAST_DESIGN = (700, 560)
"""Width and height that every screen needs; larger scales that would not leave them are
reduced."""

GROWTH = 0.65
"""Text grows with this power of the window's size, so that a large screen has both larger text and more room."""


def scale_of(size: Size, wanted: float = 1.0) -> float:
    """Return the screen pixels per pixel of the design; `wanted` is the user's setting, 1 by default.

    The result is limited so that a whole screen fits.
    """
    return min(max(_default_scale(size) * min(wanted, largest_wish(size)), LOWEST_SCALE), HIGHEST_SCALE)


def _default_scale(size: Size) -> float:
    fitting = max(min(size[0] / 1280, size[1] / 800), 0.7)
    scale: float = fitting ** (GROWTH if fitting > 1 else 0.5)
    return scale


def largest_wish(size: Size) -> float:
    """Return the value of `wanted` for `scale_of` above which nothing grows any more in a window of this size."""
    room = min(size[0] / LEAST_DESIGN[0], size[1] / LEAST_DESIGN[1])
    return max(room, LOWEST_SCALE) / _default_scale(size)


def smallest_wish(size: Size) -> float:
    """Return the value of `wanted` for `scale_of` below which nothing shrinks any more in a window of this size."""
    return LOWEST_SCALE / _default_scale(size)


@dataclass(frozen=True)
class Look:
    """Theme, scale and fonts.

    Attributes:
        scale: screen pixels per pixel of the design.
        pictures: what `Canvas.keep` has drawn.
    """

    theme: Theme
    scale: float
    fonts: Fonts
    pictures: dict[Hashable, Canvas] = field(default_factory=dict, compare=False, repr=False)

    def px(self, length: float) -> int:
        """Convert a length of the design to screen pixels, at least 1 if it is positive."""
        return max(round(length * self.scale), 1) if length > 0 else round(length * self.scale)

    def wide(self, text: str, size: float = BODY, *, bold: bool = False) -> int:
        """Return the width of a line of text in screen pixels."""
        return self.fonts.size(text, self.px(size), bold)[0]

    def tall(self, text: str, width: int, size: float = BODY, *, bold: bool = False) -> int:
        """Return the height of a text in screen pixels, broken into lines of a width."""
        pixels = self.px(size)
        return len(self.fonts.wrap(text, width, pixels, bold)) * self.fonts.height(pixels, bold)

    def first_fitting(self, texts: Sequence[str], width: int) -> str:
        """Return the first of these lines that fits a width, or else the last one."""
        return next((text for text in texts if self.wide(text) <= width), texts[-1])


class Canvas:
    """A surface with a look.

    Attributes:
        cut: texts that should have fitted but were shortened, for tests.
        elided: shortened texts with their areas, for tooltips that show the whole text.
    """

    def __init__(self, surface: Any, look: Look) -> None:
        self.surface = surface
        self.look = look
        self.px = look.px
        self.cut: list[str] = []
        self.elided: list[tuple[Rect, str]] = []

    @property
    def theme(self) -> Theme:
        return self.look.theme

    @contextmanager
    def clip(self, rect: Rect) -> Iterator[None]:
        before = self.surface.get_clip()
        self.surface.set_clip(before.clip(rect))
        try:
            yield
        finally:
            self.surface.set_clip(before)

    def keep(self, key: Hashable, rect: Rect, paint: Callable[[Canvas, Rect], None]) -> None:
        """Draw what ``paint(canvas, rectangle)`` draws inside a rectangle, from a picture if it is known.

        Args:
            key: everything that the picture depends on, except for the size and the look.
        """
        pictures, key = self.look.pictures, (key, rect.w, rect.h)
        kept = pictures.get(key)
        if kept is None:
            if len(pictures) >= PICTURES:
                pictures.clear()
            kept = pictures[key] = Canvas(pygame.Surface((rect.w, rect.h), pygame.SRCALPHA, 32), self.look)
            paint(kept, Rect(0, 0, rect.w, rect.h))
        self.surface.blit(kept.surface, (rect.x, rect.y))
        self.cut += kept.cut
        self.elided += [(place.move(rect.x, rect.y), text) for place, text in kept.elided]

    def colour_at(self, point: Point) -> Colour:
        """Return the colour of a pixel; the theme's background outside the surface."""
        if not self.surface.get_rect().collidepoint(point):
            return self.theme.background
        red, green, blue, _ = self.surface.get_at(point)
        return red, green, blue

    def fill(self, rect: Rect, colour: Colour) -> None:
        shapes.fill_rect(self.surface, colour, rect)

    def box(
        self, rect: Rect, fill: Colour | None, border: Colour | None = None, radius: float = 8, width: float = 1
    ) -> None:
        shapes.draw_rounded(self.surface, rect, self.px(radius), fill, border, self.px(width))

    def icon(self, name: str, rect: Rect, colour: Colour, size: float = 18) -> None:
        side = self.px(size)
        x, y = rect.centre
        self.surface.blit(icon(name, side, colour), (x - side // 2, y - side // 2))

    def width(self, text: str, size: float = BODY, *, bold: bool = False, tabular: bool = False) -> int:
        return self.look.fonts.size(text, self.px(size), bold, tabular=tabular)[0]

    def fitting(self, text: str, width: int, size: float, *, bold: bool = False) -> float:
        """Return the largest size, from `size` down to `LEAST_TEXT`, at which a line fits."""
        while size > LEAST_TEXT and self.width(text, size, bold=bold) > width:
            size = max(size - 1, LEAST_TEXT)
        return size

    def line_height(self, size: float = BODY) -> int:
        return self.look.fonts.height(self.px(size))

    def text(
        self,
        text: str,
        rect: Rect,
        colour: Colour | None = None,
        size: float = BODY,
        *,
        bold: bool = False,
        align: Align = "left",
        tabular: bool = False,
        may_cut: bool = False,
    ) -> Rect:
        """Draw a vertically centred line of text, smaller or shortened if it does not fit; return its area."""
        if not text or rect.w <= 0:
            return Rect(rect.x, rect.y, 0, rect.h)
        fonts, pixels, visible = self.look.fonts, self.px(size), printable(text)
        if fonts.size(text, pixels, bold, tabular=tabular)[0] > rect.w:
            least = max(size * LEAST_PART, LEAST_TEXT)
            smaller = (self.px(size - less) for less in range(1, int(size - least) + 1))
            fitting = (px for px in smaller if fonts.size(text, px, bold, tabular=tabular)[0] <= rect.w)
            pixels = next(fitting, pixels)
            visible = fonts.shorten(text, rect.w, pixels, bold, tabular=tabular)
        if visible != text:
            self._shortened(text, rect, may_cut)
        drawn = fonts.render(visible, pixels, colour or self.theme.text, bold, tabular=tabular)
        w, h = drawn.get_size()
        x = {"left": rect.x, "centre": rect.x + (rect.w - w) // 2, "right": rect.right - w}[align]
        y = rect.y + (rect.h - h) // 2
        self.surface.blit(drawn, (x, y))
        return Rect(x, y, w, h)

    def key_beside(self, keys: str, label: Rect, room: Rect) -> None:
        """Draw keys, separated by spaces, as caps at the right of a label, if there is room."""
        x, high = label.right + self.px(8), self.line_height(SMALL) + self.px(2)
        for key in keys.split():
            cap = Rect(x, room.y + (room.h - high) // 2, max(self.width(key, SMALL) + self.px(8), high), high)
            if cap.right <= room.right:
                self.box(cap, self.theme.control, self.theme.control_line, 4)
                self.text(key, cap, self.theme.muted, SMALL, align="centre")
            x = cap.right + self.px(4)

    def paragraph(
        self,
        text: str,
        rect: Rect,
        colour: Colour | None = None,
        size: float = BODY,
        *,
        bold: bool = False,
        align: Align = "left",
        may_cut: bool = False,
    ) -> int:
        """Draw a text of several lines from the top of a rectangle, broken at spaces; return their height.

        Lines that do not fit are omitted; the last one then ends with an ellipsis.
        """
        fonts, pixels = self.look.fonts, self.px(size)
        step = fonts.height(pixels, bold)
        lines = fonts.wrap(text, rect.w, pixels, bold)
        room = max(rect.h // step, 1)
        if len(lines) > room:
            self._shortened(text, rect, may_cut)
            lines = [*lines[: room - 1], fonts.shorten(lines[room - 1] + " …", rect.w, pixels, bold)]
        for number, line in enumerate(lines):
            drawn = fonts.render(line, pixels, colour or self.theme.text, bold)
            free = rect.w - drawn.get_width()
            x = rect.x + {"left": 0, "centre": free // 2, "right": free}[align]
            self.surface.blit(drawn, (x, rect.y + number * step))
        return len(lines) * step

    def _shortened(self, text: str, rect: Rect, may_cut: bool) -> None:
        if not may_cut:
            self.cut.append(text)
        self.elided.append((rect, text))
