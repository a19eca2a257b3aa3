"""Compiled alpha-beta: a recursive principal variation search with a transposition table, on words and addresses only.

At depth d, positions less than d plies from the root are expanded (their moves are generated and searched), and
positions after d plies are leaves, which are evaluated. There are exceptions:

* With QUIESCENCE, a position in which a capture is pending is always expanded. Captures are compulsory, so there is no
  standing pat, and the quiescence search is the same function with a depth of 0 or less.
* With BLONDIE, in addition, a forced move costs no depth, and a position is a leaf only after an even number of
  unforced plies (Chellapilla and Fogel 1999, 2001).
* With THREATS, a position in which the side that has just moved threatens to capture is also expanded, once in a line.
  Its value is the evaluation, or the value of the threat if that is better for the threatening side.

The end of a game is recognised when a position is expanded: a side without a move has lost; otherwise repetition, quiet
plies or length may draw the game.

With PRUNING some positions near the leaves are not searched, and with REDUCTIONS some moves are searched less deep
(`game.search.node_kernels`).

With EQUAL_DEPTH the root has the value of plain minimax over this tree (the slow twin in the tests); otherwise table
entries of deeper searches may improve it. With KEEPS (only in compiled games, with BLONDIE and EQUAL_DEPTH) the table
also serves the quiescence search and all searches of a player in one game, because a value depends only on the position
and the depth as long as no line meets a limit.

Move ordering: the move of the table entry, then captures by the number of pieces, or, without captures, the killer of
this ply and history counters. At PV nodes all moves except the first are tried with a zero window.

A score that rests on a draw by repetition, quiet plies or length holds only on the path that led to it. It is marked
PATH_DEPENDENT, and never stored in the table.
"""

from __future__ import annotations

import numpy as np

from game.bits import call, load_word, lowest_bit, prefetch, store_word
from game.compiled.jit import Int, Word, part, variant
from game.kernels import MOVE_BYTES, generate_at
from game.search import layout as at
from game.search import table_kernels as table
from game.search.context_kernels import get, is_known, material, put, record_of
from game.search.node_kernels import (
    corrected,
    draw_score,
    is_draw,
    is_result_here,
    keep_in_order,
    lacks_move,
    learn_correction,
    make_move,
    may_prune,
    output_bound,
    path_independent,
    pick_next,
    pieces_after,
    prune,
    reduction,
    reply_is_capture,
    reward_cutoff,
    score_for_ordering,
    threatens_capture,
    update_pv,
    value_here,
)

_0 = np.uint64(0)
_1 = np.uint64(1)
_BITS = 64
PLAIN = False
"""True to leave out the code for KEEPS, selective search and tablebases (`plain_alphabeta`)."""


