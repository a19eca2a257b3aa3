"""Compiled evaluation of positions, with one kernel for networks of every architecture (`game.networks.evaluator`).

Networks that see the board as the side to move have two halves of sums, first for `own`, then for its opponent; the
value of a position is computed from the half of the side to move.

The sums of the first layer are kept from position to position, and each move updates only what it changes, like the
accumulator of NNUE. Updates are exact: the tables are rounded to a grid on which a sum over a board needs no more than
the 24 bits of a float, so updated sums have the same bits as rebuilt ones.

Up to eight positions go through the other layers together: while one waits for the result of its previous layer, the
others are computed, and a weight is read once for several of them. All memory is passed as raw addresses (int64) of
C-contiguous arrays:

    plan, taps   arrays of the program
    params       float32, a prepared genome
    sums         float32, sums of the first layer
    scratch      float32, `Program.scratch` numbers of scratch memory
    moves        uint64, rows as written by `game.kernels.generate`
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bits import load_int, load_word, popcount, rotate_for
from game.compiled.jit import WIDE_VECTORS, Array, Float, Int, Word, callback, compiled, inlined
from game.networks import vectors as v
from game.networks.sum_kernels import rebuild, view_bytes, write_sums_after
from game.networks.windows import CELLS, WINDOWS

HEAD_BYTES = 128
TILE_BYTES = 72
ROW_BYTES = 32
PIECES = 24
TOGETHER = 8
"""Maximum number of positions in the layers together; the scratch memory has room for their inputs and outputs."""

_0 = np.uint64(0)
_2, _3, _5, _7, _12, _48, _192 = (np.uint64(number) for number in (2, 3, 5, 7, 12, 48, 192))
_HALF_RANGE = 1.5 * 2.0**52
_GRIDS = np.array([2.0**exponent for exponent in range(-16, 112)])
_ROOM = 2.0**23
_MOST = 2.0**126


@compiled
def prepare(genome: Array, factor: Float, places: Array, linear: Int, rounded: Array, params: Array) -> None:
    """Compute the parameters of a genome: first-layer tables and biases rounded to the grid, the rest unchanged.

    If a weight is not finite, or the sums of the first layer could overflow a float, all parameters become NaN, and so
    do all scores. Infinite parameters would be worse: a sum that is kept would stay infinite when its piece has gone.

    Args:
        genome: float32 (weights).
        factor: factor of first-layer weights that are scaled (`Program.factors`).
        places: uint32 of the program (parameters with a weight, 2): index of the parameter, and index of its value in
            `rounded`.
        linear: number of weights of the first layer, which come first in the genome.
        rounded: float32 scratch memory (weights + `linear`): all weights, then first-layer weights times the factor.
        params: float32 (`Program.params`): receives the parameters; those without a weight are not written and must
            be 0.
    """
    weights = len(genome)
    largest = np.float32(0.0)
    broken = factor - factor  # stays 0 if everything is finite
    for index in range(weights):
        broken += genome[index] - genome[index]
    for index in range(linear):
        largest = max(largest, abs(genome[index]))
    # Bound of the absolute sum over a whole board; on the grid it must fit into 23 bits and a sign.
    bound = np.float64(largest) * (PIECES * max(np.float64(factor), 1.0) + 1.0)
    # Adding and subtracting 1.5 * 2**52 times the grid rounds a float64 to the grid, half to even.
    level = 0
    while level < len(_GRIDS) - 1 and bound >= _ROOM * _GRIDS[level]:
        level += 1
    magic = _HALF_RANGE * _GRIDS[level]
    for index in range(linear):
        value = np.float64(genome[index])
        rounded[index] = np.float32((value + magic) - magic)
        rounded[weights + index] = np.float32((value * np.float64(factor) + magic) - magic)
    for index in range(linear, weights):
        rounded[index] = genome[index]
    sound = broken == np.float32(0.0) and bound < _MOST
    for index in range(len(places)):
        # A NaN without payload, because `exp_minus` would treat a payload as an exponent.
        params[places[index, 0]] = rounded[places[index, 1]] if sound else np.float32(np.nan)


@compiled
def prepare_all(
    genomes: Array, factors: Array, players: Array, places: Array, linear: Int, rounded: Array, params: Array
) -> None:
    """Call `prepare` for the genomes (rows) of `players`, one for each row of `params`."""
    for row in range(len(players)):
        player = players[row]
        prepare(genomes[player], factors[player], places, linear, rounded, params[row])


@inlined
def accumulate_two(place: Int, stride: Int, weight: v.Vector, a: v.Vector, b: v.Vector) -> tuple[v.Vector, v.Vector]:
    """Add one tap to the sums of two positions."""
    return v.fma(v.broadcast(place), weight, a), v.fma(v.broadcast(place + stride), weight, b)


@inlined
def store_two(target: Int, stride: Int, a: v.Vector, b: v.Vector, activation: Int, residual: Int) -> None:
    """Activate and store one vector of each of two positions; a residual adds the old values first."""
    if residual:
        a, b = v.add(a, v.load(target)), v.add(b, v.load(target + stride))
    v.store(target, v.activate(a, activation))
    v.store(target + stride, v.activate(b, activation))


@inlined
def run_tile_of_one(
    source: Int, target: Int, stride: Int, eight: Int, tap: Int, end: Int, weights: Int, bias: Int, activation: Int,
    residual: Int,
) -> None:  # fmt: skip
    """Compute one vector of outputs for eight or two positions.

    Even and odd taps have separate sums, so that two chains of multiply-adds run at a time; they are added at the end.
    """
    a = v.load(bias)
    b, c, d, e, f, g, h = a, a, a, a, a, a, a
    odd_a = v.zero()
    odd_b, odd_c, odd_d, odd_e, odd_f, odd_g, odd_h = odd_a, odd_a, odd_a, odd_a, odd_a, odd_a, odd_a
    while tap < end:
        weight, place = v.load(weights), source + load_int(tap)
        a, b = accumulate_two(place, stride, weight, a, b)
        if eight:
            c, d = accumulate_two(place + 2 * stride, stride, weight, c, d)
            e, f = accumulate_two(place + 4 * stride, stride, weight, e, f)
            g, h = accumulate_two(place + 6 * stride, stride, weight, g, h)
        weight, place = v.load(weights + v.BYTES), source + load_int(tap + 4)
        odd_a, odd_b = accumulate_two(place, stride, weight, odd_a, odd_b)
        if eight:
            odd_c, odd_d = accumulate_two(place + 2 * stride, stride, weight, odd_c, odd_d)
            odd_e, odd_f = accumulate_two(place + 4 * stride, stride, weight, odd_e, odd_f)
            odd_g, odd_h = accumulate_two(place + 6 * stride, stride, weight, odd_g, odd_h)
        tap += 8
        weights += 2 * v.BYTES
    store_two(target, stride, v.add(a, odd_a), v.add(b, odd_b), activation, residual)
    if eight:
        store_two(target + 2 * stride, stride, v.add(c, odd_c), v.add(d, odd_d), activation, residual)
        store_two(target + 4 * stride, stride, v.add(e, odd_e), v.add(f, odd_f), activation, residual)
        store_two(target + 6 * stride, stride, v.add(g, odd_g), v.add(h, odd_h), activation, residual)


@inlined
def run_tile_of_three(
    source: Int, target: Int, stride: Int, four: Int, tap: Int, end: Int, weights: Int, bias: Int, activation: Int,
    residual: Int,
) -> None:  # fmt: skip
    """Compute three vectors of outputs for four or two positions; each input is broadcast once for three sums."""
    a0, a1, a2 = v.load(bias), v.load(bias + v.BYTES), v.load(bias + 2 * v.BYTES)
    b0, b1, b2 = a0, a1, a2
    c0, c1, c2 = a0, a1, a2
    d0, d1, d2 = a0, a1, a2
    while tap < end:
        w0, w1, w2 = v.load(weights), v.load(weights + v.BYTES), v.load(weights + 2 * v.BYTES)
        place = source + load_int(tap)
        x = v.broadcast(place)
        a0, a1, a2 = v.fma(x, w0, a0), v.fma(x, w1, a1), v.fma(x, w2, a2)
        x = v.broadcast(place + stride)
        b0, b1, b2 = v.fma(x, w0, b0), v.fma(x, w1, b1), v.fma(x, w2, b2)
        if four:
            x = v.broadcast(place + 2 * stride)
            c0, c1, c2 = v.fma(x, w0, c0), v.fma(x, w1, c1), v.fma(x, w2, c2)
            x = v.broadcast(place + 3 * stride)
            d0, d1, d2 = v.fma(x, w0, d0), v.fma(x, w1, d1), v.fma(x, w2, d2)
        tap += 4
        weights += 3 * v.BYTES
    store_three(target, a0, a1, a2, activation, residual)
    store_three(target + stride, b0, b1, b2, activation, residual)
    if four:
        store_three(target + 2 * stride, c0, c1, c2, activation, residual)
        store_three(target + 3 * stride, d0, d1, d2, activation, residual)


@inlined
def store_three(target: Int, a: v.Vector, b: v.Vector, c: v.Vector, activation: Int, residual: Int) -> None:
    """Activate and store three vectors of one position; a residual adds the old values first."""
    if residual:
        a, b = v.add(a, v.load(target)), v.add(b, v.load(target + v.BYTES))
        c = v.add(c, v.load(target + 2 * v.BYTES))
    a, b, c = v.activate_three(a, b, c, activation)
    v.store(target, a)
    v.store(target + v.BYTES, b)
    v.store(target + 2 * v.BYTES, c)


@inlined
def activate_sums(address: Int, vectors: Int, activation: Int) -> None:
    """Apply the activation of the first layer to the sums of one position."""
    end = address + vectors * v.BYTES
    while address + 3 * v.BYTES <= end:  # three vectors can share one (slow) division
        b, c = v.load(address + v.BYTES), v.load(address + 2 * v.BYTES)
        store_three(address, v.load(address), b, c, activation, 0)
        address += 3 * v.BYTES
    while address < end:
        v.store(address, v.activate(v.load(address), activation))
        address += v.BYTES


@compiled
def run_layers(plan: Int, taps: Int, params: Int, scratch: Int, count: Int) -> Int:
    """Compute the outputs of `count` positions, at most `TOGETHER`, from their first-layer sums in `scratch`.

    Positions are computed two, four or eight at a time, so results beyond `count` may be computed from old contents of
    the scratch memory.

    Return the address of the first output; the others follow at the program's stride.
    """
    stride = np.int64(load_word(plan + 40))
    vectors, first = np.int64(load_word(plan + 80)), np.int64(load_word(plan + 8))
    half = TOGETHER * stride
    for place in range(count):
        activate_sums(scratch + place * stride, vectors, first)
    tile = plan + HEAD_BYTES
    for _ in range(np.int64(load_word(plan + 32))):
        odd = np.int64(load_word(tile)) * half
        source, target = scratch + half - odd, scratch + odd + np.int64(load_word(tile + 48))
        begin, end = taps + np.int64(load_word(tile + 16)), taps + np.int64(load_word(tile + 24))
        weights, bias = params + np.int64(load_word(tile + 32)), params + np.int64(load_word(tile + 40))
        activation, residual = np.int64(load_word(tile + 56)), np.int64(load_word(tile + 64))
        left = count
        if np.int64(load_word(tile + 8)) == 1:
            if WIDE_VECTORS and left > 4:
                run_tile_of_one(source, target, stride, 1, begin, end, weights, bias, activation, residual)
                left = 0
            while left > 0:
                run_tile_of_one(source, target, stride, 0, begin, end, weights, bias, activation, residual)
                source, target, left = source + 2 * stride, target + 2 * stride, left - 2
        else:
            while left > 0:
                if left > 2:
                    run_tile_of_three(source, target, stride, 1, begin, end, weights, bias, activation, residual)
                else:
                    run_tile_of_three(source, target, stride, 0, begin, end, weights, bias, activation, residual)
                source, target, left = source + 4 * stride, target + 4 * stride, left - 4
        tile += TILE_BYTES
    return scratch + (1 - np.int64(load_word(plan + 56))) * half


@inlined
def piece_difference(own: Word, opponent: Word, kings: Word, king: Float) -> Float:
    """Return the sum of all inputs: a man counts 1, a king `king`, the opponent's pieces negative."""
    men = popcount(own & ~kings) - popcount(opponent & ~kings)
    royal = popcount(own & kings) - popcount(opponent & kings)
    return np.float32(men) + king * np.float32(royal)


