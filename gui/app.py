"""The program without its window: a stack of screens on a surface, driven by one call per frame.

Events and time are arguments, so tests supply both. An exception in a screen is logged and displayed, and is never
fatal.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from gui.events import Drop, Event, Hide, Key, Leave, Press, Quit, Redraw, Resize, Text, Translator
from gui.geometry import Point, Rect, Size
from gui.global_commands import GlobalCommands
from gui.look.canvas import Canvas, Fonts, Look, scale_of
from gui.look.theme import LIGHT, THEMES, coloured
from gui.navigation import Screens
from gui.notices import Notices
from gui.screens.dialogs.dialog import FaultDialog
from gui.screens.screen import IDLE, Screen
from gui.services import Services
from gui.toolkit import pygame
from gui.widgets.base import Command, Widget, find

T = TypeVar("T")
log = logging.getLogger(__name__)

DOUBLE_CLICK_SECONDS = 0.4
DOUBLE_CLICK_WAY = 6
"""Maximum distance between the two clicks of a double click, in pixels, horizontal plus vertical."""

SAME_KEY_SECONDS = 0.05

EMBLEM_SECONDS = 0.1
"""Maximum seconds between two ticks while an emblem is being made."""

SHADE = 180
"""Brightness of the screens below a dialog, of 255."""

LONGEST_TICK = 0.1
"""Maximum number of seconds passed to a tick, so that animations do not jump after a pause."""


class App:
    """The window: a stack of screens on a surface.

    Attributes:
        screens: the classes of screens, so that they can open one another.
        now: seconds since the start.
        frames: number of frames drawn; slow work waits for the first one.
        cut: texts that did not fit in the last frame, for tests.
    """

    def __init__(self, services: Services, size: Size, surface_of: Callable[[Size], Any]) -> None:
        self.services = services
        self.surface = surface_of(size)
        self.stack: list[Screen] = []
        self.screens = Screens()
        self.global_commands = GlobalCommands(self)
        self.running = True
        self.now = 0.0
        self.frames = 0
        self.hidden = False
        self.input_at = 0.0
        self.cut: list[str] = []
        self._surface_of = surface_of
        self._elided: list[tuple[Rect, str]] = []
        self._window: Size | None = None  # the size that the user has chosen
        self._fonts = Fonts()
        self._notices = Notices()
        self._translator = Translator()
        self._dirty = True
        self._view: list[Widget] | None = None
        self._press: tuple[float, Point] = (-10.0, (0, 0))
        self._key: tuple[float, Screen | None, str] = (-10.0, None, "")
        self._ticked = 0.0
        self._tick_due = True
        self.look = self._looked()

    @property
    def screen(self) -> Screen:
        return self.stack[-1]

    def open(self, screen: Screen) -> None:
        self.stack.append(screen)
        self._arrived()

    def replace(self, screen: Screen) -> None:
        if self.stack:
            self.stack.pop().on_close()
        self.open(screen)

    def back(self) -> None:
        if len(self.stack) > 1:
            self.stack.pop().on_close()
            self._arrived()

    def go_home(self, keep: Callable[[Screen], bool] = lambda screen: False) -> None:
        above = self.stack[1:]
        kept = [screen for screen in above if keep(screen)]
        self.stack[1:] = kept
        for screen in reversed(above):
            if screen not in kept:
                screen.on_close()
        self._arrived()

    def _arrived(self) -> None:
        self.screen.ui.held = ""
        self.screen.ui.close()
        self._tick_due = True
        self.screen.on_open()
        self.redraw()

    def commands(self) -> Sequence[Command]:
        return self.global_commands.commands()

    def open_path(self, name: str) -> str:
        """Open a file of games, a position or players; return an error message, empty if the file was opened."""
        from gui.opening import open_path

        return open_path(self, name)

    def redraw(self) -> None:
        self._dirty, self._view = True, None

    def say(self, text: str, icon: str = "info") -> None:
        if text:
            self._notices.say(text, icon, self.now)
            self._dirty = True

    @property
    def notice(self) -> str:
        return self._notices.text

    def change_settings(self, **values: Any) -> None:
        self.services.change_settings(**values)
        self.look = self._looked()
        self.redraw()

    def quit(self) -> None:
        self.running = False
        for screen in reversed(self.stack):
            self._guarded(screen, screen.on_close, None)
        if self._window is not None:
            self.services.change_settings(width=self._window[0], height=self._window[1])

    def _looked(self) -> Look:
        settings = self.services.settings
        theme = coloured(THEMES.get(settings.theme, LIGHT), settings.board, settings.pieces)
        return Look(theme, scale_of(self.surface.get_size(), settings.scale), self._fonts)

    def step(self, events: Iterable[Any], dt: float) -> bool:
        """Advance the time, handle events of pygame, and draw if something has changed; return whether it drew."""
        self.now += dt
        self.screen.ui.now = self.now
        if self._notices.tick(self.now, dt):
            self._dirty = True
        for event in self._translator.translate_all(events):
            if self.running:
                self._handle(event)
        if self.running:
            self._tick()
        if self._dirty and self.running:
            self.draw()
            return True
        return False

    def after_first_frame(self) -> None:
        self.services.speaker.begin()
        self.services.thinker.warm_up()
        import_module("filelock")  # for the locks of runs; it takes 20 ms, which would delay a later frame

    def delay(self) -> float:
        """Return the seconds that may pass before the next call of `step` if there is no event."""
        since = self.now - self._ticked
        waits = [0.0] if self._tick_due else [self._pace(screen) - since for screen in self._living()]
        notice = self._notices.wait(self.now)
        if notice is not None:
            waits.append(notice)
        return max(min([*waits, IDLE]), 0.001)

    def _seen(self) -> list[Screen]:
        first = len(self.stack) - 1
        while first > 0 and self.stack[first].overlay:
            first -= 1
        return self.stack[first:]

    def _living(self) -> list[Screen]:
        return [screen for screen in self._seen() if not screen.broken]

    def _pace(self, screen: Screen) -> float:
        pace = self._guarded(screen, lambda: screen.pace, IDLE)
        return min(pace, EMBLEM_SECONDS) if self.services.personas.busy else pace

    def _tick(self) -> None:
        living = self._living()
        since = self.now - self._ticked
        if not self._tick_due and since < min(map(self._pace, living), default=IDLE) * 0.9:
            return
        self._tick_due, self._ticked = False, self.now
        if self.services.tick():
            self.redraw()
        for screen in living:
            if self._guarded(screen, partial(screen.tick, self.now, min(since, LONGEST_TICK)), False):
                self.redraw()

    def _handle(self, event: Event) -> None:
        if isinstance(event, Quit):
            self.quit()
        elif isinstance(event, Resize):
            self.surface = self._surface_of(event.size)
            if not self.services.settings.fullscreen:
                self._window = event.size
            self.look = self._looked()
            self.redraw()
        elif isinstance(event, Hide):
            self.hidden = True
        elif isinstance(event, Redraw):
            self._dirty, self.hidden = True, False
        else:
            self.input_at = self.now
            leads = not isinstance(event, Key) or event.name in ("tab", "shift+tab")
            typed = isinstance(event, Text) if leads else None
            if self._notices.on_input(
                pressed=isinstance(event, (Press, Key)), typed=typed, clicked=isinstance(event, Press)
            ):
                self._dirty = True
            screen = self.screen
            if self._guarded(screen, partial(self._screen_handles, screen, event), True):
                self.redraw()
                self._tick_due = True
            if self._view is not None and self.stack:
                self._notices.look(self.screen.ui, self._view, self._elided)

    def _screen_handles(self, screen: Screen, event: Event) -> bool:
        if isinstance(event, Press):
            event = self._counted(event)
        if isinstance(event, Leave):
            screen.ui.hover, screen.ui.mouse = "", (-1, -1)
            return True
        if isinstance(event, Drop):
            return screen.handle(event) or self.open_dropped(event.path)
        if isinstance(event, Key) and event.repeat:
            if screen is not self._key[1]:  # a key repeats only on the screen where it was pressed
                return False
        elif isinstance(event, Key):
            self._key = (self.now, screen, screen.ui.focus)
        elif isinstance(event, Text) and self._is_from_a_command():
            return False
        if screen.ui.dispatch(event, self.view()):
            self.say(screen.ui.trouble, "warning")
            screen.ui.trouble = ""
            return True
        if isinstance(event, Key) and not (event.repeat and event.edits):
            return screen.key(event.name) or self._common_key(event.name) or screen.handle(event)
        return screen.handle(event) or isinstance(event, Press)  # which may have taken away the focus

    def _is_from_a_command(self) -> bool:
        """Return whether text was typed by a key that moved the focus, such as the T that opened a field."""
        time, screen, focus = self._key
        same = self._translator.holds or self.now - time < SAME_KEY_SECONDS
        return same and (screen is not self.screen or focus != screen.ui.focus)

    def _common_key(self, name: str) -> bool:
        command = find(self.commands(), name)
        if command is not None:
            command.run()
        return command is not None

    def open_dropped(self, path: str) -> bool:
        trouble = self.open_path(path)
        if trouble:
            self.say(trouble, "warning")
        return True

    def _counted(self, press: Press) -> Press:
        """Return the press with its number of clicks: 2 for the second one of a double click."""
        time, place = self._press
        near = abs(press.at[0] - place[0]) + abs(press.at[1] - place[1]) <= DOUBLE_CLICK_WAY
        double = near and self.now - time <= DOUBLE_CLICK_SECONDS
        self._press = (-10.0 if double else self.now, press.at)
        return Press(press.at, press.button, 2 if double else 1)

    def _guarded(self, screen: Screen, work: Callable[[], T], otherwise: T) -> T:
        """Call `work` for a screen; after an exception, report the fault and return `otherwise`."""
        try:
            return work()
        except Exception as error:
            self.report_fault(screen, error)
            return otherwise

    def report_fault(self, screen: Screen, error: Exception) -> None:
        """Log a fault, save the games of all screens, and show a dialog."""
        log.error("the screen %r failed", screen.title, exc_info=error)
        screen.broken = True
        saved = False
        for opened in self.stack:
            try:
                saved = opened.keep() or saved
            except Exception:
                log.exception("the game could not be saved")
        if not isinstance(self.screen, FaultDialog):
            self.stack.append(FaultDialog(self, screen, error, saved))
            self.redraw()

    def view(self) -> list[Widget]:
        if self._view is None:
            self._view = self.screen.view(self.surface.get_size(), self.look)
        return self._view

    def draw(self) -> None:
        self._dirty = False
        canvas = Canvas(self.surface, self.look)
        self.surface.fill(self.look.theme.background)
        *below, screen = self._seen()
        for seen in below:
            if not seen.broken:
                self._guarded(seen, partial(self._paint, canvas, seen), False)
        if below:
            self.surface.fill((SHADE,) * 3, special_flags=pygame.BLEND_RGB_MULT)
            canvas.elided = []
        if not self._guarded(screen, partial(self._paint, canvas, screen), False):
            self._view = None
            self.surface.fill(self.look.theme.background)
            self._guarded(self.screen, partial(self._paint, canvas, self.screen), False)  # draws the fault dialog
        self._elided = canvas.elided
        self._notices.look(self.screen.ui, self._view or [], self._elided)
        self._notices.draw(canvas, self._view or [])
        self.cut = canvas.cut
        self.frames += 1

    def _paint(self, canvas: Canvas, screen: Screen) -> bool:
        widgets = self.view() if screen is self.screen else screen.view(self.surface.get_size(), self.look)
        screen.ui.now = self.now
        for widget in widgets:
            widget.draw(canvas, screen.ui)
        for widget in widgets:
            if widget.key == screen.ui.opened:
                widget.draw_above(canvas, screen.ui)
        return True
