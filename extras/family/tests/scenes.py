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


def _family(app: App, run: str, keys: str = "", tab: int = 0) -> None:
    """The family of a run's newest champion, or of somebody to whom keys lead from there; of a player of no run."""
    if run in ("cowan-deep", "crownhead-1"):
        shutil.copytree(SHIPPED.with_name(run), app.services.runs / run)
    screen = FamilyScreen(app, ListedPlayer.of_player(run))
    app.open(screen)
    until(app, lambda: bool(screen.trouble) or screen.details is not None)
    for key in keys.split():
        assert screen.tree is not None
        screen.choose(screen.tree.move(screen.place, key))
    screen.show_tab(tab)
    until(app, lambda: bool(screen.trouble) or screen.details is not None)
    if tab == 1:
        until(app, lambda: bool(screen.changes[0]))


def open_screen(hands: Hands) -> None:
    make_run(hands.app.services.runs, "alpha", 2)
    screen = FamilyScreen(hands.app, ListedPlayer.of_player("alpha"))
    hands.app.open(screen)
    hands.until(lambda: screen.details is not None, 3000.0)


SCENES: dict[str, Callable[[App], object]] = {
    "family": lambda app: _family(app, "cowan-deep", "down down down right down"),
    "family-founders": lambda app: _family(app, "cowan-deep", "end", tab=2),
    "family-changes": lambda app: _family(app, "crownhead-1", "", tab=1),
    "family-mean": lambda app: _family(app, "crownhead-1", "down down right right"),
    "family-none": lambda app: _family(app, "material"),
}
THEMED = ()
"""Scenes that are compared in all themes."""
