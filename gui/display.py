"""The display of pygame, and the window that appears before the rest of the program is loaded."""

from __future__ import annotations

import contextlib
import gc
import os
from typing import Any

from game.errors import InputError
from game.installation import data_folder
from gui.geometry import Size
from gui.look import shapes
from gui.look.theme import LIGHT, THEMES
from gui.storage.settings import Preferences, Settings
from gui.system import quiet
from gui.toolkit import pygame

NAME = "Crownhead"
LEAST_SIZE = (480, 360)
ICON = 64
FRAME = (16, 96)
"""Width and height in pixels that window frame, title bar and task bar take from a screen."""
INVISIBLE = ("offscreen", "dummy", "evdev")
"""Drivers that SDL falls back to without a display; tests request one by name."""


class NoDisplayError(InputError):
    """There is no display to open a window on.

    Attributes:
        needs_display: makes the command line list the verbs that need no display.
    """

    needs_display = True


def show_at_once() -> None:
    """Open the window with nothing but a piece in it; a fault is left to the start of the program, which meets it too.

    Loading the program takes half a second, in which a person who has clicked sees that something happens.
    """
    gc.disable()  # until the main loop, which collects while nobody waits
    with contextlib.suppress(NoDisplayError):
        settings = Preferences.of(Settings(data_folder()))
        width, height = open_display(settings)
        theme, side = THEMES[settings.theme], height // 4
        surface = pygame.display.get_surface()
        surface.fill(theme.background)
        surface.blit(shapes.piece(side, True, theme.black), ((width - side) // 2, (height - side) // 2))
        pygame.display.flip()


def open_display(settings: Preferences) -> Size:
    """Open the window, unless it is open, and return its size.

    Raises:
        NoDisplayError: there is no display.
    """
    if pygame.display.get_init() and (shown := pygame.display.get_surface()) is not None:
        size: Size = shown.get_size()
        return size
    try:
        with quiet():
            pygame.display.init()
    except pygame.error as error:
        raise NoDisplayError(f"there is no display to open a window on ({error})") from None
    if pygame.display.get_driver() in INVISIBLE and not os.environ.get("SDL_VIDEODRIVER"):
        pygame.display.quit()
        raise NoDisplayError("there is no display to open a window on")
    pygame.display.set_caption(NAME)
    icon = pygame.Surface((ICON, ICON), pygame.SRCALPHA, 32)
    icon.blit(shapes.piece(ICON, True, LIGHT.black), (0, 0))
    pygame.display.set_icon(icon)
    try:
        size = set_mode(settings, settings.fullscreen)
    except pygame.error as error:
        raise NoDisplayError(f"the window cannot be opened ({error})") from None
    pygame.key.set_repeat(350, 40)
    pygame.event.set_blocked([pygame.JOYAXISMOTION, pygame.JOYBUTTONDOWN, pygame.FINGERMOTION])
    return size


def set_mode(settings: Preferences, fullscreen: bool) -> Size:
    """Make the window fill the screen, or give it the size that it last had, and return its size."""
    if fullscreen:
        surface: Any = pygame.display.set_mode((0, 0), pygame.FULLSCREEN)
    else:
        desktop = (pygame.display.get_desktop_sizes() or [(1280, 800)])[0]
        size = fitting_size((settings.width, settings.height), desktop)
        surface = pygame.display.set_mode(size, pygame.RESIZABLE)
    actual: Size = surface.get_size()
    return actual


def fitting_size(wanted: Size, desktop: Size) -> Size:
    """Return the size of a window that fits the desktop together with its frame."""
    width, height = (
        max(min(length, most - frame), least)
        for length, most, frame, least in zip(wanted, desktop, FRAME, LEAST_SIZE, strict=True)
    )
    return width, height
