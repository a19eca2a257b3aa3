"""Every screen: it looks as in a kept picture, everything has its place, and it is about one thing.

    SDL_VIDEODRIVER=dummy python -m tests.gui.test_pictures [SCENE ...]

renews the pictures of all or some scenes; look at them before you commit them. They are small and compared tile by
tile. Differences in the smoothing of letters between versions of SDL are far below the tolerance; a changed word is far
above it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.kinds.kind import Kind
from gui.app import App
from gui.look import theme
from gui.model.seats import HUMAN
from gui.screens.home import Home
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.game_screen import GameScreen
from gui.screens.play.review import ReviewScreen
from gui.screens.screen import Screen
from gui.screens.sessions.new import NewSession
from gui.screens.sessions.session import SessionScreen
from gui.toolkit import pygame
from gui.widgets.button import Button
from tests.gui.counts import controls_of, in_menu, words_of
from tests.gui.layouts_helpers import fits_everywhere, look_at
from tests.gui.scenes.scenes import ADDED, FOLDERS, OPPONENT, README, SCENES, picture

FOLDER = Path(__file__).parent / "pictures"
SIZE, TILE = (800, 600), 8
TOLERANCE = 4.5
"""Largest mean difference of a tile, of 255; pygame 2.6 and pygame-ce 2.5 differ by less than 3."""

ALSO = ("home", "play", "analysis", "capture", "won", "chooser", "session")
ALSO += tuple(scene for module in ADDED.values() for scene in module.THEMED)
THEMED = [(scene, theme) for theme in ("dark", "contrast") for scene in ALSO]
SELDOM = {(scene, ("dark", "contrast")[number % 2]) for number, scene in enumerate(ALSO)}
"""Compared in the check only: every run has each of these scenes in two themes, and each theme in at least 3 scenes."""

MOST: dict[type[Screen], tuple[int, int] | None] = {
    Home: (10, 40),
    GameScreen: (15, 40),
    ReviewScreen: None,
    Chooser: (15, 60),
    SessionScreen: (12, 60),
    NewSession: (8, 60),
} | {screen: most for module in ADDED.values() for screen, most in getattr(module, "MOST", {}).items()}
"""Maximum numbers of controls and words of screens; `MOST` of an extra's scenes adds to them."""
USUAL = (1280, 800), (800, 600), (500, 820)

CACHES = tuple(cache for module in ADDED.values() for cache in getattr(module, "CACHES", ()))
"""What screens of extras keep of the kinds that there are."""

WIDE_AND_TALL = {"wide": ((1280, 800), "light"), "tall": ((500, 820), "dark")}
"""Further sizes of windows with their themes, for the screens that everybody meets."""

MET = ("home", "play", "chooser", "new-session", "session", "review", "family")
SIZED = [(scene, shape) for scene in MET if scene in SCENES for shape in WIDE_AND_TALL]

LARGE, LARGE_SCALE = (2560, 1440), 1.5
SMALL = {SIZE: (320, 240), (1280, 800): (320, 200), (500, 820): (200, 328), LARGE: (640, 360)}
"""Sizes of the kept pictures by that of the window."""

LARGE_CASES = tuple(scene for scene in ("home", "analysis", "chooser", "set-up", "settings") if scene in SCENES)


def small(app: App) -> Any:
    return pygame.transform.smoothscale(app.surface, SMALL[app.surface.get_size()])


def pixels(surface: Any) -> Any:
    width, height = surface.get_size()
    data = np.frombuffer(pygame.image.tobytes(surface, "RGB"), np.uint8)
    return data.reshape(height, width, 3).astype(np.float64)


