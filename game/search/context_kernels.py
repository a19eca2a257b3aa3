"""Access to the context of a search, and the evaluation of the player `material`."""

from __future__ import annotations

import numpy as np

from game.bits import load_word, popcount, store_word
from game.jit import Int, Word, inlined
from game.search import layout as at


@inlined
def get(context: Int, word: Int) -> Int:
    """A word of the context."""
    return np.int64(load_word(context + 8 * word))


@inlined
def put(context: Int, word: Int, value: Int) -> None:
    """Write a word of the context."""
    store_word(context + 8 * word, np.uint64(value))


@inlined
def record_of(ply: Int, context: Int) -> Int:
    """Address of the record of a ply."""
    return get(context, at.RECORDS) + ply * at.RECORD_BYTES


@inlined
def material(own: Word, opponent: Word, kings: Word) -> Int:
    """Material balance: men count 100, kings 150, own minus opponent's."""
    men = popcount(own & ~kings) - popcount(opponent & ~kings)
    return at.MAN_VALUE * men + at.KING_VALUE * (popcount(own & kings) - popcount(opponent & kings))
