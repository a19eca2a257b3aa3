"""Measures screens with very much to show, for `tests.measurements`, in a process of its own: prints one line of JSON.

    python -m tests.gui.scenes.measure_runs table FILE
    python -m tests.gui.scenes.measure_runs session RUN

A frame is a step of the window with everything drawn, and the way of the picture to the display.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.gui.scenes.measure import PATIENCE_SECONDS, SIZE, megabytes, prepare

FRAMES = 240
STEP = 1 / 60


def table(path: Path) -> dict[str, float]:
    """Read a CSV file in the browser, then scroll it down, and sideways now and then.

    Returns:
        frame_ms, worst_ms: while it is scrolled, median and longest.
        reading_ms: the longest frame while the file is read.
        memory_mb: resident, the whole window, where the system tells.
    """
    from gui.screens.individuals.browser import BrowserScreen
    from gui.toolkit import pygame

    with tempfile.TemporaryDirectory(prefix="crownhead-figures-") as folder:
        app = _opened(Path(folder), Path(folder) / "runs")
        screen = BrowserScreen(app)
        app.open(screen)
        reading = _until(app, lambda: not screen.browser.busy)
        screen.open_csv(path)
        reading += _until(app, lambda: screen.browser.sheet is not None and not screen.browser.busy)
        rows = next(widget for widget in app.view() if widget.key == "rows")
        app.step([pygame.event.Event(pygame.MOUSEMOTION, pos=rows.rect.centre, rel=(0, 0), buttons=(0, 0, 0))], STEP)
        frames = []
        for number in range(FRAMES):
            events = [pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=-3, flipped=False)]
            if number % 20 == 19:
                screen.key("right")
            frames.append(_frame(app, events))
        result = {"frame_ms": statistics.median(frames), "worst_ms": max(frames), "reading_ms": max(reading)}
        result |= {"memory_mb": megabytes(os.getpid())}
        app.quit()
    return result


def session(path: Path) -> dict[str, float]:
    """Open the session screen on a run, then move through its generations.

    Returns:
        frame_ms, worst_ms: while the slider moves, median and longest.
    """
    from gui.screens.sessions.session import SessionScreen

    with tempfile.TemporaryDirectory(prefix="crownhead-figures-") as folder:
        app = _opened(Path(folder), path.parent)
        screen = SessionScreen(app, path)
        app.open(screen)
        _until(app, lambda: screen.newest >= 0 and not screen.run.busy)
        frames = []
        for number in range(FRAMES):
            screen.pick(screen.newest * number // FRAMES)
            frames.append(_frame(app, []))
        app.quit()
    return {"frame_ms": statistics.median(frames), "worst_ms": max(frames)}


def _opened(folder: Path, runs: Path) -> Any:
    """A window on its first screen, whose thinking process is not started."""
    from gui.app import App
    from gui.screens.home import Home
    from gui.services import Services
    from gui.thinking.thinker import Thinker
    from gui.toolkit import pygame

    pygame.display.init()
    services = Services.in_folder(folder / "data", runs, Thinker(runs))
    app = App(services, SIZE, pygame.display.set_mode)
    app.open(Home(app))
    return app


def _frame(app: Any, events: Sequence[Any]) -> float:
    """Milliseconds of one frame."""
    from gui.toolkit import pygame

    began = time.perf_counter()
    app.redraw()
    app.step(events, STEP)
    pygame.display.flip()
    return 1000 * (time.perf_counter() - began)


def _until(app: Any, done: Callable[[], bool]) -> list[float]:
    """Frames until something is so."""
    frames, end = [_frame(app, [])], time.monotonic() + PATIENCE_SECONDS
    while not done() and time.monotonic() < end:
        frames.append(_frame(app, []))
        time.sleep(0.001)
    return frames


if __name__ == "__main__":
    prepare()
    what, place = sys.argv[1:]
    print(json.dumps({"table": table, "session": session}[what](Path(place).resolve())))
