"""The choice of a move by a search in compiled games; called by address, so that games are compiled without it."""

from __future__ import annotations

import numpy as np

from game.bits import load_word, rotate_for, store_word
from game.compiled.jit import Int, callback, inlined, part
from game.kernels import MOVE_BYTES
from game.search import layout as at
from game.search.context_kernels import get, put, record_of
from game.search.kernels import alphabeta
from game.search.node_kernels import make_move, shifted
from game.search.root_kernels import begin, think
from game.search.table_kernels import entry_move, position_key, probe

_0 = np.uint64(0)
_MARGIN = np.float32(0.05)
"""The first window extends by this margin to both sides of the value from two plies before."""
_AT_ONCE = 4
"""Depth of the first iteration, in plies."""
_EXACT, _AS_FOUND = 1, 2
"""Kinds of results that are kept from move to move: exact values (with blondie and equal depth), or all results (with
`keeps_table`)."""
_DEPTH = 8 * (1 + len(at.BINDING))
"""Byte offset of the words after the binding: limits of the search, and the kind of results that it keeps."""


@part
def search_move(index: Int, alpha: Int, beta: Int, depth: Int, context: Int) -> Int:
    """Return the value of a root move to the player if it lies between alpha and beta, else a bound on it."""
    record, row = record_of(0, context), get(context, at.ROWS) + index * MOVE_BYTES
    make_move(load_word(record + at.BLACK), load_word(record + at.KINGS), load_word(record + at.WHITE), row, 0, context)
    own, opponent, kings = load_word(row + 8), load_word(row), load_word(row + 16)
    free = get(context, at.ROWS) + (get(context, at.ROOT_COUNT) + 1) * MOVE_BYTES
    one = np.int64(index >= 0)  # a plain 1 would be a type of its own
    return -alphabeta(own, opponent, kings, -beta, -alpha, depth - 1, one, free, context)


@inlined
def find_move(depth: Int, guess: Int, context: Int) -> None:
    """Find the same best move as `think`, with KEEPS, but only a bound on its value; write ROOT_BEST and ROOT_SCORE.

    There is no iteration to two plies: the previous search provides the move to search first (in the table), and the
    middle of the first window (its value). A lower bound of the best move so far, `value`, is enough as long as no
    other move exceeds it; only then is its exact value computed. Call this after `begin`, for at least two moves.

    Args:
        depth: 2 or more.
        guess: the root's value in the previous search, used if there is a KEPT_AGE.
        context: address of the context.
    """
    count: Int = get(context, at.ROOT_COUNT)
    entry = probe(
        load_word(record_of(0, context) + at.KEY), get(context, at.TABLE), get(context, at.BUCKET_MASK),
        get(context, at.AGE),
    )  # fmt: skip
    first: Int = entry_move(entry) if entry != _0 and entry_move(entry) < count else np.int64(0)
    known = get(context, at.KEPT_AGE) != 0
    current: Int = min(depth, _AT_ONCE)
    value: Int = guess
    while True:
        low: Int = shifted(value, -_MARGIN) - 1 if known else np.int64(-at.INFINITY)
        high: Int = shifted(value, _MARGIN) + 1 if known else np.int64(at.INFINITY)
        best: Int = np.int64(-1)
        while best < 0 and get(context, at.ABORTED) == 0:
            value, exact = low, True
            for place in range(count):
                index: Int = first if place == 0 else place - np.int64(place <= first)
                if place == 0:
                    score = search_move(index, low, high, current, context)
                    if score > low:
                        best, value, exact = index, score, score < high
                    continue
                while get(context, at.ABORTED) == 0:
                    alpha = value - 1 if index < best else value  # the first of several equal moves is best
                    score = search_move(index, alpha, alpha + 1, current, context)
                    if score <= alpha:
                        break
                    if exact:
                        best, value, exact = index, score, False
                        break
                    value, exact = search_move(best, value - 1, np.int64(at.INFINITY), current, context), True
            low, high = np.int64(-at.INFINITY), low + 1  # no move exceeds `low`, so this window contains the best
        if get(context, at.ABORTED) != 0:
            return
        put(context, at.ROOT_BEST, best)
        put(context, at.ROOT_SCORE, value)
        if current >= depth or value >= at.WIN - current:
            return
        first, known = best, True
        current = min(current + 2, depth)


@callback(4)
def choose(player: Int, state: Int, history: Int, length: Int) -> Int:
    """Return the index of the move that a player chooses; -1 if its network gave a value that is not finite.

    Args:
        player: address of int64: context, the words of `game.search.search.Binding`, depth, nodes, whether every
            root move gets an exact score, the kind of results that are kept from move to move (0 for none, _EXACT,
            _AS_FOUND), the words LOWEST and HIGHEST, and the context with which White searches.
        state: address of int64: side to move, quiet plies, plies until the game is drawn by its length, the ages of the
            table that Black and White use in this game (0 before the first search; written), the values of their
            last searches (written).
        history: address of rows of three uint64, Black's pieces, White's and kings: the positions since the last
            irreversible move, the current one last.
        length: number of rows.
    """
    side = np.int64(load_word(state))
    limits = player + _DEPTH
    context = np.int64(load_word(player if side == 0 else limits + 48))
    for word in range(len(at.BINDING)):
        put(context, at.BINDING[word], np.int64(load_word(player + 8 + 8 * word)))
    depth, nodes = np.int64(load_word(limits)), np.int64(load_word(limits + 8))
    all_scores, keeps = np.int64(load_word(limits + 16)), np.int64(load_word(limits + 24))
    for index in range(length):
        ply = index - length + 1
        row, record = history + 24 * index, record_of(ply, context)
        black, white = load_word(row), load_word(row + 8)
        if side != 0:
            black, white = white, black
        black, white, kings = rotate_for(black, side), rotate_for(white, side), rotate_for(load_word(row + 16), side)
        store_word(record + at.KEY, position_key(black, white, kings, -ply & 1))
        store_word(record + at.BLACK, black)
        store_word(record + at.WHITE, white)
        store_word(record + at.KINGS, kings)
    record = record_of(0, context)
    store_word(record + at.REVERSIBLE, np.uint64(length - 1))
    store_word(record + at.QUIET, load_word(state + 8))
    put(context, at.LENGTH_LEFT, np.int64(load_word(state + 16)))
    age = state + 24 + 8 * side
    put(context, at.KEEPS, np.int64(keeps == _EXACT))
    put(context, at.LOWEST, np.int64(load_word(limits + 32)))
    put(context, at.HIGHEST, np.int64(load_word(limits + 40)))
    put(context, at.KEPT_AGE, np.int64(load_word(age)) if keeps != 0 else 0)
    put(context, at.AGES_NEEDED, 1 + np.int64(load_word(state + 24) | load_word(state + 32) == _0))
    if keeps == _EXACT and all_scores == 0 and depth > 1 and nodes == at.NO_LIMIT:
        put(context, at.NODE_LIMIT, nodes)
        if begin(context) > 0:
            find_move(depth, np.int64(load_word(age + 16)), context)
        store_word(age + 16, np.uint64(get(context, at.ROOT_SCORE)))
    else:
        think(context, depth, nodes, all_scores)
    store_word(age, np.uint64(get(context, at.AGE)))
    return -1 if get(context, at.ABORTED) == at.FAILED else get(context, at.ROOT_BEST)
