"""The scene of the table of individuals, for the tests of all screens."""

from __future__ import annotations

import os
from collections.abc import Callable

from extras.individuals.screen import IndividualsScreen
from gui.app import App
from tests.gui.scenes.run_scenes import CHANGED, until
from tests.runs import make_run


def _table(app: App) -> None:
    """The individuals of a generation, the first of them chosen."""
    for number, name in enumerate(("league", "first-try")):
        run = make_run(app.services.runs, name)
        os.utime(run.path / "manifest.csv", (CHANGED - number,) * 2)
    screen = IndividualsScreen(app, app.services.runs / "league", lambda player: None)
    app.open(screen)
    until(app, lambda: not screen.library.busy)
    screen.show(screen.library.listed[0], 2)
    until(app, lambda: not screen.library.busy and screen.chosen is not None)


SCENES: dict[str, Callable[[App], object]] = {"individuals": _table}
THEMED = ()
