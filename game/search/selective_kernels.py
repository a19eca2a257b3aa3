"""Selective search: which positions near the leaves are not searched, and which moves are searched less deep."""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bits import bits_to_float, call, float_to_bits, load_word
from game.compiled.jit import Float, Int, Word, inlined
from game.search import layout as at
from game.search.context_kernels import get, material, put, record_of
from game.search.node_kernels import reply_is_capture, threatens_capture

_0 = np.uint64(0)
_PRUNED_DEPTH = 3
"""Plies that remain, at most, where positions are pruned."""
_WITHOUT_MOVE = 4
"""Plies that remain, at least, where a position without a move from the table is searched one ply less."""
_LATE, _LATER = 3, 6
"""Moves of a position that are searched before others are a ply less deep, and two."""


@inlined
def shifted(score: Int, by: Float) -> Int:
    """A score of a network that lies so much higher; proved wins and losses stay."""
    if abs(score) >= at.PROVED:
        return score
    value = bits_to_float(np.int32(abs(score)))
    bits = np.int64(float_to_bits((value if score >= 0 else -value) + by))
    return bits if bits >= 0 else -(bits & 0x7FFF_FFFF)


@inlined
def moved(score: Int, margin: Int, times: Int, context: Int) -> Int:
    """A score that lies so many times a margin, a word of the context, higher."""
    if get(context, at.EVALUATOR_KIND) == at.MATERIAL:
        return score + times * margin
    return shifted(score, np.float32(times) * bits_to_float(np.int32(margin)))


@inlined
def value_here(own: Word, opponent: Word, kings: Word, ply: Int, context: Int) -> Int:
    """The evaluation of the position at a ply, below the root, to the side to move; ABORTED says if it failed."""
    if get(context, at.EVALUATOR_KIND) == at.MATERIAL:
        return material(own, opponent, kings)
    put(context, at.LEAVES, np.int64(load_word(record_of(ply, context) + at.ROW)))
    put(context, at.ENOUGH, at.INFINITY)
    call(get(context, at.EVALUATOR), context, at.AT_LEAVES, ply - 1, 1)
    return -get(context, at.VALUES)


@inlined
def prune(own: Word, opponent: Word, kings: Word, alpha: Int, beta: Int, depth: Int, ply: Int, context: Int) -> Int:
    """A bound outside the window for a position in which nothing is captured; INFINITY if it has to be searched.

    With PRUNING, few plies before the leaves: quiet moves raise the evaluation by no more than a margin a ply; and they
    lower it by no more than another one, unless a capture is threatened.
    """
    if get(context, at.PRUNING) == 0 or depth <= 0 or depth > _PRUNED_DEPTH or alpha <= -at.DRAWN or beta >= at.DRAWN:
        return np.int64(at.INFINITY)
    value = value_here(own, opponent, kings, ply, context)
    bound = moved(value, get(context, at.MARGIN_UP), depth, context)
    if bound <= alpha:
        return bound
    bound = moved(value, get(context, at.MARGIN_DOWN), -depth, context)
    row = np.int64(load_word(record_of(ply, context) + at.ROW))
    if bound >= beta and threatens_capture(row, 1 - (ply & 1)) == 0:
        return bound
    return np.int64(at.INFINITY)


@inlined
def lacks_move(tt_move: Int, count: Int, depth: Int, context: Int) -> Any:
    """Whether a position is searched one ply less, with REDUCTIONS, for nobody knows yet where to begin."""
    return get(context, at.REDUCTIONS) != 0 and tt_move < 0 and count > 1 and depth >= _WITHOUT_MOVE


@inlined
def reduction(row: Int, side: Int, searched: Int, depth: Int, best: Int, context: Int) -> Int:
    """By how many plies a move is searched less, with REDUCTIONS, before it has shown that it is better.

    Moves of a position without captures, after so many others; not those that make the opponent capture, nor any as
    long as all others lose.
    """
    if get(context, at.REDUCTIONS) == 0 or searched < _LATE or depth < 2 or best <= -at.PROVED:
        return np.int64(0)
    plies = np.int64(2) if searched >= _LATER and depth > 2 else np.int64(1)
    return plies * (np.int64(1) - reply_is_capture(row, side))
