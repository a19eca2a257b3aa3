"""What tablebases say of positions that are analysed.

They are opened beside the searches of the thinking process, once a position has few enough pieces: at the first time
the kernels that build them are compiled, which takes longer than any answer should.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from game import plain
from game.board import Position
from game.endgame.slices import MOST_BUILT
from game.moves import Move
from gui.thinking.messages import Purpose, SearchInfo, SearchRequest

if TYPE_CHECKING:
    from game.endgame.tables import Tables

LONGEST_LINE = 12
"""Plies of a perfect line that are shown."""

log = logging.getLogger(__name__)


class Tablebase:
    """Tablebases for the analyses of this process; without them, or if they fail, analyses stay what they are.

    Args:
        opened: called when they are open, or more of them, from another thread.

    Attributes:
        may_open: False as long as there is something to load that moves take.
    """

    def __init__(self, opened: Callable[[], None]) -> None:
        self.may_open = False
        self._opened = opened
        self._tables: Tables | None = None
        self._folder_time = 0
        self._thread: threading.Thread | None = None
        self._failed = False

    def judge(self, request: SearchRequest, finding: SearchInfo) -> SearchInfo:
        """A finding of an analysis with what tables know; as it is where they know nothing, or are not open yet."""
        position = request.position
        pieces = (position.black | position.white).bit_count()
        if request.purpose is not Purpose.ANALYSIS or pieces > MOST_BUILT:
            return finding
        if self._tables is None:
            self._begin_to_open()
            return finding
        try:
            found = _judged(self._tables, position, finding)
            if found.missing and _folder_time() != self._folder_time:  # a person has built some meanwhile
                self._begin_to_open()
        except Exception:
            log.exception("tablebases cannot be used")
            self._tables, self._failed = None, True
            return finding
        return found

    def _begin_to_open(self) -> None:
        if self.may_open and not self._failed and (self._thread is None or not self._thread.is_alive()):
            self._thread = threading.Thread(target=self._open, daemon=True)
            self._thread.start()

    def _open(self) -> None:
        try:
            from game.endgame.tables import open_tables

            self._tables = open_tables() if self._tables is None else open_tables.__wrapped__()
            self._folder_time = _folder_time()
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


def _judged(tables: Tables, position: Position, finding: SearchInfo) -> SearchInfo:
    from game.endgame.probe_report import build_command

    verdict, moves = tables.probe(position), tables.moves(position)
    known = {move: after for move, after in moves if after is not None}
    if verdict is None or len(known) < len(moves):
        pieces = (position.black | position.white).bit_count()
        return replace(finding, missing=f"{pieces} pieces: {build_command(pieces)}")
    lines = [replace(line, verdict=known.get(line.move)) for line in finding.lines]
    lines.sort(key=lambda line: known[line.move].merit, reverse=True)  # equal ones stay in the order of the search
    move = max((*(line.move for line in lines), finding.move, *known), key=lambda each: known[each].merit)
    line = _perfect_line(tables, position, move) if verdict.plies is not None else finding.pv
    pv = line if line[:1] == (move,) else (move,)
    return replace(finding, move=move, pv=pv, lines=tuple(lines), verdict=verdict)


def _perfect_line(tables: Tables, position: Position, move: Move) -> tuple[Move, ...]:
    """Perfect play from a decided position, beginning with a move."""
    line = [move]
    while len(line) < LONGEST_LINE:
        position = plain.apply(position, line[-1])
        known = {each: after.merit for each, after in tables.moves(position) if after is not None}
        if not known:
            break
        line.append(max(known, key=known.__getitem__))
    return tuple(line)
