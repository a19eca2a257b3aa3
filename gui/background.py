"""Work that takes longer than a frame, done piece by piece in a thread that all screens share."""

from __future__ import annotations

import itertools
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
"""Seconds for which the thread may hold the interpreter while the window waits for it."""

Key = tuple[object, str]
"""The object that requested some work, and its name for the work."""

END: Key = (None, "")
"""The key of the request that ends the thread."""


@dataclass(frozen=True)
class Trouble:
    text: str


class Background:
    """A thread for slow work.

    `deliver` calls receivers in its caller's thread, so they need no locks.
    """

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[tuple[int, Key, Callable[[], Any]]] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[int, Key, Any]] = queue.SimpleQueue()
        self._wanted: dict[Key, tuple[int, Callable[[Any], object]]] = {}
        self._tickets = itertools.count()
        self._thread: threading.Thread | None = None

    def ask(self, owner: object, name: str, work: Callable[[], Any], receive: Callable[[Any], object]) -> None:
        """Do some work in the thread and pass its result to `receive`, or a `Trouble` if it fails."""
        key, ticket = (owner, name), next(self._tickets)
        self._wanted[key] = ticket, receive
        self._asked.put((ticket, key, work))
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="background", daemon=True)
            self._thread.start()

    def wants(self, owner: object, name: str = "") -> bool:
        """Return whether the owner still waits for the work of this name, or for any work if no name is given."""
        return (owner, name) in self._wanted if name else any(key[0] is owner for key in self._wanted)

    def cancel(self, owner: object, name: str = "") -> None:
        """Cancel the owner's work of this name, or all its work if no name is given: skip it, or discard its answer."""
        for key in [(owner, name)] if name else [key for key in self._wanted if key[0] is owner]:
            self._wanted.pop(key, None)

    def deliver(self) -> bool:
        delivered = False
        while not self._done.empty():
            ticket, key, answer = self._done.get()
            wanted = self._wanted.get(key)
            if wanted is not None and wanted[0] == ticket:
                del self._wanted[key]
                wanted[1](answer)
                delivered = True
        return delivered

    def finish(self, seconds: float) -> None:
        """Complete all work, deliver the answers and end the thread; wait at most `seconds`."""
        self._asked.put((next(self._tickets), END, list))
        if self._thread is not None:
            self._thread.join(seconds)
        self.deliver()

    def _work(self) -> None:
        # By default, Python lets a busy thread run for 5 ms at a time; a frame would wait for it again and again.
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_SECONDS))
        while (asked := self._asked.get())[1] is not END:
            ticket, key, work = asked
            if self._wanted.get(key, (-1,))[0] != ticket:
                continue
            try:
                answer = work()
            except (InputError, OSError) as error:
                answer = Trouble(str(error))
            except Exception as error:
                log.exception("background work failed")
                answer = Trouble(f"{type(error).__name__}: {error}")
            self._done.put((ticket, key, answer))
