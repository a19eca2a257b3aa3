"""Scenes of the form and of published systems, for the tests of all screens."""

from __future__ import annotations

import json
from collections.abc import Callable

from extras.form import values_panel
from extras.form.foresight import Foresight
from extras.form.screen import FormSection
from gui.app import App
from gui.screens.sessions.new import NewSession
from tests.gui.hands import Hands
from tests.gui.scenes.run_scenes import STEP
from tests.gui.session_folder import Foreseen


def form_of(app: App) -> FormSection:
    """Open the form, with an estimate."""
    screen = NewSession(app)
    app.open(screen)
    (form,) = (section for section in screen.sections if isinstance(section, FormSection))
    foresee(form)
    screen.show(form)
    return form


def _folded(app: App) -> None:
    form_of(app)
    for _ in range(6):
        app.step([], STEP)


def _start(app: App) -> None:
    screen = form_of(app)
    screen.form.values["generations"] = "many"
    screen.form.settings |= {"population.parents": "1", "games.swap": "true"}
    screen.start()
    app.step([], STEP)


FORESEEN = (
    "about 1 min 20 s on this machine with 2 workers, if it stays as busy as now: 26,058 games (72 games took "
    "3.2 ms each)",
    "saving every generation: about 3 MB for generations 0 to 100, 0.059 MB each; about 212 MB of memory",
)

BRIEF = "about 1 min 20 s with 2 workers, 26,058 games", "about 3 MB on disk, 212 MB of memory"


def foresee(screen: FormSection, seconds: float = 80.0) -> None:
    result = Foreseen()
    result.output = json.dumps({"seconds": seconds, "generations": 83, "words": FORESEEN, "brief": BRIEF})
    screen.foresight = Foresight(result)


def _published(app: App) -> None:
    app.open(NewSession(app))
    app.screen.key("2")
    app.step([], STEP)


def _find_key(app: App, text: str) -> None:
    screen = form_of(app)
    app.screen.key("ctrl+f")
    screen.values.seek(text)
    for _ in range(6):
        app.step([], STEP)


def open_screen(hands: Hands) -> None:
    hands.app.open(NewSession(hands.app))
    hands.key("3")
    hands.wait(0.3)


SCENES: dict[str, Callable[[App], object]] = {
    "everything": _folded,
    "session-start": _start,
    "published-systems": _published,
    "session-find": lambda app: _find_key(app, "step_low"),
}
THEMED = ()
CACHES = (values_panel._known,)
