"""Compiled retrograde analysis of all positions of two slices, one arrangement of men after the other.

A slice and its `other` are solved together, since moves of kings lead from one to the other and back. Men only move
forwards, so each arrangement of men, with all ways to place the kings, is a small graph of its own: its moves of men,
captures and crownings lead to positions that are already solved. Each position counts the moves of kings that may still
save it from losing. When a position is lost, its predecessors are won; when the last saving move of a position is gone,
it is lost. Positions are decided in the order of their distance, so the distance is known as soon as the value is.

The code of a position is a byte: 0 for a draw, else 1 + the distance in plies, or 1 + its parity if distances are not
kept. Of the other codes, even ones are wins of the side to move, and odd ones are losses.
"""

from __future__ import annotations

import numpy as np

from game import bitboard
from game.bits import load_word, popcount, rotate, rows_ahead, store_word
from game.compiled.jit import Array, Int, Word, compiled, inlined
from game.endgame.index_kernels import (
    arrangement_of,
    choose,
    men_at,
    pieces_at,
    position_index,
    rank,
    slice_at,
    slice_number,
)
from game.kernels import MOVE_BYTES, capturers, first_square, generate_at, king_row, stepped, steppers

LEVELS = 256
_SAVED = 100
"""Number of moves left for a position that cannot be lost, because one of its other moves draws or wins."""
_CLOSED = 255
"""Code of a node of the graph that is not a position: kings of both sides are on the same square."""
_CAPTURING = 254
"""Preliminary code of a position in which a capture is compulsory, so that it has no steps of kings."""
MOVE_OF_MAN = 4
"""Number of words that describe a move of a man."""
MOST_MOVES_OF_MEN = 14
_0 = np.uint64(0)
_BOARD = np.uint64(bitboard.BOARD)


@inlined
def value_at(own: Word, opponent: Word, kings: Word, side: Int, slices: Array, values: Array) -> Int:
    """Return the code of a position of a solved slice; 1 if the side to move has no pieces."""
    if own == _0:
        return np.int64(1)
    return np.int64(values[slices[slice_number(own, opponent, kings)] + position_index(own, opponent, kings, side)])


@inlined
def put_row(row: Int, own: Word, opponent: Word, kings: Word) -> Int:
    """Write a position to an address; return the next address."""
    store_word(row, own)
    store_word(row + 8, opponent)
    store_word(row + 16, kings)
    return row + MOVE_BYTES


@inlined
def further_jump(square: Word, opponent: Word, empty: Word, step: Int, side: Int) -> Word:
    """Return the square that a piece can jump to in a direction; empty if it cannot."""
    return stepped(stepped(square, step, side) & opponent, step, side) & empty


@inlined
def put_jumps(
    starts: Word, own: Word, opponent: Word, kings: Word, empty: Word, step: Int, side: Int, row: Int
) -> tuple[Int, Word]:
    """Write the positions after single jumps in one direction.

    Return the next row, and the target squares of further jumps, which make these positions invalid.
    """
    further = _0
    while starts != _0:
        start = first_square(starts, 0)
        starts ^= start
        middle = stepped(start, step, side)
        target = stepped(middle, step, side)
        # A further jump may land where the piece started, but not jump over the same piece again.
        rest, free = opponent ^ middle, empty | start
        ahead = further_jump(target, rest, free, 2, side) | further_jump(target, rest, free, 3, side)
        if kings & start != _0:
            further |= ahead | further_jump(target, rest, free, 0, side) | further_jump(target, rest, free, 1, side)
            row = put_row(row, (own ^ start) | target, rest, (kings & ~middle) ^ start | target)
        else:
            if target & king_row(side) == _0:
                further |= ahead
            row = put_row(row, (own ^ start) | target, rest, (kings & ~middle) | (target & king_row(side)))
    return row, further


@inlined
def put_captures(own: Word, opponent: Word, kings: Word, side: Int, rows: Int) -> tuple[Int, bool]:
    """Write the positions after captures, as the mover sees them; return the end, and whether there are captures."""
    empty = _BOARD & ~(own | opponent)
    royal = own & kings
    # Most positions with a capture have single jumps alone, whose successors are written without the move generator. A
    # further jump makes the capture longer, and then all of it is left to the generator.
    starts_2 = capturers(own, opponent, empty, 2, side)
    starts_3 = capturers(own, opponent, empty, 3, side)
    starts_0 = capturers(royal, opponent, empty, 0, side)
    starts_1 = capturers(royal, opponent, empty, 1, side)
    if starts_0 | starts_1 | starts_2 | starts_3 == _0:
        return rows, False
    row, further = put_jumps(starts_2, own, opponent, kings, empty, 2, side, rows)
    row, more = put_jumps(starts_3, own, opponent, kings, empty, 3, side, row)
    further |= more
    row, more = put_jumps(starts_0, own, opponent, kings, empty, 0, side, row)
    further |= more
    row, more = put_jumps(starts_1, own, opponent, kings, empty, 1, side, row)
    if further | more != _0:  # some capture has several jumps: use the move generator
        row = rows + generate_at(own, opponent, kings, side, rows) * MOVE_BYTES
    return row, True


