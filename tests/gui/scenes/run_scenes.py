"""Scenes with runs, for `tests.gui.scenes.scenes`: the session screen, the form that begins a session.

They show the run that comes with the program, copied into the scene's own folder.
"""

from __future__ import annotations

import datetime
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evolve.kinds.plugins import Plugin
from evolve.run import notes, status
from evolve.run.status import State, Status
from game import plain
from game.scores import SearchInfo
from gui.app import App
from gui.geometry import Rect
from gui.individuals.shelves import YOURS
from gui.runs.live_run import LiveRun
from gui.screens.individuals.chooser import Chooser
from gui.screens.sessions.questions import code_dialog
from gui.screens.sessions.session import SessionScreen
from gui.thinking.messages import Answer, SearchRequest
from gui.widgets.base import by_id
from tests.gui.hands import step

SHIPPED = Path(__file__).parents[3] / "populations" / "crownhead-1"
GENERATION = 60
"""The newest complete one where the run is shown while it goes on."""

HEARTBEAT = 1_800_000_000.0
STEP = 0.25


def shipped_run(app: App) -> Path:
    path = app.services.runs / "crownhead-1"
    shutil.copytree(SHIPPED, path)
    return path


def going_run(app: App, state: State = State.RUNNING, heartbeat: float = HEARTBEAT) -> Path:
    path = shipped_run(app)
    for name in ("log.csv", "hall_of_fame.csv", "manifest.csv"):
        rows = (path / name).read_bytes().splitlines(keepends=True)[: GENERATION + 2]
        (path / name).write_bytes(b"".join(rows))
    (path / "generation_0100.csv").unlink()
    log = (path / "log.csv").read_bytes().splitlines()
    games = sum(int(line.split(b",")[3]) for line in log[1:])
    status.write(path, Status(state, 4711, heartbeat, GENERATION + 1, 100, games + 66))
    return path


def first_move(ticket: int, request: SearchRequest) -> Answer:
    return Answer(ticket, SearchInfo(plain.legal_moves(request.position)[0]))


def follow(screen: SessionScreen, path: Path) -> None:
    """Let the page follow the run by a clock that stands still; its small boards move, unlike in other scenes."""
    screen.run = screen.spectacle.run = screen.spectacle.arena.run = LiveRun(
        path, clock=lambda: HEARTBEAT, player_name=path.name
    )
    screen.spectacle.arena.still = False


def _read_pictures(screen: SessionScreen, newest: int) -> None:
    """Let tabs of extras read what windows of other sizes show, since the folder is not there for long."""
    for generation in (*range(0, newest, 4), newest):
        screen.pick(generation)
        for tab in screen.added_tabs:
            tab.view(Rect(0, 0, 900, 300), screen.app.look)


def _session(app: App, tab: int = 0, back: int = 0) -> None:
    thinker: Any = app.services.thinker
    thinker.say = first_move
    path = going_run(app)
    screen = SessionScreen(app, path)
    follow(screen, path)
    app.open(screen)
    for _ in range(4 if back else 9):  # less than the time after which a session counts as silent
        app.step([], STEP)
    _read_pictures(screen, GENERATION)
    screen.show_tab(tab)
    if back:
        screen.spectacle.arena.still = True
        screen.pick(GENERATION - back)
        for _ in range(5):
            app.step([], STEP)


def _session_begins(app: App) -> None:
    """The page of a session before its first generation: all levels are there."""
    from evolve.run import status
    from evolve.run.status import State, Status
    from tests.gui.session_folder import SessionFolder

    path = SessionFolder(app.services.runs / "living").path
    status.write(path, Status(State.RUNNING, 4711, HEARTBEAT, 0, 112, 40))
    screen = SessionScreen(app, path)
    follow(screen, path)
    app.open(screen)
    for _ in range(9):
        app.step([], STEP)


def _own_code(app: App) -> None:
    """A run that brings code of its own is to be gone on with."""
    path = Path("populations", "stranger-1")
    code = path / "plugins" / "ops.py", Plugin("ops.py", "5f" * 32, b"pass\n" * 24)
    app.open(code_dialog(app, path, [code], lambda options: None))
    app.step([], STEP)


def levels(app: App) -> None:
    for run in ("crownhead", "crownhead-2", "people"):
        shutil.copytree(SHIPPED.with_name(run), app.services.runs / run)
    app.services.opponents._levels.clear()  # looked for before the levels were there
    app.services.choose_level(3)
    screen = Chooser(app)
    app.open(screen)
    until(app, lambda: screen.chosen is not None and not screen.shelves.busy)


def until(app: App, done: Callable[[], bool]) -> None:
    """What reads runs works in a thread; a sentence that was said meanwhile is gone, however quick that thread was."""
    app.step([], STEP)
    while not done() or app.notice:
        assert not any(screen.broken for screen in app.stack)
        step(app, STEP, drawing=False)
        time.sleep(0.002)
    app.step([], STEP)


KEPT = {
    "wide-1": ("first", ("wide", "promising"), "Slow, but its diversity lasts: more generations?"),
    "wide-2": ("crownhead-1", ("wide",), ""),
    "narrow-1": ("people", ("narrow",), ""),
    "narrow-2": ("q-learning", ("narrow",), ""),
    "old": ("cowan-deep", (), ""),
}
"""Runs by name: what they are copies of, tags, note."""

CHANGED = datetime.datetime(2026, 5, 17, 14, 30).timestamp()
"""When the newest of them changed; the others a day before each other."""


def _made_runs(app: App) -> None:
    from evolve.run.folder import Run
    from evolve.run.manifest import NAME

    for number, (name, (source, tags, note)) in enumerate(KEPT.items()):
        path = app.services.runs / name
        shutil.copytree(SHIPPED.with_name(source), path)
        notes.note_run(Run(path), note, tags, archived=name == "old")
        os.utime(path / NAME, (CHANGED - 3600 * 24 * number,) * 2)


def _runs(app: App) -> None:
    """Runs with tags and notes, and the menu of one of them."""
    _made_runs(app)
    screen = Chooser(app, shelf=YOURS)
    app.open(screen)
    until(app, lambda: not screen.shelves.busy)
    screen.choose(1)
    by_id(screen.commands())["run-group"].run()


def _done(app: App) -> None:
    thinker: Any = app.services.thinker
    thinker.say = first_move
    screen = SessionScreen(app, shipped_run(app))
    app.open(screen)
    until(app, lambda: screen.compares)
    for _ in range(60):
        app.step([], STEP)
    _read_pictures(screen, screen.newest)


SCENES: dict[str, Callable[[App], object]] = {
    "session": _session,
    "session-weights": lambda app: _session(app, tab=-1, back=25),
    "session-begins": _session_begins,
    "session-code": _own_code,
    "session-done": _done,
    "runs": _runs,
    "levels": levels,
}
