"""A quantised network as the evaluator of a search, in integers; its values equal those of `network_kernels`."""

from __future__ import annotations

import numpy as np

from game.bits import load_word
from game.compiled.jit import Int, callback, inlined, variant
from game.networks import integer_kernels as integers
from game.networks.kernels import blend
from game.search import layout as at
from game.search import network_kernels as floats
from game.search.context_kernels import float_to_score, get, put


@inlined
def evaluate(_ply: Int, misses: Int, _mover: Int, context: Int, _layers_alone: Int) -> None:
    """Write the scores of the leaves in MISSES to VALUES, from their sums in the scratch memory."""
    plan, scratch = get(context, at.PLAN), get(context, at.SCRATCH)
    outputs = integers.run_layers(plan, get(context, at.TAPS), get(context, at.PARAMS), scratch, misses)
    for miss in range(misses):
        value = blend(outputs + miss * np.int64(load_word(plan + 40)), np.uint64(0), plan)
        put(context, at.VALUES + get(context, at.MISSES + miss), float_to_score(value))


_sizes = {"sums_bytes": integers.sums_bytes, "view_bytes": integers.view_bytes}
_write_sums = variant(floats.write_sums, write_sums_after=integers.write_sums_after)
_write_values = variant(floats.write_values, evaluate=evaluate, write_sums=_write_sums, **_sizes)
_answer = variant(floats.answer, write_values=_write_values, rebuild=integers.rebuild, **_sizes)


@callback(4)
def evaluator(context: Int, request: Int, ply: Int, count: Int) -> Int:
    """Answer a request for a quantised network; see `game.search.layout`."""
    return _answer(context, request, ply, count, 0)
