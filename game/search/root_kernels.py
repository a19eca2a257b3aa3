"""Iterative deepening: a whole search of a position, from its root, on words and addresses only.

`think` calls `search_root` with increasing depth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bits import call, load_word, popcount, store_word
from game.compiled.jit import Int, callback, compiled, inlined, part, variant
from game.kernels import MOVE_BYTES, generate_at
from game.search import layout as at
from game.search import table_kernels as table
from game.search.context_kernels import get, is_known, material, put, record_of
from game.search.kernels import alphabeta, plain_alphabeta
from game.search.node_kernels import is_leaf, make_move, shifted, update_pv

_0 = np.uint64(0)
_1 = np.uint64(1)
_FEWEST_BUCKETS = 256
_KEPT_BUCKETS = 4096
_ENTRY_EACH = 1 << 14
"""Entries of a table of 256 KB, which stays in the second cache level."""
_MARGIN = np.float32(0.05)
"""The first window extends by this margin to both sides of the value from two plies before."""
_AT_ONCE = 4
"""Depth of the first iteration, in plies."""


@compiled
def begin(context: Int) -> Int:
    """Begin a search from the root, whose record is filled; return its number of moves.

    If tablebases choose the move, ROOT_DEPTH is 1 and the result is complete: there is nothing to search.
    """
    put(context, at.NODES, 0)
    put(context, at.EVALUATIONS, 0)
    put(context, at.DEEPEST, 0)
    put(context, at.ABORTED, at.RUNNING)
    put(context, at.ROOT_DEPTH, 0)
    put(context, at.ROOT_BEST, 0)
    # Step 1. Choose the age of this search, and of the oldest results that it uses.
    # A new age empties the table without touching it; when ages run out, the table is cleared and they start again.
    # With AGEING they start again with each game, so that they run out at the same move whatever was searched before.
    record = record_of(0, context)
    black, white, kings = load_word(record + at.BLACK), load_word(record + at.WHITE), load_word(record + at.KINGS)
    age = get(context, at.KEPT_AGE)
    if popcount(black | white) <= get(context, at.TABLEBASE_PIECES):  # the positions looked up then depend on the root
        age = np.int64(0)
    kept = age != 0
    ageing = get(context, at.AGEING) != 0
    put(context, at.USED_MASK, max(get(context, at.USED_MASK), get(context, at.BUCKET_MASK)))
    if not kept or ageing:
        age = get(context, at.NEWEST_AGE) + 1
        if age + get(context, at.AGES_NEEDED) > table.AGES or (ageing and not kept and age > 1):
            table.clear(get(context, at.TABLE), (get(context, at.USED_MASK) + 1) * table.BUCKET_BYTES)
            table.clear(get(context, at.LEAF_CACHE), at.LEAF_BYTES * (get(context, at.LEAF_CACHE_MASK) + 1))
            put(context, at.USED_MASK, 0)
            age, kept = np.int64(1), False
        put(context, at.NEWEST_AGE, age)
    put(context, at.AGE, age)
    if not kept or not ageing:
        put(context, at.OLDEST, age)
    buckets = _FEWEST_BUCKETS if get(context, at.KEEPS) == 0 else _KEPT_BUCKETS
    if not kept or get(context, at.KEEPS) != 0:
        put(context, at.BUCKET_MASK, min(buckets - 1, get(context, at.LARGEST_MASK)))
    put(context, at.SUMS_PLY, 0)
    put(context, at.OTHER_SUMS_PLY, 0)
    # Step 2. Halve the counters of a search of the same game, whose cutoffs still say something; forget all others.
    # Killers belong to a ply of one search, so none is kept. Corrections stay as they are within a game.
    history = get(context, at.HISTORY)
    for word in range(at.HISTORY_WORDS):
        store_word(history + 8 * word, load_word(history + 8 * word) >> _1 if kept else _0)
    for ply in range(at.MAX_PLY):
        store_word(record_of(ply, context) + at.KILLER, ~_0)
    if get(context, at.CORRECTS) != 0 and not kept:
        table.clear(get(context, at.CORRECTIONS), 8 * at.CORRECTION_WORDS)
    # Step 3. Generate the moves, and let tables judge the root: their moves come first, or decide at once.
    store_word(record + at.KEY, table.position_key(black, white, kings, 0))
    if get(context, at.EVALUATOR_KIND) == at.NETWORK:
        call(get(context, at.EVALUATOR), context, at.AT_ROOT, 0, 0)
    count = generate_at(black, white, kings, 0, get(context, at.ROWS))
    put(context, at.ROOT_COUNT, count)
    order = get(context, at.ROOT_ORDER)
    for index in range(count):
        store_word(order + 8 * index, np.uint64(index))
    put(context, at.ROOT_KEPT, count)
    put(context, at.TABLEBASE_HITS, 0)
    if get(context, at.TABLES) != 0:
        call(get(context, at.TABLEBASE), context, at.JUDGE_ROOT, 0, 0)
    return count


@inlined
def grow_table(context: Int) -> None:
    """Grow the table to an entry for each of the first positions visited, and for every AN_ENTRY of the others."""
    mask, nodes = get(context, at.BUCKET_MASK), get(context, at.NODES)
    wanted = min(nodes, _ENTRY_EACH + nodes // get(context, at.AN_ENTRY))
    larger = mask
    while larger < get(context, at.LARGEST_MASK) and 2 * (larger + 1) < wanted:
        larger = 2 * larger + 1
    if larger > mask:
        table.grow(get(context, at.TABLE), mask, larger, get(context, at.OLDEST), get(context, at.AGE))
        put(context, at.BUCKET_MASK, larger)


@inlined
def keep_iteration(searched: Int, depth: Int, context: Int) -> None:
    """Copy the values of an iteration to the result, for the first `searched` moves in the order of the root."""
    order = get(context, at.ROOT_ORDER)
    scores, exact, depths = get(context, at.ROOT_SCORES), get(context, at.ROOT_EXACT), get(context, at.ROOT_DEPTHS)
    for place in range(searched):
        move = 8 * np.int64(load_word(order + 8 * place))
        store_word(scores + move, load_word(get(context, at.NEW_SCORES) + move))
        store_word(exact + move, load_word(get(context, at.NEW_EXACT) + move))
        store_word(depths + move, np.uint64(depth))
    line, kept = get(context, at.PV), get(context, at.ROOT_PV)
    for word in range(1 + np.int64(load_word(line))):
        store_word(kept + 8 * word, load_word(line + 8 * word))


@part
def search_moves(depth: Int, all_scores: Int, context: Int) -> None:
    """Search the moves of the root to `depth` plies for the best one and its value.

    Of several equal moves, the first in the order of generation is best. The value of every other move is a bound, or
    exact with `all_scores`. If the search is aborted, values and principal variation of the previous iteration remain.
    But if a move has already exceeded the previous best one, which is searched first, that move is the best, and the
    moves searched so far have their values and depth from this iteration.
    """
    grow_table(context)
    record = record_of(0, context)
    own, opponent, kings = load_word(record + at.BLACK), load_word(record + at.WHITE), load_word(record + at.KINGS)
    count, rows = get(context, at.ROOT_COUNT), get(context, at.ROWS)
    order, scores, exact = get(context, at.ROOT_ORDER), get(context, at.NEW_SCORES), get(context, at.NEW_EXACT)
    free = rows + (count + 1) * MOVE_BYTES
    kind = get(context, at.EVALUATOR_KIND)
    one = np.int64(count > 0)  # a plain 1 would be a type of its own, and `alphabeta` would be compiled for it too
    child_depth = depth if count == 1 and get(context, at.BLONDIE) != 0 else depth - 1
    best = -at.INFINITY
    best_index: Int = -1
    best_place = 0
    searched: Int = 0
    for place in range(get(context, at.ROOT_KEPT)):
        # Step 1. Set the window. Only a move that can replace the best so far needs more than a bound, unless all
        # scores are wanted.
        index = np.int64(load_word(order + 8 * place))
        row = rows + index * MOVE_BYTES
        alpha = -at.INFINITY
        if best_index >= 0 and all_scores == 0:
            # A move that is generated before the best so far wins a tie, so the order of search changes no result.
            alpha = best - 1 if index < best_index else best
        # Step 2. Make the move, and find its value: from tables, from an evaluation, or by a search with a zero window
        # whose result is made exact if the move is better.
        make_move(own, kings, opponent, row, 0, context)
        a, b, k = load_word(row + 8), load_word(row), load_word(row + 16)
        known_after = is_known(a, b, k, context)
        leaf = np.int64(known_after or is_leaf(row, 0, child_depth, context))
        if known_after:
            score = call(get(context, at.TABLEBASE), context, at.PROBE_AFTER, 1, row)
        elif leaf != 0:
            put(context, at.NODES, get(context, at.NODES) + 1)
            if kind == at.MATERIAL:
                score = material(load_word(row), load_word(row + 8), load_word(row + 16))
            else:
                put(context, at.LEAVES, row)
                call(get(context, at.EVALUATOR), context, at.AT_LEAVES, 0, 1)
                score = get(context, at.VALUES)
        elif alpha > -at.INFINITY:
            score = -alphabeta(a, b, k, -alpha - 1, -alpha, child_depth, one, free, context)
            if score > alpha and get(context, at.ABORTED) == 0:
                score = -alphabeta(a, b, k, -at.INFINITY, -alpha, child_depth, one, free, context)
        else:
            score = -alphabeta(a, b, k, -at.INFINITY, at.INFINITY, child_depth, one, free, context)
        # Step 3. A value that was found after the request to stop means nothing.
        if get(context, at.ABORTED) != 0:
            break
        searched += 1
        better = best_index < 0 or score > best or (score == best and index < best_index)
        store_word(scores + 8 * index, np.uint64(score))
        store_word(exact + 8 * index, np.uint64(better or all_scores != 0 or leaf != 0))
        if better:
            best, best_index, best_place = score, index, place
            update_pv(row, 0, leaf, context)
    # Step 4. Keep a whole iteration, or the part of one that has found a better move than the last iteration's best,
    # which was searched first: its value is complete.
    aborted = get(context, at.ABORTED) != 0
    if best_index < 0 or (aborted and best_index == get(context, at.ROOT_BEST)):
        return
    keep_iteration(searched, depth, context)
    # The best move is searched first in the next iteration; the others keep their order.
    for place in range(best_place, 0, -1):
        store_word(order + 8 * place, load_word(order + 8 * (place - 1)))
    store_word(order, np.uint64(best_index))
    put(context, at.ROOT_BEST, best_index)
    put(context, at.ROOT_SCORE, best)
    if not aborted:
        put(context, at.ROOT_DEPTH, depth)


@part
def search_move(index: Int, alpha: Int, beta: Int, depth: Int, context: Int) -> Int:
    """Return the value of a root move to the player if it lies between alpha and beta, else a bound on it."""
    record, row = record_of(0, context), get(context, at.ROWS) + index * MOVE_BYTES
    make_move(load_word(record + at.BLACK), load_word(record + at.KINGS), load_word(record + at.WHITE), row, 0, context)
    own, opponent, kings = load_word(row + 8), load_word(row), load_word(row + 16)
    free = get(context, at.ROWS) + (get(context, at.ROOT_COUNT) + 1) * MOVE_BYTES
    one = np.int64(index >= 0)  # a plain 1 would be a type of its own
    return -alphabeta(own, opponent, kings, -beta, -alpha, depth - 1, one, free, context)


@inlined
def find_move(depth: Int, guess: Int, context: Int) -> None:
    """Find the same best move as `think`, with KEEPS, but only a bound on its value; write ROOT_BEST and ROOT_SCORE.

    There is no iteration to two plies: the previous search provides the move to search first (in the table), and the
    middle of the first window (its value). A lower bound of the best move so far, `value`, is enough as long as no
    other move exceeds it; only then is its exact value computed. Call this after `begin`, for at least two moves.

    Args:
        depth: 2 or more.
        guess: the root's value in the previous search, used if there is a KEPT_AGE.
    """
    count: Int = get(context, at.ROOT_COUNT)
    entry = table.probe(
        load_word(record_of(0, context) + at.KEY), get(context, at.TABLE), get(context, at.BUCKET_MASK),
        get(context, at.OLDEST), get(context, at.AGE),
    )  # fmt: skip
    first: Int = table.entry_move(entry) if entry != _0 and table.entry_move(entry) < count else np.int64(0)
    known = get(context, at.KEPT_AGE) != 0
    # Every other iteration is left out, as in `think` with BLONDIE, whose leaves come after an even number of unforced
    # plies.
    current: Int = min(depth, _AT_ONCE)
    value: Int = guess
    while True:
        # Step 1. Set the window around the expected value; without one, it is open.
        low: Int = shifted(value, -_MARGIN) - 1 if known else np.int64(-at.INFINITY)
        high: Int = shifted(value, _MARGIN) + 1 if known else np.int64(at.INFINITY)
        best: Int = np.int64(-1)
        while best < 0 and get(context, at.ABORTED) == 0:
            value, exact = low, True
            for place in range(count):
                index: Int = first if place == 0 else place - np.int64(place <= first)
                # Step 2. Search the move that is expected to be best, first: its value is the one that all others have
                # to exceed.
                if place == 0:
                    score = search_move(index, low, high, current, context)
                    if score > low:
                        best, value, exact = index, score, score < high
                    continue
                while get(context, at.ABORTED) == 0:
                    alpha = value - 1 if index < best else value  # the first of several equal moves is best
                    score = search_move(index, alpha, alpha + 1, current, context)
                    if score <= alpha:
                        break
                    # Step 3. A move that exceeds a mere bound may still be worse than the best one, so the value of
                    # that is made exact first.
                    if exact:
                        best, value, exact = index, score, False
                        break
                    value, exact = search_move(best, value - 1, np.int64(at.INFINITY), current, context), True
            low, high = np.int64(-at.INFINITY), low + 1  # no move exceeds `low`, so this window contains the best
        if get(context, at.ABORTED) != 0:
            return
        put(context, at.ROOT_BEST, best)
        put(context, at.ROOT_SCORE, value)
        if current >= depth or value >= at.WIN - current:
            return
        first, known = best, True
        current = min(current + 2, depth)


@callback(4)
def every_option(context: Int, depth: Int, argument: Int, request: Int) -> Int:
    """Answer a request (see ITERATE in `game.search.layout`) of a search with any options."""
    if request == at.FIND_MOVE:
        find_move(depth, argument, context)
    else:
        search_moves(depth, argument, context)
    return np.int64(0)


_plain_search_moves = variant(search_moves, alphabeta=plain_alphabeta)


@callback(4)
def plain(context: Int, depth: Int, all_scores: Int, _: Int) -> Int:
    """Run an iteration of a search without the options that `plain_alphabeta` omits."""
    _plain_search_moves(depth, all_scores, context)
    return np.int64(0)


@inlined
def search_root(depth: Int, all_scores: Int, context: Int) -> None:
    """Run one iteration of iterative deepening with the function at ITERATION (`plain` or `every_option`)."""
    call(get(context, at.ITERATION), context, depth, all_scores, at.ITERATE)


@inlined
def is_settled(score: Int, depth: Int) -> Any:
    """Return whether the root is won or lost within `depth` plies, so that a deeper search cannot do better."""
    size = abs(score)
    return size >= at.WIN - depth or at.TABLEBASE_WIN - depth <= size <= at.TABLEBASE_WIN


@inlined
def think(context: Int, depth: Int, nodes: Int, all_scores: Int) -> Int:
    """Search by iterative deepening, to `depth` or until `nodes` positions are visited; return the number of moves.

    `AlphaBeta.search` in `game.search.search` is the same loop with clocks and callbacks.
    """
    count = begin(context)
    if count == 0 or get(context, at.ROOT_DEPTH) != 0:
        return count
    step = 2 if get(context, at.BLONDIE) != 0 else 1
    current = min(step, depth)
    put(context, at.NODE_LIMIT, at.NO_LIMIT)
    while True:
        search_root(current, all_scores, context)
        if current >= depth or get(context, at.ABORTED) != 0 or is_settled(get(context, at.ROOT_SCORE), current):
            return count
        put(context, at.NODE_LIMIT, nodes)  # from the second iteration on
        current = min(current + step, depth)