def difference(a: Any, b: Any) -> float:
    """Return the mean difference of the tile that differs most."""
    width, height = a.get_size()
    tiles = np.abs(pixels(a) - pixels(b)).mean(2).reshape(height // TILE, TILE, width // TILE, TILE)
    return float(tiles.mean((1, 3)).max())


def kept(scene: str, theme: str) -> Any:
    path = kept_path(scene, theme)
    assert Path(path).exists(), f"no picture yet: run SDL_VIDEODRIVER=dummy python -m tests.gui.test_pictures {scene}"
    return pygame.image.load(path)


def kept_path(scene: str, theme: str) -> str:
    return str(FOLDERS.get(scene, FOLDER) / f"{scene}-{theme}.png")


def own_kinds(family: type[Kind]) -> dict[str, Any]:
    return {name: kind for name, kind in family.kinds.items() if not kind.__module__.startswith("tests.")}


@pytest.fixture(autouse=True)
def _own_kinds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Limit forms to the kinds of the program, whatever other tests have added before."""
    for cache in CACHES:
        cache.cache_clear()
    everywhere = {family: family.kinds for family in Kind.families}
    for family in everywhere:
        monkeypatch.setattr(family, "kinds", own_kinds(family))
    yield
    for family, kinds in everywhere.items():
        kinds |= family.kinds  # a module that a scene has imported does not register its kinds again
    for cache in CACHES:
        cache.cache_clear()


def compare(app: App, scene: str, theme: str, folder: Path) -> None:
    """Compare the window with a kept picture; save it in the folder if they differ."""
    result = difference(small(app), kept(scene, theme))
    if result > TOLERANCE:
        pygame.image.save(app.surface, str(folder / f"{scene}-{theme}.png"))
    assert result <= TOLERANCE, f"see {folder}"


EVERY = pytest.mark.parametrize("scene", SCENES, scope="module")


@lru_cache(maxsize=1)
def built(scene: str) -> App:
    """Return the window in a scene, which takes longer to build than to look at. A test leaves it as it is."""
    return picture(scene, SIZE)


# The tests of a scene follow one another, so that it is built once.


@EVERY
@pytest.mark.needs()
def test_a_screen_looks_as_it_did(scene: str, display: None, tmp_path: Path) -> None:
    compare(built(scene), scene, "light", tmp_path)


@EVERY
def test_everything_has_its_place_and_every_text_is_whole(scene: str, display: None) -> None:
    app = built(scene)
    look = app.look
    try:
        fits_everywhere(app)
    finally:
        app.look = look


@EVERY
def test_a_screen_has_few_controls_and_words(scene: str, display: None) -> None:
    app = built(scene)
    look, most = app.look, next((MOST[kind] for kind in type(app.screen).__mro__ if kind in MOST), None)
    if isinstance(app.screen, NewSession) and app.screen.section is not None:  # it is counted as it opens, by its test
        return
    try:
        for size in USUAL if most is not None else ():
            app.look = look_at(app, size, 1.0)
            widgets = app.screen.view(size, app.look)
            assert (controls_of(widgets), words_of(widgets)) > (0, 0), size
            assert controls_of(widgets) <= most[0] and words_of(widgets) <= most[1], size
    finally:
        app.look = look


@EVERY
def test_the_menu_of_a_game_is_short(scene: str, display: None) -> None:
    assert len(in_menu(built(scene))) <= 12


@EVERY
def test_a_screen_is_about_one_thing(scene: str, display: None) -> None:
    """At most one button is filled with the accent, and buttons have one of three heights."""
    app, size = built(scene), (1280, 800)
    look = look_at(app, size, 1.0)
    buttons = [widget for widget in app.screen.view(size, look) if isinstance(widget, Button)]
    assert len([widget for widget in buttons if widget.kind == "main"]) <= 1
    heights = {look.px(each) for each in (theme.CONTROL, theme.LARGE_CONTROL, theme.MAIN_CONTROL)}
    assert {
        widget.key: widget.rect.h
        for widget in buttons
        if widget.text and widget.kind != "quiet" and widget.rect.h not in heights
    } == {}


@pytest.mark.parametrize(
    ("scene", "colours"), [pytest.param(*case, marks=pytest.mark.check if case in SELDOM else ()) for case in THEMED]
)
@pytest.mark.needs()
def test_a_screen_looks_as_it_did_in_other_themes(scene: str, colours: str, display: None, tmp_path: Path) -> None:
    compare(picture(scene, SIZE, colours), scene, colours, tmp_path)


@pytest.mark.parametrize(("scene", "shape"), SIZED)
@pytest.mark.needs()
def test_a_screen_looks_as_it_did_in_wide_and_tall_windows(
    scene: str, shape: str, display: None, tmp_path: Path
) -> None:
    compare(picture(scene, *WIDE_AND_TALL[shape]), scene, shape, tmp_path)


@pytest.mark.parametrize("scene", LARGE_CASES)
@pytest.mark.needs()
def test_a_large_screen_with_large_letters_looks_as_it_did(scene: str, display: None, tmp_path: Path) -> None:
    compare(picture(scene, LARGE, scale=LARGE_SCALE), scene, "large", tmp_path)


def test_dialogs_and_menus_shade_the_screen_below_equally(display: None) -> None:
    shades = {tuple(picture(scene, SIZE).surface.get_at((3, 3)))[:3] for scene in ("menu", "resign", "help")}
    assert len(shades) == 1


def test_a_changed_word_a_changed_colour_and_a_moved_piece_are_seen(display: None) -> None:
    app = picture("play", SIZE)
    screen = app.screen
    screen.model.seats = (HUMAN, replace(OPPONENT, title=OPPONENT.title.replace("league", "laague")))
    app.redraw()
    app.draw()
    assert difference(small(app), kept("play", "light")) > TOLERANCE
    assert difference(small(picture("play", SIZE, numbers=False)), kept("play", "light")) > TOLERANCE
    assert difference(kept("capture", "light"), kept("jumping", "light")) > TOLERANCE


def test_pictures_of_the_readme_are_there() -> None:
    folder = Path(__file__).parents[2] / "docs" / "pictures"
    page = (folder.parent / "log" / "design-of-the-window.md").read_text(encoding="utf-8")
    messages = set(re.findall(r"\(\.\./pictures/((?:before|after)-[\w-]+)\.png\)", page))
    assert {path.stem for path in folder.glob("*.png")} == set(README) | messages


def renew(scenes: Collection[str]) -> None:
    for family in Kind.families:
        family.kinds = own_kinds(family)
    for folder in (FOLDER, *FOLDERS.values()):
        folder.mkdir(exist_ok=True)
    for scene, colours in [*((scene, "light") for scene in scenes), *(case for case in THEMED if case[0] in scenes)]:
        pygame.image.save(small(picture(scene, SIZE, colours)), kept_path(scene, colours))
    for scene, shape in [case for case in SIZED if case[0] in scenes]:
        pygame.image.save(small(picture(scene, *WIDE_AND_TALL[shape])), kept_path(scene, shape))
    for scene in [scene for scene in LARGE_CASES if scene in scenes]:
        pygame.image.save(small(picture(scene, LARGE, scale=LARGE_SCALE)), kept_path(scene, "large"))


if __name__ == "__main__":
    renew(sys.argv[1:] or SCENES)