@inlined
def expected_result(values: Int) -> Float:
    """Return P(win) - P(loss) from the three outputs before the softmax (win, draw, loss), which are overwritten."""
    win, draw, loss = v.load_float(values), v.load_float(values + 4), v.load_float(values + 8)
    v.store(values, v.exp_minus(v.subtract(v.splat(max(win, draw, loss)), v.load(values))))
    win, draw, loss = v.load_float(values), v.load_float(values + 4), v.load_float(values + 8)
    return (win - loss) / (win + draw + loss)


@inlined
def blend(values: Int, board: Word, plan: Int) -> Float:
    """Return the value for the number of pieces on the board, interpolated between two phases.

    `values` are float32, one for each phase, equally spaced from 24 pieces to none. If the plan has no phases, they are
    win, draw and loss.
    """
    phases = np.int64(load_word(plan + 96))
    if phases == 1:
        return v.load_float(values)
    if phases == 0:
        return expected_result(values)
    place = np.float32((phases - 1) * (PIECES - popcount(board))) / np.float32(PIECES)
    phase = min(np.int64(place), phases - 2)
    first, second = v.load_float(values + 4 * phase), v.load_float(values + 4 * phase + 4)
    return first + (place - np.float32(phase)) * (second - first)


@inlined
def window_cell(men: Word, shift: Word, ternary: Int) -> Int:
    """Return the number in base 3 whose digits are 1 for squares of a window with a man.

    The board has an unused bit after every second row, so all windows have the same layout: two squares in each of four
    rows, at bits 0, 4, 9 and 13 from the first square.
    """
    seen = men >> shift
    low, high = (seen & _3) | ((seen >> _2) & _12), ((seen >> _5) & _48) | ((seen >> _7) & _192)
    return load_int(ternary + 4 * np.int64(low | high))


