"""The one door to pygame: how it is imported, and the few things that must be said to SDL before it starts.

Everything else of the window says `from gui.toolkit import pygame` (a test holds it to that) and keeps to what pygame
2.6 and pygame-ce both offer.
"""

from __future__ import annotations

import os
import sys
from typing import Any

SDL_SETTINGS = {
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
    "SDL_VIDEO_ALLOW_SCREENSAVER": "1",  # a game of checkers is no film
    "SDL_MOUSE_FOCUS_CLICKTHROUGH": "1",  # the click that brings the window to the front counts
    "SDL_WINDOWS_DPI_AWARENESS": "permonitorv2",  # else Windows stretches the picture, and it blurs
    "SDL_VIDEO_X11_WMCLASS": "crownhead",
}
if sys.platform.startswith("linux"):
    # A surface drawn by the processor needs no graphics card: a hundred megabytes less, and an earlier first picture.
    SDL_SETTINGS["SDL_FRAMEBUFFER_ACCELERATION"] = "0"

NOT_NEEDED = ("numpy", "pkg_resources")
"""pygame imports these if it can, only for parts that the window does not use; they take longer than all of pygame."""


def _load() -> Any:
    for name, value in SDL_SETTINGS.items():
        os.environ.setdefault(name, value)
    hidden = [name for name in NOT_NEEDED if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None makes their import fail
    try:
        import pygame as loaded
    finally:
        for name in hidden:
            del sys.modules[name]
    return loaded


pygame: Any = _load()
