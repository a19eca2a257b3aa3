"""The interface of searches: limits, options, a request to stop, results, and the protocol of every search.

This module does not load numpy.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from game.endgame.slices import LEAST_PIECES, MOST_PIECES
from game.errors import InputError
from game.moves import Move
from game.number_text import plies_text, signed_text
from game.rules import WCDF, DrawRules
from game.search.layout import MAX_DEPTH

if TYPE_CHECKING:
    from game.board import Position

MAX_SECONDS = 1_000_000

TABLE_BITS = 18
MAX_TABLE_BITS = 30
ENTRIES_A_MEGABYTE = 1 << 16
TABLE_SIZES = tuple(1 << bits for bits in range(15))
"""Sizes of a transposition table in megabytes."""
LEAST_TABLE, MOST_TABLE = 4, 256
"""The smallest and largest size that follows from limits, in megabytes."""
FITTED = -1
"""Stands for the size that follows from the limits of a search (`SearchOptions.fitted`)."""
POSITIONS_AN_ENTRY = 4
"""Positions that a search visits, after the first ones, before a table in megabytes grows by an entry."""
LONG = 10_000
"""Positions from which on a search is long."""
POSITIONS_A_SECOND = 2_000_000
"""Positions that count as a second when the size of a table is chosen: about as many as the champion visits. A measured
speed would give other results on another machine."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits that end a search; at least one is set. Depth and nodes give reproducible results, seconds do not.

    Attributes:
        depth: plies of full-width search, 1 to MAX_DEPTH.
        nodes: maximum number of positions visited, leaves included; slightly exceeded, because several leaves are
            visited together.
        seconds: maximum time.

    Raises:
        InputError: no limit is set, or a number is out of range.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.depth is None and self.nodes is None and self.seconds is None:
            raise InputError("a search needs a limit: depth, nodes or time")
        if self.depth is not None and not 1 <= self.depth <= MAX_DEPTH:
            raise InputError(f"depth: expected 1 to {MAX_DEPTH} plies, got {self.depth}")
        if self.nodes is not None and not 1 <= self.nodes < 2**62:
            raise InputError(f"nodes: expected 1 or more, got {self.nodes}")
        if self.seconds is not None and not 0 < self.seconds <= MAX_SECONDS:
            raise InputError(f"time: expected seconds above 0, to {MAX_SECONDS:,}, got {self.seconds:g}")

    @property
    def deterministic(self) -> bool:
        """True if the same position, history and player always give the same result."""
        return self.seconds is None

    @property
    def ended_by_time(self) -> bool:
        """True if a search ends when time has run out, or when it is told to."""
        return self.nodes is None and (self.seconds is not None or self.depth == MAX_DEPTH)


