"""Measures the real window, for `tests.measurements`: a process of its own, which prints one line of JSON.

    python -m tests.gui.scenes.measure idle
    python -m tests.gui.scenes.measure frames

Without a display the dummy driver of SDL stands in: everything but the way to the screen is the same. Windows have ten
thousand kept games, the shipped run, and a session that goes on.
"""

from __future__ import annotations

import gc
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

SIZE = (1280, 800)
GAMES = 10_000
DEPTH = 12
OPPONENT = f"material,depth={DEPTH}"
SETTLE_SECONDS, IDLE_SECONDS = 2.5, 5.0
MOST_FRAMES = 400
FRAME_SECONDS = 1 / 60
PATIENCE_SECONDS = 180.0
TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
RUN = Path(__file__).resolve().parents[3] / "populations" / "crownhead"
SHOWN = "evaluation_bar", "see_thinking"
GAME = "11-15 23-19 8-11 22-17 4-8 17-13 15-18 24-20 11-15 28-24 8-11 26-23 9-14 31-26 6-9 13x6 2x9 26-22 1-6 32-28"
SESSION = """
import sys, time
from pathlib import Path
from tests.gui.session_folder import SessionFolder
from evolve.run.status import State
folder = SessionFolder(Path(sys.argv[1]), 20, 100_000)
with folder.locked():
    while True:
        folder.say(State.RUNNING)
        print(flush=True)
        time.sleep(2.0)
        folder.complete()
"""
"""What a session does to its folder that completes a generation every two seconds."""

Script = Iterator[None]
"""Goes on after every step of the window."""


def prepare() -> None:
    """Use a display if there is one, and make no noise."""
    if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY") and sys.platform == "linux":
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    os.environ["SDL_AUDIODRIVER"] = "dummy"


def first_frame(runs: Path) -> None:
    """Open the window, say when its first frame is on the screen and what it took, and close it."""
    prepare()
    from gui import window
    from gui.app import App

    class Shown(App):
        def after_first_frame(self) -> None:
            print(time.process_time(), flush=True)
            self.quit()

    window.App = Shown  # type: ignore[attr-defined]  # the loop calls `watch` later, when more has begun
    window.run(runs)


