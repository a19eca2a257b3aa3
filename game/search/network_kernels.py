"""A network as the evaluator of a search. It is called by address, so that the search is compiled without it.

The sums of the first layer (the accumulator of NNUE) are kept for each position on the path, as seen by the searching
side, which is always side 0. Networks that see the board as the side to move also have sums as seen by the other side.
Leaves go through the remaining layers four at a time.
"""

from __future__ import annotations

import numpy as np

from game.bits import bits_to_float, float_to_bits, load_word, store_word
from game.compiled.jit import Int, Word, callback, inlined
from game.networks import vectors as v
from game.networks.kernels import piece_difference, run_layers, value_beside, whole_value
from game.networks.sum_kernels import rebuild, sums_bytes, view_bytes, write_sums_after
from game.search import layout as at
from game.search.context_kernels import float_to_score, get, put, record_of
from game.search.table_kernels import position_key

_0 = np.uint64(0)
_SALT = np.uint64(0xD6E8FEB86659FD93)


@inlined
def write_sums(ply: Int, row: Int, start: Int, span: Int, target: Int, context: Int) -> None:
    """Write a part of the first-layer sums of the position after a move at `ply`."""
    record = record_of(ply, context)
    plan, params = get(context, at.PLAN), get(context, at.PARAMS)
    sums = get(context, at.SUMS) + ply * get(context, at.SUMS_BYTES)
    black, white, kings = load_word(record + at.BLACK), load_word(record + at.WHITE), load_word(record + at.KINGS)
    if ply & 1 == 0:
        write_sums_after(black, white, kings, row, 0, plan, params, sums, start, span, target, 0)
    else:
        write_sums_after(black, white, kings, row, 0, plan, params, sums, start, span, target, 1)


@inlined
def cache_entry(key: Word, context: Int) -> Int:
    """Return the address of the entry of the leaf cache for a key."""
    return get(context, at.LEAF_CACHE) + (np.int64(key) & get(context, at.LEAF_CACHE_MASK)) * at.LEAF_BYTES


@inlined
def evaluate(ply: Int, misses: Int, mover: Int, context: Int, layers_alone: Int) -> None:
    """Write the scores of the leaves in MISSES to VALUES, from their sums in the scratch memory."""
    plan, taps, params = get(context, at.PLAN), get(context, at.TAPS), get(context, at.PARAMS)
    scratch, stride = get(context, at.SCRATCH), np.int64(load_word(plan + 40))
    king = bits_to_float(np.int32(get(context, at.KING)))
    if not layers_alone:
        for miss in range(misses):
            place = get(context, at.MISSES + miss)
            row = get(context, at.LEAVES + place)
            own, opponent = load_word(row), load_word(row + 8)
            if (ply & 1) ^ mover != 0:
                own, opponent = opponent, own
            beside = value_beside(
                scratch + miss * stride, own, opponent, load_word(row + 16), mover, plan, taps, params, king
            )
            put(context, at.VALUES + place, np.int64(float_to_bits(beside)))
    outputs = run_layers(plan, taps, params, scratch, misses)
    for miss in range(misses):
        place = get(context, at.MISSES + miss)
        row = get(context, at.LEAVES + place)
        if layers_alone:
            value = v.load_float(outputs + miss * stride)
            if load_word(plan + 48) != _0:
                own, opponent = load_word(row), load_word(row + 8)
                if ply & 1 != 0:
                    own, opponent = opponent, own
                value += piece_difference(own, opponent, load_word(row + 16), king)
        else:
            beside = bits_to_float(np.int32(get(context, at.VALUES + place)))
            value = whole_value(outputs + miss * stride, beside, load_word(row) | load_word(row + 8), plan)
        put(context, at.VALUES + place, float_to_score(value))


