"""Steps and frames of a window in which nothing happens, for several tests."""

from __future__ import annotations

from tests.gui.hands import Hands

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
