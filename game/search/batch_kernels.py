"""One move of a compiled game, by a player who searches.

It is called by address, so that games are compiled without the search.
"""

from __future__ import annotations

import numpy as np

from game.bits import load_word, rotated, store_word
from game.jit import Int, Word, callback, inlined
from game.search import layout as at
from game.search.context_kernels import get, put, record_of
from game.search.kernels import think
from game.search.table_kernels import hashed

_BINDING = (at.KIND, at.EVALUATOR, at.PLAN, at.TAPS, at.PARAMS, at.KING, at.SUMS_BYTES)


@inlined
def seen(board: Word, side: Int) -> Word:
    """A board as a searcher of one side sees it."""
    return board if side == 0 else rotated(board)


@callback(4)
def choose(player: Int, state: Int, history: Int, length: Int) -> Int:
    """Index of the move that a player chooses; -1 if a value was no finite number.

    Args:
        player: address of int64: context, then what `game.search.search.Binding` holds, depth, nodes, and whether every
            root move gets an exact score.
        state: address of int64: side to move, quiet plies, plies until the game is drawn by its length.
        history: address of rows of three uint64, Black's pieces, White's and kings: the positions since the last move
            that cannot be taken back, the present one last.
        length: number of rows.
    """
    context = np.int64(load_word(player))
    for word in range(len(_BINDING)):
        put(context, _BINDING[word], np.int64(load_word(player + 8 + 8 * word)))
    depth, nodes = np.int64(load_word(player + 64)), np.int64(load_word(player + 72))
    every = np.int64(load_word(player + 80))
    side = np.int64(load_word(state))
    for index in range(length):
        ply = index - length + 1
        row, record = history + 24 * index, record_of(ply, context)
        black, white = load_word(row), load_word(row + 8)
        if side != 0:
            black, white = white, black
        black, white, kings = seen(black, side), seen(white, side), seen(load_word(row + 16), side)
        store_word(record + at.HASH, hashed(black, white, kings, -ply & 1))
        store_word(record + at.BLACK, black)
        store_word(record + at.WHITE, white)
        store_word(record + at.KINGS, kings)
    record = record_of(0, context)
    store_word(record + at.RUN, np.uint64(length - 1))
    store_word(record + at.QUIET, load_word(state + 8))
    put(context, at.LENGTH_LEFT, np.int64(load_word(state + 16)))
    think(context, depth, nodes, every)
    return -1 if get(context, at.ABORTED) == at.FAILED else get(context, at.ROOT_BEST)
