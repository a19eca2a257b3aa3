"""The steps of a node of the search: making moves, draws, move ordering, the principal variation, and pruning."""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bits import bits_to_float, call, float_to_bits, load_word, popcount, store_word
from game.compiled.jit import Float, Int, Word, inlined
from game.kernels import MOVE_BYTES, all_capturers
from game.networks.kernels import piece_difference
from game.search import layout as at
from game.search import table_kernels as table
from game.search.context_kernels import float_to_score, get, material, put, record_of

CODE = np.uint64(0xFFFFFFFF)
"""The lower half of a move's last word; during the search of its node the upper half holds its sort key."""

# Sort keys: quiet moves have 1 + their history counter, which stays below the killer's.
_TT_MOVE_ORDER = 1 << 30
_KILLER_ORDER = 1 << 29
_MAX_HISTORY = (1 << 29) - 1

_0 = np.uint64(0)
_1 = np.uint64(1)
_10 = np.uint64(10)
_32 = np.uint64(32)
_63 = np.uint64(63)


@inlined
def reply_is_capture(row: Int, side: Int) -> Int:
    """Return 1 if the opponent of `side` must capture after a move of `side`, else 0."""
    if side == 0:
        return np.int64(all_capturers(load_word(row + 8), load_word(row), load_word(row + 16), 1) != _0)
    return np.int64(all_capturers(load_word(row + 8), load_word(row), load_word(row + 16), 0) != _0)


@inlined
def threatens_capture(row: Int, side: Int) -> Int:
    """Return 1 if `side` could capture after its move, if it were to move again, else 0."""
    if side == 0:
        return np.int64(all_capturers(load_word(row), load_word(row + 8), load_word(row + 16), 0) != _0)
    return np.int64(all_capturers(load_word(row), load_word(row + 8), load_word(row + 16), 1) != _0)


@inlined
def history_counter(code: Word, side: Int, context: Int) -> Int:
    """Return the address of the history counter of a simple move, which grows with each of its cutoffs."""
    step = np.int64(code >> _10) & 3
    return get(context, at.HISTORY) + 8 * (side * 256 + np.int64(code & _63) * 4 + step)


@inlined
def make_move(own: Word, kings: Word, opponent: Word, row: Int, ply: Int, context: Int) -> Word:
    """Fill the record of the next ply with the position after a move; return its key."""
    record = record_of(ply, context)
    next_record = record + at.RECORD_BYTES
    own_after, opponent_after, kings_after = load_word(row), load_word(row + 8), load_word(row + 16)
    man_moved = own & ~kings & ~own_after != _0
    captured = opponent != opponent_after
    reversible, quiet = load_word(record + at.REVERSIBLE) + np.uint64(1), load_word(record + at.QUIET) + np.uint64(1)
    if captured or man_moved:
        reversible = _0
        if captured or get(context, at.MEN_RESET) != 0:
            quiet = _0
    # The record has the pieces by colour, not by mover, and the key includes the side that is then to move.
    side = ply & 1
    black, white = (own_after, opponent_after) if side == 0 else (opponent_after, own_after)
    key = table.position_key(black, white, kings_after, 1 - side)
    store_word(next_record + at.KEY, key)
    store_word(next_record + at.BLACK, black)
    store_word(next_record + at.WHITE, white)
    store_word(next_record + at.KINGS, kings_after)
    store_word(next_record + at.ROW, np.uint64(row))
    store_word(next_record + at.REVERSIBLE, reversible)
    store_word(next_record + at.QUIET, quiet)
    # Sums of the first layer are kept along the path; those after this ply belong to another line now.
    if get(context, at.SUMS_PLY) > ply:
        put(context, at.SUMS_PLY, ply)
    if get(context, at.OTHER_SUMS_PLY) > ply:
        put(context, at.OTHER_SUMS_PLY, ply)
    return key


