"""Texts that must be whole: no label of any scene is cut at usual sizes of window and text, but a short list may be."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from gui.geometry import Rect
from gui.look.canvas import Canvas
from gui.screens.sessions.panels import Counters
from gui.toolkit import pygame
from tests.gui.layouts_helpers import look_at
from tests.gui.scenes.scenes import SCENES, picture

SIZES = ((800, 600), (500, 820), (1280, 800))
SCALES = (1.0, 1.15, 1.25, 1.5, 2.0)


class Recorder(Canvas):
    """A canvas that remembers its texts and their places."""

    def text(self, text: str, *place: Any, **options: Any) -> Rect:
        drawn = super().text(text, *place, **options)
        self.__dict__.setdefault("texts", []).append((text, drawn))
        return drawn


@pytest.mark.parametrize("scene", [scene for scene in ("session", "session-learning") if scene in SCENES])
def test_counters_of_a_session_do_not_touch(scene: str, display: None) -> None:
    app = picture(scene, (800, 600))
    for size in ((500, 820), (640, 480), (784, 504), (1280, 800)):
        canvas = Recorder(pygame.Surface(size), look_at(app, size, 1.0))
        (counters,) = [widget for widget in app.screen.view(size, canvas.look) if isinstance(widget, Counters)]
        counters.draw(canvas, app.screen.ui)
        texts: list[tuple[str, Rect]] = canvas.__dict__["texts"]
        assert not canvas.elided and len(texts) in (2 * len(counters.items), 2 * len(counters.items) - 2), size
        for row in (texts[::2], texts[1::2]):
            assert all(before.right + 6 <= after.x for (_, before), (_, after) in pairwise(row)), row
        assert all(rect.right <= counters.rect.right for _, rect in texts), size
