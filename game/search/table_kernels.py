"""The transposition table: hash, probe, store.

An entry is two words, the hash and: score (32 bits, signed), depth (8), bound (2), move (8), generation (14). Entries
of another generation are empty: nothing leaks from one search to the next, though nothing is cleared between them. A
bucket is two entries, the deepest and the newest.

A search begins with few buckets and gets more with each iteration, so that a short one stays in the cache: in a table
of 4 MB searches of 8,000 positions took half as long again.
"""

from __future__ import annotations

import numpy as np

from game.bits import load_word, store_word
from game.jit import Int, Word, compiled, inlined
from game.search.layout import UNPROVED

UPPER, LOWER, EXACT = 1, 2, 3
"""Bounds: the score is at most, at least, or just this."""

NO_MOVE = 255
ENTRY_BYTES = 16
BUCKET_BYTES = 32
GENERATIONS = 1 << 14

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
def hashed(black: Word, white: Word, kings: Word, side: Int) -> Word:
    """64 bits that stand for a position; two positions share them with a chance of 2**-64."""
    word = (black * _K1) ^ ((white ^ (white << _29)) * _K2) ^ ((kings + (kings << _31)) * _K3)
    if side != 0:
        word ^= _SIDE
    word = (word ^ (word >> _32)) * _K4
    return word ^ (word >> _29)


@inlined
def bucket_of(word: Word, table: Int, mask: Int) -> Int:
    """Address of the bucket of a position."""
    return table + (np.int64(word) & mask) * BUCKET_BYTES


@inlined
def probe(word: Word, table: Int, mask: Int, generation: Int) -> Word:
    """The entry of a position; 0 if there is none."""
    bucket = bucket_of(word, table, mask)
    for entry in (bucket, bucket + ENTRY_BYTES):
        if load_word(entry) == word:
            data = load_word(entry + 8)
            if entry_generation(data) == generation:
                return data
    return _0


@inlined
def store(word: Word, table: Int, mask: Int, generation: Int, score: Int, depth: Int, bound: Int, move: Int) -> None:
    """Keep what is known of a position: in place of its own old entry, of a shallower one, or of the newest."""
    entry = bucket_of(word, table, mask)
    old = load_word(entry + 8)
    if load_word(entry) != word and entry_generation(old) == generation and entry_depth(old) > depth:
        entry += ENTRY_BYTES
    high = depth | (bound << 8) | (move << 10) | (generation << 18)
    store_word(entry, word)
    store_word(entry + 8, (np.uint64(score) & _LOW) | (np.uint64(high) << _32))


@inlined
def entry_score(data: Word, ply: Int) -> Int:
    """The score, proved wins counted from the root on."""
    score = np.int64(np.int32(np.int64(data & _LOW)))
    if score >= UNPROVED:
        return score - ply
    if score <= -UNPROVED:
        return score + ply
    return score


@inlined
def stored_score(score: Int, ply: Int) -> Int:
    """A score with proved wins counted from this position on."""
    if score >= UNPROVED:
        return score + ply
    if score <= -UNPROVED:
        return score - ply
    return score


@inlined
def entry_depth(data: Word) -> Int:
    """Remaining depth of the search that made an entry."""
    return np.int64(data >> _32) & 255


@inlined
def entry_bound(data: Word) -> Int:
    """UPPER, LOWER or EXACT."""
    return np.int64(data >> np.uint64(40)) & 3


@inlined
def entry_move(data: Word) -> Int:
    """Index of the best move in the order of generation, or NO_MOVE."""
    return np.int64(data >> np.uint64(42)) & 255


@inlined
def entry_generation(data: Word) -> Int:
    """Number of the search that made an entry."""
    return np.int64(data >> np.uint64(50))


@inlined
def grow(table: Int, old_mask: Int, mask: Int, generation: Int) -> None:
    """Spread the entries of a search over more buckets; both numbers of buckets are powers of two."""
    for bucket in range(table, table + (old_mask + 1) * BUCKET_BYTES, BUCKET_BYTES):
        for entry in (bucket, bucket + ENTRY_BYTES):
            word, data = load_word(entry), load_word(entry + 8)
            target = bucket_of(word, table, mask)
            if entry_generation(data) == generation and target != bucket:
                if entry_generation(load_word(target + 8)) == generation:
                    target += ENTRY_BYTES
                store_word(target, word)
                store_word(target + 8, data)
                store_word(entry + 8, _0)


@compiled
def clear(where: Int, size: Int) -> None:
    """Empty a table of so many bytes: after GENERATIONS searches old entries could be taken for new ones."""
    for word in range(where, where + size, 8):
        store_word(word, _0)
