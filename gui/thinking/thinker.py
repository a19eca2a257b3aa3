"""The window's side of its thinking process: requests, replies, and a new process if one dies or hangs.

No method waits. Only the newest request counts; replies to earlier ones are discarded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from game.players.registry import list_added_kinds
from gui.thinking.messages import (
    Answer,
    Compiling,
    Dropped,
    End,
    Failed,
    Phase,
    Ping,
    Pong,
    ProcessNotice,
    Progress,
    Reply,
    SearchRequest,
    SideResult,
    SideWork,
    Started,
    TablesOpen,
    Think,
    ToProcess,
)
from gui.thinking.process import begin, serve

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from game.child import Child

GRACE = 5.0
"""Seconds in which a request must end after it was cancelled."""

LOADING_GRACE = 60.0
"""The same while its player is being loaded."""

SLACK = 10.0
"""Seconds that a player may take beyond its limit of time."""

EXTERNAL_SLACK = 90.0
"""The same for an external program, which has its own limits of time."""

PING_EVERY = 2.0
SILENCE = 30.0
"""Seconds without an answer to a ping after which a process counts as hung, if it was polled meanwhile."""

FEWEST_POLLS = 50

ATTEMPTS = 2
"""Number of attempts at a request whose process dies."""

KEPT_RESULTS = 4
"""Number of results of work beside searches that wait to be taken."""

RESTARTS = 3
"""Number of processes that may die one after another before they are ready."""

_DEAD = "The thinking process ended unexpectedly; a new one was started."
_HUNG = "The thinking process did not respond; it was ended and a new one was started."
_HOPELESS = "The thinking process cannot be started: players cannot move in this window."


@dataclass(slots=True)
class _Task:
    ticket: int
    request: SearchRequest
    attempts: int = 0
    started: float | None = None
    asked_to_end: float | None = None
    wanted: bool = True


class Thinker:
    """One thinking process, restarted as needed.

    Attributes:
        tables_opened: number of times that tablebases were opened; analyses after that use them.
    """

    compiling: Compiling | None = None
    tables_opened = 0
    last_ticket = 0

    def __init__(self, runs: Path, target: Callable[[Connection, str], None] = serve) -> None:
        self.phase = Phase.STARTING
        self._runs, self._target = runs, target
        self._child: Child | None = None
        self._present: _Task | None = None  # sent to the process
        self._next: _Task | None = None
        self._deaths = 0
        self._now = 0.0
        self._fresh = False  # the process was started since the last poll
        self._last_ping = self._last_word = 0.0
        self._ready_at = 0.0
        self._polls_in_silence = 0
        self._replies: list[Reply] = []
        self._done: dict[SideWork, SideResult] = {}
        self._asked_work: SideWork | None = None

    @property
    def pid(self) -> int | None:
        return None if self._child is None else self._child.process.pid

    @property
    def ready(self) -> bool:
        return self.phase is Phase.READY

    def warm_up(self) -> None:
        if self._child is None:
            self._start()

    def ask(self, request: SearchRequest) -> int:
        """Send this request in place of any other; return the ticket that its replies carry."""
        self.drop()
        if self._deaths >= RESTARTS:
            self._deaths = 0
        self.last_ticket += 1
        self._next = _Task(self.last_ticket, request)
        self._send_next()
        return self.last_ticket

    def move_now(self) -> None:
        if self._present is not None and self._present.wanted and self._present.asked_to_end is None:
            self._end(self._present, wanted=True)

    def drop(self) -> None:
        self._next = None
        if self._present is not None and self._present.wanted:
            self._present.wanted = False
            self._end(self._present, wanted=False)

    def work(self, request: SideWork) -> SideResult | None:
        """Return the result of work beside searches, once; until it is there, ask for it and return None.

        Only the newest request is sure to be answered.
        """
        self._receive()  # a screen without a game does not poll
        if request in self._done:
            self._asked_work = None
            return self._done.pop(request)
        if request != self._asked_work and self._child is not None:
            self._asked_work = request
            self._send(request)
        return None

    def poll(self, now: float) -> list[Reply]:
        """Return the replies since the last call; call it often."""
        self._now = now
        if self._fresh:
            self._fresh, self._polls_in_silence = False, 0
            self._last_ping = self._last_word = now
        self._receive()
        if self._child is not None:
            self._watch()
        if self._child is None and (self._next or self._present) and self._deaths < RESTARTS:
            self._start()
        self._send_next()
        replies, self._replies = self._replies, []
        return replies

    def close(self) -> None:
        """End the process; the next request starts another."""
        self._present = self._next = None
        self._kill()

    def _start(self) -> None:
        import multiprocessing  # not needed for the first picture

        from game.child import Child

        context = multiprocessing.get_context("spawn")
        try:
            self._child = Child(context, begin, (self._target, list_added_kinds(), str(self._runs)), "thinking")
        except OSError as error:
            self._lost(f"The thinking process cannot be started: {error.strerror or error}.")
            return
        self._fresh = True
        self._set_phase(Phase.STARTING)

    def _kill(self) -> None:
        if self._child is not None:
            self._child.kill()
        self._child = self._asked_work = None

    def _set_phase(self, phase: Phase) -> None:
        self.phase = phase
        self._replies.append(phase)
        if phase is Phase.READY:
            self._deaths, self._ready_at = 0, self._now

    def _lost(self, why: str) -> None:
        """Replace a process that has died, and repeat the current request, unless too many processes have died."""
        self._kill()
        self._deaths += 1
        self._set_phase(Phase.STARTING)
        task, self._present = self._present, None
        if task is not None and task.wanted and self._next is None:
            if task.attempts < ATTEMPTS and self._deaths < RESTARTS:
                task.started = task.asked_to_end = None
                self._next = task
            else:
                self._replies.append(Failed(task.ticket, "the thinking process ended while it was thinking"))
        if self._deaths < RESTARTS:
            self._replies.append(ProcessNotice(why))
            self._start()
            return
        self._replies.append(ProcessNotice(_HOPELESS))
        if self._next is not None:
            self._replies.append(Failed(self._next.ticket, "the thinking process cannot be started"))
            self._next = None

    def _receive(self) -> None:
        try:
            while self._child is not None and self._child.pipe.poll(0):
                self._take(self._child.pipe.recv())
        except (EOFError, OSError):
            self._lost(_DEAD)

    def _take(self, message: object) -> None:
        self._last_word, self._polls_in_silence = self._now, 0
        match message:
            case Compiling():
                self.compiling = message
            case TablesOpen():
                self.tables_opened += 1
            case SideResult():
                self._done[message.request] = message
                for oldest in list(self._done)[:-KEPT_RESULTS]:
                    del self._done[oldest]
            case Phase():
                if message is not self.phase:
                    self._set_phase(message)
            case Started() | Progress() | Answer() | Failed() | Dropped():
                self._take_reply(message)
            case _:
                assert isinstance(message, Pong), message

    def _take_reply(self, message: Started | Progress | Answer | Failed | Dropped) -> None:
        task = self._present
        if task is None or message.ticket != task.ticket:
            return
        if isinstance(message, Started):
            task.started = self._now
        elif not isinstance(message, Progress):
            self._present = None
        if task.wanted and not isinstance(message, Dropped):
            self._replies.append(message)

    def _watch(self) -> None:
        self._polls_in_silence += 1
        # One ping at a time: if the process does not read, further pings would fill its pipe and sending would block.
        if self._now - self._last_ping >= PING_EVERY and self._last_word >= self._last_ping:
            self._last_ping = self._now
            self._send(Ping())
        task = self._present
        if task is not None and task.started is not None and task.asked_to_end is None:
            limit = task.request.seconds
            slack = EXTERNAL_SLACK if "timeout" in task.request.player.allowed else SLACK
            if limit is not None and self._now - task.started > limit + slack:
                self._end(task, wanted=task.wanted)
        late = task is not None and self._is_late(task)
        if task is not None and late:
            task.attempts = ATTEMPTS  # another attempt would hang again
        # A computer that was suspended has not polled meanwhile.
        if late or (self._now - self._last_word > SILENCE and self._polls_in_silence > FEWEST_POLLS):
            self._lost(_HUNG)

    def _is_late(self, task: _Task) -> bool:
        """Return whether a cancelled task is overdue; loading its player may take longer."""
        if not self.ready or task.asked_to_end is None:
            return False
        since, grace = (self._ready_at, LOADING_GRACE) if task.started is None else (task.started, GRACE)
        return self._now - max(since, task.asked_to_end) > grace

    def _end(self, task: _Task, *, wanted: bool) -> None:
        if task.asked_to_end is None:
            task.asked_to_end = self._now
        self._send(End(task.ticket, wanted))

    def _send_next(self) -> None:
        if self._next is not None and self._present is None and self._child is not None:
            task, self._next = self._next, None
            task.attempts += 1
            self._present = task
            self._send(Think(task.ticket, task.request))

    def _send(self, message: ToProcess) -> None:
        if self._child is not None:
            with contextlib.suppress(OSError, ValueError):  # the next poll reports a dead process
                self._child.pipe.send(message)
