"""A network as the evaluator of a search; called by address, so the search is compiled without it.

The sums of the first layer are kept for each position on the line that is searched, as the searcher sees it, who is
always side 0. Leaves go through the other layers four at a time.
"""

from __future__ import annotations

import numpy as np

from game.bits import bits_to_float, float_to_bits, load_word, store_word
from game.jit import Float, Int, Word, callback, inlined
from game.networks import vectors as v
from game.networks.kernels import piece_difference, rebuild, run_layers, sums_after, sums_after_reply
from game.search import layout as at
from game.search.context_kernels import get, put, record_of
from game.search.table_kernels import hashed

_0 = np.uint64(0)
_SALT = np.uint64(0xD6E8FEB86659FD93)
_CACHE_MASK = (1 << at.LEAF_CACHE_BITS) - 1


@inlined
def as_score(value: Float) -> Int:
    """A float32 as a score: its bits, negative if it is."""
    bits = np.int64(float_to_bits(value))
    return bits if bits >= 0 else -(bits & 0x7FFF_FFFF)


@inlined
def place_sums(ply: Int, row: Int, target: Int, context: Int) -> None:
    """Write the sums of the position after a move at a ply."""
    record = record_of(ply, context)
    plan, params = get(context, at.PLAN), get(context, at.PARAMS)
    sums = get(context, at.SUMS) + ply * get(context, at.SUMS_BYTES)
    black, white, kings = load_word(record + at.BLACK), load_word(record + at.WHITE), load_word(record + at.KINGS)
    if ply & 1 == 0:
        sums_after(black, white, kings, row, 0, plan, params, sums, target)
    else:
        sums_after_reply(black, white, kings, row, 0, plan, params, sums, target)


@inlined
def cache_entry(word: Word, context: Int) -> Int:
    """Where the value of a leaf would be kept."""
    return get(context, at.LEAF_CACHE) + (np.int64(word) & _CACHE_MASK) * at.LEAF_BYTES


@inlined
def write_values(ply: Int, count: Int, context: Int) -> None:
    """Write the values of leaves after moves at a ply: those that the cache has not, four together."""
    plan = get(context, at.PLAN)
    scratch, stride = get(context, at.SCRATCH), np.int64(load_word(plan + 40))
    salt = np.uint64(get(context, at.GENERATION)) * _SALT
    misses = 0
    for place in range(count):
        row = get(context, at.LEAVES + place)
        own, opponent = load_word(row), load_word(row + 8)
        if ply & 1 != 0:
            own, opponent = opponent, own
        word = hashed(own, opponent, load_word(row + 16), 0) + salt
        entry = cache_entry(word, context)
        if load_word(entry) == word:
            put(context, at.VALUES + place, np.int64(load_word(entry + 8)))
        else:
            place_sums(ply, row, scratch + misses * stride, context)
            put(context, at.MISSES + misses, place)
            put(context, at.HASHES + misses, np.int64(word))
            misses += 1
    if misses > 0:
        outputs = run_layers(plan, get(context, at.TAPS), get(context, at.PARAMS), scratch, misses)
        for miss in range(misses):
            place = get(context, at.MISSES + miss)
            value = v.load_float(outputs + miss * stride)
            if load_word(plan + 48) != _0:
                row = get(context, at.LEAVES + place)
                own, opponent = load_word(row), load_word(row + 8)
                if ply & 1 != 0:
                    own, opponent = opponent, own
                king = bits_to_float(np.int32(get(context, at.KING)))
                value += piece_difference(own, opponent, load_word(row + 16), king)
            score = as_score(value)
            if score >= at.UNPROVED or score <= -at.UNPROVED:
                put(context, at.ABORTED, at.FAILED)
            put(context, at.VALUES + place, score)
            word = np.uint64(get(context, at.HASHES + miss))
            entry = cache_entry(word, context)
            store_word(entry, word)
            store_word(entry + 8, np.uint64(score))
        put(context, at.EVALUATIONS, get(context, at.EVALUATIONS) + misses)
    if ply & 1 != 0:
        for place in range(count):
            put(context, at.VALUES + place, -get(context, at.VALUES + place))


@callback(4)
def evaluator(context: Int, what: Int, ply: Int, count: Int) -> Int:
    """What `game.search.layout` asks of an evaluator."""
    if what == at.AT_LEAVES:
        write_values(ply, count, context)
    elif what == at.AT_PLY:
        sums = get(context, at.SUMS) + ply * get(context, at.SUMS_BYTES)
        place_sums(ply - 1, np.int64(load_word(record_of(ply, context) + at.ROW)), sums, context)
    else:
        record = record_of(0, context)
        black, white, kings = load_word(record + at.BLACK), load_word(record + at.WHITE), load_word(record + at.KINGS)
        rebuild(black, white, kings, 0, get(context, at.PLAN), get(context, at.PARAMS), get(context, at.SUMS))
    return 0