@part
def alphabeta(
    own: Word, opponent: Word, kings: Word, alpha: Int, beta: Int, depth: Int, ply: Int, rows: Int, context: Int
) -> Int:
    """Return the value of a position to the side to move if it lies between alpha and beta, else a bound (fail-soft).

    Args:
        own, opponent, kings: the position; its record is filled.
        alpha, beta: the window; beta - alpha is 1 for a zero window, more at a PV node.
        depth: plies that remain; 0 or less in the quiescence search.
        ply: distance from the root.
        rows: address of free memory for moves.

    The result has no meaning if ABORTED is set. PATH_DEPENDENT is 1 if the result rests on a draw of this path.
    """
    # Step 1. Initialise the node.
    nodes = get(context, at.NODES) + 1
    put(context, at.NODES, nodes)
    put(context, at.PATH_DEPENDENT, 0)
    if ply > get(context, at.DEEPEST):
        put(context, at.DEEPEST, ply)

    # Step 2. Check for the node limit and for a request to stop. Both count from the second iteration on (`think`), so
    # there is always a complete first iteration, and so a move to play.
    if nodes > get(context, at.NODE_LIMIT):
        put(context, at.ABORTED, at.LIMIT_REACHED)
        return 0
    if load_word(np.int64(get(context, at.STOP))) != _0:
        put(context, at.ABORTED, at.STOPPED)
        return 0

    # Step 3. Generate all legal moves. A side without a move has lost, and no draw rule applies.
    side = ply & 1
    record = record_of(ply, context)
    line = get(context, at.PV) + ply * at.PV_BYTES
    store_word(line, _0)
    key = load_word(record + at.KEY)
    count = generate_at(own, opponent, kings, side, rows)
    if count == 0:
        return ply - at.WIN

    # Step 4. Draws by repetition, quiet plies and length. The same position may not be a draw on another path.
    if is_draw(ply, context):
        put(context, at.PATH_DEPENDENT, 1)
        return draw_score(side, context)

    # Step 5. Transposition table lookup. Cut off at zero-window nodes only: a PV node would lose its line. The entry's
    # move is tried first in any case. Nodes of the quiescence search are not stored. With KEEPS they are stored, and PV
    # nodes may cut off, because no line is wanted. Depths up to 2 are then stored as their parity: below 1 only the
    # parity matters, and 2 gives the same value as 0 unless the move is forced. A position with a forced move is not
    # stored; it has the value of the next position, which has its own entry.
    pv_node = beta - alpha > 1
    tt_move = -1
    keeps = np.int64(0) if PLAIN else get(context, at.KEEPS)
    use_tt = depth > 0
    kept_depth = depth
    if keeps != 0:
        use_tt = count > 1
        if depth <= 2:
            kept_depth = depth & 1
    if use_tt:
        tt, mask = get(context, at.TABLE), get(context, at.BUCKET_MASK)
        data = table.probe(key, tt, mask, get(context, at.OLDEST), get(context, at.AGE))
        if data != _0:
            move = table.entry_move(data)
            if move < count:  # it may be NO_MOVE, or the move of another position with the same key
                tt_move = move
            if keeps != 0:
                extent = table.entry_extent(data)
                usable = table.entry_depth(data) == kept_depth and is_result_here(ply, depth, extent, context)
            elif get(context, at.EQUAL_DEPTH) != 0:
                exact = get(context, at.BLONDIE) == 0 and path_independent(ply, depth, context)
                usable = exact and table.entry_depth(data) == depth
            else:
                usable = table.entry_depth(data) >= depth
            if usable and (keeps != 0 or not pv_node):
                score = table.score_from_table(data, ply)
                bound = table.entry_bound(data)
                if (score >= beta and bound & table.LOWER != 0) or (score <= alpha and bound & table.UPPER != 0):
                    if keeps != 0 and ply + table.entry_extent(data) > get(context, at.DEEPEST):
                        put(context, at.DEEPEST, ply + table.entry_extent(data))
                    return score

    # Step 6. Prune where few plies remain and the evaluation is far outside the window.
    quiet = load_word(rows + 8) == opponent
    selective = not PLAIN and get(context, at.SELECTIVE) != 0
    value: Int = np.int64(at.INFINITY)
    if selective and quiet and not pv_node and may_prune(alpha, beta, depth, context):
        value = value_here(own, opponent, kings, ply, context)
        score = prune(corrected(value, record, side, context), alpha, beta, depth, ply, context)
        if score != at.INFINITY or get(context, at.ABORTED) != 0:
            return score

    # Step 7. From here on, record the depth of the deepest line of this position.
    kind = get(context, at.EVALUATOR_KIND)
    deepest = get(context, at.DEEPEST)
    if keeps != 0:
        put(context, at.DEEPEST, ply)

    # Step 8. The depth of the children. With BLONDIE a forced move costs no depth, and the depth may fall below 0,
    # since leaves depend on its parity; otherwise the quiescence search stays at 0, except for the plies of threats.
    child_depth = depth - 1
    if count == 1 and get(context, at.BLONDIE) != 0 and ply + depth < at.MAX_PLY - 2:
        child_depth = depth  # only up to a limit: the memory of a search has room for MAX_PLY plies
    elif child_depth < 0 and get(context, at.BLONDIE) == 0:
        child_depth = max(child_depth, -get(context, at.THREATS)) if selective and quiet else depth
    elif selective and lacks_move(tt_move, count, depth, context):
        child_depth -= 1
    original_alpha = alpha
    best = -at.INFINITY
    best_row = rows
    path_dependent = 0
    free = rows + (count + 1) * MOVE_BYTES
    unsearched = count
    waiting = _0  # bits of the first 64 moves that are searched in the order of generation; others get sort keys
    last_ply = ply >= at.MAX_PLY - 2
    expands_all = child_depth <= 0 and child_depth & 1 != 0 and get(context, at.BLONDIE) != 0 and not last_ply

    # Step 9. After the last ply evaluate the leaves first, BATCH at a time, because they cost least. Moves that lead to
    # other positions (a capture is pending, or tablebases know them), or to leaves with a threat (THREATS), wait for
    # step 11. With KEEPS the first batch has two leaves, since most cutoffs are caused by the first leaf; and a leaf is
    # not evaluated if its pieces decide: if no output of the network could lift it above alpha, or bring it below beta.
    if child_depth <= 0 and not expands_all:
        probes = not PLAIN and get(context, at.TABLEBASE_PIECES) != 0
        every = last_ply or get(context, at.QUIESCENCE) == 0
        threats = selective and child_depth + get(context, at.THREATS) > 0 and not every
        unsearched = 0
        batched = 0
        together = at.BATCH if keeps == 0 or pv_node else 2
        known: Int = np.int64(-1)
        least: Int = np.int64(-at.INFINITY)
        most: Int = np.int64(at.INFINITY)
        for index in range(count):
            row = rows + index * MOVE_BYTES
            leaf = every or reply_is_capture(row, side) == 0
            if probes:
                leaf = leaf and not is_known(load_word(row), load_word(row + 8), load_word(row + 16), context)
            if not leaf or (threats and threatens_capture(row, side) != 0):
                if index < _BITS:
                    waiting |= _1 << np.uint64(index)
                else:
                    keep_in_order(row)
                unsearched += 1
            if leaf:
                if kind == at.MATERIAL:
                    score = material(load_word(row), load_word(row + 8), load_word(row + 16))
                    nodes += 1
                    if score > best:
                        best, best_row = score, row
                        if score >= beta:
                            break
                    continue
                if keeps != 0 and pieces_after(row) != known:  # most moves leave the pieces as they are
                    known = pieces_after(row)
                    least, most = output_bound(row, side, 0, context), output_bound(row, side, 1, context)
                if least >= beta:
                    best, best_row, batched = least, row, 0
                    nodes += 1
                    break
                if most <= max(alpha, best):
                    best = max(best, most)
                    nodes += 1
                else:
                    put(context, at.LEAVES + batched, row)
                    batched += 1
            if batched == together or (index == count - 1 and batched > 0):
                put(context, at.ENOUGH, beta if keeps != 0 else at.INFINITY)
                valued = call(get(context, at.EVALUATOR), context, at.AT_LEAVES, ply, batched)
                nodes += batched
                for place in range(valued):
                    score = get(context, at.VALUES + place)
                    if score > best:
                        best, best_row = score, get(context, at.LEAVES + place)
                batched, together = 0, at.BATCH
                if best >= beta:
                    break
        put(context, at.NODES, nodes)
        if get(context, at.ABORTED) != 0:  # a network gave no finite number
            return 0
        if best > alpha:
            alpha = best
            if pv_node:
                update_pv(best_row, ply, 1, context)
        if best >= beta:
            unsearched = 0

    # Step 10. Move ordering. A single move needs none.
    elif child_depth > 0 and count > 1:
        score_for_ordering(own, opponent, count, side, tt_move, load_word(record + at.KILLER), rows, context)
    else:
        waiting = ~_0 >> np.uint64(_BITS - min(count, _BITS))
        for index in range(_BITS, count):
            keep_in_order(rows + index * MOVE_BYTES)

    # Step 11. Loop through the moves until none is left or a beta cutoff occurs.
    searched = 0
    while unsearched > 0:
        unsearched -= 1
        if waiting != _0:
            row = rows + lowest_bit(waiting) * MOVE_BYTES
            waiting &= waiting - _1
        else:
            row = pick_next(count, rows)

        # Step 12. Make the move, unless tablebases know the position after it. Prefetch the bucket of this position.
        a, b, k = load_word(row + 8), load_word(row), load_word(row + 16)
        known_after = not PLAIN and is_known(a, b, k, context)
        if not known_after:
            child = make_move(own, kings, opponent, row, ply, context)
            prefetch(table.bucket_of(child, get(context, at.TABLE), get(context, at.BUCKET_MASK)))

        # Step 13. Principal variation search: after the first move of a PV node, a zero window shows whether a move is
        # better, and only a better one is searched with the full window and the full depth. At zero-window nodes the
        # window cannot be narrowed.
        less = reduction(row, side, searched, child_depth, best, context) if selective and quiet else np.int64(0)
        if known_after:
            score = call(get(context, at.TABLEBASE), context, at.PROBE_AFTER, ply + 1, row)
        elif less > 0 or (searched > 0 and pv_node):
            score = -alphabeta(a, b, k, -alpha - 1, -alpha, child_depth - less, ply + 1, free, context)
            if score > alpha and (less > 0 or score < beta) and get(context, at.ABORTED) == 0:
                path_dependent |= get(context, at.PATH_DEPENDENT)
                score = -alphabeta(a, b, k, -beta, -alpha, child_depth, ply + 1, free, context)
        else:
            score = -alphabeta(a, b, k, -beta, -alpha, child_depth, ply + 1, free, context)
        if get(context, at.ABORTED) != 0:
            return 0
        searched += 1

        # Step 14. Check for a new best move. A beta cutoff depends on this move alone, any other value on all moves.
        if score > best:
            best, best_row = score, row
            if score > alpha:
                alpha = score
                if pv_node:
                    update_pv(row, ply, np.int64(known_after), context)
                if score >= beta:
                    path_dependent = get(context, at.PATH_DEPENDENT)
                    break
        path_dependent |= get(context, at.PATH_DEPENDENT)
    put(context, at.PATH_DEPENDENT, path_dependent)

    # Step 15. Learn how far the evaluation was from the result, and store the result in the table, unless it holds only
    # on this path. A node that failed low has no best move, so the move of its old entry is kept.
    if value != at.INFINITY and path_dependent == 0:
        learn_correction(value, best, original_alpha, beta, depth, record, side, context)
    extent = np.int64(0)
    if keeps != 0:
        extent = get(context, at.DEEPEST) - ply
        put(context, at.DEEPEST, max(deepest, ply + extent))
        use_tt = count > 1 and extent <= table.MAX_EXTENT and ply + extent + max(depth, 0) < at.MAX_PLY - 2
    if use_tt and path_dependent == 0:
        bound = table.EXACT
        if best >= beta:
            bound = table.LOWER
        elif best <= original_alpha:
            bound = table.UPPER
        move = (best_row - rows) // MOVE_BYTES if best > original_alpha else table.NO_MOVE
        if bound == table.UPPER and tt_move >= 0:
            move = tt_move
        score = table.score_to_table(best, ply)
        table.store(
            key, get(context, at.TABLE), get(context, at.BUCKET_MASK), get(context, at.AGE),
            score, kept_depth, bound, move, extent,
        )  # fmt: skip

    # Step 16. A quiet move that caused a cutoff becomes the killer of this ply, and its history counter grows.
    if best >= beta and child_depth > 0 and quiet:
        reward_cutoff(best_row, depth, side, record, context)
    return best


plain_alphabeta = variant(alphabeta, PLAIN=True)
"""`alphabeta` without the code for KEEPS, selective search and tablebases: 5 % faster, with fewer registers."""
