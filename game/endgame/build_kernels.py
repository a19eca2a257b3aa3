"""Compiled: the values of all positions of two slices, an arrangement of men after the other.

A slice and its `other` are solved together, since moves of kings lead from one to the other and back. Men only go
ahead. So an arrangement of men, with all ways to place kings, is a small graph of its own: its moves of men, captures
and crownings lead to positions that are known already. It is solved by retrograde analysis. Each position counts the
moves of kings that may still save it; a lost one makes those before it won; the last saving move gone makes one lost.
Positions are decided in the order of their distance, so each value is found with it.

A value is a byte: 0 draw, else 1 + the number of plies until the loser has no legal move, or 1 + its parity where
distances are not wanted. So even values are won, odd ones lost, for the side to move.
"""

from __future__ import annotations

import numpy as np

from game import bitboard
from game.bits import load_word, popcount, rotate
from game.endgame.index_kernels import arrangement_of, choose, men_at, pieces_at, position_index, rank, slice_number
from game.jit import Array, Int, Word, compiled, inlined
from game.kernels import MOVE_BYTES, all_capturers, first_square, generate_at, king_row, stepped, steppers

LEVELS = 256
DRAW = 0
_NO_CAPTURE_MOVES = 255
"""Moves left of a position in which a capture is compulsory: none of kings, whatever its value."""
_SAVED = 100
"""Moves left of a position that cannot be lost: it has a draw or a win among its other moves."""
_CLOSED = 255
"""Value of a place of the graph that is no position: kings of both sides on the same square."""
_0 = np.uint64(0)
_1 = np.uint64(1)
_BOARD = np.uint64(bitboard.BOARD)


@inlined
def value_at(own: Word, opponent: Word, kings: Word, side: Int, slices: Array, values: Array) -> Int:
    """Value of a position whose slice is known; 1 for a side without pieces."""
    if own == _0:
        return np.int64(1)
    return np.int64(values[slices[slice_number(own, opponent, kings)] + position_index(own, opponent, kings, side)])