class Frames:
    """What steps of the window take, from the events to the picture on its way to the screen.

    Attributes:
        cpu, wall: milliseconds of the thread that draws, of each step.
        pauses: the same of looks for garbage, which may come between two steps.
    """

    def __init__(self, app: Any) -> None:
        self.cpu: list[float] = []
        self.wall: list[float] = []
        self.pauses: list[float] = []
        self.on = False
        self._began: tuple[float, float] | None = None
        self._looks = 0.0
        self._step = app.step
        app.step = self._timed
        gc.callbacks.append(self._collected)

    def _timed(self, events: Any, dt: float) -> Any:
        self._began = time.thread_time(), time.perf_counter()
        return self._step(events, dt)

    def _collected(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._looks = time.thread_time()
        elif self.on:
            self.pauses.append(1000 * (time.thread_time() - self._looks))

    def end(self) -> None:
        """A step is over, and what it drew is on its way."""
        if self._began is not None and self.on:
            self.cpu.append(1000 * (time.thread_time() - self._began[0]))
            self.wall.append(1000 * (time.perf_counter() - self._began[1]))
        self._began = None

    def begin(self) -> None:
        """Count from here."""
        self.cpu, self.wall, self.pauses, self.on = [], [], [], True

    def figures_of(self, name: str) -> dict[str, float]:
        """The figures since `begin`."""
        self.on = False
        result = {"cpu": _percentile(self.cpu), "worst_cpu": max(self.cpu), "wall": _percentile(self.wall)}
        result |= {"worst_wall": max(self.wall), "count": len(self.cpu), "pause": max(self.pauses, default=0)}
        return {f"{name}_{key}": value for key, value in result.items()}


def _percentile(values: list[float], share: float = 0.99) -> float:
    return sorted(values)[math.ceil(share * len(values)) - 1]


class Window:
    """A window that plays a script, a step of it after each of its own.

    Attributes:
        found: the figures so far.
    """

    def __init__(self, script: Callable[[Window, Any], Script]) -> None:
        self.figures: dict[str, float] = {}
        self.frames: Any = None
        self._script = script
        self._going: Script = iter(())
        self._started = time.monotonic()

    def __call__(self, app: Any) -> None:
        """A step of the window is over."""
        if self.frames is None:
            self.frames, self._going = Frames(app), self._script(self, app)
        self.frames.end()
        if next(self._going, self) is self or time.monotonic() - self._started > PATIENCE_SECONDS:
            app.quit()


def _until(done: Callable[[], bool]) -> Script:
    while not done():
        yield


def _for(seconds: float) -> Script:
    end = time.monotonic() + seconds
    yield from _until(lambda: time.monotonic() >= end)


def _loaded(app: Any) -> Script:
    """Everything that begins by itself is over."""
    from gui.thinking.messages import Phase

    def ready() -> bool:
        app.services.thinker.poll(app.now)
        services = app.services
        return services.thinker.phase is Phase.READY and services.kept.complete and not services.library.busy

    yield from _until(ready)


# While nothing happens --------------------------------------------------------------------------------------------


def idle(window: Window, app: Any) -> Script:
    """Rest on each screen of interest: percent of a core that the window and its thinking process take."""
    yield from _loaded(app)
    for name, open_screen in _resting(app).items():
        app.go_home()
        open_screen()
        yield from _rest(window, app, name)
    runs = app.services.runs
    command = [sys.executable, "-c", SESSION, str(runs / "session")]
    with subprocess.Popen(command, cwd=RUN.parents[1], stdout=subprocess.PIPE) as session:
        try:
            assert session.stdout is not None
            session.stdout.readline()
            for name, screen in _following(app).items():
                app.go_home()
                screen()
                yield from _rest(window, app, name)
        finally:
            session.kill()
    window.figures |= {"memory_mb": megabytes(os.getpid()), "thinker_mb": megabytes(app.services.thinker.pid)}


def _rest(window: Window, app: Any, name: str) -> Script:
    yield from _for(SETTLE_SECONDS)
    began, used = time.monotonic(), _both(app)
    yield from _for(IDLE_SECONDS)
    window.figures[f"idle_{name}"] = 100 * (_both(app) - used) / (time.monotonic() - began)


def _following(app: Any) -> dict[str, Callable[[], object]]:
    """Screens that show how a session goes on."""
    from gui.screens.sessions.session import SessionScreen

    def session(*, playing: bool) -> None:
        screen = SessionScreen(app, app.services.runs / "session")
        screen.spectacle.arena.playing = playing
        app.open(screen)

    return {
        "home_session": lambda: None,
        "session": partial(session, playing=False),
        "session_live": partial(session, playing=True),
    }


def _resting(app: Any) -> dict[str, Callable[[], object]]:
    """Screens on which a person looks at something, and nothing is thought."""
    from gui.screens.play.game_lists import KeptGamesScreen

    def play() -> None:
        _show(app)
        _play(app)

    return {
        "home": lambda: None,
        "play": play,
        "chooser": lambda: app.open(app.screens.chooser()),
        "climb": lambda: app.screen.key("l"),
        "kept": lambda: app.open(KeptGamesScreen(app)),
    }


# While it thinks --------------------------------------------------------------------------------------------------


def busy(window: Window, app: Any) -> Script:
    """Move the mouse about, play and look while searches to depth 12 and a review go on."""
    frames = window.frames
    frames.begin()
    yield from _moving(app, _loaded(app))
    window.figures |= frames.figures_of("reading")
    for name, scene in (("play", _thinking), ("analysis", _analysing), ("review", _reviewing)):
        app.go_home()
        used = _seconds_of(app.services.thinker.pid)
        frames.begin()
        yield from _moving(app, scene(window, app))
        window.figures |= frames.figures_of(name)
        window.figures[f"{name}_thinker"] = _seconds_of(app.services.thinker.pid) - used


def _moving(app: Any, script: Script) -> Script:
    """The same while the mouse goes over everything, sixty times a second."""
    from gui.toolkit import pygame

    width, height = app.surface.get_size()
    due, number = time.monotonic(), 0
    for _ in script:
        while time.monotonic() < due:
            time.sleep(0.001)
        due, number = max(due + FRAME_SECONDS, time.monotonic()), number + 1
        at = 20 + 37 * number % (width - 40), 20 + 11 * number % (height - 40)
        pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=at, rel=(1, 1), buttons=(0, 0, 0)))
        yield


def _thinking(window: Window, app: Any) -> Script:
    """A program thinks about its moves, each to depth 12, and its expected line is shown."""
    _show(app, "see_thinking")
    screen = _play(app)
    yield from _watched(window, screen, "play", lambda: screen.table.thinking)


def _analysing(window: Window, app: Any) -> Script:
    """A person thinks, and sees what the analyst finds of each move, expects and likes, and how the game went."""
    _show(app, *SHOWN)
    screen = _play(app)
    yield from _watched(window, screen, "analysis", lambda: screen.table.analysis)


