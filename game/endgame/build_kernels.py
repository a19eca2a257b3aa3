"""Compiled retrograde analysis: the values of all positions of two slices, one arrangement of men after the other.

A slice and its `other` are solved together, since moves of kings lead from one to the other and back. Men only move
forwards. So an arrangement of men, with all ways to place kings, is a small graph of its own: its moves of men,
captures and crownings lead to positions that are known already. Each position counts the moves of kings that may still
save it. A lost position makes those before it won; a position whose last saving move is gone is lost. Positions are
decided in the order of their distance, so the distance is known with the value.

A value is a byte: 0 draw, else 1 + the number of plies until the loser has no legal move, or 1 + its parity where
distances are not wanted. So even values are won, odd ones lost, for the side to move.
"""

from __future__ import annotations

import numpy as np

from game import bitboard
from game.bits import load_word, popcount, rotate, store_word
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
DRAW = 0
_SAVED = 100
"""Moves left of a position that cannot be lost: it has a draw or a win among its other moves."""
_CLOSED = 255
"""Value of a place of the graph that is no position: kings of both sides on the same square."""
_CAPTURING = 254
"""Preliminary value of a position in which a capture is compulsory: it has no moves of kings."""
MOVE_OF_MAN = 4
"""Words that describe a move of a man."""
MOST_MOVES_OF_MEN = 14
_0 = np.uint64(0)
_1 = np.uint64(1)
_BOARD = np.uint64(bitboard.BOARD)


@inlined
def value_at(own: Word, opponent: Word, kings: Word, side: Int, slices: Array, values: Array) -> Int:
    """Return the value of a position whose slice is known; 1 for a side without pieces."""
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
    """Return the squares that a piece on a square can jump to."""
    return stepped(stepped(square, step, side) & opponent, step, side) & empty


@inlined
def put_jumps(
    starts: Word, own: Word, opponent: Word, kings: Word, empty: Word, step: Int, side: Int, row: Int
) -> tuple[Int, Word]:
    """Write the positions after single jumps in one direction; return the next row, and where jumps go on."""
    further = _0
    while starts != _0:
        start = first_square(starts, 0)
        starts ^= start
        middle = stepped(start, step, side)
        target = stepped(middle, step, side)
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
    """Write the positions after captures in the mover's view; return the end, and whether there are any."""
    empty = _BOARD & ~(own | opponent)
    royal = own & kings
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
    if further | more != _0:
        row = rows + generate_at(own, opponent, kings, side, rows) * MOVE_BYTES
    return row, True


@inlined
def list_moves_of_men(
    men: Word, opponent_men: Word, kings: Int, opponent_kings: Int, opponent_sets: Array, width: Int, side: Int,
    slices: Array, moves: Array, offsets: Array,
) -> Int:  # fmt: skip
    """Write the arrangements that moves of men lead to, for any placing of the kings; return the number of moves.

    Args:
        men, opponent_men: of the side to move, and of its opponent.
        kings, opponent_kings: how many.
        opponent_sets: the first `width` are all ways to place the opponent's kings.
        moves: uint64, MOVE_OF_MAN words each: the square the man goes to, the same if it becomes a king there, the
            squares without men afterwards, where the values of that arrangement begin.
        offsets: int32, `width` for each move: where in the arrangement the values for that set of kings begin.
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


@inlined
def rows_ahead(men: Word) -> Int:
    """Return the number of rows that men have advanced, all together, as side 0 sees the board."""
    total = np.int64(0)
    while men != _0:
        square = first_square(men, 0)
        men ^= square
        total += 2 * (popcount(square - _1) // 9) + (popcount(square - _1) % 9) // 4
    return total


@compiled
def order_arrangements(men: Int, opponent_men: Int, alike: Int, levels: Array) -> None:
    """Write how far the men of each arrangement have advanced; -1 where the mirrored arrangement is solved instead.

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
    """Write all sets of `count` free squares in the order of their numbers."""
    number: Int = choose(popcount(free), count)
    for index in range(number):
        sets[index] = pieces_at(index, count, free)
    return number


@inlined
def list_steps(
    count: Int, free: Word, number: Int, sets: Array, steps: Array, begins: Array, first: Int, end: Int
) -> Int:
    """Write the sets that a step of a king leads to from each set; return the end.

    Args:
        steps: from `end` on are written.
        begins: where the steps of set 0, 1, ... begin is written from `first` on, and where those of the last end.
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
    """Value the captures and moves of men of one side, and count the moves of its kings.

    See `solve`; `a` and `b` are the men of both sides. Returns the largest distance and the number of queued positions.
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
            # A capture or a move of a man that wins decides the position now. Without steps of kings and without a
            # draw, the slowest loss does; otherwise the steps decide.
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
    """Solve arrangements of men whose moves of men lead only to arrangements that are solved.

    Args:
        arrangements: their numbers (int64) in the slice of `men`, `kings`, `opponent_men`, `opponent_kings`.
        exact: 1 for distances, 0 for their parity.
        slices: int64, 4096: where the values of each slice begin, by `Slice.number`.
        values: uint8: values of all slices that are known.
        mine, theirs: uint8: values of the slice and of its other, which are written.
        sets, opponent_sets: uint64 and steps, begins: int32: memory for the ways to place kings and for their steps.
        state, moves_left, worst: uint8, following, queue: int32: memory for two sides and all ways to
            place kings; `worst` and `following` only for distances.
        heads: int32, LEVELS, all -1.
        men_moves: uint64 and offsets: int32: memory for moves of men, see `list_moves_of_men`.
        rows: uint64: memory for moves.
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

        # Decide positions in the order of their distances: at each level those that captures or moves of men decide
        # (a linked list: heads[level], following[place], ...), then backwards from each along the steps of kings. All
        # predecessors are one ply further, so the queue stays in order. Without distances the order is arbitrary.
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
                # A predecessor has the other side to move, and differs by one step of one of its kings: a place of the
                # graph is (side to move) * half + (kings of side 0) * width + (kings of side 1).
                if place >= half:
                    place -= half
                    origin, apart, node = place % width, width, place // width
                else:
                    origin, apart, node = half + place - place % width, np.int64(1), size + 1 + place % width
                begin, stop = np.int64(begins[node]), np.int64(begins[node + 1])
                if code & 1 != 0:  # lost, so a step that leads here wins
                    for index in range(begin, stop):
                        previous = origin + steps[index] * apart
                        if state[previous] == 0:
                            state[previous] = code + 1 if exact != 0 else 2
                            queue[last] = previous
                            last += 1
                    continue
                for index in range(begin, stop):  # won, so a step that leads here does not save its side
                    previous = origin + steps[index] * apart
                    if state[previous] != 0:
                        continue
                    moves_left[previous] -= 1
                    if moves_left[previous] == 0:  # every move loses; the side chooses the one that lasts longest
                        slowest = code
                        if exact != 0:
                            slowest = max(code, np.int64(worst[previous]))
                        if exact != 0 and slowest != code:  # a capture or a move of a man: decided at its level
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

        # Write the values to their places.
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
