"""Work that takes longer than a frame, one piece after another, in a thread: opening runs, looking for ancestors."""

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
    """Why a piece of work gave nothing, in words."""

    text: str


class Background:
    """A thread that works; nothing that is asked of it blocks, and nothing that fails there is raised here."""

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[tuple[str, int, Callable[[], Any]] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[str, int, Any]] = queue.SimpleQueue()
        self._wanted: dict[str, int] = {}
        self._tickets = 0
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether something is still wanted."""
        return bool(self._wanted)

    def ask(self, key: str, work: Callable[[], Any]) -> None:
        """Ask for some work; what was asked under the same key before is no longer wanted."""
        self._tickets += 1
        self._wanted[key] = self._tickets
        self._asked.put((key, self._tickets, work))
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="browsing", daemon=True)
            self._thread.start()

    def forget(self, key: str) -> None:
        """What was asked under this key is no longer wanted."""
        self._wanted.pop(key, None)

    def wants(self, key: str) -> bool:
        """Whether an answer under this key is still to come."""
        return key in self._wanted

    def poll(self) -> list[tuple[str, Any]]:
        """Answers that have come and are wanted; a `Trouble` where the work failed."""
        found = []
        while not self._done.empty():
            key, ticket, answer = self._done.get()
            if self._wanted.get(key) == ticket:
                del self._wanted[key]
                found.append((key, answer))
        return found

    def finish(self, seconds: float) -> None:
        """Let everything that was asked be done, and the thread end; wait for it so long at most."""
        self._asked.put(None)
        if self._thread is not None:
            self._thread.join(seconds)

    def close(self) -> None:
        """Let the thread end once what it does now is done."""
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
