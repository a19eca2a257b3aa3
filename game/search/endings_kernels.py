"""A network for positions with few pieces in front of another evaluator of a search; both are called by address.

It judges leaves that tablebases do not cover, that have few enough pieces, and in which no capture is pending.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bits import bits_to_float, call, load_word, popcount, rotate, store_word
from game.compiled.jit import Int, callback, inlined
from game.networks.kernels import expected_result
from game.search import layout as at
from game.search.context_kernels import get, material, put
from game.search.network_kernels import cache_entry, float_to_score
from game.search.node_kernels import reply_is_capture
from game.search.table_kernels import position_key

_0 = np.uint64(0)
_SALT = np.uint64(0x9E3779B97F4A7C15)


@inlined
def is_ending(row: Int, side: Int, most: Int, context: Int) -> Any:
    """Return whether the network judges the position after a move of `side`."""
    own, opponent = load_word(row), load_word(row + 8)
    pieces = popcount(own | opponent)
    if pieces > most or pieces <= get(context, at.TABLEBASE_PIECES) or own == _0 or opponent == _0:
        return False
    return reply_is_capture(row, side) == 0


@inlined
def write_seen(row: Int, side: Int, target: Int) -> None:
    """Write own, opponent and kings after a move of `side` as the opponent, who is to move, sees the board."""
    own, opponent, kings = load_word(row + 8), load_word(row), load_word(row + 16)
    if side == 0:
        own, opponent, kings = rotate(own), rotate(opponent), rotate(kings)
    store_word(target, own)
    store_word(target + 8, opponent)
    store_word(target + 16, kings)


@inlined
def judge_endings(ply: Int, count: Int, words: Int, context: Int) -> Int:
    """Write the values of endings among the leaves in ENDINGS_LEAVES; return the number of other leaves."""
    side, most = ply & 1, np.int64(load_word(words + 8 * at.ENDINGS_PIECES))
    salt = np.uint64(get(context, at.AGE)) * _SALT
    rows, values = np.int64(load_word(words + 8 * at.ENDINGS_ROWS)), words + 8 * at.ENDINGS_VALUES
    others: Int = np.int64(0)
    misses: Int = np.int64(0)
    for place in range(count):
        row = get(context, at.LEAVES + place)
        store_word(words + 8 * (at.ENDINGS_LEAVES + place), np.uint64(row))
        if not is_ending(row, side, most, context):
            store_word(words + 8 * (at.ENDINGS_PLACES + others), np.uint64(place))
            others += 1
            continue
        write_seen(row, side, rows + 24 * misses)
        seen = rows + 24 * misses
        key = position_key(load_word(seen), load_word(seen + 8), load_word(seen + 16), side) ^ salt
        entry = cache_entry(key, context)
        if load_word(entry) == key:
            store_word(values + 8 * place, load_word(entry + 8))
        else:
            store_word(words + 8 * (at.ENDINGS_MISSES + misses), np.uint64(place))
            put(context, at.MISS_KEYS + misses, np.int64(key))
            misses += 1
    if misses > 0:
        outputs = np.int64(load_word(words + 8 * at.ENDINGS_OUTPUTS))
        stride = np.int64(load_word(words + 8 * at.ENDINGS_STRIDE))
        factor = bits_to_float(np.int32(np.int64(load_word(words + 8 * at.ENDINGS_FACTOR))))
        writer, network = (
            np.int64(load_word(words + 8 * at.ENDINGS_WRITER)),
            np.int64(load_word(words + 8 * at.ENDINGS_NETWORK)),
        )
        call(writer, rows, misses, network, outputs)
        for miss in range(misses):
            score = float_to_score(-(factor * expected_result(outputs + miss * stride)))
            if score >= at.PROVED or score <= -at.PROVED:
                put(context, at.ABORTED, at.FAILED)
            key = np.uint64(get(context, at.MISS_KEYS + miss))
            entry = cache_entry(key, context)
            store_word(entry, key)
            store_word(entry + 8, np.uint64(score))
            store_word(values + 8 * np.int64(load_word(words + 8 * (at.ENDINGS_MISSES + miss))), np.uint64(score))
        put(context, at.EVALUATIONS, get(context, at.EVALUATIONS) + misses)
        asked = words + 8 * at.ENDINGS_ASKED
        store_word(asked, load_word(asked) + np.uint64(misses))
    return others


@callback(4)
def evaluator(context: Int, request: Int, ply: Int, count: Int) -> Int:
    """Answer a request of a search with a network for endings; see AT_ROOT in `game.search.layout`."""
    words = get(context, at.ENDINGS)
    own = np.int64(load_word(words + 8 * at.ENDINGS_OWN))
    if request != at.AT_LEAVES:
        return call(own, context, request, ply, count) if own != 0 else np.int64(0)
    others = judge_endings(ply, count, words, context)
    for other in range(others):
        row = np.int64(
            load_word(words + 8 * (at.ENDINGS_LEAVES + np.int64(load_word(words + 8 * (at.ENDINGS_PLACES + other)))))
        )
        put(context, at.LEAVES + other, row)
        if own == 0:
            balance = np.float32(material(load_word(row), load_word(row + 8), load_word(row + 16)))
            put(context, at.VALUES + other, float_to_score(balance))
    if others > 0 and own != 0:
        call(own, context, at.AT_LEAVES, ply, others)
    for other in range(others):
        place = np.int64(load_word(words + 8 * (at.ENDINGS_PLACES + other)))
        store_word(words + 8 * (at.ENDINGS_VALUES + place), np.uint64(get(context, at.VALUES + other)))
    for leaf in range(count):
        put(context, at.LEAVES + leaf, np.int64(load_word(words + 8 * (at.ENDINGS_LEAVES + leaf))))
        put(context, at.VALUES + leaf, np.int64(load_word(words + 8 * (at.ENDINGS_VALUES + leaf))))
    return count
