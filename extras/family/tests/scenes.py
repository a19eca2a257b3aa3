"""Scenes of families, for the tests of all screens."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from extras.family.screen import FamilyScreen
from gui.app import App
from gui.individuals.individual import ListedPlayer
from tests.gui.hands import Hands
from tests.gui.scenes.run_scenes import SHIPPED, until
from tests.synthetic import make_run


def _family(app: App, run: str, keys: str = "") -> None:
    """The family of a run's newest champion, with it or a member to which keys lead; of a player of no run."""
    copied = "first" if run == "material" else run  # whose family it offers
    shutil.copytree(SHIPPED.with_name(copied), app.services.runs / copied)
    screen = FamilyScreen(app, ListedPlayer.of_player(run))
    app.open(screen)
    for _ in app.services.sources.look(0.0):
        pass
    until(app, lambda: bool(screen.trouble) or (screen.details is not None and not screen.busy))
    for key in keys.split():
        screen.move(key)
    until(app, lambda: bool(screen.trouble) or bool(screen.details and not screen.busy))
    app.step([], 1.0)
    if screen.game.model is not None:
        screen.game.model.go_to(24)
        screen.game.playing = False


def open_screen(hands: Hands) -> None:
    make_run(hands.app.services.runs, "alpha", 2)
    screen = FamilyScreen(hands.app, ListedPlayer.of_player("alpha"))
    hands.app.open(screen)
    hands.until(lambda: screen.details is not None, 3000.0)


SCENES: dict[str, Callable[[App], object]] = {
    "family": lambda app: _family(app, "cowan-deep", "down down"),
    "family-path": lambda app: _family(app, "first", "down down"),
    "family-none": lambda app: _family(app, "material"),
}
THEMED = ()
"""Scenes that are compared in all themes."""