@inlined
def write_values(ply: Int, count: Int, context: Int, layers_alone: Int) -> Int:
    """Write the values of `count` leaves after moves at `ply`; those not in the leaf cache are evaluated together.

    Args:
        layers_alone: a constant, 1 for `layers_evaluator`.

    Returns:
        The number of values: all, or 1 if a leaf in the cache has at least the value ENOUGH. Then this leaf is first.
    """
    plan = get(context, at.PLAN)
    salt = np.uint64(get(context, at.AGE)) * _SALT
    # Whether the network sees leaves as the side to move does, which is side 1 after moves at an even ply.
    half, span = np.int64(0) if layers_alone else np.int64(load_word(plan + 72)), view_bytes(plan)
    by_mover = half != 0
    mover = 1 - (ply & 1) if by_mover else 0
    negative = by_mover or ply & 1 != 0  # values are for side 0, or for the opponent of the side that made the moves
    misses = 0
    for place in range(count):
        row = get(context, at.LEAVES + place)
        own, opponent = load_word(row), load_word(row + 8)
        if ply & 1 != 0:
            own, opponent = opponent, own
        key = position_key(own, opponent, load_word(row + 16), mover) + salt
        entry = cache_entry(key, context)
        if load_word(entry) == key:
            value = np.int64(load_word(entry + 8))
            put(context, at.VALUES + place, value)
            if (-value if negative else value) >= get(context, at.ENOUGH):
                put(context, at.LEAVES, row)
                put(context, at.VALUES, -value if negative else value)
                return np.int64(1)
        else:
            put(context, at.MISSES + misses, place)
            put(context, at.MISS_KEYS + misses, np.int64(key))
            misses += 1
    if misses > 0:
        valid = at.SUMS_PLY if mover == 0 else at.OTHER_SUMS_PLY
        sums_ply, start = get(context, valid), half * mover
        while sums_ply < ply:  # computed only now: many nodes need none, because of a cutoff or known leaves
            sums_ply += 1
            sums = get(context, at.SUMS) + sums_ply * get(context, at.SUMS_BYTES)
            last = np.int64(load_word(record_of(sums_ply, context) + at.ROW))
            write_sums(sums_ply - 1, last, start, span, sums + start, context)
            put(context, valid, sums_ply)
        scratch, stride = get(context, at.SCRATCH), np.int64(load_word(plan + 40))
        for miss in range(misses):
            row = get(context, at.LEAVES + get(context, at.MISSES + miss))
            write_sums(ply, row, start, span, scratch + miss * stride, context)
        evaluate(ply, misses, mover, context, layers_alone)
        for miss in range(misses):
            score = get(context, at.VALUES + get(context, at.MISSES + miss))
            if score >= at.PROVED or score <= -at.PROVED:
                put(context, at.ABORTED, at.FAILED)
            key = np.uint64(get(context, at.MISS_KEYS + miss))
            entry = cache_entry(key, context)
            store_word(entry, key)
            store_word(entry + 8, np.uint64(score))
        put(context, at.EVALUATIONS, get(context, at.EVALUATIONS) + misses)
    if negative:
        for place in range(count):
            put(context, at.VALUES + place, -get(context, at.VALUES + place))
    return count


@inlined
def answer(context: Int, request: Int, ply: Int, count: Int, layers_alone: Int) -> Int:
    """Answer a request of the search (see AT_ROOT in `game.search.layout`); return the number of values written."""
    if request == at.AT_LEAVES:
        return write_values(ply, count, context, layers_alone)
    record = record_of(0, context)
    black, white, kings = load_word(record + at.BLACK), load_word(record + at.WHITE), load_word(record + at.KINGS)
    plan, params = get(context, at.PLAN), get(context, at.PARAMS)
    rebuild(black, white, kings, 0, plan, params, 0, sums_bytes(plan), get(context, at.SUMS))
    return np.int64(0)


@callback(4)
def evaluator(context: Int, request: Int, ply: Int, count: Int) -> Int:
    """Answer a request for any network."""
    return answer(context, request, ply, count, 0)


@callback(4)
def layers_evaluator(context: Int, request: Int, ply: Int, count: Int) -> Int:
    """Answer a request for a network of `Program.layers_alone`: searches are 3 % faster than with `evaluator`."""
    return answer(context, request, ply, count, 1)
