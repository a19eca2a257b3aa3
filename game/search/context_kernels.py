"""Access to the context of a search, scores, and the evaluation of the player `material`."""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bits import float_to_bits, load_word, popcount, store_word
from game.compiled.jit import Float, Int, Word, inlined
from game.search import layout as at

_0 = np.uint64(0)


@inlined
def get(context: Int, word: Int) -> Int:
    return np.int64(load_word(context + 8 * word))


@inlined
def put(context: Int, word: Int, value: Int) -> None:
    store_word(context + 8 * word, np.uint64(value))


@inlined
def is_known(own: Word, opponent: Word, kings: Word, context: Int) -> Any:
    """Return whether tablebases give the value of a position below the root."""
    pieces = popcount(own | opponent)
    if pieces > get(context, at.TABLEBASE_PIECES):
        return False
    men = popcount((own | opponent) & ~kings)
    return own != _0 and opponent != _0 and pieces + men < get(context, at.TABLEBASE_BELOW)


@inlined
def record_of(ply: Int, context: Int) -> Int:
    return get(context, at.RECORDS) + ply * at.RECORD_BYTES


@inlined
def float_to_score(value: Float) -> Int:
    """Return a float32 as a score: the bits of its absolute value, with its sign (see `layout`)."""
    bits = np.int64(float_to_bits(value))
    return bits if bits >= 0 else -(bits & 0x7FFF_FFFF)


@inlined
def material(own: Word, opponent: Word, kings: Word) -> Int:
    """Return the material balance: men count 100, kings 150, own minus opponent's."""
    men = popcount(own & ~kings) - popcount(opponent & ~kings)
    return at.MAN_VALUE * men + at.KING_VALUE * (popcount(own & kings) - popcount(opponent & kings))
