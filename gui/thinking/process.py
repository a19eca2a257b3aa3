"""The thinking process: it reads requests from a pipe and thinks about one after another.

The main thread thinks and a second one listens, so requests can be stopped: searches run without the interpreter lock.
The process ends when the other end of the pipe is closed for any reason.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.runs import Runs, is_as_shipped
from game.compiled import compiling
from game.errors import describe, one_line
from game.players.registry import PlayerKind, register_player
from gui.thinking.beside import SideWorker, Tablebase
from gui.thinking.messages import (
    Answer,
    Compiling,
    Dropped,
    End,
    Failed,
    FromProcess,
    Phase,
    Ping,
    Pong,
    Progress,
    SideWork,
    Started,
    TablesOpen,
    Think,
)
from gui.thinking.thoughts import CASUAL, Players, Stopper, WarmUp, plain_answer, think

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

log = logging.getLogger(__name__)


class _Desk:
    """The requests that wait, with any messages that end them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self._waiting: queue.SimpleQueue[Think | TablesOpen] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._ended: dict[int, bool] = {}  # by ticket: whether its answer is wanted
        self._plain = False
        self._present = 0
        self._stopper = Stopper()
        # The thread that thinks sends this to the window, so every result after it uses the tables.
        self.tablebase = Tablebase(lambda: self._waiting.put(TablesOpen()))
        self.side_worker = SideWorker(self.send)

    def send(self, message: FromProcess) -> None:
        """Send a message to the window; end this process if the window is gone."""
        try:
            with self._sending:
                self._connection.send(message)
        except (OSError, ValueError):
            os._exit(0)

    def listen(self) -> None:
        while True:
            try:
                message = self._connection.recv()
            except (EOFError, OSError):
                os._exit(0)  # even if the other thread is inside compiled code
            if isinstance(message, Think):
                if not self._answered_plainly(message):
                    self._waiting.put(message)
            elif isinstance(message, End):
                with self._lock:
                    self._ended[message.ticket] = message.wanted and self._ended.get(message.ticket, True)
                    if message.ticket == self._present:
                        self._stopper.stop()
            elif isinstance(message, SideWork):
                self.side_worker.ask(message)
            elif isinstance(message, Ping):
                self.send(Pong())

    def answer_plainly(self, yes: bool) -> None:
        """Answer requests that need no compiled code as soon as they arrive, or no longer; some may wait already."""
        self._plain = yes
        for _ in range(self._waiting.qsize() if yes else 0):
            task = self._waiting.get()
            if isinstance(task, TablesOpen) or not self._answered_plainly(task):
                self._waiting.put(task)

    def _answered_plainly(self, task: Think) -> bool:
        finding = plain_answer(task.request) if self._plain else None
        if finding is not None:
            self.send(Started(task.ticket))
            self.send(Dropped(task.ticket) if self._unwanted(task.ticket) else Answer(task.ticket, finding))
        return finding is not None

    def has_request(self) -> bool:
        return not self._waiting.empty()

    def answer(self, players: Players) -> None:
        """Wait for the next request, and think about it."""
        task = self._waiting.get()
        if isinstance(task, TablesOpen):
            players.with_tables = True
            self.send(task)
            return
        self._begin(task)
        self.send(self._outcome(players, task))

    def _begin(self, task: Think) -> None:
        with self._lock:
            self._present = task.ticket
            self._stopper.renew()
            if task.ticket in self._ended:
                self._stopper.stop()
            self._ended = {ticket: wanted for ticket, wanted in self._ended.items() if ticket >= task.ticket}

    def _outcome(self, players: Players, task: Think) -> FromProcess:
        ticket, judge = task.ticket, partial(self.tablebase.judge, task.request)
        if self._unwanted(ticket):
            return Dropped(ticket)
        try:
            players.find(task.request)
            self.send(Started(ticket))
            finding = think(
                players, task.request, self._stopper, lambda interim: self.send(Progress(ticket, judge(interim)))
            )
            finding = judge(finding)
        except Exception as error:
            return Failed(ticket, one_line(describe(error)))
        return Dropped(ticket) if self._unwanted(ticket) else Answer(ticket, finding)

    def _unwanted(self, ticket: int) -> bool:
        return not self._ended.get(ticket, True)


def begin(
    connection: Connection, target: Callable[[Connection, str], None], kinds: Sequence[PlayerKind], runs: str
) -> None:
    """Register the window's kinds of players in this new process, and call `target`."""
    for kind in kinds:
        register_player(kind)
    target(connection, runs)


def serve(connection: Connection, runs: str) -> None:
    """Think for a window until it goes away; the target of the process."""
    with contextlib.suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the window
    desk = _Desk(connection)
    threading.Thread(target=desk.listen, daemon=True).start()
    desk.send(Phase.LOADING)
    players = Players(Path(runs))
    present = 1

    def report(kernel: str = "", number: int = 0) -> None:
        desk.send(Phase.COMPILING)
        desk.send(Compiling(present, len(warm_up.stages)))

    warm_up = WarmUp(report)
    folder = Runs(Path(runs)).path(CASUAL.run)
    casual = is_as_shipped(folder, CASUAL.run)  # otherwise its name means another player here
    with compiling.notify(report):
        for number, stage in enumerate(warm_up.stages, 1):
            present = number
            try:
                stage()
            except Exception:  # the request that needs the code reports the failure
                log.exception("the engine cannot be loaded")
            desk.answer_plainly(warm_up.cold and casual)
            while desk.has_request() and not warm_up.compiles_beside:  # the code compiled so far may be enough for it
                desk.answer(players)
    desk.send(Phase.READY)
    desk.tablebase.allow()
    desk.side_worker.ready.set()
    while True:
        desk.answer(players)
