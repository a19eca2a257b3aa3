"""Measures the real window, for `evolve.bench`, which starts this in a process of its own and reads what it prints.

Without a display the dummy driver of SDL stands in: everything but the way to the screen is the same.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SHOWN = "the first frame is shown"
"""What `first_frame` prints."""

SIZE = (1280, 800)
OPPONENT = "material,depth=10"
SETTLE_SECONDS, IDLE_SECONDS, MOST_FRAMES = 4.0, 5.0, 120
PATIENCE_SECONDS = 180.0
TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def prepare() -> None:
    """Use a display if there is one, and make no noise."""
    if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY") and sys.platform == "linux":
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    os.environ["SDL_AUDIODRIVER"] = "dummy"


def first_frame(runs: Path) -> None:
    """Open the window, say when its first frame is on the screen, and close it."""
    prepare()
    from gui import window
    from gui.app import App

    def shown(app: App) -> None:
        print(SHOWN, flush=True)
        app.quit()

    window.run(runs, watch=shown)


class Watcher:
    """Follows a window through its idle time and a game, and takes the times.

    Attributes:
        found: the figures so far.
    """

    def __init__(self) -> None:
        self.found: dict[str, float] = {}
        self._started = time.monotonic()
        self._idle_since: float | None = None
        self._used = 0.0
        self._play: Any = None
        self._frames: list[float] = []

    def __call__(self, app: Any) -> None:
        """A step of the window is over."""
        now = time.monotonic()
        if now - self._started > PATIENCE_SECONDS:
            app.quit()
        elif self._play is not None:
            self._watch_frames(app)
        elif self._idle_since is None:
            self._wait_until_loaded(app, now)
        elif now - self._idle_since >= IDLE_SECONDS:
            self.found["idle_percent"] = 100 * (self._both(app) - self._used) / (now - self._idle_since)
            self._begin_game(app)

    def _wait_until_loaded(self, app: Any, now: float) -> None:
        from gui.thinking.messages import Phase

        app.services.thinker.poll(app.now)
        if app.services.thinker.phase is Phase.READY and now - self._started > SETTLE_SECONDS:
            self._idle_since, self._used = now, self._both(app)

    def _begin_game(self, app: Any) -> None:
        from game.players.names import parse_name
        from gui.model.game import GameModel
        from gui.model.seats import HUMAN, seat_for
        from gui.screens.play.play import Play

        self._play = Play(app, GameModel((HUMAN, seat_for(parse_name(OPPONENT)))))
        app.open(self._play)
        self._play.play_text("11-15")

    def _watch_frames(self, app: Any) -> None:
        from gui.toolkit import pygame

        if self._play.table.thinking is not None and len(self._frames) < MOST_FRAMES:
            began = time.perf_counter()
            app.redraw()
            app.step([], 0.0)
            pygame.display.flip()
            self._frames.append(1000 * (time.perf_counter() - began))
        elif self._frames:
            self.found |= {"frame_ms": statistics.median(self._frames), "worst_ms": max(self._frames)}
            self.found |= {"memory_mb": megabytes(os.getpid())}
            self.found |= {"thinker_mb": megabytes(app.services.thinker.pid)}
            app.quit()

    @staticmethod
    def _both(app: Any) -> float:
        return _seconds_of(os.getpid()) + _seconds_of(app.services.thinker.pid)


def measure(folder: Path) -> dict[str, float]:
    """Open a window, let it idle, then play until the opponent thinks, and draw meanwhile.

    Returns:
        idle_percent: of one core, the window and its thinking process together.
        frame_ms, worst_ms: one frame with everything drawn, median and longest, while the opponent thinks.
        memory_mb, thinker_mb: resident memory of the two processes, where the system tells.
    """
    prepare()
    os.environ["CROWNHEAD_DATA_DIR"] = str(folder)
    from gui import window

    watcher = Watcher()
    window.run(folder / "runs", watch=watcher)
    return {name: value for name, value in watcher.found.items() if not math.isnan(value)}


def _seconds_of(pid: int | None) -> float:
    """Processor time that a process has used."""
    if pid == os.getpid():
        return time.process_time()
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICK


def megabytes(pid: int | None) -> float:
    """Resident memory of a process; NaN where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return float("nan")
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), float("nan"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="crownhead-figures-") as place:
        print(json.dumps(measure(Path(place))))
