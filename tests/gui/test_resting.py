"""The window while nothing happens: steps, frames and looks for garbage are counted, and no times are asserted."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from gui import window
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.home import Home
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.games import GamesScreen
from gui.screens.play.play import Play
from gui.screens.settings import SettingsScreen
from gui.window import LONG_REST, MOST_OBJECTS, REST, Garbage
from tests.growing_run import watched
from tests.gui.hands import Hands, Opened

SECONDS = 10.0
MOST_STEPS = 25
"""Maximum number of steps in ten seconds, since every part looks for changes once or twice a second."""


def steps_and_pictures(hands: Hands) -> tuple[int, int]:
    """Return the numbers of steps and frames in ten seconds without input."""
    steps = pictures = 0
    passed = 0.0
    while passed < SECONDS:
        delay = hands.app.delay()
        pictures += hands.app.step([], delay)
        passed, steps = passed + delay, steps + 1
    return steps, pictures


def check_rest(hands: Hands) -> None:
    """Check that a resting screen steps seldom and is not drawn."""
    hands.until(lambda: hands.app.delay() > 0.1)  # threads have read all
    for _ in range(3):  # what a thread has read may come late
        hands.wait(3.0)
        steps, pictures = steps_and_pictures(hands)
        if not pictures:
            break
    assert steps <= MOST_STEPS
    assert pictures == 0


SHIPPED = Path(__file__).parents[2] / "populations"


@pytest.mark.parametrize("screen", [Home, Play, Chooser, GamesScreen, SettingsScreen])
def test_resting_screen_is_not_drawn(opened: Opened, screen: type) -> None:
    hands = opened(runs=SHIPPED)
    services = hands.app.services
    hands.until(lambda: services.kept.complete and not services.sources.busy)
    if screen is Play:
        hands.app.open(Play(hands.app, GameModel((HUMAN, Seat("material", 12)))))
    elif screen is not Home:
        hands.app.open(screen(hands.app))
    hands.until(lambda: not services.personas.busy)
    check_rest(hands)


def test_resting_first_screen_opens_no_file(opened: Opened) -> None:
    hands = opened(runs=SHIPPED)
    services = hands.app.services
    hands.until(lambda: services.kept.complete and not services.sources.busy)
    hands.picture()
    hands.wait(3.0)
    hands.until(lambda: not services.personas.busy)  # the emblems of the levels
    files: list[str] = []
    with watched(SHIPPED, lambda number: None, files.append):
        steps, pictures = steps_and_pictures(hands)
    assert pictures == 0
    assert [path for path in files if Path(path).is_file()] == []
    assert len(files) <= 4 * steps  # the folder of runs is listed to find new ones


def test_a_program_that_thinks_is_listened_to(opened: Opened) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, GameModel((Seat("material", 12), HUMAN))))
    steps, pictures = steps_and_pictures(hands)
    assert steps > 4 * MOST_STEPS and pictures > 10


class Looks:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        self.count += phase == "start" and info["generation"] == 2


@pytest.fixture
def looks() -> Iterator[Looks]:
    threshold, result = gc.get_threshold(), Looks()
    gc.collect()
    gc.freeze()
    gc.callbacks.append(result)
    yield result
    gc.callbacks.remove(result)
    gc.set_threshold(*threshold)
    gc.freeze()  # not the reverse: each full collection of later tests would look through all tests and packages


def test_input_postpones_collection(looks: Looks) -> None:
    one = Garbage(0.0)
    kept = []
    for step in range(200):
        kept += [[[]] for _ in range(1000)]  # two hundred thousand objects, as ten thousand games are
        one.step(step / 60, heard=True, drew=True)
    assert looks.count == 0


def test_collection_runs_once_in_a_rest(looks: Looks) -> None:
    one = Garbage(0.0)
    cycle: list[object] = []
    cycle.append(cycle)
    del cycle
    one.step(0.0, heard=True, drew=True)
    for step in range(1, 20):
        one.step(step * REST / 10, heard=False, drew=True)  # a program thinks
        assert looks.count == (step >= 10)
    one.step(3.0, heard=True, drew=True)
    one.step(3.0 + REST, heard=False, drew=False)
    assert looks.count == 2


@pytest.mark.parametrize("objects", [0, 2 * MOST_OBJECTS])
def test_objects_set_aside_are_collected_once_in_a_long_rest(looks: Looks, objects: int) -> None:
    kept = [[number] for number in range(objects)]
    gc.collect()
    one, begun = Garbage(0.0), looks.count
    times = []
    for second in range(3 * int(LONG_REST)):
        before = looks.count
        one.step(float(second), heard=False, drew=second == 10)
        times += [second] * (looks.count - before)
    assert times == ([LONG_REST + 10] if objects else [REST])  # few objects are looked at in the short rest
    assert looks.count == begun + 1 and len(kept) == objects


def test_the_window_holds_to_that(monkeypatch: pytest.MonkeyPatch, looks: Looks) -> None:
    """Its loop reports input and drawing, and sets aside the objects that exist at the first frame."""

    messages: list[tuple[bool, bool]] = []

    class Recorded(window.Garbage):
        def step(self, now: float, *, heard: bool, drew: bool) -> None:
            messages.append((heard, drew))

    class Screen:
        title = ""

    class App:
        running, screen, steps = True, Screen(), 0

        def step(self, events: list[object], dt: float) -> bool:
            self.steps += 1
            self.running = self.steps < 4
            return self.steps == 2

        def after_first_frame(self) -> None:
            messages.append((True, True))

        def delay(self) -> float:
            return 0.0

    monkeypatch.setattr(window, "Garbage", Recorded)
    monkeypatch.setattr(window.gc, "freeze", lambda: messages.append((False, False)))
    monkeypatch.setattr(window.pygame.display, "flip", lambda: None)
    monkeypatch.setattr(window, "_wait", lambda seconds, nap: [])
    window._loop(App(), lambda app: None)  # type: ignore[arg-type]
    assert messages == [(False, False), (True, True), (False, True), (False, False), (False, False)]