@inlined
def is_draw(ply: Int, context: Int) -> Any:
    """Return whether the position at a ply is a draw by repetition, quiet plies or length.

    With TWOFOLD, a single earlier occurrence at or after the root counts as enough for a repetition.
    """
    record = record_of(ply, context)
    reversible = np.int64(load_word(record + at.REVERSIBLE))
    if reversible >= get(context, at.REPETITION_PLIES):
        key = load_word(record + at.KEY)
        occurrences = 1
        # The same side moves at every second ply, and no position can return after two.
        for back in range(4, reversible + 1, 2):
            if load_word(record - back * at.RECORD_BYTES + at.KEY) == key:
                occurrences += 1
                if back <= ply:
                    occurrences += get(context, at.TWOFOLD)
        if occurrences >= get(context, at.REPETITION):
            return True
    return np.int64(load_word(record + at.QUIET)) >= get(context, at.QUIET_LIMIT) or ply >= get(context, at.LENGTH_LEFT)


@inlined
def path_independent(ply: Int, depth: Int, context: Int) -> Any:
    """Return whether no draw within `depth` plies can depend on the path, so that any table entry here is valid."""
    record = record_of(ply, context)
    # Count the plies of the longest line from here, and compare them with the distance to each limit.
    depth += get(context, at.THREATS)
    longest = np.int64(load_word(record + at.REVERSIBLE)) + depth
    quiet = np.int64(load_word(record + at.QUIET)) + depth
    deepest = ply + depth
    if get(context, at.QUIESCENCE) != 0:  # after the last ply there may be as many captures as pieces
        deepest += popcount(load_word(record + at.BLACK) | load_word(record + at.WHITE))
    short = deepest < get(context, at.LENGTH_LEFT)
    return longest < get(context, at.REPETITION_PLIES) and quiet < get(context, at.QUIET_LIMIT) and short


@inlined
def is_result_here(ply: Int, depth: Int, extent: Int, context: Int) -> Any:
    """Return whether a result of this depth, whose lines were at most `extent` plies long, is valid here.

    It is if neither a draw nor the maximum length of a line can be reached within `extent` plies from here.
    """
    record = record_of(ply, context)
    reversible, quiet = np.int64(load_word(record + at.REVERSIBLE)), np.int64(load_word(record + at.QUIET))
    drawn = reversible + extent >= get(context, at.REPETITION_PLIES) or quiet + extent >= get(context, at.QUIET_LIMIT)
    return not drawn and ply + extent < get(context, at.LENGTH_LEFT) and ply + extent + max(depth, 0) < at.MAX_PLY - 2


@inlined
def score_for_ordering(
    own: Word, opponent: Word, count: Int, side: Int, tt_move: Int, killer: Word, rows: Int, context: Int
) -> None:
    """Write a sort key into the upper half of each move's code; the move with the largest is searched first."""
    order: Int
    for index in range(count):
        row = rows + index * MOVE_BYTES
        code = load_word(row + 24)
        # The order: table move, captures by the number of pieces, killer, history. Captures and quiet moves never
        # compete, since captures are compulsory.
        if index == tt_move:
            order = _TT_MOVE_ORDER
        elif load_word(row + 8) != opponent:
            order = 1 + popcount(opponent & ~load_word(row + 8))
        elif code == killer:
            order = _KILLER_ORDER
        else:
            order = 1 + np.int64(load_word(history_counter(code, side, context)))
        store_word(row + 24, code | (np.uint64(order) << _32))


@inlined
def draw_score(side: Int, context: Int) -> Int:
    """Return the value of a draw by the rules of the game to `side`.

    If tables know the root to be won or lost, such a draw changes the result. It then counts more than any evaluation,
    which may contradict the tables.
    """
    value = get(context, at.ROOT_VALUE)
    if value == 0 or value == at.UNKNOWN:
        return np.int64(0)
    return -at.DRAWN * value if side == 0 else at.DRAWN * value


@inlined
def keep_in_order(row: Int) -> None:
    """Give a move the lowest sort key; moves with equal keys are searched in the order of generation."""
    store_word(row + 24, load_word(row + 24) | (_1 << _32))


@inlined
def pick_next(count: Int, rows: Int) -> Int:
    """Return the address of the move with the largest sort key, and clear the key, so that the next call picks another.

    Selecting one at a time is cheaper than sorting: most nodes are cut off after a move or two.
    """
    best = rows
    largest = _0
    for index in range(count):
        row = rows + index * MOVE_BYTES
        order = load_word(row + 24) >> _32
        if order > largest:
            best, largest = row, order
    store_word(best + 24, load_word(best + 24) & CODE)
    return best