@inlined
def list_moves_of_men(
    men: Word, opponent_men: Word, kings: Int, opponent_kings: Int, opponent_sets: Array, width: Int, side: Int,
    slices: Array, moves: Array, offsets: Array,
) -> Int:  # fmt: skip
    """Write the arrangements that moves of men lead to, wherever the kings are; return the number of moves.

    Args:
        men, opponent_men: men of the side to move, and of its opponent.
        kings, opponent_kings: numbers of kings.
        opponent_sets: the first `width` are all ways to place the opponent's kings.
        moves: uint64, MOVE_OF_MAN words for each move: the target square; the same if the man becomes a king there,
            else 0; the squares without men afterwards; the index of the first value of the new arrangement.
        offsets: int32, `width` for each move: for each set of the opponent's kings, the offset of its first value in
            the new arrangement.
    """
    listed: Int = np.int64(0)
    for step in range(2, 4):
        movers = steppers(men, _BOARD & ~(men | opponent_men), step, side)
        while movers != _0:
            start = first_square(movers, 0)
            movers ^= start
            target = stepped(start, step, side)
            crowned = target & king_row(side)
            after = (men ^ start) | (target ^ crowned)
            # The index of a successor is start_of + (the opponent's kings) * left + (own kings): what does not depend
            # on kings is computed here, once for all positions of this arrangement.
            free = _BOARD & ~(after | opponent_men)
            places, count = popcount(free), kings + popcount(crowned)
            left = choose(places - opponent_kings, count)
            number = slice_at(popcount(opponent_men), opponent_kings, popcount(after), count)
            start_of = slices[number]
            start_of += arrangement_of(opponent_men, after, 1 - side) * choose(places, opponent_kings) * left
            moves[listed * MOVE_OF_MAN] = target
            moves[listed * MOVE_OF_MAN + 1] = crowned
            moves[listed * MOVE_OF_MAN + 2] = free
            moves[listed * MOVE_OF_MAN + 3] = np.uint64(start_of)
            for index in range(width):
                if opponent_sets[index] & target == _0:
                    offsets[listed * width + index] = rank(opponent_sets[index], free, 1 - side) * left
            listed += 1
    return listed


@inlined
def count_king_moves(own: Word, opponent: Word, kings: Word) -> Int:
    """Return the number of steps of kings."""
    empty, royal = _BOARD & ~(own | opponent), own & kings
    return (
        popcount(steppers(royal, empty, 0, 0))
        + popcount(steppers(royal, empty, 1, 0))
        + popcount(steppers(royal, empty, 2, 0))
        + popcount(steppers(royal, empty, 3, 0))
    )


@compiled
def order_arrangements(men: Int, opponent_men: Int, alike: Int, levels: Array) -> None:
    """Write how far the men of each arrangement have advanced; -1 if the mirrored arrangement is solved instead.

    Args:
        alike: 1 if the slice is its own `other`, so that mirrored arrangements are the same.
        levels: int16, one for each arrangement.
    """
    for number in range(levels.size):
        own, theirs = men_at(number, men, opponent_men)
        levels[number] = rows_ahead(own) + rows_ahead(rotate(theirs))
        if alike != 0 and arrangement_of(rotate(theirs), rotate(own), 0) < number:
            levels[number] = -1


@inlined
def list_sets(count: Int, free: Word, sets: Array) -> Int:
    """Write all sets of `count` free squares in the order of their numbers; return the number of sets."""
    number: Int = choose(popcount(free), count)
    for index in range(number):
        sets[index] = pieces_at(index, count, free)
    return number


@inlined
def list_steps(
    count: Int, free: Word, number: Int, sets: Array, steps: Array, begins: Array, first: Int, end: Int
) -> Int:
    """Write, for each set of kings, the sets that a step of a king leads to; return the end.

    Args:
        steps: receives numbers of sets, from index `end` on.
        begins: receives, from index `first` on, the index at which the steps of each set begin, then the last end.
    """
    for index in range(number):
        before = sets[index]
        begins[first + index] = end
        left = before
        empty = free & ~before
        while left != _0:
            start = first_square(left, 0)
            left ^= start
            for step in range(4):
                target = stepped(start, step, 0) & empty
                if target != _0:
                    steps[end] = rank((before ^ start) | target, free, 0)
                    end += 1
    begins[first + number] = end
    return end


