"""The real window: the main loop, and garbage collection between steps."""

from __future__ import annotations

import gc
import logging
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from extras import added
from game.installation import data_folder, imported, module_name
from gui.app import App
from gui.display import NAME, open_display, set_mode
from gui.screens.home import Home
from gui.services import Services
from gui.system import Speaker, SystemClipboard
from gui.thinking.thinker import Thinker
from gui.toolkit import pygame

NAPS = (1.5, 0.004), (4.0, 0.012), (30.0, 0.03), (float("inf"), 0.05)
"""Pairs of seconds: a time since the last event, and the interval at which events are polled until then.

Each poll costs .05 ms of processor time."""

LOG = "window.log"
LOG_BYTES = 1_000_000


SWITCH_SECONDS = 0.0005
"""The longest time for which another thread delays a frame; Python's own 5 ms are a third of one."""


def run(
    runs: Path, first: Callable[[App], object] = lambda app: None, watch: Callable[[App], object] = lambda app: None
) -> None:
    """Open the window, and return when it is closed.

    Args:
        first: opens a screen above the first one, as `play` and `watch` on the command line do.

    Raises:
        NoDisplayError: there is no display.
        InputError: `first` cannot open its screen.
    """
    data = data_folder()
    _log_to(data)
    services = Services.in_folder(data, runs, Thinker(runs), clipboard=SystemClipboard(), speaker=_speaker())
    size = open_display(services.settings)
    try:
        app = App(services, size, lambda size: pygame.display.get_surface())
        app.global_commands.show_fullscreen = lambda on: set_mode(services.settings, on)
        app.open(Home(app))
        first(app)
        _loop(app, watch)
    finally:
        services.close()
        pygame.display.quit()


def _speaker() -> Speaker:
    speakers: list[type[Speaker]] = [imported(named) for kind, named in added("entries") if kind == "speaker"]
    return speakers[0]() if speakers else Speaker()


def _loop(app: App, watch: Callable[[App], object]) -> None:
    before = active = time.perf_counter()
    garbage = Garbage(active)
    sys.setswitchinterval(SWITCH_SECONDS)
    title = ""
    app.step([], 0.0)
    pygame.display.flip()
    gc.freeze()
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
    """Return the next events, or an empty list once `seconds` have passed.

    `pygame.event.wait` polls a thousand times a second, which alone takes 2 % of a core.
    """
    start = time.perf_counter()
    while True:
        events: list[Any] = pygame.event.get()
        left = seconds - (time.perf_counter() - start)
        if events or left <= 0:
            return events
        time.sleep(min(nap, left))


def _log_to(folder: Path) -> None:
    from logging.handlers import RotatingFileHandler

    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = RotatingFileHandler(folder / LOG, maxBytes=LOG_BYTES, backupCount=1, delay=True)
    except OSError:
        handler = logging.NullHandler()
    logging.raiseExceptions = False
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger(module_name("gui"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False


YOUNG = 700, 10
"""Python's default thresholds: new objects are collected often, in well under a millisecond."""

NEVER = 1_000_000
REST, LONG_REST = 1.0, 60.0
"""Seconds without input before new objects are collected, and seconds without a change before all objects are."""

MOST_OBJECTS = 20_000
"""Number of objects that may be examined during a rest; these take about 6 ms."""


class Garbage:
    """Garbage collection at times when the user is not waiting.

    With ten thousand kept games, a full collection takes longer than a frame may. So it runs while the user rests, if
    there are few objects; if there are many, they are set aside until the window has been idle for a minute.
    """

    def __init__(self, now: float) -> None:
        self._input = self._drawn = now
        self._rested = self._aside = False
        gc.set_threshold(*YOUNG, NEVER)
        gc.enable()

    def step(self, now: float, *, heard: bool, drew: bool) -> None:
        """Record what a step of the window did, and collect garbage if it is time."""
        if heard:
            self._input, self._rested = now, False
        if heard or drew:
            self._drawn = now
        elif self._aside and now - self._drawn >= LONG_REST:
            self._aside = False
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        if not self._rested and now - self._input >= REST:
            self._rested = True
            if len(gc.get_objects(generation=2)) > MOST_OBJECTS:
                gc.freeze()
                self._aside = True
            else:
                gc.collect()
