"""Verdicts of tablebases on analysed positions, and when tablebases are opened.

That happens beside the searches of the thinking process, once something was found of a position with few enough pieces:
at the first time the kernels that build them are compiled, which takes longer than any answer should.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from game.endgame.slices import MOST_BUILT
from game.finding import SearchInfo, judge_by_tables
from gui.thinking.messages import Purpose, SearchRequest

if TYPE_CHECKING:
    from game.endgame.tables import Tables

FEW = 12
"""Pieces from which on searches may meet positions that tables know."""

log = logging.getLogger(__name__)


class Tablebase:
    """Tablebases of this process; without them, or if they fail, analyses stay what they are.

    Args:
        opened: called when they are open, or more of them, from another thread.
    """

    def __init__(self, opened: Callable[[], None]) -> None:
        self._may_open = self._wanted = False
        self._opened = opened
        self._tables: Tables | None = None
        self._folder_time = 0
        self._thread: threading.Thread | None = None
        self._failed = False

    def allow(self) -> None:
        """Everything is loaded that moves take: tables may be opened, and are if they were wanted meanwhile."""
        self._may_open = True
        if self._wanted:
            self._begin_to_open()

    def judge(self, request: SearchRequest, finding: SearchInfo) -> SearchInfo:
        """A finding of an analysis with what tables know; as it is where they know nothing, or are not open yet."""
        position = request.position
        pieces = (position.black | position.white).bit_count()
        if self._tables is None and pieces <= FEW:
            self._begin_to_open()
        if self._tables is None or request.purpose is not Purpose.ANALYSIS or pieces > MOST_BUILT:
            return finding
        try:
            found = judge_by_tables(self._tables, position, finding)
            if found.missing and _folder_time() != self._folder_time:  # a person has built some meanwhile
                self._begin_to_open()
        except Exception:
            log.exception("tablebases cannot be used")
            self._tables, self._failed = None, True
            return finding
        return found

    def _begin_to_open(self) -> None:
        self._wanted = True
        if self._may_open and not self._failed and (self._thread is None or not self._thread.is_alive()):
            self._thread = threading.Thread(target=self._open, daemon=True)
            self._thread.start()

    def _open(self) -> None:
        try:
            from game.endgame.tables import open_tables

            import_module("game.search.tablebase_kernels")  # what searches look up with is compiled, too
            if self._tables is not None:
                open_tables.cache_clear()  # searches keep those that they have
            self._tables, self._folder_time = open_tables(None), _folder_time()
        except Exception:
            log.exception("tablebases cannot be opened")
            self._failed = True
        else:
            self._opened()


def _folder_time() -> int:
    """Changes with the files of the folder; 0 where there is none."""
    from game.endgame.table_file import tablebase_folder

    folder = tablebase_folder()
    return folder.stat().st_mtime_ns if folder is not None and folder.exists() else 0
