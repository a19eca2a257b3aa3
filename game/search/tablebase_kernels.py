"""Tablebases in searches and games. They are called by address, so that both are compiled without them."""

from __future__ import annotations

from typing import Any

import numpy as np

from game import bitboard
from game.bits import load_word, popcount, store_word
from game.compiled.jit import Int, Word, callback, inlined
from game.endgame.probe_kernels import covers, distance, probe
from game.kernels import MOVE_BYTES, all_capturers, steppers
from game.search import layout as at
from game.search.context_kernels import get, put, record_of

_0 = np.uint64(0)
_BOARD = np.uint64(bitboard.BOARD)
_CODE = np.uint64(0xFFFFFFFF)
_ANYWHERE = 64
"""A value of TABLEBASE_BELOW above the sum of pieces and men in any position."""


@inlined
def score_of(value: Int, plies: Int, ply: Int) -> Int:
    """Return the score of a position at a ply from its value, and from its distance if that is not -1."""
    size = at.TABLEBASE_WIN - ply if plies < 0 else at.WIN - ply - plies
    return size * value


@inlined
def can_move(own: Word, opponent: Word, kings: Word, side: Int) -> Any:
    empty, royal = _BOARD & ~(own | opponent), own & kings
    ahead = steppers(own, empty, 2, side) | steppers(own, empty, 3, side)
    back = steppers(royal, empty, 0, side) | steppers(royal, empty, 1, side)
    return (ahead | back | all_capturers(own, opponent, kings, side)) != _0


@inlined
def probe_after(row: Int, ply: Int, context: Int) -> Int:
    """Return the score of a move that leads to `ply`, for the side that makes it; count the new position as a node."""
    own, opponent, kings, side = load_word(row + 8), load_word(row), load_word(row + 16), ply & 1
    put(context, at.TABLEBASE_HITS, get(context, at.TABLEBASE_HITS) + 1)
    put(context, at.NODES, get(context, at.NODES) + 1)
    put(context, at.DEEPEST, max(get(context, at.DEEPEST), ply))
    put(context, at.PATH_DEPENDENT, 0)  # tables do not depend on the path
    # A side that cannot move has lost now, which counts more than a win at some distance that is not known here.
    value = probe(own, opponent, kings, side, get(context, at.TABLES))
    if value < 0 and not can_move(own, opponent, kings, side):
        return np.int64(at.WIN - ply)
    return -score_of(value, np.int64(-1), ply)


@inlined
def score_after(row: Int, tables: Int) -> Int:
    """Return the value of a root move to the side that makes it, as a score."""
    own, opponent, kings = load_word(row + 8), load_word(row), load_word(row + 16)
    if own == _0:  # the last piece is captured
        return np.int64(at.WIN - 1)
    side = np.int64(1)
    return -score_of(probe(own, opponent, kings, side, tables), distance(own, opponent, kings, side, tables), 1)


@inlined
def value_of(score: Int) -> Int:
    """Return 1 for a win, 0 for a draw, -1 for a loss."""
    return np.int64(score > 0) - np.int64(score < 0)


@inlined
def judge_root(context: Int) -> None:
    """Find the value of the root, the moves that keep it, and the best of these if distances are known.

    Without distances, the moves that keep the value come first in the order of the root, and a search chooses among
    them. In this search, only positions with fewer pieces or men than the root are looked up. If every position were
    looked up, all winning moves would have the same score, and play would make no progress.
    """
    tables, record = get(context, at.TABLES), record_of(0, context)
    black, white, kings = load_word(record + at.BLACK), load_word(record + at.WHITE), load_word(record + at.KINGS)
    pieces = popcount(black | white)
    put(context, at.ROOT_VALUE, at.UNKNOWN)
    put(context, at.TABLEBASE_BELOW, _ANYWHERE)
    put(context, at.REPETITION, get(context, at.RULE))
    put(context, at.REPETITION_PLIES, get(context, at.RULE_PLIES))
    count = get(context, at.ROOT_COUNT)
    if count == 0 or pieces > get(context, at.TABLEBASE_PIECES) or not covers(black, white, tables):
        return
    # Pieces and men together fall with each capture and crowning, so positions below this sum are progress.
    put(context, at.TABLEBASE_BELOW, pieces + popcount((black | white) & ~kings))
    put(context, at.TABLEBASE_HITS, count)
    order, scores = get(context, at.ROOT_ORDER), get(context, at.ROOT_SCORES)
    exact, depths = get(context, at.ROOT_EXACT), get(context, at.ROOT_DEPTHS)
    # Step 1. Look up every move. The best one gives the value of the root.
    best: Int = np.int64(-at.INFINITY)
    first: Int = np.int64(0)
    for index in range(count):
        score = score_after(get(context, at.ROWS) + index * MOVE_BYTES, tables)
        store_word(scores + 8 * index, np.uint64(score))
        store_word(exact + 8 * index, np.uint64(1))
        if score > best:
            best, first = score, np.int64(index)
    put(context, at.ROOT_BEST, first)
    put(context, at.ROOT_SCORE, best)
    put(context, at.ROOT_VALUE, value_of(best))
    # Step 2. Keep a won game from standing still.
    if best > 0 and get(context, at.RULE) != 0:  # a position that occurs again is no progress
        put(context, at.REPETITION, 2)
        put(context, at.REPETITION_PLIES, 4)
    if abs(best) > at.TABLEBASE_WIN:  # a distance is known, so this is the best move
        put(context, at.NODES, count)
        put(context, at.ROOT_DEPTH, 1)
        line = get(context, at.ROOT_PV)
        store_word(line, np.uint64(1))
        store_word(line + 8, load_word(get(context, at.ROWS) + first * MOVE_BYTES + 24) & _CODE)
    # Step 3. Put the moves that keep the value first, in the order of generation; the search looks only at these.
    kept: Int = np.int64(0)
    for keeps in (1, 0):
        for index in range(count):
            score = np.int64(load_word(scores + 8 * index))
            alike = index == first if get(context, at.ROOT_DEPTH) != 0 else value_of(score) == value_of(best)
            if np.int64(alike) == keeps:
                store_word(order + 8 * kept, np.uint64(index))
                kept += 1
        if keeps != 0:
            put(context, at.ROOT_KEPT, kept)
    for index in range(count):
        store_word(depths + 8 * index, np.uint64(get(context, at.ROOT_DEPTH)))


@callback(4)
def tablebase(context: Int, request: Int, ply: Int, row: Int) -> Int:
    """Answer a request of the search (see JUDGE_ROOT in `game.search.layout`)."""
    if request == at.PROBE_AFTER:
        return probe_after(row, ply, context)
    judge_root(context)
    return 0


@callback(4)
def adjudicate(position: Int, side: Int, tables: Int, _: Int) -> Int:
    """Return the result of a position that tables cover: 1 if Black wins, -1 if White wins, 0 for a draw.

    Args:
        position: address of three uint64, Black's pieces, White's pieces and kings; the side to move has pieces.
        side: the side to move.
        tables: `game.endgame.table_file.Tables.address`.
    """
    own, opponent = load_word(position + 8 * side), load_word(position + 8 - 8 * side)
    value: Int = np.int64(1)
    if opponent != np.uint64(0):
        value = probe(own, opponent, load_word(position + 16), side, tables)
    return value if side == 0 else -value
