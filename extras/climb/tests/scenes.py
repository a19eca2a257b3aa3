"""Scenes of the climb, for the tests of all screens."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable

from extras.climb.screen import RUN, Climb
from gui.app import App
from gui.rating.rating import level_opponents
from tests.gui.hands import Hands
from tests.gui.scenes.run_scenes import SHIPPED, shipped_run, until

GAMES = ((1, 0), (0, 1), (0, 1), (1, 0.5), (1, 1), (2, 0), (1, 1), (2, 0.5), (2, 0), (2, 1), (2, 1), (3, 0))
"""Levels, and what was made against them."""


def _climb(app: App, games: int = 12) -> None:
    for name in ("crownhead", "crownhead-2", "people"):
        shutil.copytree(SHIPPED.with_name(name), app.services.runs / name)
    shipped_run(app)
    career = app.services.career
    for number, points in GAMES[:games]:
        model = career.begin(level_opponents()[number])
        career.finish(career.game_of(model), points)
        while career.step() or career.busy:
            time.sleep(0.002)
    if games:
        career.spoil(career.game_of(career.begin(level_opponents()[2])), "a hint was shown")
    app.services.store.set(RUN, "crownhead-1")
    screen = Climb(app)
    app.open(screen)
    until(app, lambda: screen.chosen is not None)
    until(app, lambda: bool(screen.levels and screen.rungs))


def open_screen(hands: Hands) -> None:
    hands.app.open(Climb(hands.app))
    hands.wait(0.3)


SCENES: dict[str, Callable[[App], object]] = {"climb": _climb, "climb-begins": lambda app: _climb(app, games=0)}
MOST = {Climb: (12, 60)}
THEMED = ("climb",)
"""Scenes that are compared in all themes."""
