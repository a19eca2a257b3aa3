"""Values and functions shared by `test_layouts` and other tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from gui.app import App
from gui.geometry import Rect, Size
from gui.look.canvas import Canvas, Look, scale_of
from gui.storage.settings import LEAST_SCALE, MOST_SCALE
from gui.toolkit import pygame
from gui.widgets.base import Panel, Widget

SIZES = (
    *((640, 480), (800, 600), (1024, 768), (1280, 720), (1280, 800), (1920, 1080), (2560, 1440), (3840, 2160)),
    *((600, 900), (1080, 1920)),
)
SHARP = ((640, 480), (800, 600), (1280, 800), (3840, 2160), (600, 900))
"""The sizes that each change is tried at; the whole check tries all."""
SCALES = (LEAST_SCALE, 1.0, 1.25, 1.5, MOST_SCALE)
EXTREMES = (LEAST_SCALE, MOST_SCALE)
DRAWN = ((640, 480), (800, 600), (1024, 768), (1280, 720), (1280, 800), (600, 900), (1080, 1920))
"""Window sizes at which texts are measured by drawing them."""

SMALLEST = 18
"""Minimum width and height of everything that can be clicked, in pixels of the design."""


def looks(app: App, scales: Sequence[float], sizes: Sequence[Size] = SIZES) -> Iterator[tuple[Size, float, Look]]:
    for size, wanted in itertools.product(sizes, scales):
        yield size, wanted, Look(app.look.theme, scale_of(size, wanted), app.look.fonts)


def wrong(widgets: list[Widget], size: Size, look: Look) -> list[str]:
    """Return the widgets that are outside the window, too small to click, or covered by another widget."""
    window, least = Rect(0, 0, *size), look.px(SMALLEST)
    found = [f"{widget.key} is outside" for widget in widgets if not widget.rect.inside(window)]
    for widget in widgets:
        if widget.focusable and min(widget.rect.w, widget.rect.h) < least:
            found.append(f"{widget.key} is too small")
    solid = [widget for widget in widgets if not isinstance(widget, Panel)]
    for a, b in itertools.combinations(solid, 2):
        if min(*a.rect[2:], *b.rect[2:]) > 0 and a.rect.meets(b.rect):
            found.append(f"{a.key} meets {b.key}")
    return found


def fits_everywhere(app: App, scales: Sequence[float] = EXTREMES, sizes: Sequence[Size] = SHARP) -> None:
    """Check that everything has its place and every text fits; only names and paths may be of any length."""
    for size, wanted, look in looks(app, scales, sizes):
        app.look = look
        widgets = app.screen.view(size, look)
        assert wrong(widgets, size, look) == [], (size, wanted)
        if size in DRAWN:
            canvas = Canvas(pygame.Surface(size), look)
            for widget in widgets:
                widget.draw(canvas, app.screen.ui)
            assert canvas.cut == [], (size, wanted)
