"""When garbage is looked for: while nobody waits for a picture.

Python looks through everything now and then, which with ten thousand kept games takes longer than a frame may. So
everything is looked through while a person rests, as long as that is quick; what is much is left aside until nothing
at all happens for a while.
"""

from __future__ import annotations

import gc

YOUNG = 700, 10
"""Python's default: new objects are collected often, in well under a millisecond."""

NEVER = 1_000_000
REST, LONG_REST = 1.0, 60.0
"""Seconds without input, after which what is left is looked through; and without any change, then all of it."""

MOST = 20_000
"""Objects that are looked through at a rest: some 6 ms."""


class Garbage:
    """Looks for garbage while nobody waits.

    Args:
        now: seconds of a clock.
    """

    def __init__(self, now: float) -> None:
        self._input = self._drawn = now
        self._rested = self._slept = False
        gc.set_threshold(*YOUNG, NEVER)

    @staticmethod
    def set_aside() -> None:
        """Exclude all present objects from collection until the window is idle."""
        gc.freeze()

    def step(self, now: float, *, heard: bool, drew: bool) -> None:
        """A step of the window is over.

        Args:
            now: of the same clock.
            heard: whether there was input.
            drew: whether there was something to draw.
        """
        if heard:
            self._input, self._rested = now, False
        if heard or drew:
            self._drawn, self._slept = now, False
        elif not self._slept and now - self._drawn >= LONG_REST:
            self._slept = True
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        if not self._rested and now - self._input >= REST:
            self._rested = True
            if len(gc.get_objects(generation=2)) > MOST:
                gc.freeze()
            else:
                gc.collect()
