"""The scene of the table of individuals, for the tests of all screens."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

from extras.individuals.screen import IndividualsScreen
from gui.app import App
from tests.gui.scenes.run_scenes import CHANGED, SHIPPED, until
from tests.runs import make_run


def _table(app: App) -> None:
    """The individuals of a generation, the first of them chosen."""
    shutil.copytree(SHIPPED.with_name("cowan-deep"), app.services.runs / "club")
    make_run(app.services.runs, "first-try")
    for number, name in enumerate(("club", "first-try")):
        os.utime(app.services.runs / name / "manifest.csv", (CHANGED - number,) * 2)
    screen = IndividualsScreen(app, app.services.runs / "club", lambda player: None)
    app.open(screen)
    until(app, lambda: not screen.library.busy)
    screen.show(screen.library.listed[0], 60)
    until(app, lambda: screen.chosen is not None and screen.game.model is not None)
    assert screen.game.model is not None
    screen.game.model.go_to(24)
    screen.game.playing = False


SCENES: dict[str, Callable[[App], object]] = {"individuals": _table}
THEMED = ()
