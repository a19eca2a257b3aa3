"""What can interrupt a session: signals, and requests of other programs; and the heartbeat that reports its status."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType

from evolve.run import status
from evolve.run.status import Request, State, Status
from evolve.session.reporters import Reporter

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 1.0
CONTROL_SECONDS = 0.2


class StopNow(BaseException):
    """Raised inside the loop to give up the generation in progress at once."""


class Control:
    """The state of a session, as others see and change it.

    Args:
        folder: the run folder.
        reporter: told what was asked.
        last: number of the last generation to come.
        games: gives the games of the whole run so far.

    Attributes:
        state: running, paused, stopping, stopped or done.
        generation: the one being played.
        starting: nothing is being played yet, and `tick` is not called.
        stop_after: stop when the generation in hand is saved.
        signal: number of the signal that asked to stop; None if none did.
    """

    def __init__(self, folder: Path, reporter: Reporter, last: int, games: Callable[[], int]) -> None:
        self._folder, self._reporter, self._last, self._games = folder, reporter, last, games
        self.state = State.RUNNING
        self.generation = 0
        self.starting = True
        self.stop_after = self._stop_now = False
        self.signal: int | None = None
        self._heartbeat = self._checked = self._paused = 0.0

    @contextlib.contextmanager
    def signals(self) -> Iterator[None]:
        """SIGINT and SIGTERM: the first finishes the generation in hand, the second stops at once.

        Nothing is raised here: an exception in the middle of whatever runs (the compiler of the kernels, the start of
        a worker) is swallowed there, or leaves it in pieces.
        """

        def on_signal(number: int, _frame: FrameType | None) -> None:
            if self.signal is None:
                self.signal, self.stop_after, self.state = number, True, State.STOPPING
                self._tell(f"finishing generation {self.generation}; once more stops at once")
            elif self.starting or self._stop_now:
                self._leave(number)
            else:
                self._stop_now = True

        before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _tell(self, text: str) -> None:
        # In a signal handler: the write that was interrupted may be one to the same stream, which cannot be entered.
        with contextlib.suppress(RuntimeError):
            self._reporter.on_message(text)

    def _leave(self, number: int) -> None:
        """End the process where it stands, as a kill would, but telling it; workers end by themselves."""
        self.state = State.STOPPED
        self.say()
        with contextlib.suppress(RuntimeError):
            self._reporter.close()
        os._exit(128 + number)

    def tick(self) -> None:
        """Called about ten times a second; returns late while the session is paused.

        Raises:
            StopNow: somebody asked to stop at once.
        """
        if self._stop_now:
            raise StopNow
        now = time.monotonic()
        if now - self._checked >= CONTROL_SECONDS:
            self._checked = now
            self._obey()
        if self.state == State.PAUSED:
            self._pause()
        if now - self._heartbeat >= HEARTBEAT_SECONDS:
            self._heartbeat = now
            self.say()

    def _pause(self) -> None:
        began = time.monotonic()
        try:
            while self.state == State.PAUSED:
                self.say()
                time.sleep(CONTROL_SECONDS)
                self._obey()
        finally:
            self._paused += time.monotonic() - began

    def clock(self) -> float:
        """Seconds, of which only differences mean something; it stands while the session is paused."""
        return time.monotonic() - self._paused

    def _obey(self) -> None:
        for what in status.take_requests(self._folder):
            log.info("request: %s", what)
            if what == Request.STOP:
                raise StopNow
            if what == Request.STOP_AFTER_GENERATION:
                self.stop_after, self.state = True, State.STOPPING
            elif what == Request.PAUSE and self.state == State.RUNNING:
                self.state = State.PAUSED
                self._reporter.on_message("paused")
            elif what == Request.RESUME and self.state == State.PAUSED:
                self.state = State.RUNNING
                self._reporter.on_message("going on")

    def say_if_new(self) -> None:
        """Write the status, unless the file already holds the same."""
        said, words = status.read(self._folder), self._words()
        if said is None or replace(said, pid=words.pid, heartbeat=words.heartbeat) != words:
            self.say()

    def _words(self) -> Status:
        return status.now(self.state, os.getpid(), self.generation, self._last, self._games())

    def say(self) -> None:
        """Write the status."""
        words = self._words()
        # A full disk must not end a session that could still finish its generation.
        with contextlib.suppress(OSError):
            status.write(self._folder, words)
