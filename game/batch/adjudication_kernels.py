"""The result of a compiled game by tablebases; called by address, so that games are compiled without it."""

from __future__ import annotations

import numpy as np

from game.bits import load_word
from game.compiled.jit import Int, callback
from game.endgame.probe_kernels import probe


@callback(4)
def adjudicate(position: Int, side: Int, tables: Int, _: Int) -> Int:
    """Return the result of a position that tables cover: 1 if Black wins, -1 if White wins, 0 for a draw.

    Args:
        position: address of three uint64, Black's pieces, White's and kings; the side to move has some.
        side: to move.
        tables: `game.endgame.tables.Tables.address`.
    """
    own, opponent = load_word(position + 8 * side), load_word(position + 8 - 8 * side)
    value: Int = np.int64(1)
    if opponent != np.uint64(0):
        value = probe(own, opponent, load_word(position + 16), side, tables)
    return value if side == 0 else -value
