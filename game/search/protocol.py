"""What a search is to whoever asks one: analysis, hints, engine output and the evaluation bar need no more than this.

Alpha-beta (`game.search.search.AlphaBeta`) is one implementation. Another one that keeps this contract takes its place
everywhere, if a player gives it out by `SearchingPlayer.searcher` (docs/players.md has an example).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np

from game.board import Position
from game.errors import InputError
from game.rules import WCDF, DrawRules
from game.search.limits import Limits
from game.search.result import SearchResult

_BY_TIME = 2
"""What a `Stop` holds when time has run out, and nobody else asked."""


class EvaluationError(InputError):
    """A network gave a value that is no finite number."""


class Stop:
    """A request to end a search, from any thread.

    Attributes:
        word: uint64 of shape (1,), not 0 once a search shall end; compiled code reads it by its address.
    """

    def __init__(self) -> None:
        self.word = np.zeros(1, np.uint64)

    @property
    def is_set(self) -> bool:
        """Whether a search that watches this shall end."""
        return bool(self.word[0])

    def set(self) -> None:
        """End the search that watches this, and every later one."""
        self.word[0] = 1

    def clear(self) -> None:
        """Allow searches again."""
        self.word[0] = 0

    @contextlib.contextmanager
    def after(self, seconds: float | None) -> Iterator[None]:
        """Within this context, ask by itself when so much time has passed; afterwards that request is taken back."""
        if seconds is None:
            yield
            return
        lock, ended = threading.Lock(), False

        def run_out() -> None:
            with lock:
                if not ended and self.word[0] == 0:
                    self.word[0] = _BY_TIME

        timer = threading.Timer(seconds, run_out)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            with lock:
                ended = True
                if self.word[0] == _BY_TIME:
                    self.word[0] = 0
            timer.cancel()


class Searcher(Protocol):
    """A search with an evaluation, and the memory for it.

    Nothing leaks from one search to the next, unless a player's options say so, and then only within a game.
    """

    def search(
        self,
        position: Position,
        history: Sequence[Position] = (),
        *,
        limits: Limits,
        rules: DrawRules = WCDF,
        all_scores: bool = False,
        stop: Stop | None = None,
        on_depth: Callable[[SearchResult], None] | None = None,
    ) -> SearchResult:
        """Search a position that has a legal move. The first depth is always completed.

        Args:
            position: where to search.
            history: the positions of the game before it, first to last; they count for draws.
            limits: when to end.
            rules: when the game is a draw.
            all_scores: an exact score for each move, which takes longer.
            stop: ends the search when it is set.
            on_depth: told what each complete depth found.

        Raises:
            InputError: there is no legal move, or another thread uses this searcher.
            EvaluationError: a value was no finite number.
        """
        ...
