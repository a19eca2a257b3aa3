"""Imports pygame, after making the settings that SDL reads when it starts.

All other modules say `from gui.toolkit import pygame`, which a test enforces, and use only what both pygame 2.6 and
pygame-ce offer.
"""

from __future__ import annotations

import os
import sys
from typing import Any

SDL_SETTINGS = {
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
    "SDL_VIDEO_ALLOW_SCREENSAVER": "1",  # by default SDL suppresses the screen saver, as a video player does
    "SDL_MOUSE_FOCUS_CLICKTHROUGH": "1",  # a click that raises the window also acts on it
    "SDL_WINDOWS_DPI_AWARENESS": "permonitorv2",  # else Windows stretches the picture, which blurs it
    "SDL_VIDEO_X11_WMCLASS": "crownhead",
}
if sys.platform.startswith("linux"):
    # Drawing in software needs no graphics card, saves a hundred megabytes, and the first picture appears earlier.
    SDL_SETTINGS["SDL_FRAMEBUFFER_ACCELERATION"] = "0"

NOT_NEEDED = ("numpy", "pkg_resources")
"""Packages that pygame imports for parts that the window does not use; they take longer to load than pygame itself."""


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