@inlined
def pattern_value(own: Word, opponent: Word, kings: Word, side: Int, plan: Int, taps: Int, params: Int) -> Float:
    """Return the sum of the values of all windows to the owner of `own`, blended by phase."""
    phases = np.int64(load_word(plan + 96))
    board = own | opponent
    own, opponent = rotate_for(own & ~kings, side), rotate_for(opponent & ~kings, side)
    ternary, cells = taps + np.int64(load_word(plan + 120)), params + np.int64(load_word(plan + 112))
    place = np.float32((phases - 1) * (PIECES - popcount(board))) / np.float32(PIECES)
    phase: Int = min(np.int64(place), max(phases - 2, np.int64(0)))
    cells += 4 * phase
    after = 4 * np.int64(phases > 1)
    first, second = np.float32(0.0), np.float32(0.0)
    for window in range(WINDOWS):
        shift = np.uint64(9 * (window // 3) + window % 3)
        cell = window_cell(own, shift, ternary) + 2 * window_cell(opponent, shift, ternary)
        at = cells + 4 * phases * (window * CELLS + cell)
        first += v.load_float(at)
        second += v.load_float(at + after)
    return first + (place - np.float32(phase)) * (second - first)


@inlined
def value_beside(
    sums: Int, own: Word, opponent: Word, kings: Word, side: Int, plan: Int, taps: Int, params: Int, king: Float
) -> Float:
    """Return the sum of everything but the layers: piece difference, tables (from `sums`) and patterns."""
    value = np.float32(0.0)
    if load_word(plan + 48) != _0:
        value = piece_difference(own, opponent, kings, king)
    tables = np.int64(load_word(plan + 88))
    if tables >= 0:
        value += blend(sums + tables, own | opponent, plan)
    if np.int64(load_word(plan + 112)) >= 0:
        value += pattern_value(own, opponent, kings, side, plan, taps, params)
    return value


@inlined
def whole_value(output: Int, beside: Float, board: Word, plan: Int) -> Float:
    """Return the value of a position: the output of the layers, if there are any, plus `beside` (`value_beside`)."""
    if load_word(plan + 104) == _0:
        return beside
    value = blend(output, board, plan)
    if load_word(plan + 48) != _0 or np.int64(load_word(plan + 88)) >= 0 or np.int64(load_word(plan + 112)) >= 0:
        value += beside
    return value


@inlined
def seen_by_opponent(row: Int, moved: Int, plan: Int) -> Any:
    """Return whether the network sees a position as the opponent of `own`, because the opponent is to move."""
    return load_word(plan + 72) != _0 and (moved != 0 or load_word(row + 24) == _0)


@inlined
def write_scores(
    rows: Int,
    count: Int,
    side: Int,
    moved: Int,
    plan: Int,
    taps: Int,
    params: Int,
    king: Float,
    scratch: Int,
    scores: Int,
) -> None:
    """Compute the scores of at most `TOGETHER` positions (rows of own, opponent, kings) from their sums."""
    stride = np.int64(load_word(plan + 40))
    for place in range(count):
        row = rows + ROW_BYTES * place
        own, opponent, viewer = load_word(row), load_word(row + 8), side
        if seen_by_opponent(row, moved, plan):
            own, opponent, viewer = opponent, own, 1 - side
        sums, kings = scratch + place * stride, load_word(row + 16)
        beside = value_beside(sums, own, opponent, kings, viewer, plan, taps, params, king)
        v.store_float(scores + 4 * place, beside)
    outputs = run_layers(plan, taps, params, scratch, count)
    for place in range(count):
        row = rows + ROW_BYTES * place
        board = load_word(row) | load_word(row + 8)
        score = whole_value(outputs + place * stride, v.load_float(scores + 4 * place), board, plan)
        v.store_float(scores + 4 * place, -score if seen_by_opponent(row, moved, plan) else score)


@compiled
def score_moves(
    own: Word, opponent: Word, kings: Word, side: Int, moves: Int, count: Int,
    plan: Int, taps: Int, params: Int, king: Float, sums: Int, scratch: Int, scores: Int,
) -> None:  # fmt: skip
    """Write the scores for `side` of the positions after `count` of its moves, before the last activation.

    `sums` are the sums of the position before the moves; `scores` receives `count` float32 numbers.
    """
    stride, start, span = np.int64(load_word(plan + 40)), np.int64(load_word(plan + 72)), view_bytes(plan)
    for first in range(0, count, TOGETHER):
        together = min(TOGETHER, count - first)
        rows = moves + ROW_BYTES * first
        for place in range(together):
            row, target = rows + ROW_BYTES * place, scratch + place * stride
            write_sums_after(own, opponent, kings, row, side, plan, params, sums, start, span, target, 0)
        write_scores(rows, together, side, 1, plan, taps, params, king, scratch, scores + 4 * first)


@compiled
def score_positions(
    side: Int, positions: Int, count: Int, plan: Int, taps: Int, params: Int, king: Float, scratch: Int, scores: Int
) -> None:
    """Write the scores of any positions: rows of own, opponent, kings, and 1 if `side` is to move, else 0."""
    stride, half, span = np.int64(load_word(plan + 40)), np.int64(load_word(plan + 72)), view_bytes(plan)
    for first in range(0, count, TOGETHER):
        together = min(TOGETHER, count - first)
        rows = positions + ROW_BYTES * first
        for place in range(together):
            row = rows + ROW_BYTES * place
            own, opponent, kings = load_word(row), load_word(row + 8), load_word(row + 16)
            start = half if load_word(row + 24) == _0 else 0
            rebuild(own, opponent, kings, side, plan, params, start, span, scratch + place * stride)
        write_scores(rows, together, side, 0, plan, taps, params, king, scratch, scores + 4 * first)


@compiled
def output_positions(positions: Int, count: Int, plan: Int, taps: Int, params: Int, scratch: Int, outputs: Int) -> None:
    """Write all outputs of positions (rows of own, opponent, kings as the side to move sees them).

    `plan` is `Program.whole_plan`; outputs of positions are written at the program's stride.
    """
    stride, span = np.int64(load_word(plan + 40)), view_bytes(plan)
    for first in range(0, count, TOGETHER):
        together = min(TOGETHER, count - first)
        for place in range(together):
            row = positions + 24 * (first + place)
            own, opponent, kings = load_word(row), load_word(row + 8), load_word(row + 16)
            rebuild(own, opponent, kings, 0, plan, params, 0, span, scratch + place * stride)
        computed = run_layers(plan, taps, params, scratch, together)
        for at in range(0, together * stride, v.BYTES):
            v.store(outputs + first * stride + at, v.load(computed + at))


@callback(4)
def write_outputs(positions: Int, count: Int, network: Int, outputs: Int) -> Int:
    """Call `output_positions`; `network` has the addresses of plan, taps, parameters and scratch memory."""
    plan, taps = np.int64(load_word(network)), np.int64(load_word(network + 8))
    params, scratch = np.int64(load_word(network + 16)), np.int64(load_word(network + 24))
    output_positions(positions, count, plan, taps, params, scratch, outputs)
    return np.int64(0)
