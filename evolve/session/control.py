"""The control of a session: signals, requests from other programs, and the heartbeat that reports its status."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType

from evolve.run import status
from evolve.run.status import ENDED, Request, State, Status
from evolve.session.reporters import Reporter
from evolve.workers.logs import QUIETLY
from game.errors import describe
from game.installation import STARTER

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 1.0
CONTROL_SECONDS = 0.2
WAITING_SECONDS = 0.05
"""Seconds between looks for a request while the session waits at `Control.pause_at`, perhaps for a person's move."""

WAIT_SECONDS = 600.0
"""Seconds after which a session that waits ends by itself; it can be resumed."""
SIGHUP: signal.Signals | None = getattr(signal, "SIGHUP", None)
"""The signal of a closed terminal; None on systems without it."""


class StopNow(BaseException):
    """A request to abandon the current generation at once."""


class Control:
    """The state of a session, which other programs can see and change.

    Attributes:
        starting: whether no game has begun yet; `tick` is not called before the first one.
        signal: number of the signal that asked to stop; None if none did.
        pause_at: the generation after which the session pauses; None for none.
    """

    def __init__(self, folder: Path, reporter: Reporter, last: int, games: Callable[[], int]) -> None:
        self._folder, self._reporter, self.last, self._games = folder, reporter, last, games
        self.state = State.RUNNING
        self.reason = self._phase = self.work = self.cluster = ""
        self.generation = 0
        self.starting = True
        self.stop_after = self._stop_now = False
        self.signal: int | None = None
        self.pause_at: int | None = None
        self.ends: float | None = None  # when a session with a time is to end, by `clock`
        self._parent = _starter()
        self._heartbeat = self._checked = self._paused = 0.0

    @contextlib.contextmanager
    def signals(self) -> Iterator[None]:
        """Handle SIGINT, SIGTERM and SIGHUP: the first finishes the current generation, the second stops at once.

        The handler never raises: an exception in the middle of arbitrary code (compiling a kernel, starting a worker)
        could be swallowed there or leave it in an undefined state.
        """

        def on_signal(number: int, _frame: FrameType | None) -> None:
            if self.state in ENDED:
                pass  # everything is saved; only the report is missing
            elif self.signal is None:
                self.signal, self.stop_after, self.state = number, True, State.STOPPING
                self.reason = signal.Signals(number).name
                self._tell(f"finishing generation {self.generation}; a second signal stops at once")
            elif number == SIGHUP:
                pass
            elif self.starting or self._stop_now:
                self._leave(number)
            else:
                self._stop_now = True

        if threading.current_thread() is not threading.main_thread():  # the calling program handles its signals itself
            yield
            return
        handled = [signal.SIGINT, signal.SIGTERM]
        if SIGHUP is not None and signal.getsignal(SIGHUP) != signal.SIG_IGN:
            handled.append(SIGHUP)
        before = {number: signal.signal(number, on_signal) for number in handled}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _tell(self, text: str) -> None:
        # Streams are not reentrant, and the signal may have interrupted a write to the same one.
        with contextlib.suppress(RuntimeError):
            self._reporter.on_message(text)

    def _leave(self, number: int) -> None:
        """End the process at once, as a kill would, but report this first; workers then exit by themselves."""
        self.state, self.reason = State.STOPPED, f"{self.reason}, then {signal.Signals(number).name}: at once"
        self.say()
        with contextlib.suppress(RuntimeError):
            self.log_end()
            self._reporter.close()
        os._exit(128 + number)

    def enter(self, phase: str) -> None:
        """Report a phase of the work before the first game: at once if it is new, and with every heartbeat."""
        if phase != self._phase or self._is_due():
            self._phase = phase
            self.say()

    def begin(self) -> None:
        self.starting = False
        self.say()

    def fail(self, error: BaseException) -> None:
        """Report that an error ends the session; if it is a bug in the program, the log has the traceback."""
        self.state, self.reason = State.FAILED, describe(error)
        self.say()
        faulty = not isinstance(error, OSError) and not hasattr(error, "exit_code")
        log.error("failed: %s", self.reason, exc_info=error if faulty else None, extra=QUIETLY)

    def log_end(self) -> None:
        why = f" ({self.reason})" if self.reason and self.state != State.DONE else ""
        log.info("%s%s in generation %d", self.state, why, self.generation)

    def tick(self) -> None:
        """Read requests and send the heartbeat, about ten times a second; block while the session is paused.

        Raises:
            StopNow: an immediate stop was requested.
        """
        if self._stop_now:
            raise StopNow
        now = time.monotonic()
        if now - self._checked >= CONTROL_SECONDS:
            self._checked = now
            self._obey()
        if self.state == State.PAUSED:
            self._pause()
        if self._is_due():
            self.say()

    def wait_at(self, generation: int) -> None:
        """Wait while a generation is the one after which the session pauses.

        A session that waits ends with the program that started it, or after `WAIT_SECONDS`, because nothing else would
        end it.
        """
        began, known = time.monotonic(), 0
        while self.pause_at is not None and generation >= self.pause_at and not self.stop_after:
            if self.state == State.RUNNING:
                self.state = State.PAUSED
                self._reporter.on_message(f"paused after generation {generation}, until a later one is requested")
                self.say()
            time.sleep(WAITING_SECONDS)
            changed = status.requests_changed(self._folder)
            if changed != known or self._is_due():
                known = changed
                self._obey()
            if self._stop_now:
                raise StopNow
            if os.getppid() != self._parent:
                self.stop_after, self.reason = True, "the end of the program that started it"
            elif time.monotonic() - began >= WAIT_SECONDS:
                self.stop_after, self.reason = True, "ten minutes without a request"
            if self._is_due():
                self.say()
        self._paused += time.monotonic() - began
        if self.state == State.PAUSED:
            self.state = State.STOPPING if self.stop_after else State.RUNNING

    def _is_due(self) -> bool:
        return time.monotonic() - self._heartbeat >= HEARTBEAT_SECONDS

    def _pause(self) -> None:
        began = time.monotonic()
        try:
            self.say()
            allowed = self.pause_at
            while self.state == State.PAUSED:
                time.sleep(CONTROL_SECONDS)
                if self._is_due():
                    self.say()
                self._obey()
                if self.pause_at != allowed and self.state == State.PAUSED:  # a game waits for later generations
                    self.state = State.RUNNING
        finally:
            self._paused += time.monotonic() - began

    def clock(self) -> float:
        """Return seconds since an arbitrary start, excluding pauses of the session."""
        return time.monotonic() - self._paused

    def _obey(self) -> None:
        for what in status.take_requests(self._folder):
            log.info("request: %s", what)
            if what in (Request.STOP, Request.STOP_AFTER_GENERATION):
                self.reason = f"request: {what}"
            if what == Request.STOP:
                raise StopNow
            if what == Request.STOP_AFTER_GENERATION:
                self.stop_after, self.state = True, State.STOPPING
            elif what == Request.PAUSE and self.state == State.RUNNING:
                self.state = State.PAUSED
                self._reporter.on_message("paused")
            elif what == Request.RESUME and self.state == State.PAUSED:
                self.state, self.pause_at = State.RUNNING, None
                self._reporter.on_message("resumed")

        pause_at = status.take_pause_at(self._folder)
        self.pause_at = self.pause_at if pause_at is None else pause_at

    def say_if_new(self) -> None:
        """Write the status unless the file already contains it."""
        before, now = status.read(self._folder), self._words()
        if before is None or replace(before, pid=now.pid, heartbeat=now.heartbeat) != now:
            self.say()

    def _words(self) -> Status:
        texts = {
            "phase": self._phase if self.starting and self.state not in ENDED else "",
            "reason": "" if self.state == State.DONE else self.reason,
            "work": "" if self.state in ENDED else self.work,
            "cluster": self.cluster,
        }
        left = None if self.ends is None or self.state in ENDED else max(self.ends - self.clock(), 0.0)
        return status.now(self.state, os.getpid(), self.generation, self.last, self._games(), left, **texts)

    def say(self) -> None:
        now = self._words()
        self._heartbeat = time.monotonic()
        # A full disk must not end a session that could still finish its generation.
        with contextlib.suppress(OSError):
            status.write(self._folder, now)


def _starter() -> int:
    """Return the id of the process that started this one, even if it has ended since."""
    given = os.environ.get(STARTER, "")
    # On Windows the parent may be the launcher of a virtual environment.
    return int(given) if given.isdecimal() and sys.platform != "win32" else os.getppid()
