"""The memory of an alpha-beta search: its context, its table, and room for its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from game.endgame.slices import MOST_PIECES
from game.errors import InputError
from game.installation import free_memory
from game.rules import MAX_MOVES, DrawRules
from game.search import layout as at
from game.search.interface import LEAST_TABLE, ONE_PLY, Limits, SearchOptions

if TYPE_CHECKING:
    from game.endgame.tables import Tables


class Memory:
    """The memory of a search.

    Args:
        before: number of records for positions before the root.
    """

    def __init__(self, style: SearchOptions, *, sums: int = 0, scratch: int = 0, before: int = 0) -> None:
        from game.search import root_kernels

        self.style = style
        self.context = np.zeros(at.CONTEXT_WORDS, np.int64)
        self.never = np.zeros(1, np.uint64)
        self.table = np.zeros((0, 2), np.uint64)
        self.history = np.zeros(at.HISTORY_WORDS, np.uint64)
        self.corrections = np.zeros(at.CORRECTION_WORDS, np.uint64)
        self.lines = np.zeros((at.MAX_PLY + 2, at.PV_BYTES // 8), np.uint64)
        self.rows = np.empty((at.MAX_PLY + 2, MAX_MOVES + 2, 4), np.uint64)
        self.root = np.zeros((6, MAX_MOVES), np.int64)
        self.line = np.zeros(at.PV_BYTES // 8, np.uint64)
        self.records = np.zeros((0, 8), np.uint64)
        self.sums = np.empty((at.MAX_PLY + 2) * sums, np.float32)
        self.scratch = np.empty(scratch, np.float32)
        self.leaf_cache = np.zeros((0, 2), np.uint64)
        c = self.context
        c[at.CORRECTIONS] = self.corrections.ctypes.data
        c[at.QUIESCENCE], c[at.BLONDIE], c[at.EQUAL_DEPTH] = style.resolves, style.blondie, style.equal_depth
        c[at.THREATS], c[at.REDUCTIONS], c[at.PRUNING] = style.threats, style.reductions, style.pruning
        c[at.SELECTIVE] = style.threats or style.reductions or style.pruning
        c[at.ROWS], c[at.HISTORY], c[at.PV] = (part.ctypes.data for part in (self.rows, self.history, self.lines))
        c[at.ROOT_ORDER], c[at.ROOT_SCORES], c[at.ROOT_EXACT], c[at.ROOT_DEPTHS], c[at.NEW_SCORES], c[at.NEW_EXACT] = (
            part.ctypes.data for part in self.root
        )
        c[at.ROOT_PV] = self.line.ctypes.data
        c[at.SCRATCH], c[at.SUMS] = self.scratch.ctypes.data, self.sums.ctypes.data
        c[at.STOP] = self.never.ctypes.data
        c[at.NODE_LIMIT] = at.NO_LIMIT
        c[at.AGES_NEEDED] = 1
        self._limits: Limits | None = None
        self.fit(ONE_PLY)
        self.tables = open_for(style.tablebase) if style.tablebase else None
        if self.tables is not None:
            from game.search.tablebase_kernels import tablebase

            c[at.TABLES], c[at.TABLEBASE] = self.tables.address, tablebase.address
            c[at.TABLEBASE_PIECES] = min(style.tablebase, self.tables.pieces)
        # `plain_alphabeta` omits the code for selective search, tablebases, and KEEPS, which `blondie` with
        # `equal_depth` may use.
        plain = not (c[at.SELECTIVE] or c[at.TABLES] or (style.blondie and style.equal_depth))
        c[at.ITERATION] = (root_kernels.plain if plain else root_kernels.every_option).address
        self.make_room(before)

    def fit(self, limits: Limits) -> None:
        """Give the table its size for searches with these limits, of which the first begins with an empty one.

        Raises:
            InputError: there is not enough memory.
        """
        if limits == self._limits:
            return
        style, c = self.style.fitted(limits), self.context
        entries = style.entries
        if len(self.table) < entries:
            check_memory(style.table, 1 + style.keeps_table)
            self.table = np.zeros((entries, 2), np.uint64)
            c[at.TABLE] = self.table.ctypes.data
            c[[at.NEWEST_AGE, at.BUCKET_MASK, at.USED_MASK]] = 0
        c[at.LARGEST_MASK], c[at.AGEING], c[at.AN_ENTRY] = entries // 2 - 1, style.ages, style.positions_an_entry
        if len(self.leaf_cache) != style.cached_leaves:
            self.leaf_cache = np.zeros((style.cached_leaves, 2), np.uint64)
            c[at.LEAF_CACHE], c[at.LEAF_CACHE_MASK] = self.leaf_cache.ctypes.data, style.cached_leaves - 1
        c[at.CORRECTS] = style.corrections
        self._limits = limits

    def bind(self, words: tuple[int, ...]) -> None:
        """Use the evaluation with these words of the context from now on."""
        self.context[list(at.BINDING)] = words

    @property
    def address(self) -> int:
        return int(self.context.ctypes.data)

    def make_room(self, before: int) -> None:
        needed = before + at.MAX_PLY + 2
        if len(self.records) < needed:
            self.records = np.zeros((needed, 8), np.uint64)
        self.context[at.RECORDS] = self.records.ctypes.data + before * at.RECORD_BYTES

    def set_rules(self, rules: DrawRules, plies: int) -> None:
        c = self.context
        c[at.REPETITION] = c[at.RULE] = rules.repetition
        enough = 2 if self.style.twofold else rules.repetition
        c[at.REPETITION_PLIES] = c[at.RULE_PLIES] = 4 * (enough - 1) if rules.repetition else at.NO_LIMIT
        c[at.TWOFOLD] = rules.repetition if self.style.twofold else 0
        c[at.QUIET_LIMIT] = rules.quiet_plies or at.NO_LIMIT
        c[at.LENGTH_LEFT] = rules.max_plies - plies if rules.max_plies else at.NO_LIMIT
        c[at.MEN_RESET] = rules.men_reset


def check_memory(size: int, tables: int) -> None:
    """Check that there is memory for transposition tables of `size` megabytes each.

    Raises:
        InputError: there is not.
    """
    free = free_memory() if size > LEAST_TABLE else None
    if free is not None and size * tables > free / 2**20:
        raise InputError(
            f"table={size}: {'two tables, one for each colour, need' if tables > 1 else 'needs'} {size * tables:,} MB "
            f"of memory, and {free / 2**20:,.0f} MB are free: choose a smaller one, such as table={LEAST_TABLE}"
        )


def open_for(pieces: int) -> Tables:
    """Return the tablebases of a search: all in the folder if `pieces` is MOST_PIECES, else those of up to `pieces`.

    Raises:
        InputError: tables are missing.
    """
    from game.endgame.tables import complete_tables, open_tables

    return open_tables(None) if pieces == MOST_PIECES else complete_tables(pieces, f"tablebase={pieces}")