@inlined
def start_side(
    a: Word, b: Word, size: Int, width: Int, exact: Int, sets: Array, opponent_sets: Array, side: Int,
    highest: Int, last: Int, slices: Array, values: Array, state: Array, moves_left: Array, worst: Array,
    following: Array, queue: Array, heads: Array, men_moves: Array, offsets: Array, moves: Int,
    kings: Int, opponent_kings: Int,
) -> tuple[Int, Int]:  # fmt: skip
    """Evaluate captures and moves of men of one side, and count the steps of its kings.

    See `solve`; `a` and `b` are the men of both sides. Return the largest distance and the number of queued positions.
    """
    others: Int = width if side == 0 else size
    if side == 0:
        count = list_moves_of_men(a, b, kings, opponent_kings, opponent_sets, width, 0, slices, men_moves, offsets)
    else:
        count = list_moves_of_men(b, a, opponent_kings, kings, sets, size, 1, slices, men_moves, offsets)
    for i in range(size):
        for j in range(width):
            place: Int = side * size * width + i * width + j
            mine_at, theirs_at = sets[i], opponent_sets[j]
            if mine_at & theirs_at != _0:
                state[place] = _CLOSED
                continue
            # With a capture, neither moves of men nor steps of kings are legal.
            own, opponent = (a | mine_at, b | theirs_at) if side == 0 else (b | theirs_at, a | mine_at)
            royal = mine_at | theirs_at
            row, capturing = put_captures(own, opponent, royal, side, moves)
            left: Int = np.int64(0)
            win: Int = np.int64(LEVELS)
            loss: Int = np.int64(0)
            drawn: Int = np.int64(0)
            if not capturing:
                left = count_king_moves(own, opponent, royal)
                its_kings, other_kings = (mine_at, theirs_at) if side == 0 else (theirs_at, mine_at)
                other = j if side == 0 else i
                for move in range(count):
                    if men_moves[move * MOVE_OF_MAN] & royal == _0:
                        at = np.int64(men_moves[move * MOVE_OF_MAN + 3]) + offsets[move * others + other]
                        free = men_moves[move * MOVE_OF_MAN + 2] ^ other_kings
                        at += rank(its_kings | men_moves[move * MOVE_OF_MAN + 1], free, 1 - side)
                        value = np.int64(values[at])
                        drawn |= np.int64(value == 0)
                        win = min(win, value if value & 1 else np.int64(LEVELS))
                        loss = max(loss, np.int64(0) if value & 1 else value)
            for child in range(moves, row, MOVE_BYTES):
                value = value_at(
                    load_word(child + 8), load_word(child), load_word(child + 16), 1 - side, slices, values
                )
                drawn |= np.int64(value == 0)
                win = min(win, value if value & 1 else np.int64(LEVELS))
                loss = max(loss, np.int64(0) if value & 1 else value)
            # A winning capture or move of a man decides the position now; so does the slowest loss if there is neither
            # a drawing move nor a step of a king. Otherwise the steps decide later.
            when: Int = np.int64(-1)
            if win < LEVELS:
                when = win
            elif left == 0 and drawn == 0:
                when = loss
            state[place] = _CAPTURING if capturing else 0
            moves_left[place] = _SAVED if drawn != 0 or win < LEVELS else left
            if exact != 0:
                worst[place] = loss
                if when >= 0:
                    following[place] = heads[when]
                    heads[when] = place
                    highest = max(highest, when)
            elif when >= 0:
                state[place] = 1 + (when & 1)
                queue[last] = place
                last += 1
    return highest, last


