"""A person at the window, for tests: events as pygame makes them, a clock that tests set, and a fake thinker."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gui.app import App
from gui.geometry import Point, Rect, Size
from gui.screens.home import Home
from gui.screens.play.game_screen import GameScreen
from gui.screens.play.game_state import GameState
from gui.screens.play.play import Play
from gui.screens.screen import Screen
from gui.services import Services
from gui.system import Speaker
from gui.toolkit import pygame
from gui.widgets.base import Widget, by_id
from gui.widgets.board import BoardWidget
from tests.gui.tables import FakeThinker

FRAME = 1 / 60
DRAWN = 30
"""While time passes, one frame of this number is drawn, as on a slow machine. Drawing takes most of a test's time."""

ANIMATED = 30
"""Frames after which animations have ended: the test waits for a thread, which has the interpreter meanwhile."""

NOWHERE = (0, 0, 0, 0)
"""Where frames that no test looks at are drawn, which takes no time; `Hands.picture` draws everywhere."""

PATIENCE = 120.0
"""Seconds of real time that threads may need on a busy machine."""

MODS = {"ctrl": pygame.KMOD_LCTRL, "shift": pygame.KMOD_LSHIFT, "alt": pygame.KMOD_LALT}
CODES = {"left": "K_LEFT", "right": "K_RIGHT", "up": "K_UP", "down": "K_DOWN", "home": "K_HOME", "end": "K_END"} | {
    "escape": "K_ESCAPE", "return": "K_RETURN", "space": "K_SPACE", "tab": "K_TAB", "backspace": "K_BACKSPACE",
    "delete": "K_DELETE", "pageup": "K_PAGEUP", "pagedown": "K_PAGEDOWN", "f1": "K_F1", "f10": "K_F10", "f11": "K_F11",
}  # fmt: skip


def step(app: App, seconds: float, *events: Any, drawing: bool) -> None:
    """Let time pass, with these events; without `drawing`, what has changed is drawn later."""
    if drawing:
        app.step(events, seconds)
        return
    app.draw = lambda: None  # type: ignore[method-assign]
    try:
        app.step(events, seconds)
    finally:
        del app.draw


def surface_of(size: Size) -> Any:
    surface = pygame.Surface(size)
    surface.set_clip(NOWHERE)
    return surface


class Thinker(FakeThinker):
    """The fake thinker with the other methods that the window calls."""

    def __init__(self) -> None:
        super().__init__()
        self.warm = self.closed = False

    def warm_up(self) -> None:
        self.warm = True

    def close(self) -> None:
        self.closed = True


class Recorder(Speaker):
    """A speaker that only counts sounds."""

    audible = True

    def __init__(self) -> None:
        self.heard: list[str] = []

    def play(self, name: str) -> None:
        self.heard.append(name)


