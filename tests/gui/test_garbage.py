"""The times of garbage collection, counted by the collections that Python reports."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from gui import window
from gui.window import LONG_REST, MOST_OBJECTS, REST, Garbage


class Looks:
    """Counts the full collections."""

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


def much() -> list[list[int]]:
    return [[] for _ in range(MOST_OBJECTS)]


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


def test_large_heaps_are_frozen(looks: Looks) -> None:
    one = Garbage(0.0)
    kept = much()
    gc.collect(1)
    frozen = gc.get_freeze_count()
    one.step(REST, heard=False, drew=True)
    assert (looks.count, gc.get_freeze_count() >= frozen + len(kept)) == (0, True)


def test_long_rest_has_one_full_collection(looks: Looks) -> None:
    one = Garbage(0.0)
    cycle: list[object] = []
    cycle.append(cycle)
    seen = len(gc.get_objects()) + gc.get_freeze_count()
    del cycle
    gc.freeze()
    for second in range(int(LONG_REST) + 30):
        one.step(float(second), heard=False, drew=second == 10)
    assert looks.count == 2  # at the rest, and at the long one
    assert gc.get_freeze_count() > seen / 2


def test_while_a_program_thinks_for_long_it_is_not(looks: Looks) -> None:
    one = Garbage(0.0)
    for second in range(int(LONG_REST) * 3):
        one.step(float(second), heard=False, drew=True)
    assert looks.count == 1


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
