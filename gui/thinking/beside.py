"""Work of the thinking process during its searches, which hold no lock: likes of players, games of tournaments, and
opening tablebases."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import sys
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from game.endgame.slices import MOST_BUILT
from game.errors import InputError
from game.installation import module_name
from game.players.names import PlayerName
from game.players.player import PlayerFailure
from game.scores import SearchInfo, judge_by_tables
from gui.thinking.messages import Liked, LikesRequest, Purpose, SearchRequest, SideResult, SideWork

if TYPE_CHECKING:
    from game.endgame.tables import Tables
    from game.likes import Likes
    from game.players.player import Player

FEW = 12
"""Maximum number of pieces of a position whose search may reach positions that tablebases cover."""

NICE = 10
"""The priority of side work: moves come before it, and a session that uses all processors leaves it a tenth of one."""

log = logging.getLogger(__name__)

Q = TypeVar("Q", LikesRequest, SideWork)


class Beside(Generic[Q]):
    """A thread that answers requests during searches, or only the newest one if several wait.

    Attributes:
        ready: set by the caller once everything needed for moves is loaded, since moves come first.
    """

    def __init__(self, send: Callable[[Any], object]) -> None:
        self.ready = threading.Event()
        self._send = send
        self._waiting: queue.SimpleQueue[Q] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def ask(self, request: Q) -> None:
        """Answer a request soon, unless a newer one comes."""
        self._waiting.put(request)
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, daemon=True)
            self._thread.start()

    def _serve(self) -> None:
        self.ready.wait()
        self._begin()
        while True:
            request = self._waiting.get()
            while not self._waiting.empty():
                request = self._waiting.get()
            try:
                value, trouble = self._answer(request), ""
            except (InputError, PlayerFailure) as error:
                value, trouble = None, " ".join(str(error).split())
            except Exception as error:
                log.exception("a request beside searches cannot be answered")
                value, trouble = None, f"a fault of the program: {type(error).__name__}"
            self._send(self._reply(request, value, trouble))

    def _begin(self) -> None:
        """Prepare the thread."""

    def _answer(self, request: Q) -> Any:
        raise NotImplementedError

    def _reply(self, request: Q, value: Any, trouble: str) -> Any:
        raise NotImplementedError


class Liking(Beside[LikesRequest]):
    """The thread for likes of players."""

    _game = 0
    _known: Mapping[PlayerName, Player] = {}

    def _answer(self, request: LikesRequest) -> Likes:
        from game.likes import likes
        from game.players.registry import player

        if request.game != self._game:  # files of players may have changed
            self._game, self._known = request.game, {}
        if request.player not in self._known:
            self._known = {**self._known, request.player: player(request.player)}
        return likes(self._known[request.player], request.position)

    def _reply(self, request: LikesRequest, value: Likes | None, trouble: str) -> Liked:
        return Liked(request, value, trouble)


class SideWorker(Beside[SideWork]):
    """The thread for other work, which has a low priority where threads have their own."""

    def _begin(self) -> None:
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)

    def _answer(self, request: SideWork) -> Any:
        return request.function(*request.arguments)

    def _reply(self, request: SideWork, value: Any, trouble: str) -> SideResult:
        return SideResult(request, value, trouble)


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