class Hands:
    """The window, and the actions of a person in it.

    Attributes:
        app: the window.
        thinker: answers when a test tells it to.
        heard: names of the sounds played.
        may_fail: whether screens may fail; otherwise their faults are raised.
        drawn: see `DRAWN`; 1 in tests that count frames, all of which are drawn then.
    """

    may_fail = False
    drawn = DRAWN

    def __init__(
        self, folder: Path, size: Size = (1280, 800), runs: Path | None = None, *, opened: bool = True, **settings: Any
    ) -> None:
        self.thinker = Thinker()
        speaker = Recorder()
        self.heard = speaker.heard
        services = Services.in_folder(folder / "data", runs or folder / "runs", self.thinker, speaker=speaker)
        services.change_settings(**settings)
        self.app = App(services, size, surface_of)
        self._fault = self.app.report_fault
        self.app.report_fault = self._raise  # type: ignore[method-assign]
        if opened:
            self.app.open(Home(self.app))
            self.send()  # the first frame, before which the first screen reads nothing
            self.wait(0.5)

    def _raise(self, screen: Screen, error: Exception) -> None:
        """Raise a fault of a screen, since it is a failure unless the test expects it."""
        if not self.may_fail:
            raise error
        self._fault(screen, error)

    def wait(self, seconds: float) -> None:
        """Let time pass, frame by frame; at the end the picture is up to date."""
        for left in reversed(range(max(round(seconds / FRAME), 1))):
            step(self.app, FRAME, drawing=left % self.drawn == 0)

    def until(self, happened: Callable[[], object], seconds: float = 30.0) -> None:
        """Let time pass until a condition is true, and draw; threads may need more than the window's clock says."""
        end = time.monotonic() + PATIENCE
        frames = 0
        while not happened():
            if frames * FRAME >= seconds:
                assert time.monotonic() < end, "it has not happened"
                time.sleep(0.001)
            elif frames > ANIMATED:
                time.sleep(0.001)
            frames += 1
            step(self.app, FRAME, drawing=frames % self.drawn == 0)
        if self.app._dirty and self.app.running:
            self.app.draw()

    def send(self, *events: Any, drawing: bool = True) -> None:
        step(self.app, FRAME, *events, drawing=drawing)

    def widget(self, key: str) -> Any:
        results = [widget for widget in self.app.view() if widget.key == key]
        assert len(results) == 1, f"{key}: {[widget.key for widget in self.app.view()]}"
        return results[0]

    @property
    def keys(self) -> list[str]:
        return [widget.key for widget in self.app.view()]

    def move(self, at: Point, held: bool = False, *, drawing: bool = True) -> None:
        moved = pygame.event.Event(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(int(held), 0, 0))
        self.send(moved, drawing=drawing)

    def press(self, at: Point, button: int = 1, *, drawing: bool = True) -> None:
        self.send(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=at, button=button), drawing=drawing)

    def release(self, at: Point, button: int = 1) -> None:
        self.send(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=at, button=button))

    def click(self, target: str | Point, button: int = 1) -> None:
        """Click in the middle of a widget, or at a point; only the last of the three frames is drawn."""
        at = self.middle(target) if isinstance(target, str) else target
        self.move(at, drawing=self.drawn == 1)
        self.press(at, button, drawing=self.drawn == 1)
        self.release(at, button)

    def drag(self, start: Point, end: Point) -> None:
        self.move(start)
        self.press(start)
        self.move(((start[0] + end[0]) // 2, (start[1] + end[1]) // 2), held=True)
        self.move(end, held=True)
        self.release(end)

    def click_row(self, key: str, row: int, times: int = 1) -> None:
        table = self.widget(key)
        scroll = self.app.screen.ui.memory[key]
        y = table.body(scroll).y + row * scroll.row + scroll.row // 2 - int(scroll.top)
        self.wait(0.6)  # no double click with an earlier one
        for _ in range(times):
            self.click((table.rect.x + 40, y))

    def wheel(self, key: str, notches: int) -> None:
        self.move(self.middle(key))
        self.send(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=notches, flipped=False))

    def middle(self, key: str) -> Point:
        widget: Widget = self.widget(key)
        return widget.rect.centre

    @property
    def board(self) -> BoardWidget:
        result: BoardWidget = self.widget("board")
        return result

    @property
    def game(self) -> GameScreen:
        screen = self.app.screen
        assert isinstance(screen, GameScreen)
        return screen

    @property
    def state(self) -> GameState:
        assert isinstance(self.app.screen, Play)
        return self.app.screen.state

    def at(self, square: int) -> Point:
        return self.board.geometry.rect(square).centre

    def touch(self, *squares: int) -> None:
        for square in squares:
            self.click(self.at(square))
            self.settle()

    def settle(self) -> None:
        self.until(lambda: not isinstance(self.app.screen, GameScreen) or self.app.screen.flight is None)

    def answer(self, index: int = 0, share: float | None = 0.25) -> None:
        self.wait(FRAME)
        plies = len(self.game.model.plies)
        self.thinker.answer(index, share)
        self.until(lambda: len(self.game.model.plies) > plies or self.game.model.over)
        self.settle()
        self.wait(0.1)

    def key(self, *names: str) -> None:
        """Press keys by the names that commands use, or run commands without keys by their ids, such as ``<stop>``."""
        for name in names:
            if name[0] == "<" and len(name) > 1:
                command = by_id([*self.app.commands(), *self.app.screen.commands()])[name[1:-1]]
                command.run() if command.enabled else self.app.say(command.reason, "warning")
                self.app.redraw()
                self.app._tick_due = True
                self.send()
                continue
            *mods, base = name.split("+") if name not in ("+", "ctrl++") else [*name[:-1].split("+")[:-1], "+"]
            mod = 0
            for each in mods:
                mod |= MODS[each]
            if base in CODES:
                code, text = getattr(pygame, CODES[base]), ""
            else:
                code = pygame.key.key_code(base) if base.isalnum() else ord(base)
                text = "" if "ctrl" in mods else base.upper() if "shift" in mods else base
            events = [pygame.event.Event(pygame.KEYDOWN, key=code, mod=mod, unicode=text)]
            if text:
                events.append(pygame.event.Event(pygame.TEXTINPUT, text=text))
            self.send(*events, pygame.event.Event(pygame.KEYUP, key=code, mod=mod))

    def type(self, text: str) -> None:
        """Type into the field that has the focus."""
        for left, letter in zip(reversed(range(len(text))), text, strict=True):
            self.send(
                pygame.event.Event(pygame.KEYDOWN, key=ord(letter.lower()), mod=0, unicode=letter),
                pygame.event.Event(pygame.TEXTINPUT, text=letter),
                pygame.event.Event(pygame.KEYUP, key=ord(letter.lower()), mod=0),
                drawing=left == 0,
            )

    def resize(self, size: Size) -> None:
        self.send(pygame.event.Event(pygame.VIDEORESIZE, w=size[0], h=size[1], size=size))

    def drop(self, path: Path) -> None:
        self.send(pygame.event.Event(pygame.DROPFILE, file=str(path)))

    @property
    def words(self) -> tuple[str, str]:
        status = self.widget("status")
        return status.head, status.text

    def picture(self, rect: Rect | None = None) -> Any:
        self.app.surface.set_clip(None)
        self.app.redraw()
        self.app.draw()
        self.app.surface.set_clip(NOWHERE)
        return self.app.surface.subsurface(rect).copy() if rect else self.app.surface.copy()


Opened = Callable[..., Hands]
"""The fixture `opened`: a function that opens a window with these settings."""


def window_without_loop(folder: Path) -> Callable[..., App]:
    """Return a function that opens the window as `entry_points.run` does, draws one frame, and returns the app."""

    def run(runs: Path, first: Callable[[App], object] = lambda app: None) -> App:
        pygame.display.init()
        pygame.display.set_mode((64, 64))
        hands = Hands(folder, runs=runs, opened=False)
        hands.app.open(Home(hands.app))
        first(hands.app)
        hands.app.step([], 0.0)
        return hands.app

    return run
