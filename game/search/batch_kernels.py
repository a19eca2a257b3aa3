"""The choice of a move by a search in compiled games; called by address, so that games are compiled without it."""

from __future__ import annotations

import numpy as np

from game.bits import call, load_word, rotate_for, store_word
from game.compiled.jit import Int, callback
from game.search import layout as at
from game.search.context_kernels import get, put, record_of
from game.search.root_kernels import begin, think
from game.search.table_kernels import position_key

_0 = np.uint64(0)
_EXACT, _AS_FOUND = 1, 2
"""Kinds of results that are kept from move to move: exact values (with blondie and equal depth), or all results (with
`keeps_table`)."""
_DEPTH = 8 * (1 + len(at.BINDING))
"""Byte offset of the words after the binding: limits of the search, and the kind of results that it keeps."""


@callback(4)
def choose(player: Int, state: Int, history: Int, length: Int) -> Int:
    """Return the index of the move that a player chooses; -1 if its network gave a value that is not finite.

    Args:
        player: address of int64: context, the words of `game.search.search.Binding`, depth, nodes, 1 if every root move
            gets an exact score, the kind of results that are kept from move to move (0 for none, _EXACT, _AS_FOUND),
            the words LOWEST and HIGHEST, and the context for searches as White.
        state: address of int64: side to move; quiet plies; plies until the game is drawn by its length; the age of
            Black's table in this game, and of White's (0 before the first search); the root value of Black's last
            search, and of White's. This function writes the age and the value of the side to move.
        history: address of rows of three uint64, Black's pieces, White's and kings: the positions since the last
            irreversible move, the current one last.
        length: number of rows.
    """
    # Step 1. Bind the player's network and limits to the context of its colour.
    side = np.int64(load_word(state))
    limits = player + _DEPTH
    context = np.int64(load_word(player if side == 0 else limits + 48))
    for word in range(len(at.BINDING)):
        put(context, at.BINDING[word], np.int64(load_word(player + 8 + 8 * word)))
    depth, nodes = np.int64(load_word(limits)), np.int64(load_word(limits + 8))
    all_scores, keeps = np.int64(load_word(limits + 16)), np.int64(load_word(limits + 24))
    # Step 2. Write the positions since the last irreversible move as the searching side sees them: draws by repetition
    # need them, and the search always plays as side 0.
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
    # Step 3. Say which results of the player's earlier searches in this game stay valid. Before the first search of a
    # game, ages must be left for both colours, since the table is not cleared within one.
    age = state + 24 + 8 * side
    put(context, at.KEEPS, np.int64(keeps == _EXACT))
    put(context, at.LOWEST, np.int64(load_word(limits + 32)))
    put(context, at.HIGHEST, np.int64(load_word(limits + 40)))
    put(context, at.KEPT_AGE, np.int64(load_word(age)) if keeps != 0 else 0)
    put(context, at.AGES_NEEDED, 1 + np.int64(load_word(state + 24) | load_word(state + 32) == _0))
    # Step 4. Search. Where only the best move is wanted and no limit can end the search early, bounds are enough.
    if keeps == _EXACT and all_scores == 0 and depth > 1 and nodes == at.NO_LIMIT:
        put(context, at.NODE_LIMIT, nodes)
        if begin(context) > 0:
            call(get(context, at.ITERATION), context, depth, np.int64(load_word(age + 16)), at.FIND_MOVE)
        store_word(age + 16, np.uint64(get(context, at.ROOT_SCORE)))
    else:
        think(context, depth, nodes, all_scores)
    store_word(age, np.uint64(get(context, at.AGE)))
    return -1 if get(context, at.ABORTED) == at.FAILED else get(context, at.ROOT_BEST)
