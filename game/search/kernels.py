"""Compiled alpha-beta: one function that calls itself, words and addresses only.

A position is expanded, so that the search looks at its moves, or it is a leaf and gets its evaluation. What ends the
game is seen where a position is expanded: no move is a loss, then repetition, quiet plies and length are draws. With d
plies the positions before the last ply are expanded and those behind it are leaves, except

* with RESOLVE a position in which a capture is pending is always expanded;
* with BLONDIE, besides, a move that is the only one costs no depth, and a position is a leaf only after an even number
  of the other plies (Chellapilla and Fogel 1999, 2001).

The value is that of plain minimax over this tree (the slow twin of the tests) if EQUAL is set; otherwise the table may
bring results of deeper searches. Moves that are expected to be best come first: the table's, the killer of this ply,
then by how often they were cut-offs; all but the first are tried with an empty window.

Scores that rest on a repetition or on the length of the game hold only on this line, so they are not stored: TAINT says
whether the last score did.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bits import call, load_word, popcount, prefetch, store_word
from game.jit import Int, Word, compiled, inlined
from game.kernels import MOVE_BYTES, all_capturers, generate_at
from game.search import layout as at
from game.search import table_kernels as table
from game.search.context_kernels import get, material, put, record_of

_0 = np.uint64(0)
_32 = np.uint64(32)
_10 = np.uint64(10)
_CODE = np.uint64(0xFFFFFFFF)
_63 = np.uint64(63)
_FIRST = 1 << 30
_SECOND = 1 << 29
_MOST = (1 << 29) - 1
_FEWEST_BUCKETS = 256


@inlined
def capture_after(row: Int, side: Int) -> Int:
    """Whether the opponent of `side` must capture after a move of `side`."""
    if side == 0:
        return np.int64(all_capturers(load_word(row + 8), load_word(row), load_word(row + 16), 1) != _0)
    return np.int64(all_capturers(load_word(row + 8), load_word(row), load_word(row + 16), 0) != _0)


@inlined
def history_of(code: Word, side: Int, context: Int) -> Int:
    """Address of the counter of a simple move."""
    step = np.int64(code >> _10) & 3
    return get(context, at.HISTORY) + 8 * (side * 256 + np.int64(code & _63) * 4 + step)


@inlined
def follow(own: Word, kings: Word, opponent: Word, row: Int, ply: Int, context: Int) -> Word:
    """Fill the record of the next ply with the position after a move; its hash."""
    record = record_of(ply, context)
    next_record = record + at.RECORD_BYTES
    own_after, opponent_after, kings_after = load_word(row), load_word(row + 8), load_word(row + 16)
    man_moved = own & ~kings & ~own_after != _0
    captured = opponent != opponent_after
    run, quiet = load_word(record + at.RUN) + np.uint64(1), load_word(record + at.QUIET) + np.uint64(1)
    if captured or man_moved:
        run = _0
        if captured or get(context, at.MEN_RESET) != 0:
            quiet = _0
    side = ply & 1
    black, white = (own_after, opponent_after) if side == 0 else (opponent_after, own_after)
    word = table.hashed(black, white, kings_after, 1 - side)
    store_word(next_record + at.HASH, word)
    store_word(next_record + at.BLACK, black)
    store_word(next_record + at.WHITE, white)
    store_word(next_record + at.KINGS, kings_after)
    store_word(next_record + at.ROW, np.uint64(row))
    store_word(next_record + at.RUN, run)
    store_word(next_record + at.QUIET, quiet)
    return word


@inlined
def drawn(ply: Int, context: Int) -> Any:
    """Whether the position at a ply is a draw by repetition, quiet plies or length."""
    record = record_of(ply, context)
    run = np.int64(load_word(record + at.RUN))
    if run >= get(context, at.RUN_LIMIT):
        word = load_word(record + at.HASH)
        found = 1
        for back in range(4, run + 1, 2):
            if load_word(record - back * at.RECORD_BYTES + at.HASH) == word:
                found += 1
        if found >= get(context, at.REPETITION):
            return True
    return np.int64(load_word(record + at.QUIET)) >= get(context, at.QUIET_LIMIT) or ply >= get(context, at.LENGTH_LEFT)


@inlined
def same_on_every_line(ply: Int, depth: Int, context: Int) -> Any:
    """Whether no draw below can depend on what was played before: an entry then holds here, too."""
    record = record_of(ply, context)
    longest = np.int64(load_word(record + at.RUN)) + depth
    quiet = np.int64(load_word(record + at.QUIET)) + depth
    deepest = ply + depth
    if get(context, at.RESOLVE) != 0:  # captures may go on behind the last ply, each of a piece
        deepest += popcount(load_word(record + at.BLACK) | load_word(record + at.WHITE))
    short = deepest < get(context, at.LENGTH_LEFT)
    return longest < get(context, at.RUN_LIMIT) and quiet < get(context, at.QUIET_LIMIT) and short


@inlined
def give_keys(
    own: Word, opponent: Word, count: Int, side: Int, first: Int, killer: Word, rows: Int, context: Int
) -> None:
    """Write into the upper half of each code how early its move is to be tried."""
    key: Int
    for index in range(count):
        row = rows + index * MOVE_BYTES
        code = load_word(row + 24)
        if index == first:
            key = _FIRST
        elif load_word(row + 8) != opponent:
            key = 1 + popcount(opponent & ~load_word(row + 8))
        elif code == killer:
            key = _SECOND
        else:
            key = 1 + np.int64(load_word(history_of(code, side, context)))
        store_word(row + 24, code | (np.uint64(key) << _32))


@inlined
def next_of(count: Int, rows: Int) -> Int:
    """Address of the move with the largest key, which is taken from it."""
    best = rows
    largest = _0
    for index in range(count):
        row = rows + index * MOVE_BYTES
        key = load_word(row + 24) >> _32
        if key > largest:
            best, largest = row, key
    store_word(best + 24, load_word(best + 24) & _CODE)
    return best


@inlined
def write_line(row: Int, ply: Int, leaf: Int, context: Int) -> None:
    """The best line from a ply: this move, then the line of the next ply, or nothing behind a leaf."""
    line = get(context, at.LINES) + ply * at.LINE_BYTES
    below = line + at.LINE_BYTES
    length = 0 if leaf != 0 else np.int64(load_word(below))
    store_word(line, np.uint64(length + 1))
    store_word(line + 8, load_word(row + 24) & _CODE)
    for index in range(length):
        store_word(line + 16 + 8 * index, load_word(below + 8 + 8 * index))


@inlined
def is_leaf(row: Int, ply: Int, depth: Int, context: Int) -> Any:
    """Whether the position after a move at a ply is a leaf, if `depth` plies remain behind it."""
    if depth > 0:
        return False
    if ply >= at.MAX_PLY - 2:
        return True
    if get(context, at.BLONDIE) != 0 and depth & 1 != 0:
        return False
    return get(context, at.RESOLVE) == 0 or capture_after(row, ply & 1) == 0


@compiled
def alphabeta(
    own: Word, opponent: Word, kings: Word, alpha: Int, beta: Int, depth: Int, ply: Int, rows: Int, context: Int
) -> Int:
    """Value of a position to the side that moves, if it lies between alpha and beta; else a bound of it.

    Args:
        own, opponent, kings: the position; its record is filled.
        depth: plies that remain, 0 or less for a position that is expanded all the same.
        ply: distance from the root.
        rows: address of free memory for moves.
        context: address of the context.
    """
    nodes = get(context, at.NODES) + 1
    put(context, at.NODES, nodes)
    put(context, at.TAINT, 0)
    if ply > get(context, at.DEEPEST):
        put(context, at.DEEPEST, ply)
    if nodes > get(context, at.NODE_LIMIT):
        put(context, at.ABORTED, at.LIMIT_REACHED)
        return 0
    if load_word(np.int64(get(context, at.STOP))) != _0:
        put(context, at.ABORTED, at.STOPPED)
        return 0
    side = ply & 1
    record = record_of(ply, context)
    line = get(context, at.LINES) + ply * at.LINE_BYTES
    store_word(line, _0)
    word = load_word(record + at.HASH)
    count = generate_at(own, opponent, kings, side, rows)
    if count == 0:
        return ply - at.WIN
    if drawn(ply, context):
        put(context, at.TAINT, 1)
        return 0
    wide = beta - alpha > 1
    first = -1
    tabled = depth > 0
    if tabled:
        where, mask, generation = get(context, at.TABLE), get(context, at.BUCKET_MASK), get(context, at.GENERATION)
        data = table.probe(word, where, mask, generation)
        if data != _0:
            move = table.entry_move(data)
            if move < count:
                first = move
            if get(context, at.EQUAL) != 0:
                exact = get(context, at.BLONDIE) == 0 and same_on_every_line(ply, depth, context)
                usable = exact and table.entry_depth(data) == depth
            else:
                usable = table.entry_depth(data) >= depth
            if usable and not wide:
                score = table.entry_score(data, ply)
                bound = table.entry_bound(data)
                if (score >= beta and bound & table.LOWER != 0) or (score <= alpha and bound & table.UPPER != 0):
                    return score
    kind = get(context, at.KIND)
    if kind == at.NETWORK:
        call(get(context, at.EVALUATOR), context, at.AT_PLY, ply, 0)
    behind = depth - 1
    if count == 1 and get(context, at.BLONDIE) != 0 and ply + depth < at.MAX_PLY - 2:
        behind = depth  # a line of forced moves without end would leave the memory that there is for it
    elif behind < 0 and get(context, at.BLONDIE) == 0:
        behind = 0
    lowest = alpha
    best = -at.INFINITY
    best_row = rows
    tainted = 0
    free = rows + (count + 1) * MOVE_BYTES
    expanded = count
    if behind <= 0:
        expanded = 0
        placed = 0
        # Leaves first, since they cost least; the positions that are expanded all the same wait.
        for index in range(count):
            row = rows + index * MOVE_BYTES
            if is_leaf(row, ply, behind, context):
                if kind == at.MATERIAL:
                    score = material(load_word(row), load_word(row + 8), load_word(row + 16))
                    nodes += 1
                    if score > best:
                        best, best_row = score, row
                        if score >= beta:
                            break
                    continue
                put(context, at.LEAVES + placed, row)
                placed += 1
            else:
                store_word(row + 24, load_word(row + 24) | (np.uint64(1) << _32))
                expanded += 1
            if placed == at.BATCH or (index == count - 1 and placed > 0):
                call(get(context, at.EVALUATOR), context, at.AT_LEAVES, ply, placed)
                nodes += placed
                for place in range(placed):
                    score = get(context, at.VALUES + place)
                    if score > best:
                        best, best_row = score, get(context, at.LEAVES + place)
                placed = 0
                if best >= beta:
                    break
        put(context, at.NODES, nodes)
        if get(context, at.ABORTED) != 0:
            return 0
        if best > alpha:
            alpha = best
            if wide:
                write_line(best_row, ply, 1, context)
        if best >= beta:
            expanded = 0
    elif count > 1:
        give_keys(own, opponent, count, side, first, load_word(record + at.KILLER), rows, context)
    else:
        store_word(rows + 24, load_word(rows + 24) | (np.uint64(1) << _32))
    searched = 0
    while expanded > 0:
        expanded -= 1
        row = next_of(count, rows)
        child = follow(own, kings, opponent, row, ply, context)
        prefetch(table.bucket_of(child, get(context, at.TABLE), get(context, at.BUCKET_MASK)))
        a, b, k = load_word(row + 8), load_word(row), load_word(row + 16)
        if searched > 0 and wide:
            score = -alphabeta(a, b, k, -alpha - 1, -alpha, behind, ply + 1, free, context)
            if alpha < score < beta and get(context, at.ABORTED) == 0:
                tainted |= get(context, at.TAINT)
                score = -alphabeta(a, b, k, -beta, -alpha, behind, ply + 1, free, context)
        else:
            score = -alphabeta(a, b, k, -beta, -alpha, behind, ply + 1, free, context)
        if get(context, at.ABORTED) != 0:
            return 0
        searched += 1
        if score > best:
            best, best_row = score, row
            if score > alpha:
                alpha = score
                if wide:
                    write_line(row, ply, 0, context)
                if score >= beta:
                    tainted = get(context, at.TAINT)
                    break
        tainted |= get(context, at.TAINT)
    put(context, at.TAINT, tainted)
    if tabled and tainted == 0:
        bound = table.EXACT
        if best >= beta:
            bound = table.LOWER
        elif best <= lowest:
            bound = table.UPPER
        move = (best_row - rows) // MOVE_BYTES if best > lowest else table.NO_MOVE
        if bound == table.UPPER and first >= 0:
            move = first
        score = table.stored_score(best, ply)
        table.store(
            word, get(context, at.TABLE), get(context, at.BUCKET_MASK), get(context, at.GENERATION),
            score, depth, bound, move,
        )  # fmt: skip
    if best >= beta and behind > 0 and load_word(best_row + 8) == opponent:
        code = load_word(best_row + 24) & _CODE
        store_word(record + at.KILLER, code)
        counter = history_of(code, side, context)
        store_word(counter, np.uint64(min(np.int64(load_word(counter)) + depth * depth, _MOST - 1)))
    return best


@compiled
def begin(context: Int) -> Int:
    """Start a search at the root whose record is filled; the number of its moves."""
    put(context, at.NODES, 0)
    put(context, at.EVALUATIONS, 0)
    put(context, at.DEEPEST, 0)
    put(context, at.ABORTED, at.RUNNING)
    put(context, at.ROOT_DEPTH, 0)
    put(context, at.ROOT_BEST, 0)
    generation = get(context, at.GENERATION) + 1
    if generation >= table.GENERATIONS:
        table.clear(get(context, at.TABLE), (get(context, at.LARGEST_MASK) + 1) * table.BUCKET_BYTES)
        table.clear(get(context, at.LEAF_CACHE), at.LEAF_BYTES << at.LEAF_CACHE_BITS)
        generation = 1
    put(context, at.BUCKET_MASK, min(_FEWEST_BUCKETS - 1, get(context, at.LARGEST_MASK)))
    put(context, at.GENERATION, generation)
    history = get(context, at.HISTORY)
    for word in range(at.HISTORY_WORDS):
        store_word(history + 8 * word, _0)
    for ply in range(at.MAX_PLY):
        store_word(record_of(ply, context) + at.KILLER, ~_0)
    record = record_of(0, context)
    black, white, kings = load_word(record + at.BLACK), load_word(record + at.WHITE), load_word(record + at.KINGS)
    store_word(record + at.HASH, table.hashed(black, white, kings, 0))
    if get(context, at.KIND) == at.NETWORK:
        call(get(context, at.EVALUATOR), context, at.AT_ROOT, 0, 0)
    count = generate_at(black, white, kings, 0, get(context, at.ROWS))
    put(context, at.ROOT_COUNT, count)
    order = get(context, at.ROOT_ORDER)
    for index in range(count):
        store_word(order + 8 * index, np.uint64(index))
    return count


@inlined
def give_room(context: Int) -> None:
    """Let the table grow to one entry for each position visited so far; most of them are leaves and have none."""
    mask = get(context, at.BUCKET_MASK)
    larger = mask
    while larger < get(context, at.LARGEST_MASK) and 2 * (larger + 1) < get(context, at.NODES):
        larger = 2 * larger + 1
    if larger > mask:
        table.grow(get(context, at.TABLE), mask, larger, get(context, at.GENERATION))
        put(context, at.BUCKET_MASK, larger)


@inlined
def keep_root(judged: Int, depth: Int, context: Int) -> None:
    """Let what an iteration found of the moves that it judged, the first in their order, be what the search found."""
    order = get(context, at.ROOT_ORDER)
    scores, exact, depths = get(context, at.ROOT_SCORES), get(context, at.ROOT_EXACT), get(context, at.ROOT_DEPTHS)
    for place in range(judged):
        move = 8 * np.int64(load_word(order + 8 * place))
        store_word(scores + move, load_word(get(context, at.NEW_SCORES) + move))
        store_word(exact + move, load_word(get(context, at.NEW_EXACT) + move))
        store_word(depths + move, np.uint64(depth))
    line, kept = get(context, at.LINES), get(context, at.ROOT_LINE)
    for word in range(1 + np.int64(load_word(line))):
        store_word(kept + 8 * word, load_word(line + 8 * word))


@compiled
def search_root(depth: Int, every: Int, context: Int) -> None:
    """One iteration: find the first of the best moves, and its value, with `depth` plies.

    The value of each other move is a bound, or exact with `every`. If the search is given up, the values and the line
    of the iteration before stay, as if this one had not begun, unless a move has beaten the best one, which is tried
    first: then that is the best move, and the moves that this iteration judged have its values and depth.
    """
    give_room(context)
    record = record_of(0, context)
    own, opponent, kings = load_word(record + at.BLACK), load_word(record + at.WHITE), load_word(record + at.KINGS)
    count, rows = get(context, at.ROOT_COUNT), get(context, at.ROWS)
    order, scores, exact = get(context, at.ROOT_ORDER), get(context, at.NEW_SCORES), get(context, at.NEW_EXACT)
    free = rows + (count + 1) * MOVE_BYTES
    kind = get(context, at.KIND)
    one = np.int64(count > 0)
    behind = depth if count == 1 and get(context, at.BLONDIE) != 0 else depth - 1
    best = -at.INFINITY
    best_index: Int = -1
    best_place = 0
    judged: Int = 0
    for place in range(count):
        index = np.int64(load_word(order + 8 * place))
        row = rows + index * MOVE_BYTES
        alpha = -at.INFINITY
        if best_index >= 0 and every == 0:
            # A move that stands before the best so far wins a tie.
            alpha = best - 1 if index < best_index else best
        follow(own, kings, opponent, row, 0, context)
        a, b, k = load_word(row + 8), load_word(row), load_word(row + 16)
        leaf = np.int64(is_leaf(row, 0, behind, context))
        if leaf != 0:
            put(context, at.NODES, get(context, at.NODES) + 1)
            if kind == at.MATERIAL:
                score = material(load_word(row), load_word(row + 8), load_word(row + 16))
            else:
                put(context, at.LEAVES, row)
                call(get(context, at.EVALUATOR), context, at.AT_LEAVES, 0, 1)
                score = get(context, at.VALUES)
        elif alpha > -at.INFINITY:
            score = -alphabeta(a, b, k, -alpha - 1, -alpha, behind, one, free, context)
            if score > alpha and get(context, at.ABORTED) == 0:
                score = -alphabeta(a, b, k, -at.INFINITY, -alpha, behind, one, free, context)
        else:
            score = -alphabeta(a, b, k, -at.INFINITY, at.INFINITY, behind, one, free, context)
        if get(context, at.ABORTED) != 0:
            break
        judged += 1
        better = best_index < 0 or score > best or (score == best and index < best_index)
        store_word(scores + 8 * index, np.uint64(score))
        store_word(exact + 8 * index, np.uint64(better or every != 0 or leaf != 0))
        if better:
            best, best_index, best_place = score, index, place
            write_line(row, 0, leaf, context)
    given_up = get(context, at.ABORTED) != 0
    if best_index < 0 or (given_up and best_index == get(context, at.ROOT_BEST)):
        return
    keep_root(judged, depth, context)
    # The best move is tried first next time, the others keep their order.
    for place in range(best_place, 0, -1):
        store_word(order + 8 * place, load_word(order + 8 * (place - 1)))
    store_word(order, np.uint64(best_index))
    put(context, at.ROOT_BEST, best_index)
    put(context, at.ROOT_SCORE, best)
    if not given_up:
        put(context, at.ROOT_DEPTH, depth)


@compiled
def think(context: Int, depth: Int, nodes: Int, every: Int) -> Int:
    """A whole search from `begin` on: deeper and deeper to `depth`, or until `nodes` positions; `game.search.search`.

    Returns the number of moves.
    """
    count = begin(context)
    if count == 0:
        return 0
    step = 2 if get(context, at.BLONDIE) != 0 else 1
    here = min(step, depth)
    put(context, at.NODE_LIMIT, at.NO_LIMIT)
    while True:
        search_root(here, every, context)
        if here >= depth or get(context, at.ABORTED) != 0 or abs(get(context, at.ROOT_SCORE)) >= at.WIN - here:
            return count
        put(context, at.NODE_LIMIT, nodes)
        here = min(here + step, depth)