SELECTIVE = {
    "threats": "threats answered",
    "twofold": "repetitions drawn at once",
    "keeps_table": "results kept from move to move",
    "reductions": "late moves less deep",
    "pruning": "hopeless positions pruned",
}
"""Descriptions of the options of a selective search. In the name of a player, ``selective`` sets all of them."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Options of a search.

    Attributes:
        quiescence: positions in which a capture is pending are not leaves: the search continues from them.
        blondie: the search of Blondie24: it includes `quiescence`, forced moves cost no depth, and each leaf comes
            after an even number of unforced plies. Source: Chellapilla and Fogel (1999, 2001).
        equal_depth: table entries are used only at their own depth, so root values are the same as in plain minimax.
        table_bits: the transposition table has 2**bits entries of 16 bytes, unless `table` says otherwise.
        tablebase: positions of up to this number of pieces are looked up in tablebases; 0 for none, MOST_PIECES for all
            tables in the folder.
        threats: includes `quiescence`. Also, once in a line, a leaf at which the side that has just moved threatens to
            capture is searched further. Its value is the evaluation or the value of the threat, whichever is better for
            this side.
        twofold: the second occurrence of a position within the search is a draw, if the draw rules include repetition.
        keeps_table: the transposition table is kept from move to move of a game.
        reductions: late moves, and positions without a known good move, are searched one ply less deep.
        pruning: positions near the leaves whose evaluation is far outside the window are not searched.
        table: megabytes of the transposition table, one of `TABLE_SIZES`, in which older results that are kept from
            move to move give way to newer ones; 0 for `table_bits`; `FITTED` if the limits decide (`fitted`).
        corrections: in a long search, evaluations for pruning are corrected by what it has found for the same men.
        threads: number of threads that share searches which time ends, with results that differ from run to run; any
            other search has one.
        book: positions in the book (`game.ballots.read_book`) are not searched; its best move is played.

    Raises:
        InputError: a table size or the number of pieces is out of range, or options exclude each other.
    """

    quiescence: bool = False
    blondie: bool = False
    equal_depth: bool = False
    table_bits: int = TABLE_BITS
    tablebase: int = 0
    threats: bool = False
    twofold: bool = False
    keeps_table: bool = False
    reductions: bool = False
    pruning: bool = False
    table: int = 0
    corrections: bool = False
    threads: int = 1
    book: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.table_bits <= MAX_TABLE_BITS:
            raise InputError(f"table_bits: expected 1 to {MAX_TABLE_BITS}, got {self.table_bits}")
        if self.table not in (FITTED, 0, *TABLE_SIZES):
            raise InputError(f"table: expected a power of 2, 1 to {TABLE_SIZES[-1]:,} megabytes, got {self.table}")
        if self.tablebase and not LEAST_PIECES <= self.tablebase <= MOST_PIECES:
            raise InputError(f"tablebase: expected {LEAST_PIECES} to {MOST_PIECES} pieces, got {self.tablebase}")
        selective = [name for name in SELECTIVE if getattr(self, name)]
        if self.blondie and selective:
            raise InputError(f"blondie and {selective[0]} exclude each other: Blondie24 searched without it")
        changing = [name for name in selective if name not in ("threats", "twofold")]
        if self.equal_depth and changing:
            raise InputError(f"equal_depth and {changing[0]} exclude each other: values would differ from minimax")

    @property
    def resolves(self) -> bool:
        """True if positions in which a capture is pending are not leaves."""
        return self.quiescence or self.blondie or self.threats

    @property
    def ages(self) -> bool:
        """True if results are kept from move to move, and older ones give way to newer ones."""
        return self.keeps_table and self.table > 0

    @property
    def entries(self) -> int:
        """The number of entries of the transposition table."""
        return self.table * ENTRIES_A_MEGABYTE if self.table > 0 else 1 << self.table_bits

    @property
    def cached_leaves(self) -> int:
        """The number of leaves whose values are kept, a power of 2; a long search meets many of them again."""
        return min(max(self.entries // 4, 1 << 12), 1 << 18)

    @property
    def positions_an_entry(self) -> int:
        """The number of positions that a search visits, after its first ones, before its table grows by an entry."""
        return POSITIONS_AN_ENTRY if self.table > 0 else 1

    def fitted(self, limits: Limits) -> SearchOptions:
        """Return the options for searches with these limits: the table if it is `FITTED`, and whether they are long.

        The table is as large as it can grow within the limits, but at least `LEAST_TABLE` and at most `MOST_TABLE`
        megabytes. A depth of d counts as 2**d positions. If the smallest table suffices for them, and no other limit
        allows fewer, `table_bits` remain and nothing is corrected, since so searches to a depth have been rated.
        """
        to_depth = 2 ** (limits.depth or MAX_DEPTH)
        by_time = (limits.seconds or math.inf) * POSITIONS_A_SECOND
        positions = min(to_depth, limits.nodes or math.inf, by_time)
        size, a_megabyte = LEAST_TABLE, ENTRIES_A_MEGABYTE * POSITIONS_AN_ENTRY
        rated = positions == to_depth <= size * a_megabyte
        corrections = self.corrections and positions >= LONG and not rated
        while size < MOST_TABLE and size * a_megabyte < positions:
            size *= 2
        table = self.table if self.table != FITTED else 0 if rated else size
        return replace(self, table=table, corrections=corrections)


ONE_PLY = Limits(depth=1)
TREE_LIMITS = Limits(nodes=400)
"""Default limits of tree searches."""

PLAIN = SearchOptions(table=FITTED)
"""Options of a player whose name has none."""


def needs_search(limits: Limits, style: SearchOptions) -> bool:
    """Return whether limits and options require more than scoring the positions after each move."""
    return limits != ONE_PLY or style.quiescence or style.blondie or style.threats or style.tablebase > 0


def describe_search(limits: Limits, style: SearchOptions, depth: str | None = None) -> str:
    """Describe a search, as in ``4 plies ahead, captures played out``; `depth` describes its depth if not in plies."""
    if depth is None and not needs_search(limits, style):
        return "after its own move"
    parts = [depth or f"{plies_text(limits.depth)} ahead"] if limits.depth is not None else []
    parts += [f"within {limits.nodes:,} positions"] if limits.nodes is not None else []
    parts += [f"within {limits.seconds:g} s"] if limits.seconds is not None else []
    parts += ["captures played out"] if style.quiescence or style.threats else []
    parts += ["as Blondie24 searched"] if style.blondie else []
    chosen = [text for name, text in SELECTIVE.items() if getattr(style, name)]
    parts += ["selectively"] if len(chosen) == len(SELECTIVE) else chosen
    parts += [f"with a table of {style.table:,} MB"] if style.table > 0 else []
    parts += [f"in {style.threads} threads"] if style.threads > 1 else []
    parts += ["ballots by the book"] if style.book else []
    if style.tablebase:
        pieces = f" of up to {style.tablebase} pieces" if style.tablebase < MOST_PIECES else ""
        parts.append(f"endings{pieces} by tablebase")
    return ", ".join(parts)


_BY_TIME = 2
"""The value of a `Stop` that was set only because time has run out."""


class EvaluationError(InputError):
    """A network gave a value that is not a finite number."""


class Stop:
    """A request to end a search, from any thread.

    Attributes:
        word: uint64 of shape (1,); not 0 if the search should end. Compiled code reads it by its address.
    """

    def __init__(self) -> None:
        import numpy as np  # imported here, so that reading limits need not wait for it

        self.word = np.zeros(1, np.uint64)

    @property
    def is_set(self) -> bool:
        return bool(self.word[0])

    def set(self) -> None:
        """Request the end of the current search, and of later ones until `clear`."""
        self.word[0] = 1

    def clear(self) -> None:
        self.word[0] = 0

    @contextlib.contextmanager
    def after(self, seconds: float | None) -> Iterator[None]:
        """Request a stop after some seconds; withdraw the request when the context exits."""
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


@contextlib.contextmanager
def one_search(busy: threading.Lock, stop: Stop | None, seconds: float | None) -> Iterator[Stop]:
    """Hold the memory of a searcher for one search; the context gives the request to end it.

    Raises:
        InputError: another thread uses the searcher.
    """
    if not busy.acquire(blocking=False):
        raise InputError("a searcher does one search at a time")
    stop = stop or Stop()
    try:
        with stop.after(seconds):
            yield stop
    finally:
        busy.release()


WIN = 1_000_000.0
"""Score of a won game; a win in n plies is worth n less. A loss is negative."""

TABLEBASE_WON = 950_000.0
"""Score of a win whose distance tablebases do not know; the plies to the position that they cover are subtracted. It is
less than the score of any win at a known distance."""

WON = 900_000.0
"""Scores of a larger absolute value are proved. Evaluations are clamped to this range."""

DRAWN = WON - 1
"""Score of a draw by the rules of the game if tablebases know the root to be lost; the opposite score if it is won.

The winning side also gives this score to positions that occur again, even if the game would continue.
"""

BY_TABLEBASE = " (tablebase)"
"""The suffix, in texts, of a result that is known only from tablebases."""


def plies_to_win(score: float) -> int | None:
    """Return the plies to a proved win, negative for a loss; None if nothing is proved or the distance is unknown."""
    if abs(score) <= TABLEBASE_WON:
        return None
    plies = round(WIN - abs(score))
    return plies if score > 0 else -plies


def score_text(score: float) -> str:
    """Return a score for people: ``+0.53``, ``win in 23 plies``, ``loss in 8 plies``, ``won (tablebase)``."""
    plies = plies_to_win(score)
    if plies is None and abs(score) > WON:
        return f"{'won' if score > 0 else 'lost'}{BY_TABLEBASE}"
    if abs(score) == DRAWN:
        return "draw by the rules" if score > 0 else "draw by the rules, or occurs again"
    if plies is None:
        return signed_text(score, 2)
    return f"{'win' if score > 0 else 'loss'} in {plies_text(abs(plies))}"


def reported_score(score: float) -> float:
    """Return a score for people: 0 for a draw by the rules, even if the search gave it `DRAWN`."""
    return 0.0 if abs(score) == DRAWN else score


class RootMove(NamedTuple):
    """A move of the root and its score.

    Attributes:
        score: its value to the side to move.
        visits: number of visits of a tree search, whose mean is the score unless that is proved; 0 in other searches.
    """

    move: Move
    score: float
    exact: bool
    depth: int
    visits: int = 0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of the last complete iteration of a search, with one exception.

    If the search ends during an iteration that has already found a better move than the last complete one, that move is
    the best move. Then its score, the principal variation and the scores of the moves searched so far come from the
    deeper iteration.

    Attributes:
        score: its value to the side to move, in the evaluation's units; a proved win is `WIN` less the plies to it.
        depth: depth of the last complete iteration; the best move has `root[0].depth`.
        nodes: number of positions visited.
        seconds: duration of the search.
        pv: the principal variation; it may be shorter than the depth.
        root: all moves, best first; moves searched in a deeper iteration come before all others. The best move of a
            tree search is that with the most visits, whose score need not be the highest.
        verdict: the tablebases' value of the position for the side to move: 1 won, 0 drawn, -1 lost; None if they do
            not cover it. Moves that lose this value are not searched; they come last, with depth 0 and their exact
            value.
        tablebase_hits: number of positions that were looked up in tablebases.
    """

    move: Move
    score: float
    depth: int
    nodes: int
    evaluations: int
    seconds: float
    pv: tuple[Move, ...]
    root: tuple[RootMove, ...]
    verdict: int | None = None
    tablebase_hits: int = 0

    @property
    def reported(self) -> float:
        """The score for people: if tablebases know the result, the result instead of an evaluation."""
        if self.verdict is None or abs(self.score) > WON:
            return self.score
        return 0.0 if abs(self.score) == DRAWN else TABLEBASE_WON * self.verdict


class Searcher(Protocol):
    """A search with its evaluation and its memory.

    A search does not depend on earlier ones, except within a game if the player's options request it.
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
            history: the earlier positions of the game, first to last; they count for draws.
            all_scores: compute an exact score for each move, which takes longer.
            on_depth: called with the result of each complete depth.

        Raises:
            InputError: there is no legal move, or another thread uses this searcher.
            EvaluationError: a value was not a finite number.
        """
        ...
