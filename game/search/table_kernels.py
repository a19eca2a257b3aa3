"""The transposition table: keys, probe, store.

An entry has two words: the key of a position, xor the second word; and score (32 bits, signed), depth (7), bound (2),
move (8), extent (6), age (9). So an entry of which two threads have written one word each belongs to no position. The
age is the number of the search that stored the entry. Entries of other ages count as empty, so searches do not affect
each other although the table is not cleared. A search that continues a game has the age of the search before it, or,
with AGEING, the next age: then it uses the results of all ages since the game began, and older ones give way to its
own. A bucket has two entries, for the deepest and the newest result, and a search begins with few buckets, so that
short searches stay in the processor's cache.
"""

from __future__ import annotations

import numpy as np

from game.bits import load_word, store_word
from game.compiled.jit import Int, Word, compiled, inlined
from game.search.layout import PROVED

UPPER, LOWER, EXACT = 1, 2, 3
"""Bounds: the value of the position is at most, at least, or exactly the score."""

NO_MOVE = 255
ENTRY_BYTES = 16
BUCKET_BYTES = 32
AGES = 1 << 9
MAX_EXTENT = 63
"""Largest extent of an entry, which is the number of plies from its position to the deepest one that was expanded."""

_K1 = np.uint64(0x9E3779B97F4A7C15)
_K2 = np.uint64(0xC2B2AE3D27D4EB4F)
_K3 = np.uint64(0x165667B19E3779F9)
_K4 = np.uint64(0xBF58476D1CE4E5B9)
_SIDE = np.uint64(0x94D049BB133111EB)
_29 = np.uint64(29)
_31 = np.uint64(31)
_32 = np.uint64(32)
_0 = np.uint64(0)
_LOW = np.uint64(0xFFFFFFFF)


@inlined
def position_key(black: Word, white: Word, kings: Word, side: Int) -> Word:
    """Return a 64-bit key of a position; two positions have the same key with a probability of about 2**-64.

    It takes the place of a Zobrist key, but is mixed from the three words of the board.
    """
    # Each board has a factor of its own, which spreads its bits upwards. The last two lines bring the upper bits, which
    # the products mix best, down to the lower ones, which choose the bucket.
    key = (black * _K1) ^ ((white ^ (white << _29)) * _K2) ^ ((kings + (kings << _31)) * _K3)
    if side != 0:
        key ^= _SIDE
    key = (key ^ (key >> _32)) * _K4
    return key ^ (key >> _29)


@inlined
def bucket_of(key: Word, table: Int, mask: Int) -> Int:
    return table + (np.int64(key) & mask) * BUCKET_BYTES


@inlined
def probe(key: Word, table: Int, mask: Int, oldest: Int, age: Int) -> Word:
    """Return the second word of a position's entry that is not older than `oldest`; 0 if there is none."""
    bucket = bucket_of(key, table, mask)
    for entry in (bucket, bucket + ENTRY_BYTES):
        data = load_word(entry + 8)
        if load_word(entry) ^ data == key and oldest <= entry_age(data) <= age:
            return data
    return _0


@inlined
def store(
    key: Word, table: Int, mask: Int, age: Int, score: Int, depth: Int, bound: Int, move: Int, extent: Int
) -> None:
    """Store a result: in place of the position's own entry, else of a shallower or older one, else of the newest."""
    # The first entry of a bucket keeps the deepest result of this search, the second takes every other one.
    entry = bucket_of(key, table, mask)
    old = load_word(entry + 8)
    if load_word(entry) ^ old != key and entry_age(old) == age and entry_depth(old) > depth:
        entry += ENTRY_BYTES
    high = depth | (bound << 7) | (move << 9) | (extent << 17) | (age << 23)
    data = (np.uint64(score) & _LOW) | (np.uint64(high) << _32)
    store_word(entry, key ^ data)
    store_word(entry + 8, data)


@inlined
def score_from_table(data: Word, ply: Int) -> Int:
    """Return the score of an entry, with proved wins counted from the root."""
    score = np.int64(np.int32(np.int64(data & _LOW)))
    if score >= PROVED:
        return score - ply
    if score <= -PROVED:
        return score + ply
    return score


@inlined
def score_to_table(score: Int, ply: Int) -> Int:
    """Return a score for an entry, with proved wins counted from the position itself, which may occur at any ply."""
    if score >= PROVED:
        return score + ply
    if score <= -PROVED:
        return score - ply
    return score


@inlined
def entry_depth(data: Word) -> Int:
    """Return the depth to which the position of an entry was searched."""
    return np.int64(data >> _32) & 127


@inlined
def entry_bound(data: Word) -> Int:
    """Return UPPER, LOWER or EXACT."""
    return np.int64(data >> np.uint64(39)) & 3


@inlined
def entry_move(data: Word) -> Int:
    """Return the index of the best move in the order of move generation, or NO_MOVE."""
    return np.int64(data >> np.uint64(41)) & 255


@inlined
def entry_extent(data: Word) -> Int:
    """Return the plies from the position of an entry to the deepest position that was expanded for its result."""
    return np.int64(data >> np.uint64(49)) & MAX_EXTENT


@inlined
def entry_age(data: Word) -> Int:
    return np.int64(data >> np.uint64(55))


@inlined
def grow(table: Int, old_mask: Int, mask: Int, oldest: Int, age: Int) -> None:
    """Spread the entries that this search uses over more buckets; both numbers of buckets are powers of two."""
    for bucket in range(table, table + (old_mask + 1) * BUCKET_BYTES, BUCKET_BYTES):
        for entry in (bucket, bucket + ENTRY_BYTES):
            key, data = load_word(entry), load_word(entry + 8)
            target = bucket_of(key ^ data, table, mask)
            # The lower bits of the key stay the same, so a new bucket takes entries of one old bucket alone, two at
            # most.
            if oldest <= entry_age(data) <= age and target != bucket:
                if oldest <= entry_age(load_word(target + 8)) <= age:
                    target += ENTRY_BYTES
                store_word(target, key)
                store_word(target + 8, data)
                store_word(entry + 8, _0)


@compiled
def clear(where: Int, size: Int) -> None:
    """Empty a table of `size` bytes: after AGES searches old entries could be taken for new ones."""
    for key in range(where, where + size, 8):
        store_word(key, _0)
