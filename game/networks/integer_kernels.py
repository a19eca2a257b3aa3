"""Compiled evaluation of quantised networks in integers, with the same bits as `game.networks.kernels` in float32.

The scratch memory of a position has the sums of the first layer (16 bits), two areas of activations (bytes), which take
turns as input and output of a layer, the outputs (float32), and the places of the inputs that are not 0 (32 bits).
"""

from __future__ import annotations

import numpy as np

from game.bits import load_word
from game.compiled.jit import DOT, Int, callback, compiled, inlined, variant
from game.networks import integer_vectors as v
from game.networks import sum_kernels
from game.networks import vectors as floats
from game.networks.kernels import TOGETHER

AVAILABLE = bool(DOT)
"""True if this processor has instructions for products of bytes; otherwise float32 is used."""
ALL_BYTES = 128
HEAD_BYTES = 192
LAYER_BYTES = 48

sums_bytes = variant(sum_kernels.sums_bytes, v=v)
view_bytes = variant(sum_kernels.view_bytes, v=v)
_v = {"v": v, "sums_bytes": sums_bytes}
_update_sums = variant(sum_kernels.update_sums, add_rows=variant(sum_kernels.add_rows, v=v))
_advance = variant(sum_kernels.advance, update_sums=_update_sums, **_v)
rebuild = variant(sum_kernels.rebuild, advance=_advance, **_v)
write_sums_after = variant(sum_kernels.write_sums_after, advance=_advance, **_v)


@inlined
def list_groups(source: Int, groups: Int, entries: Int) -> Int:
    """Write the places of groups of four activations that are not all 0, and return their number."""
    end = entries
    for group in range(0, groups, 16):
        counted = 0xFFFF if groups - group >= 16 else 0xFF  # numbers of groups are multiples of 8
        end = v.list_active(source + 4 * group, counted, 4 * group, end)
    return (end - entries) >> 2


@inlined
def run_tile(
    source: Int, groups: Int, entries: Int, count: Int, weights: Int, biases: Int, target: Int, last: Int, vectors: Int
) -> None:
    """Compute `vectors` vectors of outputs, a constant: 4 or 1.

    `entries` has the places of the `count` groups of inputs that are used; others are 0.
    """
    span = groups * v.BYTES
    a, e = v.load_ints(biases), v.zero_ints()
    b, c, d, f, g, h = a, a, a, e, e, e
    if vectors == 4:
        b, c = v.load_ints(biases + v.BYTES), v.load_ints(biases + 2 * v.BYTES)
        d = v.load_ints(biases + 3 * v.BYTES)
    for _ in range(count >> 1):
        pair = np.int64(load_word(entries))
        first, second = pair & 0xFFFF_FFFF, pair >> 32
        entries += 8
        inputs, place = v.broadcast(source + first), weights + 16 * first
        others, further = v.broadcast(source + second), weights + 16 * second
        a, e = v.add_products(a, inputs, place), v.add_products(e, others, further)
        if vectors == 4:
            b, f = v.add_products(b, inputs, place + span), v.add_products(f, others, further + span)
            c, g = v.add_products(c, inputs, place + 2 * span), v.add_products(g, others, further + 2 * span)
            d, h = v.add_products(d, inputs, place + 3 * span), v.add_products(h, others, further + 3 * span)
    if count & 1:
        first = np.int64(load_word(entries)) & 0xFFFF_FFFF
        inputs, place = v.broadcast(source + first), weights + 16 * first
        a = v.add_products(a, inputs, place)
        if vectors == 4:
            b = v.add_products(b, inputs, place + span)
            c = v.add_products(c, inputs, place + 2 * span)
            d = v.add_products(d, inputs, place + 3 * span)
    a = v.add_ints(a, e)
    if vectors == 4:
        b, c, d = v.add_ints(b, f), v.add_ints(c, g), v.add_ints(d, h)
    if last:
        v.store_outputs(target, a)
        if vectors == 4:
            v.store_outputs(target + v.BYTES, b)
            v.store_outputs(target + 2 * v.BYTES, c)
            v.store_outputs(target + 3 * v.BYTES, d)
    else:
        v.store_clipped(target, a)
        if vectors == 4:
            v.store_clipped(target + 16, b)
            v.store_clipped(target + 32, c)
            v.store_clipped(target + 48, d)


@compiled
def run_layers(plan: Int, _taps: Int, params: Int, scratch: Int, count: Int) -> Int:
    """Compute the outputs of `count` positions from the sums of their first layer; see `kernels.run_layers`."""
    stride, area, view = np.int64(load_word(plan + 40)), np.int64(load_word(plan + 88)), view_bytes(plan)
    outputs = view + 2 * area
    listed = outputs + np.int64(load_word(plan + 104))
    for place in range(count):
        sums = scratch + place * stride
        for at in range(0, view, v.BYTES):
            v.store_clipped_shorts(sums + view + at // 2, v.load(sums + at))
        layer = plan + HEAD_BYTES
        for _ in range(np.int64(load_word(plan + 32))):
            groups, vectors = np.int64(load_word(layer)), np.int64(load_word(layer + 8))
            weights, biases = params + np.int64(load_word(layer + 16)), params + np.int64(load_word(layer + 24))
            odd, output = np.int64(load_word(layer + 32)), np.int64(load_word(layer + 40))
            last, size = output >= 0, v.BYTES if output >= 0 else 16
            source, entries, active = sums + view + odd * area, plan + ALL_BYTES, groups
            if groups > 16:
                entries = sums + listed
                active = list_groups(source, groups, entries)
            target = sums + outputs + output if last else sums + view + (1 - odd) * area
            while vectors >= 4:
                if last:
                    run_tile(source, groups, entries, active, weights, biases, target, 1, 4)
                else:
                    run_tile(source, groups, entries, active, weights, biases, target, 0, 4)
                weights, biases = weights + 4 * groups * v.BYTES, biases + 4 * v.BYTES
                target, vectors = target + 4 * size, vectors - 4
            while vectors > 0:
                if last:
                    run_tile(source, groups, entries, active, weights, biases, target, 1, 1)
                else:
                    run_tile(source, groups, entries, active, weights, biases, target, 0, 1)
                weights, biases = weights + groups * v.BYTES, biases + v.BYTES
                target, vectors = target + size, vectors - 1
            layer += LAYER_BYTES
    return scratch + outputs


@callback(4)
def write_outputs(positions: Int, count: Int, network: Int, outputs: Int) -> Int:
    """Write all outputs of positions; see `kernels.write_outputs`, whose layout of outputs is the same."""
    plan, params = np.int64(load_word(network)), np.int64(load_word(network + 16))
    scratch, stride = np.int64(load_word(network + 24)), np.int64(load_word(plan + 40))
    span, size, row = view_bytes(plan), np.int64(load_word(plan + 104)), stride >> 1
    for first in range(0, count, TOGETHER):
        together = min(TOGETHER, count - first)
        for place in range(together):
            words = positions + 24 * (first + place)
            own, opponent, kings = load_word(words), load_word(words + 8), load_word(words + 16)
            rebuild(own, opponent, kings, 0, plan, params, 0, span, scratch + place * stride)
        computed = run_layers(plan, 0, params, scratch, together)
        for place in range(together):
            source, target = computed + place * stride, outputs + (first + place) * row
            for at in range(0, size, v.BYTES):
                floats.store(target + at, floats.load(source + at))
    return np.int64(0)
