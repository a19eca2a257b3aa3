"""Work that takes longer than a frame, done in a thread, one piece after another. No pygame."""

from __future__ import annotations

import logging
import queue
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from game.errors import InputError

log = logging.getLogger(__name__)

SWITCH_SECONDS = 0.0005
"""How long the thread may keep the window waiting for the interpreter."""


@dataclass(frozen=True)
class Trouble:
    """The reason why a piece of work has failed."""

    text: str


class Background:
    """A thread for work; asking never blocks, and failures become answers of class `Trouble`."""

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[tuple[str, int, Callable[[], Any]] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[str, int, Any]] = queue.SimpleQueue()
        self._wanted: dict[str, int] = {}
        self._tickets = 0
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """True if an answer is still to come."""
        return bool(self._wanted)

    def ask(self, key: str, work: Callable[[], Any]) -> None:
        """Ask for some work; earlier work under the same key is no longer wanted."""
        self._tickets += 1
        self._wanted[key] = self._tickets
        self._asked.put((key, self._tickets, work))
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="browsing", daemon=True)
            self._thread.start()

    def forget(self, key: str) -> None:
        """Drop the work under a key, or its answer."""
        self._wanted.pop(key, None)

    def wants(self, key: str) -> bool:
        """Return whether an answer under this key is still to come."""
        return key in self._wanted

    def poll(self) -> list[tuple[str, Any]]:
        """Return the new answers with their keys; a `Trouble` where the work has failed."""
        answers = []
        while not self._done.empty():
            key, ticket, answer = self._done.get()
            if self._wanted.get(key) == ticket:
                del self._wanted[key]
                answers.append((key, answer))
        return answers

    def finish(self, seconds: float) -> None:
        """Do all work and end the thread; wait for that for `seconds` at most."""
        self._asked.put(None)
        if self._thread is not None:
            self._thread.join(seconds)

    def close(self) -> None:
        """End the thread after its present piece of work."""
        self._wanted.clear()
        self._asked.put(None)

    def _work(self) -> None:
        # Python lets a thread that only computes go on for 5 ms each time, and a picture waits for it again and again.
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_SECONDS))
        while (asked := self._asked.get()) is not None:
            key, ticket, work = asked
            if self._wanted.get(key) != ticket:
                continue
            try:
                answer = work()
            except (InputError, OSError) as error:
                answer = Trouble(str(error))
            except Exception as error:
                log.exception("while looking at a run")
                answer = Trouble(f"{type(error).__name__}: {error}")
            self._done.put((key, ticket, answer))