@inlined
def update_pv(row: Int, ply: Int, leaf: Int, context: Int) -> None:
    """Write the principal variation from a ply: this move, then the variation of the next ply unless that is a leaf."""
    line = get(context, at.PV) + ply * at.PV_BYTES
    child_line = line + at.PV_BYTES
    length = 0 if leaf != 0 else np.int64(load_word(child_line))
    store_word(line, np.uint64(length + 1))
    store_word(line + 8, load_word(row + 24) & CODE)
    for index in range(length):
        store_word(line + 16 + 8 * index, load_word(child_line + 8 + 8 * index))


@inlined
def is_leaf(row: Int, ply: Int, depth: Int, context: Int) -> Any:
    """Return whether the position after a move at `ply` is a leaf, with `depth` plies remaining after this move.

    The position must not be in the tablebases.
    """
    if depth > 0:
        return False
    if ply >= at.MAX_PLY - 2:
        return True
    if get(context, at.BLONDIE) != 0 and depth & 1 != 0:
        return False
    return get(context, at.QUIESCENCE) == 0 or reply_is_capture(row, ply & 1) == 0


@inlined
def pieces_after(row: Int) -> Int:
    """Return a number that represents the numbers of men and kings after a move, to compare moves of the same node."""
    kings = load_word(row + 16)
    return (popcount(load_word(row + 8)) << 12) + (popcount(load_word(row) & kings) << 6) + popcount(kings)


@inlined
def output_bound(row: Int, side: Int, upper: Int, context: Int) -> Int:
    """Return a bound on the value, to the mover `side`, of the leaf after a move, from its pieces alone.

    The piece difference is added in the same way as to an output, so rounding cannot take an output past its bound.
    """
    low, high = bits_to_float(np.int32(get(context, at.LOWEST))), bits_to_float(np.int32(get(context, at.HIGHEST)))
    bound = high if upper != 0 else low
    if side != 0:
        bound = -low if upper != 0 else -high
    if load_word(get(context, at.PLAN) + 48) != _0:
        king = bits_to_float(np.int32(get(context, at.KING)))
        bound += piece_difference(load_word(row), load_word(row + 8), load_word(row + 16), king)
    return min(max(float_to_score(bound), 1 - at.PROVED), at.PROVED - 1)


@inlined
def reward_cutoff(row: Int, depth: Int, side: Int, record: Int, context: Int) -> None:
    """Make a quiet move that caused a beta cutoff the killer of its ply, and increase its history counter."""
    code = load_word(row + 24) & CODE
    store_word(record + at.KILLER, code)
    counter = history_counter(code, side, context)
    store_word(counter, np.uint64(min(np.int64(load_word(counter)) + depth * depth, _MAX_HISTORY - 1)))


_PRUNED_DEPTH = 3
"""Positions are pruned if at most this number of plies remain."""
_WITHOUT_MOVE = 4
"""A position without a table move is searched one ply less deep if at least this number of plies remain."""
_LATE, _LATER = 3, 6
"""After these numbers of moves, further moves of a position are searched one ply and two plies less deep."""


_CORRECTED = np.float32(0.06)
"""Weight of a new difference in a correction, for each ply that remains."""


@inlined
def score_to_float(score: Int) -> Float:
    """Return the evaluation of a network that has a score."""
    value = bits_to_float(np.int32(abs(score)))
    return value if score >= 0 else -value


@inlined
def shifted(score: Int, by: Float) -> Int:
    """Return a network's score increased by a number in the network's units; proved wins and losses stay the same."""
    if abs(score) >= at.PROVED:
        return score
    return float_to_score(score_to_float(score) + by)


@inlined
def moved(score: Int, margin: Int, times: Int, context: Int) -> Int:
    """Return a score increased by `times` a margin, which is a word of the context."""
    if get(context, at.EVALUATOR_KIND) == at.MATERIAL:
        return score + times * margin
    return shifted(score, np.float32(times) * bits_to_float(np.int32(margin)))


@inlined
def value_here(own: Word, opponent: Word, kings: Word, ply: Int, context: Int) -> Int:
    """Return the evaluation of the position at a ply, below the root, to the side to move; failure sets ABORTED."""
    if get(context, at.EVALUATOR_KIND) == at.MATERIAL:
        return material(own, opponent, kings)
    put(context, at.LEAVES, np.int64(load_word(record_of(ply, context) + at.ROW)))
    put(context, at.ENOUGH, at.INFINITY)
    call(get(context, at.EVALUATOR), context, at.AT_LEAVES, ply - 1, 1)
    return -get(context, at.VALUES)