@inlined
def level_of_man(men: Word, opponent_men: Word) -> Int:
    """Rows that all men together have gone ahead."""
    total = np.int64(0)
    while men != _0:
        square = first_square(men, 0)
        men ^= square
        total += 2 * (popcount(square - _1) // 9) + (popcount(square - _1) % 9) // 4
    opponent_men = rotate(opponent_men)
    while opponent_men != _0:
        square = first_square(opponent_men, 0)
        opponent_men ^= square
        total += 2 * (popcount(square - _1) // 9) + (popcount(square - _1) % 9) // 4
    return total


@compiled
def order_arrangements(men: Int, opponent_men: Int, alike: Int, levels: Array) -> None:
    """Write how far the men of each arrangement are ahead (int16); -1 where the mirrored one is solved instead.

    Args:
        alike: 1 if the slice is its own `other`, so that mirrored arrangements are the same.
        levels: int16, one for each arrangement.
    """
    for number in range(levels.size):
        own, theirs = men_at(number, men, opponent_men)
        levels[number] = level_of_man(own, theirs)
        if alike != 0 and arrangement_of(rotate(theirs), rotate(own), 0) < number:
            levels[number] = -1


@inlined
def list_sets(count: Int, free: Word, sets: Array) -> Int:
    """Write all sets of so many free squares in the order of their numbers."""
    number: Int = choose(popcount(free), count)
    for index in range(number):
        sets[index] = pieces_at(index, count, free)
    return number


@inlined
def list_steps(count: Int, free: Word, number: Int, sets: Array, steps: Array) -> None:
    """Write the sets that a king's step leads to from each set, 4 `count` of them, -1 where there is none."""
    for index in range(number):
        before = sets[index]
        left = before
        place = index * 4 * count
        while left != _0:
            start = first_square(left, 0)
            left ^= start
            for step in range(4):
                target = stepped(start, step, 0) & free & ~before
                steps[place] = rank((before ^ start) | target, free, 0) if target != _0 else -1
                place += 1


@compiled
def solve(
    arrangements: Array, men: Int, kings: Int, opponent_men: Int, opponent_kings: Int, exact: Int,
    slices: Array, values: Array, mine: Array, theirs: Array,
    sets: Array, opponent_sets: Array, steps: Array, opponent_steps: Array,
    state: Array, moves_left: Array, worst: Array, following: Array, queue: Array, heads: Array, rows: Array,
) -> None:  # fmt: skip
    """Solve arrangements of men whose moves of men lead to arrangements that are solved.

    Args:
        arrangements: their numbers (int64) in the slice of `men`, `kings`, `opponent_men`, `opponent_kings`.
        exact: 1 for distances, 0 for their parity.
        slices: int64, 4096: where the values of each slice begin, by `Slice.number`.
        values: uint8: values of all slices that are known.
        mine, theirs: uint8: values of the slice and of its other, which are written.
        sets, opponent_sets: uint64 and steps, opponent_steps: int32: memory for the ways to place kings.
        state, moves_left, worst: uint8, following, queue: int32: memory for two sides and all ways to
            place kings.
        heads: int32, LEVELS, all -1.
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
        list_steps(kings, free, size, sets, steps)
        list_steps(opponent_kings, free, width, opponent_sets, opponent_steps)
        highest: Int = np.int64(0)

        # What moves of men and captures are worth, and how many moves kings have.
        for side in range(2):
            for i in range(size):
                for j in range(width):
                    place: Int = side * half + i * width + j
                    mine_at, theirs_at = sets[i], opponent_sets[j]
                    state[place] = 0
                    worst[place] = 0
                    if mine_at & theirs_at != _0:
                        state[place] = _CLOSED
                        moves_left[place] = _NO_CAPTURE_MOVES
                        continue
                    own, opponent = (a | mine_at, b | theirs_at) if side == 0 else (b | theirs_at, a | mine_at)
                    royal = mine_at | theirs_at
                    left: Int = np.int64(0)
                    win: Int = np.int64(LEVELS)
                    loss: Int = np.int64(0)
                    drawn = False
                    capturing = all_capturers(own, opponent, royal, side) != _0
                    if capturing:
                        count = generate_at(own, opponent, royal, side, moves)
                        for index in range(count):
                            row = moves + index * MOVE_BYTES
                            value = value_at(
                                load_word(row + 8), load_word(row), load_word(row + 16), 1 - side, slices, values
                            )
                            if value == 0:
                                drawn = True
                            elif value & 1:
                                win = min(win, value)
                            else:
                                loss = max(loss, value)
                    else:
                        empty = _BOARD & ~(own | opponent)
                        for step in range(2, 4):
                            movers = steppers(own & ~royal, empty, step, side)
                            while movers != _0:
                                start = first_square(movers, side)
                                movers ^= start
                                target = stepped(start, step, side)
                                value = value_at(
                                    opponent,
                                    (own ^ start) | target,
                                    royal | (target & king_row(side)),
                                    1 - side,
                                    slices,
                                    values,
                                )
                                if value == 0:
                                    drawn = True
                                elif value & 1:
                                    win = min(win, value)
                                else:
                                    loss = max(loss, value)
                        if side == 0:
                            for index in range(i * 4 * kings, (i + 1) * 4 * kings):
                                if steps[index] >= 0 and sets[steps[index]] & theirs_at == _0:
                                    left += 1
                        else:
                            for index in range(j * 4 * opponent_kings, (j + 1) * 4 * opponent_kings):
                                if opponent_steps[index] >= 0 and opponent_sets[opponent_steps[index]] & mine_at == _0:
                                    left += 1
                    worst[place] = loss
                    when: Int = np.int64(-1)
                    if win < LEVELS:
                        when = win
                    elif left == 0 and not drawn:
                        when = loss
                    if capturing:
                        left = _NO_CAPTURE_MOVES
                    elif win < LEVELS or drawn:
                        left = _SAVED
                    moves_left[place] = left
                    if when >= 0:
                        following[place] = heads[when]
                        heads[when] = place
                        highest = max(highest, when)

        # Decide position after position, those of the smallest distance first.
        first: Int = np.int64(0)
        last: Int = np.int64(0)
        level: Int = np.int64(0)
        while level <= highest:
            place = np.int64(heads[level])
            heads[level] = -1
            while place >= 0:
                if state[place] == 0:
                    state[place] = level + 1
                    queue[last] = place
                    last += 1
                place = np.int64(following[place])
            end = last
            while first < end:
                place = np.int64(queue[first])
                first += 1
                mover = np.int64(place >= half)
                if mover != 0:
                    place -= half
                i, j = place // width, place % width
                mine_at, theirs_at = sets[i], opponent_sets[j]
                # The other side has moved here, by a step of a king.
                if mover != 0:
                    begin, stop = i * 4 * kings, (i + 1) * 4 * kings
                else:
                    begin, stop = j * 4 * opponent_kings, (j + 1) * 4 * opponent_kings
                for index in range(begin, stop):
                    if mover != 0:
                        came = np.int64(steps[index])
                        if came < 0 or sets[came] & theirs_at != _0:
                            continue
                        previous = came * width + j
                    else:
                        came = np.int64(opponent_steps[index])
                        if came < 0 or opponent_sets[came] & mine_at != _0:
                            continue
                        previous = half + i * width + came
                    if state[previous] != 0 or moves_left[previous] == _NO_CAPTURE_MOVES:
                        continue
                    if level & 1 == 0:
                        state[previous] = level + 2
                        queue[last] = previous
                        last += 1
                        highest = max(highest, level + 1)
                    else:
                        moves_left[previous] -= 1
                        if moves_left[previous] == 0:
                            found = max(level + 1, np.int64(worst[previous]))
                            if found == level + 1:
                                state[previous] = found + 1
                                queue[last] = previous
                                last += 1
                            else:
                                following[previous] = heads[found]
                                heads[found] = previous
                            highest = max(highest, found)
            level += 1

        # Write the values to their places.
        left = choose(free_places - kings, opponent_kings)
        origin = arrangement_of(a, b, 0) * size * left
        for i in range(size):
            mine_at = sets[i]
            for j in range(width):
                if opponent_sets[j] & mine_at == _0:
                    value = np.int64(state[i * width + j])
                    if exact == 0 and value > 2:
                        value = 2 - (value & 1)
                    mine[origin + i * left + rank(opponent_sets[j], free ^ mine_at, 0)] = value
        left = choose(free_places - opponent_kings, kings)
        origin = arrangement_of(b, a, 1) * width * left
        for j in range(width):
            theirs_at = opponent_sets[j]
            at = origin + rank(theirs_at, free, 1) * left
            for i in range(size):
                if sets[i] & theirs_at == _0:
                    value = np.int64(state[half + i * width + j])
                    if exact == 0 and value > 2:
                        value = 2 - (value & 1)
                    theirs[at + rank(sets[i], free ^ theirs_at, 1)] = value
