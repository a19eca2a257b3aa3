"""Work of the thinking process during its searches, which hold no lock: likes of players, games of tournaments, and
opening tablebases."""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import queue
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from game.endgame.slices import MOST_BUILT
from game.errors import InputError, describe, one_line
from game.installation import module_name
from game.players.names import PlayerName
from game.players.player import PlayerFailure
from game.scores import SearchInfo, judge_by_tables
from gui.thinking.messages import Purpose, SearchRequest, SideResult, SideWork

if TYPE_CHECKING:
    from game.board import Position
    from game.endgame.tables import Tables
    from game.likes import Likes
    from game.moves import Move
    from game.players.player import Player

FEW = 12
"""Maximum number of pieces of a position whose search may reach positions that tablebases cover."""

NICE = 10
"""The priority of side work: moves come before it, and a session that uses all processors leaves it a tenth of one."""

log = logging.getLogger(__name__)


class SideWorker:
    """A thread that calls functions during searches, or only for the newest request if several wait.

    It has a low priority where threads have their own.

    Attributes:
        ready: set by the caller once everything needed for moves is loaded, since moves come first.
    """

    def __init__(self, send: Callable[[SideResult], object]) -> None:
        self.ready = threading.Event()
        self._send = send
        self._waiting: queue.SimpleQueue[SideWork] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def ask(self, request: SideWork) -> None:
        """Answer a request soon, unless a newer one comes."""
        self._waiting.put(request)
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, daemon=True)
            self._thread.start()

    def _serve(self) -> None:
        self.ready.wait()
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        while True:
            request = self._waiting.get()
            while not self._waiting.empty():
                request = self._waiting.get()
            try:
                value, trouble = request.function(*request.arguments), ""
            except Exception as error:
                if not isinstance(error, (InputError, PlayerFailure)):
                    log.exception("a request beside searches cannot be answered")
                value, trouble = None, one_line(describe(error))
            self._send(SideResult(request, value, trouble))


@functools.lru_cache(maxsize=2)
def _player(game: int, name: PlayerName) -> Player:
    from game.players.registry import player

    return player(name)


def likes_of(game: int, name: PlayerName, position: Position) -> Likes:
    """Return what a player likes about a position.

    Args:
        game: number of the game; a player is read again for each game, since its file may have changed.

    Raises:
        InputError: there is no such player.
        PlayerFailure: it cannot judge the position.
    """
    from game.likes import likes

    return likes(_player(game, name), position)


def finders_of(name: PlayerName, position: Position, good: tuple[Move, ...]) -> float:
    """Return the share of people that make one of the good moves of a position, by a player that errs like them."""
    from game.players.people import PeoplePlayer

    people = _player(0, name)
    assert isinstance(people, PeoplePlayer), "levels are as shipped"
    return people.finders(position, good)


class Tablebase:
    """The tablebases of this process; analyses do without them until they are open, or if they cannot be used.

    They are opened in a thread, after the first result for a position with few pieces: the first opening may have to
    compile the kernels that build them, which takes longer than any answer should.
    """

    def __init__(self, opened: Callable[[], None]) -> None:
        self._may_open = self._wanted = False
        self._opened = opened
        self._tables: Tables | None = None
        self._folder_time = 0
        self._thread: threading.Thread | None = None
        self._failed = False

    def allow(self) -> None:
        """Allow the tablebases to be opened, and open them now if they were needed before."""
        self._may_open = True
        if self._wanted:
            self._begin_to_open()

    def judge(self, request: SearchRequest, finding: SearchInfo) -> SearchInfo:
        """Return the result of an analysis with the verdicts of tablebases; unchanged if there are none."""
        position = request.position
        pieces = (position.black | position.white).bit_count()
        if self._tables is None and pieces <= FEW:
            self._begin_to_open()
        if self._tables is None or request.purpose is not Purpose.ANALYSIS or pieces > MOST_BUILT:
            return finding
        try:
            judged = judge_by_tables(self._tables, position, finding)
            if judged.missing and _folder_time() != self._folder_time:  # tables were built meanwhile
                self._begin_to_open()
        except Exception:
            log.exception("tablebases cannot be used")
            self._tables, self._failed = None, True
            return finding
        return judged

    def _begin_to_open(self) -> None:
        self._wanted = True
        if self._may_open and not self._failed and (self._thread is None or not self._thread.is_alive()):
            self._thread = threading.Thread(target=self._open, daemon=True)
            self._thread.start()

    def _open(self) -> None:
        try:
            from game.endgame.tables import open_tables

            # Compile the code for probing here, too.
            import_module(module_name("game.search.tablebase_kernels"))
            if self._tables is not None:
                open_tables.cache_clear()  # running searches keep the tables that they have
            self._tables, self._folder_time = open_tables(None), _folder_time()
        except Exception:
            log.exception("tablebases cannot be opened")
            self._failed = True
        else:
            self._opened()


def _folder_time() -> int:
    """Return a number that changes with the files of the folder; 0 without a folder."""
    from game.endgame.table_file import tablebase_folder

    folder = tablebase_folder()
    return folder.stat().st_mtime_ns if folder is not None and folder.exists() else 0
