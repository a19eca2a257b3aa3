"""Text as surfaces: one font in two weights, shipped with the program, so that every machine shows the same."""

from __future__ import annotations

import unicodedata
from collections import OrderedDict
from functools import lru_cache
from pathlib import Path
from typing import Any

from gui.geometry import Size
from gui.look.theme import Colour
from gui.toolkit import pygame

FILES = {False: "Inter-Regular.otf", True: "Inter-SemiBold.otf"}
FOLDER = Path(__file__).parent.parent / "fonts"
KEPT = 3_000
MEASURED = 8_000
LONGEST = 1_000
"""Characters of a line that are looked at; no line on a screen has more."""

ELLIPSIS = "…"


@lru_cache(maxsize=4_000)
def printable(text: str) -> str:
    """The text without what fonts cannot draw: control characters and lone surrogates become a replacement sign."""
    text = text[:LONGEST]
    if text.isascii() and text.isprintable():
        return text
    return "".join("\ufffd" if unicodedata.category(letter) in ("Cc", "Cs", "Cn") else letter for letter in text)


class Fonts:
    """Renders and measures; keeps what it rendered and measured: a third of a frame was measuring."""

    def __init__(self) -> None:
        pygame.font.init()
        self._fonts: dict[tuple[int, bool], Any] = {}
        self._kept: OrderedDict[tuple[str, int, Colour, bool, bool], Any] = OrderedDict()
        self._advances: dict[tuple[str, int, bool], int] = {}
        self._size = lru_cache(MEASURED)(self._measure)
        self._short = lru_cache(KEPT)(self._shorten)
        self._lines = lru_cache(KEPT)(self._wrap)

    def font(self, size: int, bold: bool = False) -> Any:
        """The font of a size in pixels."""
        found = self._fonts.get((size, bold))
        if found is None:
            found = self._fonts[size, bold] = pygame.font.Font(str(FOLDER / FILES[bold]), size)
        return found

    def height(self, size: int, bold: bool = False) -> int:
        """From line to line."""
        return int(self.font(size, bold).get_linesize())

    def size(self, text: str, size: int, bold: bool = False, *, tabular: bool = False) -> Size:
        """Width and height of a line."""
        return self._size(text, size, bold, tabular)

    def _measure(self, text: str, size: int, bold: bool, tabular: bool) -> Size:
        font = self.font(size, bold)
        text = printable(text)
        if not tabular:
            width, height = font.size(text)
            return int(width), int(height)
        return sum(self._advance(letter, size, bold) for letter in text), int(font.get_linesize())

    def render(self, text: str, size: int, colour: Colour, bold: bool = False, *, tabular: bool = False) -> Any:
        """A line of text on a transparent surface; with `tabular` all digits have one width, as columns need."""
        key = (text, size, colour, bold, tabular)
        found = self._kept.get(key)
        if found is None:
            draw = self._tabular if tabular else self._plain
            found = self._kept[key] = draw(printable(text), size, colour, bold)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return found

    def _plain(self, text: str, size: int, colour: Colour, bold: bool) -> Any:
        return self.font(size, bold).render(text, True, colour)

    def _tabular(self, text: str, size: int, colour: Colour, bold: bool) -> Any:
        surface = pygame.Surface(self.size(text, size, bold, tabular=True), pygame.SRCALPHA)
        surface.fill((*colour, 0))
        x = 0
        for letter in text:
            glyph = self.font(size, bold).render(letter, True, colour)
            advance = self._advance(letter, size, bold)
            surface.blit(glyph, (x + (advance - glyph.get_width()) // 2, 0))
            x += advance
        return surface

    def _advance(self, letter: str, size: int, bold: bool) -> int:
        letters = "0123456789" if letter.isdigit() else letter
        found = self._advances.get((letters, size, bold))
        if found is None:
            found = max(int(self.font(size, bold).size(each)[0]) for each in letters)
            self._advances[letters, size, bold] = found
        return found

    def shorten(self, text: str, width: int, size: int, bold: bool = False, *, tabular: bool = False) -> str:
        """The text, or as much of it as fits with an ellipsis."""
        return self._short(text, width, size, bold, tabular)

    def _shorten(self, text: str, width: int, size: int, bold: bool, tabular: bool) -> str:
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
        """Lines that fit a width, broken at spaces; a word that is too long is broken anywhere."""
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
                while len(word) > 1 and self.size(word, size, bold)[0] > width:
                    cut = next(
                        n for n in range(len(word) - 1, 0, -1) if n == 1 or self._fits(word[:n], width, size, bold)
                    )
                    lines.append(word[:cut])
                    word = word[cut:]
                line = word
            lines.append(line)
        return lines

    def _fits(self, text: str, width: int, size: int, bold: bool) -> bool:
        return self.size(text, size, bold)[0] <= width
