"""Scenes of the characters of runs, for the tests of all screens."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from evolve.run import status
from extras.cast import night
from extras.cast.characters import MAP
from extras.cast.screen import CharactersScreen
from gui.app import App
from gui.events import Key
from gui.screens.sessions.new import NewSession
from tests.cast_run import make_cast_run
from tests.gui.hands import Hands
from tests.gui.scenes.run_scenes import SHIPPED, STEP, until


def _cast(app: App) -> None:
    """The characters for a beginner, with emblems, and the game of the first some moves after the start."""
    path = app.services.runs / "cast"
    shutil.copytree(SHIPPED.with_name("cast"), path)
    screen = _opened(app, path)
    _stop(screen)


def _stop(screen: CharactersScreen) -> None:
    assert screen.game.model is not None
    screen.game.model.go_to(30)
    screen.game.playing = False


def _cast_map(app: App) -> None:
    path = app.services.runs / "cast"
    shutil.copytree(SHIPPED.with_name("cast"), path)
    _stop(_open_map(app, path))


def _characters(app: App, members: int, traits: str = "back-row,pieces,centre", broken: str = "") -> None:
    _open_map(app, make_cast_run(app.services.runs, "styles", members, traits, broken=broken).path)


def _begun(app: App) -> None:
    """A session of 40 minutes in its first generation."""
    run = make_cast_run(app.services.runs, "styles", 0, "back-row,pieces,centre")
    status.write(run.path, status.now(status.State.RUNNING, os.getpid(), 0, 100, 312, left=2280.0))
    _opened(app, run.path)


def _opened(app: App, path: Path) -> CharactersScreen:
    screen = CharactersScreen(app, [path], path)
    app.open(screen)
    until(app, lambda: screen.map is not None or bool(screen.trouble))
    app.step([], STEP)
    return screen


def _open_map(app: App, path: Path) -> CharactersScreen:
    """Open a map, with a member in a corner of it chosen, and its game some moves after the start."""
    screen = _opened(app, path)
    if screen.views:
        screen.show(MAP)
        app.redraw()
    for key in ("right", "down"):
        screen_map = next((widget for widget in app.view() if widget.key == "map"), None)
        if screen_map is not None and screen.number >= 0:
            screen_map.handle(Key(key), screen.ui)
    app.step([], STEP)
    return screen


def open_screen(hands: Hands) -> None:
    run = make_cast_run(hands.app.services.runs, "styles", 30)
    screen = CharactersScreen(hands.app, [run.path], run.path)
    hands.app.open(screen)
    hands.until(lambda: screen.map is not None, 3000.0)


def _new_session(app: App) -> None:
    """The cards of a new session, with the shipped runs that they show."""
    for name in ("plain", "cast"):
        shutil.copytree(SHIPPED.with_name(name), app.services.runs / name)
    assert SHIPPED.with_name("cast") == night.CAST, "imported while another folder stood for that of shipped runs"
    screen = NewSession(app)
    app.open(screen)
    until(app, lambda: not any(app.services.background.wants(entry) for entry in screen._entries))


SCENES: dict[str, Callable[[App], object]] = {
    "characters": _cast,
    "characters-map": _cast_map,
    "characters-few": lambda app: _characters(app, 3, "back-row=1.4:2.9:12,wing=-1:2:9"),
    "characters-damaged": lambda app: _characters(app, 5, "rim", broken="rim=9"),
    "characters-none": _begun,
    "new-session": _new_session,
}
MOST = {CharactersScreen: (15, 60)}
THEMED = ("characters",)
"""Scenes that are compared in all themes."""
