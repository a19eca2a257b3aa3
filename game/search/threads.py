"""Threads that search the same position as the main one and share its table (lazy SMP).

The main thread finds the results of the others there, so it looks deeper in the same time. Which it finds depends on
their pace, so moves and scores differ from run to run.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from game.search import layout as at

if TYPE_CHECKING:
    from game.search.memory import Memory

_OWN = [
    *(at.ROWS, at.HISTORY, at.PV, at.ROOT_PV, at.RECORDS, at.CORRECTIONS, at.SCRATCH, at.SUMS),
    *(at.ROOT_ORDER, at.ROOT_SCORES, at.ROOT_EXACT, at.ROOT_DEPTHS, at.NEW_SCORES, at.NEW_EXACT),
    *(at.LEAF_CACHE, at.LEAF_CACHE_MASK),
]
"""Words of the context about a thread's own memory; all others are those of the main thread."""
_COUNTERS = [at.NODES, at.EVALUATIONS, at.TABLEBASE_HITS]


class Helpers:
    """The threads that help a search, as a context: when it exits, none of them uses the table any more.

    Args:
        memories: the memory of each thread; its table is not used.
    """

    def __init__(self, memories: list[Memory]) -> None:
        self._memories = memories
        self._stop = np.zeros(1, np.uint64)
        self._running: list[threading.Thread] = []

    def __enter__(self) -> Helpers:
        self._stop[0] = 0
        for helper in self._memories:
            helper.context[_COUNTERS] = 0
        return self

    def __exit__(self, *_: object) -> None:
        self._stop[0] = 1
        while self._running:
            self._running.pop().join()

    def begin(self, memory: Memory, last: int) -> None:
        """Search the root of the main thread, whose search has begun, up to a depth of `last` plies."""
        if self._memories:  # no thread may move entries while others use them, so the table has its full size
            memory.context[at.BUCKET_MASK] = memory.context[at.LARGEST_MASK]
        before = (int(memory.context[at.RECORDS]) - memory.records.ctypes.data) // at.RECORD_BYTES
        for number, helper in enumerate(self._memories):
            helper.make_room(before)
            own = helper.context[_OWN]
            helper.context[:] = memory.context
            helper.context[_OWN], helper.context[_COUNTERS] = own, 0
            helper.context[at.NODE_LIMIT], helper.context[at.STOP] = at.NO_LIMIT, self._stop.ctypes.data
            helper.records[: before + 1], helper.rows[0] = memory.records[: before + 1], memory.rows[0]
            helper.root[:], helper.history[:], helper.sums[:] = memory.root, memory.history, memory.sums
            helper.corrections[:] = memory.corrections
            # Every other thread is one ply ahead, or all would search the same positions at the same time.
            thread = threading.Thread(target=_deepen, args=(helper, 2 - number % 2, last), daemon=True)
            self._running.append(thread)
            thread.start()

    def count(self, word: int) -> int:
        """Return the sum of a counter of the context over these threads."""
        return sum(int(helper.context[word]) for helper in self._memories)


def _deepen(memory: Memory, depth: int, last: int) -> None:
    from game.search import root_kernels

    while depth <= last and memory.context[at.ABORTED] == at.RUNNING:
        root_kernels.search_root(depth, 0, memory.address)
        if root_kernels.is_settled(int(memory.context[at.ROOT_SCORE]), depth):
            return
        depth += 1
