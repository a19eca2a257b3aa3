"""The control of a session: signals, requests of other programs, and the heartbeat that reports its status."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
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

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 1.0
CONTROL_SECONDS = 0.2
SIGHUP: signal.Signals | None = getattr(signal, "SIGHUP", None)
"""What a closed terminal sends; None where there is no such signal."""


class StopNow(BaseException):
    """Raised inside the loop to give up the current generation at once."""


class Control:
    """The state of a session, as other programs see and change it.

    Args:
        folder: the run folder.
        reporter: receives messages about requests.
        last: number of the last generation to come.
        games: returns the number of games of the whole run so far.

    Attributes:
        state: running, paused, stopping, stopped, failed or done.
        reason: why it ends or has ended before it is done.
        generation: the current one.
        work: work in it other than games, in words; empty for none.
        cluster: the address of the cluster that plays; empty for none.
        starting: nothing is being played yet, and `tick` is not called.
        stop_after: stop when the current generation is saved.
        signal: number of the signal that asked to stop; None if none did.
    """

    def __init__(self, folder: Path, reporter: Reporter, last: int, games: Callable[[], int]) -> None:
        self._folder, self._reporter, self._last, self._games = folder, reporter, last, games
        self.state = State.RUNNING
        self.reason = self._phase = self.work = self.cluster = ""
        self.generation = 0
        self.starting = True
        self.stop_after = self._stop_now = False
        self.signal: int | None = None
        self._heartbeat = self._checked = self._paused = 0.0

    @contextlib.contextmanager
    def signals(self) -> Iterator[None]:
        """Handle SIGINT, SIGTERM and SIGHUP: the first finishes the current generation, the second stops at once.

        A terminal that is closed often sends SIGHUP twice, so a repetition of this signal requests nothing more; where
        it is ignored (``nohup``) it stays ignored.

        Nothing is raised here: an exception in the middle of arbitrary code (the compiler of the kernels, the start of
        a worker) would be swallowed there, or leave it in an undefined state.
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

        if threading.current_thread() is not threading.main_thread():  # the program handles its signals itself
            yield
            return
        heard = [signal.SIGINT, signal.SIGTERM]
        if SIGHUP is not None and signal.getsignal(SIGHUP) != signal.SIG_IGN:
            heard.append(SIGHUP)
        before = {number: signal.signal(number, on_signal) for number in heard}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _tell(self, text: str) -> None:
        # In a signal handler: the interrupted write may be to the same stream, which cannot be entered again.
        with contextlib.suppress(RuntimeError):
            self._reporter.on_message(text)

    def _leave(self, number: int) -> None:
        """End the process where it is, as a kill would, but report that; workers end by themselves."""
        self.state, self.reason = State.STOPPED, f"{self.reason}, then {signal.Signals(number).name}: at once"
        self.say()
        with contextlib.suppress(RuntimeError):
            self.log_end()
            self._reporter.close()
        os._exit(128 + number)

    def enter(self, phase: str) -> None:
        """Report the phase before the first game, at least with every heartbeat."""
        if phase != self._phase or self._is_due():
            self._phase = phase
            self.say()

    def begin(self) -> None:
        self.starting = False
        self.say()

    def fail(self, error: BaseException) -> None:
        """Report that an error ends the session; for a fault of the program the log contains the traceback."""
        self.state, self.reason = State.FAILED, describe(error)
        self.say()
        faulty = not isinstance(error, OSError) and not hasattr(error, "exit_code")
        log.error("failed: %s", self.reason, exc_info=error if faulty else None, extra=QUIETLY)

    def log_end(self) -> None:
        why = f" ({self.reason})" if self.reason and self.state != State.DONE else ""
        log.info("%s%s in generation %d", self.state, why, self.generation)

    def tick(self) -> None:
        """Read requests and send the heartbeat; called about ten times a second. Return late while the session is
        paused.

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

    def _is_due(self) -> bool:
        return time.monotonic() - self._heartbeat >= HEARTBEAT_SECONDS

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
        """Return seconds, of which only differences have a meaning; the clock stands while the session is paused."""
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
                self.state = State.RUNNING
                self._reporter.on_message("resumed")

    def say_if_new(self) -> None:
        """Write the status, unless the file already holds the same."""
        before, now = status.read(self._folder), self._words()
        if before is None or replace(before, pid=now.pid, heartbeat=now.heartbeat) != now:
            self.say()

    def _words(self) -> Status:
        phase = self._phase if self.starting and self.state not in ENDED else ""
        reason = "" if self.state == State.DONE else self.reason
        work = "" if self.state in ENDED else self.work
        texts = phase, reason, work, self.cluster
        return status.now(self.state, os.getpid(), self.generation, self._last, self._games(), *texts)

    def say(self) -> None:
        now = self._words()
        self._heartbeat = time.monotonic()
        # A full disk must not end a session that could still finish its generation.
        with contextlib.suppress(OSError):
            status.write(self._folder, now)