@compiled
def solve(
    arrangements: Array, men: Int, kings: Int, opponent_men: Int, opponent_kings: Int, exact: Int,
    slices: Array, values: Array, mine: Array, theirs: Array,
    sets: Array, opponent_sets: Array, steps: Array, begins: Array,
    state: Array, moves_left: Array, worst: Array, following: Array, queue: Array, heads: Array,
    men_moves: Array, offsets: Array, rows: Array,
) -> None:  # fmt: skip
    """Solve arrangements of men from which moves of men lead only to solved arrangements.

    Args:
        arrangements: their numbers (int64) in the slice of `men`, `kings`, `opponent_men`, `opponent_kings`.
        exact: 1 for distances, 0 for their parity.
        slices: int64, 4096: index of the first value of each slice, by `Slice.number`.
        values: uint8: codes of all solved slices.
        mine, theirs: uint8: receive the codes of the slice and of its other.
        sets, opponent_sets (uint64), steps, begins (int32): scratch memory for the sets of kings and their steps.
        state, moves_left, worst (uint8), following, queue (int32): scratch memory for the nodes of the graph, which are
            a side to move and a set of kings of each side; `worst` and `following` only for distances.
        heads: int32, LEVELS, all -1.
        men_moves (uint64), offsets (int32): scratch memory for moves of men, see `list_moves_of_men`.
        rows: uint64: scratch memory for moves.
    """
    free_places = 32 - men - opponent_men
    size, width = choose(free_places, kings), choose(free_places, opponent_kings)
    half = size * width
    moves = np.int64(rows.ctypes.data)
    for each in range(arrangements.size):
        a, b = men_at(arrangements[each], men, opponent_men)
        free = _BOARD & ~(a | b)
        list_sets(kings, free, sets)
        list_sets(opponent_kings, free, opponent_sets)
        stop = list_steps(kings, free, size, sets, steps, begins, 0, np.int64(0))
        list_steps(opponent_kings, free, width, opponent_sets, steps, begins, size + 1, stop)
        highest: Int = np.int64(0)
        last: Int = np.int64(0)
        highest, last = start_side(
            a, b, size, width, exact, sets, opponent_sets, 0, highest, last,
            slices, values, state, moves_left, worst, following, queue, heads, men_moves, offsets, moves,
            kings, opponent_kings,
        )  # fmt: skip
        highest, last = start_side(
            a, b, size, width, exact, sets, opponent_sets, 1, highest, last,
            slices, values, state, moves_left, worst, following, queue, heads, men_moves, offsets, moves,
            kings, opponent_kings,
        )  # fmt: skip

        # Decide positions in the order of their distances. At each level, first take the positions decided by captures
        # or moves of men (a linked list: heads[level], following[place], ...), then go backwards from every position
        # along the steps of kings. Predecessors are one ply further away, so the queue stays in order. Without
        # distances the order does not matter.
        first: Int = np.int64(0)
        level: Int = np.int64(0)
        while level <= highest:
            if exact != 0:
                place = np.int64(heads[level])
                heads[level] = -1
                while place >= 0:
                    if state[place] == 0 or state[place] == _CAPTURING:
                        state[place] = level + 1
                        queue[last] = place
                        last += 1
                    place = np.int64(following[place])
            end = last
            while first < (last if exact == 0 else end):
                place = np.int64(queue[first])
                first += 1
                code = np.int64(state[place])
                # A predecessor has the other side to move and differs by one step of one of its kings. The index of a
                # node is (side to move) * half + (set of kings of side 0) * width + (set of kings of side 1).
                if place >= half:
                    place -= half
                    origin, apart, node = place % width, width, place // width
                else:
                    origin, apart, node = half + place - place % width, np.int64(1), size + 1 + place % width
                begin, stop = np.int64(begins[node]), np.int64(begins[node + 1])
                if code & 1 != 0:  # lost, so steps that lead here win
                    for index in range(begin, stop):
                        previous = origin + steps[index] * apart
                        if state[previous] == 0:
                            state[previous] = code + 1 if exact != 0 else 2
                            queue[last] = previous
                            last += 1
                    continue
                for index in range(begin, stop):  # won, so steps that lead here do not save their side
                    previous = origin + steps[index] * apart
                    if state[previous] != 0:
                        continue
                    moves_left[previous] -= 1
                    if moves_left[previous] == 0:  # every move loses, and the slowest is best
                        slowest = code
                        if exact != 0:
                            slowest = max(code, np.int64(worst[previous]))
                        if exact != 0 and slowest != code:  # the slowest is no step of a king: decide at its level
                            following[previous] = heads[slowest]
                            heads[slowest] = previous
                            highest = max(highest, slowest)
                        else:
                            state[previous] = code + 1 if exact != 0 else 1
                            queue[last] = previous
                            last += 1
            if last > end:
                highest = max(highest, level + 1)
            level += 1

        # Copy the codes to both slices.
        left = choose(free_places - kings, opponent_kings)
        origin = arrangement_of(a, b, 0) * size * left
        for i in range(size):
            mine_at = sets[i]
            for j in range(width):
                if opponent_sets[j] & mine_at == _0:
                    value = np.int64(state[i * width + j])
                    if value == _CAPTURING:
                        value = np.int64(0)
                    mine[origin + i * left + rank(opponent_sets[j], free ^ mine_at, 0)] = value
        left = choose(free_places - opponent_kings, kings)
        origin = arrangement_of(b, a, 1) * width * left
        for j in range(width):
            theirs_at = opponent_sets[j]
            at = origin + rank(theirs_at, free, 1) * left
            for i in range(size):
                if sets[i] & theirs_at == _0:
                    value = np.int64(state[half + i * width + j])
                    if value == _CAPTURING:
                        value = np.int64(0)
                    theirs[at + rank(sets[i], free ^ theirs_at, 1)] = value