@inlined
def correction_of(record: Int, side: Int, context: Int) -> Int:
    """Return the address of the correction for the men of a position and the side to move."""
    men = ~load_word(record + at.KINGS)
    key = table.position_key(load_word(record + at.BLACK) & men, load_word(record + at.WHITE) & men, _0, side)
    return get(context, at.CORRECTIONS) + 8 * (np.int64(key) & (at.CORRECTION_WORDS - 1))


@inlined
def corrected(value: Int, record: Int, side: Int, context: Int) -> Int:
    """Return an evaluation, with CORRECTS increased by the correction for its men and side to move."""
    if get(context, at.CORRECTS) == 0 or get(context, at.EVALUATOR_KIND) == at.MATERIAL:
        return value
    return shifted(value, bits_to_float(np.int32(load_word(correction_of(record, side, context)))))


@inlined
def learn_correction(
    value: Int, best: Int, alpha: Int, beta: Int, depth: Int, record: Int, side: Int, context: Int
) -> None:
    """Move a correction towards the difference between the result of a search, `best`, and the evaluation `value`."""
    if get(context, at.CORRECTS) == 0 or get(context, at.EVALUATOR_KIND) == at.MATERIAL or abs(best) >= at.DRAWN:
        return
    # Of a bound on the result, nothing is known if the evaluation lies beyond it.
    if (best >= beta and best < value) or (best <= alpha and best > value):
        return
    place = correction_of(record, side, context)
    old = bits_to_float(np.int32(load_word(place)))
    difference = score_to_float(best) - score_to_float(value)
    new = old + np.float32(depth) * _CORRECTED * (difference - old)
    store_word(place, np.uint64(float_to_bits(new)))


@inlined
def may_prune(alpha: Int, beta: Int, depth: Int, context: Int) -> Any:
    """Return whether few enough plies remain for `prune`, with PRUNING."""
    near = get(context, at.PRUNING) != 0 and 0 < depth <= _PRUNED_DEPTH
    return near and alpha > -at.DRAWN and beta < at.DRAWN


@inlined
def prune(value: Int, alpha: Int, beta: Int, depth: Int, ply: Int, context: Int) -> Int:
    """Return a bound outside the window for a position without captures; INFINITY if it has to be searched.

    A few plies before the leaves, quiet moves are assumed to raise its evaluation `value` by at most one margin per
    ply, and to lower it by at most another one unless a capture is threatened.
    """
    # Fail low: not even a gain at each ply that remains reaches alpha.
    bound = moved(value, get(context, at.MARGIN_UP), depth, context)
    if bound <= alpha:
        return bound
    # Fail high: not even a loss at each ply falls below beta. A capture that the opponent threatens may cost more than
    # any margin, so it excludes this.
    bound = moved(value, get(context, at.MARGIN_DOWN), -depth, context)
    row = np.int64(load_word(record_of(ply, context) + at.ROW))
    if bound >= beta and threatens_capture(row, 1 - (ply & 1)) == 0:
        return bound
    return np.int64(at.INFINITY)


@inlined
def lacks_move(tt_move: Int, count: Int, depth: Int, context: Int) -> Any:
    """Return whether a position is searched one ply less deep, with REDUCTIONS, because no good move is known."""
    return get(context, at.REDUCTIONS) != 0 and tt_move < 0 and count > 1 and depth >= _WITHOUT_MOVE


@inlined
def reduction(row: Int, side: Int, searched: Int, depth: Int, best: Int, context: Int) -> Int:
    """Return the number of plies by which a move is searched less deep with REDUCTIONS.

    If the move then exceeds alpha, it is searched again in full. Only late moves of a position without captures are
    reduced, except moves that force the opponent to capture, and none as long as all moves before it lose.
    """
    if get(context, at.REDUCTIONS) == 0 or searched < _LATE or depth < 2 or best <= -at.PROVED:
        return np.int64(0)
    # A move that forces a capture changes the position at once, and its reply is no choice: it is searched in full.
    plies = np.int64(2) if searched >= _LATER and depth > 2 else np.int64(1)
    return plies * (np.int64(1) - reply_is_capture(row, side))
