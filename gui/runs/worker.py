"""Background threads that the screens of runs share. No pygame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gui.individuals.background import Background


class Worker:
    """One thread for the slow work of several objects, each of which receives its own answers.

    Answers are passed on by `deliver`, in the thread that calls it, so that no receiver needs a lock.
    """

    def __init__(self) -> None:
        self._background = Background()
        self._receivers: dict[str, Callable[[Any], None]] = {}

    def ask(self, key: str, work: Callable[[], Any], receive: Callable[[Any], None]) -> None:
        """Do some work in the thread and pass its result to `receive`; replaces earlier work with the same key.

        If the work fails, `receive` gets a `gui.individuals.background.Trouble`.
        """
        self._receivers[key] = receive
        self._background.ask(key, work)

    def wants(self, key: str) -> bool:
        """Return whether the answer to this work is still to come."""
        return self._background.wants(key)

    def forget(self, key: str) -> None:
        """Discard the answer to some work."""
        self._background.forget(key)
        self._receivers.pop(key, None)

    def deliver(self) -> None:
        """Pass all new answers to their receivers."""
        for key, answer in self._background.poll():
            self._receivers.pop(key)(answer)

    def finish(self, seconds: float) -> None:
        """Complete all work and end the thread; wait for `seconds` at most."""
        self._background.finish(seconds)

    def close(self) -> None:
        """End the thread after its current work."""
        self._background.close()