def _show(app: Any, *shown: str) -> None:
    panel = "analysis" if len(shown) == len(SHOWN) else "moves"
    app.change_settings(panel=panel, **{name: name in shown for name in SHOWN})


def _watched(window: Window, screen: Any, name: str, thought: Callable[[], Any]) -> Script:
    """Play until there were enough frames, and keep what the searches have told: nodes of all, and the depth."""
    from game import plain

    nodes, depth, before, present = 0, 0, 0, screen.model.stamp
    while len(window.frames.cpu) < MOST_FRAMES:
        model = screen.model
        window.frames.on = name != "play" or screen.table.thinking is not None
        if model.over:
            break
        if model.person_to_move and screen.table.thinking is None and (name == "play" or _is_deep(screen)):
            screen.play_text(str(plain.legal_moves(model.last)[0]))
        yield
        result = thought() and thought().finding
        if result is not None and result.nodes is not None:
            if present != model.stamp:
                nodes, before, present = nodes + before, 0, model.stamp
            before, depth = max(before, result.nodes), max(depth, result.depth or 0)
    window.figures |= {f"{name}_nodes": nodes + before, f"{name}_depth": depth}


def _is_deep(screen: Any) -> bool:
    analysis = screen.table.analysis
    return analysis is not None and (analysis.final or (analysis.finding.depth or 0) >= DEPTH)


def _reviewing(window: Window, app: Any) -> Script:
    """The analyst goes through a game, each position to depth 12, the doubtful ones deeper."""
    model = _game()
    screen = app.screens.review(model, flipped=False, values=None, keep=lambda *kept: None)
    app.open(screen)
    nodes, learn, depths = [0], screen.review.learn, [0]

    def count(cursor: int, position: Any, finding: Any) -> None:
        nodes.append(finding.nodes or 0)
        depths.append(finding.depth or 0)
        learn(cursor, position, finding)

    screen.review.learn = count
    yield from _until(lambda: screen.review.finished or len(window.frames.cpu) >= 3 * MOST_FRAMES)
    window.figures |= {"review_nodes": sum(nodes), "review_depth": max(depths), "review_looks": len(nodes) - 1}


def _play(app: Any) -> Any:
    from game.players.names import parse_name
    from gui.model.game import GameModel
    from gui.model.seats import HUMAN, seat_for
    from gui.screens.play.play import Play

    screen = Play(app, GameModel((HUMAN, seat_for(parse_name(OPPONENT)))))
    app.open(screen)
    return screen


def _game() -> Any:
    from game import plain
    from gui.model.game import GameModel

    model = GameModel()
    for text in GAME.split():
        model.play(next(move for move in plain.legal_moves(model.last) if str(move) == text))
    return model


# A window with all of that ----------------------------------------------------------------------------------------


def measure(folder: Path, what: str, games: int = GAMES) -> dict[str, float]:
    """Open a window and play a script in it.

    Args:
        folder: for its data, and the runs that it sees.
        what: ``idle`` or ``frames``.
        games: kept ones.

    Returns:
        idle_SCREEN: percent of one core, the window and its thinking process together; memory_mb, thinker_mb: resident
        memory of the two, where the system tells. Or of frames of each scene: the 99th percentile and the longest, in
        milliseconds of the processor and of the clock, their number, full collections of garbage; and what searches
        did meanwhile: nodes, the depth that they reached, seconds of the processor.
    """
    prepare()
    data, runs = folder / "data", folder / "runs"
    os.environ["CROWNHEAD_DATA_DIR"] = str(data)
    shutil.copytree(RUN, runs / RUN.name)
    keep_games(data, games)
    from gui import window

    watcher = Window({"idle": idle, "frames": busy}[what])
    window.run(runs, watch=watcher)
    return {name: value for name, value in watcher.figures.items() if not math.isnan(value)}


def keep_games(data: Path, count: int) -> None:
    """Finished games in a data folder, each of them twenty moves long."""
    from gui.model.seats import HUMAN, Seat
    from gui.storage.game_text import to_text
    from gui.storage.whole_files import FOLDER

    model = _game()
    model.seats = HUMAN, Seat("crownhead", 4, None, "crownhead, generation 120")
    model.resign(model.side)
    (data / FOLDER).mkdir(parents=True)
    text = to_text(model, {"screen": "play"}, 1.7e9)
    for number in range(count):
        (data / FOLDER / f"{number:06}-1.json").write_text(text, encoding="utf-8")


def _both(app: Any) -> float:
    return _seconds_of(os.getpid()) + _seconds_of(app.services.thinker.pid)


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
        print(json.dumps(measure(Path(place), sys.argv[1])))
