"""The real window: pygame's display, the loop, and what only they know."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from game.errors import InputError
from game.installation import data_folder
from gui.app import App
from gui.garbage import Garbage
from gui.geometry import Size
from gui.look import shapes
from gui.look.theme import LIGHT
from gui.screens.home import Home
from gui.services import Services
from gui.system import Speaker, SystemClipboard, quiet
from gui.thinking.thinker import Thinker
from gui.toolkit import pygame

NAPS = (1.5, 0.004), (4.0, 0.012), (float("inf"), 0.03)
"""Seconds between two looks for events: until so long after the last one."""

NAME = "Crownhead"
LEAST_SIZE = (480, 360)
ICON = 64
FRAME = (16, 96)
"""Pixels right and down that the frame of a window, its title and a task bar take of a screen."""
INVISIBLE = ("offscreen", "dummy", "evdev")
"""Drivers that SDL falls back to where there is no display; tests ask for one by name."""

LOG = "window.log"
LOG_BYTES = 1_000_000

log = logging.getLogger(__name__)


class NoDisplayError(InputError):
    """There is no screen to open a window on.

    Attributes:
        needs_display: whoever knows the verbs may name those that do without.
    """

    needs_display = True


def run(
    runs: Path,
    first: Callable[[App], object] = lambda app: None,
    watch: Callable[[App], object] = lambda app: None,
) -> None:
    """Open the window and stay until it is closed.

    Args:
        runs: the folder of runs.
        first: opens a screen above the first one, as `play` and `watch` on the command line do.
        watch: told after every step, for measurements.

    Raises:
        NoDisplayError: there is no display.
        InputError: `first` cannot do what was asked.
    """
    data = data_folder()
    _log_to(data)
    services = Services.in_folder(data, runs, Thinker(runs), clipboard=SystemClipboard(), sounds=Speaker())
    size = _open_display(services)
    try:
        app = App(services, size, lambda size: pygame.display.get_surface())
        app.global_commands.show_fullscreen = lambda on: _set_mode(services, on)
        app.open(Home(app))
        first(app)
        _loop(app, watch)
    finally:
        services.close()
        pygame.display.quit()


def _loop(app: App, watch: Callable[[App], object]) -> None:
    before = active = time.perf_counter()
    garbage = Garbage(active)
    title = ""
    app.step([], 0.0)
    pygame.display.flip()
    garbage.set_aside()
    app.after_first_frame()
    watch(app)
    while app.running:
        events = _wait(app.delay(), next(nap for end, nap in NAPS if before - active < end))
        now = time.perf_counter()
        try:
            drawn = app.step(events, now - before)
        except Exception as error:
            app.report_fault(app.screen, error)
            drawn = True
        if drawn:
            pygame.display.flip()
        watch(app)
        garbage.step(now, heard=bool(events), drew=drawn)
        before = now
        active = now if events else active
        if app.running and app.screen.title != title:
            title = app.screen.title
            pygame.display.set_caption(title if title == NAME else f"{title} - {NAME}")


def _wait(seconds: float, nap: float) -> list[Any]:
    """Wait for events; an empty list once the time is over.

    `pygame.event.wait` looks for events a thousand times a second, which alone costs 2 % of a core.
    """
    start = time.perf_counter()
    while True:
        events: list[Any] = pygame.event.get()
        left = seconds - (time.perf_counter() - start)
        if events or left <= 0:
            return events
        time.sleep(min(nap, left))


def _open_display(services: Services) -> Size:
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
        size = _set_mode(services, services.settings.fullscreen)
    except pygame.error as error:
        raise NoDisplayError(f"the window cannot be opened ({error})") from None
    pygame.key.set_repeat(350, 40)
    pygame.event.set_blocked([pygame.JOYAXISMOTION, pygame.JOYBUTTONDOWN, pygame.FINGERMOTION])
    return size


def _set_mode(services: Services, fullscreen: bool) -> Size:
    settings = services.settings
    if fullscreen:
        surface: Any = pygame.display.set_mode((0, 0), pygame.FULLSCREEN)
    else:
        desktop = (pygame.display.get_desktop_sizes() or [(1280, 800)])[0]
        size = fitting_size((settings.width, settings.height), desktop)
        surface = pygame.display.set_mode(size, pygame.RESIZABLE)
    shown: Size = surface.get_size()
    return shown


def fitting_size(wanted: Size, desktop: Size) -> Size:
    """The size of a window that fits a desktop together with its frame."""
    width, height = (
        max(min(length, most - frame), least)
        for length, most, frame, least in zip(wanted, desktop, FRAME, LEAST_SIZE, strict=True)
    )
    return width, height


def _log_to(folder: Path) -> None:
    """Write what the window logs to a file in the data folder; without one it is not written."""
    from logging.handlers import RotatingFileHandler

    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = RotatingFileHandler(folder / LOG, maxBytes=LOG_BYTES, backupCount=1, delay=True)
    except OSError:
        handler = logging.NullHandler()
    logging.raiseExceptions = False
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("gui")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
