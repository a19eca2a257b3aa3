"""Values and functions shared by `test_layouts` and other tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

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
SCALES = (LEAST_SCALE, 1.0, 1.25, 1.5, MOST_SCALE)
SHARP = (
    *(((640, 480), scale) for scale in (LEAST_SCALE, MOST_SCALE)),
    *((size, scale) for size in ((800, 600), (1280, 800)) for scale in (1.0, MOST_SCALE)),
    *((size, MOST_SCALE) for size in ((600, 900), (3840, 2160))),
)
"""Sizes of the window and of text that each change is tried at; the whole check tries all."""
SMALL_AND_USUAL = (((640, 480), 1.0), ((800, 600), 1.0), ((1280, 800), 1.0))
MOST_DRAWN = 1920 * 1080
"""Texts are measured by drawing them, in windows of up to so many pixels."""
LONG_NAMES = {"one", "title0", "title1", "players", "repeat"}
"""Widgets of names and commands that may be longer than `WHOLE`; the tooltip then has the whole text."""
WHOLE = 24
"""Number of characters up to which a name is whole at every size."""

SMALLEST = 18
"""Minimum width and height of everything that can be clicked, in pixels of the design."""


def look_at(app: App, size: Size, wanted: float) -> Look:
    return Look(app.look.theme, scale_of(size, wanted), app.look.fonts)


def wrong(widgets: list[Widget], size: Size, look: Look) -> list[str]:
    """Return the widgets that are outside the window, too small to click, or covered by another widget."""
    window, least = Rect(0, 0, *size), look.px(SMALLEST)
    results = [f"{widget.key} is outside" for widget in widgets if not widget.rect.inside(window)]
    for widget in widgets:
        if widget.focusable and min(widget.rect.w, widget.rect.h) < least:
            results.append(f"{widget.key} is too small")
    solid = [widget for widget in widgets if not isinstance(widget, Panel)]
    for a, b in itertools.combinations(solid, 2):
        if min(*a.rect[2:], *b.rect[2:]) > 0 and a.rect.meets(b.rect):
            results.append(f"{a.key} meets {b.key}")
    return results


def cut_at(app: App, widgets: Iterable[Widget], size: Size, look: Look) -> list[tuple[str, str]]:
    """Return keys of widgets with the texts that are cut, except long names; on a tall screen also any name or path."""
    result, surface = [], pygame.Surface(size)
    for widget in widgets:
        canvas = Canvas(surface, look)
        widget.draw(canvas, app.screen.ui)
        shortened = {text for _, text in canvas.elided} if size[0] > size[1] else set()
        if widget.key in LONG_NAMES:
            shortened = {text for text in shortened if len(text) <= WHOLE}
        result += [(widget.key, text) for text in (*canvas.cut, *shortened)]
    return result


def cut_texts(
    app: App, sizes: Iterable[tuple[Size, float]] = SMALL_AND_USUAL
) -> list[tuple[Size, float, tuple[str, str]]]:
    results = []
    for size, wanted in sizes:
        look = look_at(app, size, wanted)
        results += [(size, wanted, cut) for cut in cut_at(app, app.screen.view(size, look), size, look)]
    return results


def fits_everywhere(app: App, sizes: Iterable[tuple[Size, float]] = SHARP) -> None:
    """Check that everything has its place and every text is whole, as far as `cut_at` says."""
    for size, wanted in sizes:
        app.look = look = look_at(app, size, wanted)
        widgets = app.screen.view(size, look)
        assert wrong(widgets, size, look) == [], (size, wanted)
        if size[0] * size[1] <= MOST_DRAWN:
            assert cut_at(app, widgets, size, look) == [], (size, wanted)
