"""Scenes of a run in which one network learns, for the tests of all screens."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evolve.run import status
from evolve.run.status import State, Status
from extras.form.tests.scenes import form_of
from extras.learning.methods import MEASURED, TOP
from gui.app import App
from gui.screens.sessions.session import SessionScreen
from tests.gui.scenes.run_scenes import GENERATION, HEARTBEAT, STEP, first_move, follow
from tests.learnt_run import make_learnt_run


def _learnt_run(app: App) -> Path:
    course = [1 - math.exp(-(at + 2) / 9) for at in range(GENERATION + 1)]
    best = dict(zip(MEASURED, (63, 52, 88, 48), strict=True))
    numbers: dict[str, Sequence[float | None]] = {
        f"{kind}_top{top}": [round(min(most + 12 * top**0.5 - 12, 99) * share / 100, 4) for share in course]
        for kind, most in best.items()
        for top in TOP
    }
    numbers["validation_loss"] = [round(2.6 - 1.35 * share, 4) for share in course]
    numbers["illegal"] = [round(0.02 * (1 - share), 5) for share in course]
    settings = ["seed=1", "learning.games=games.pdn"]
    return make_learnt_run(app.services.runs, "policy-1", GENERATION, settings, numbers, "policy").path


def _learning(app: App, tab: int = 0, back: int = 0) -> None:
    thinker: Any = app.services.thinker
    thinker.say = first_move
    path = _learnt_run(app)
    status.write(path, Status(State.RUNNING, 4711, HEARTBEAT, GENERATION + 1, 80, 200 * GENERATION))
    screen = SessionScreen(app, path)
    follow(screen, path)
    app.open(screen)
    for _ in range(4 if back else 9):
        app.step([], STEP)
    screen.show_tab(tab)
    screen.spectacle.arena.still = back > 0
    screen.pick(GENERATION - back)
    for _ in range(5 if back else 1):
        app.step([], STEP)


def _learn(app: App) -> None:
    form_of(app).choose("policy")
    app.step([], STEP)


SCENES: dict[str, Callable[[App], object]] = {
    "session-learning": _learning,
    "session-numbers": lambda app: _learning(app, tab=1, back=20),
    "session-learn": _learn,
}
THEMED = ()
"""Scenes that are compared in all themes."""
