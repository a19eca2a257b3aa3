"""Compiled code that plays whole games, with the same rules and moves as `game.match`, and replays them.

Everything about a game derives from its own row of the pairing arrays, so it is the same in any batch or order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game import generator
from game.bits import call, load_word, mix, popcount, rotate_for, store_word
from game.compiled.jit import Array, Int, Word, compiled, inlined
from game.kernels import CAPACITY, generate
from game.networks.kernels import score_moves
from game.networks.sum_kernels import advance, rebuild, sums_bytes
from game.search import layout as at
from game.search.context_kernels import get, material

RANDOM, MATERIAL, NETWORK = 0, 1, 2

DEPTH = 1 + len(at.BINDING)
KEEPS, OF_WHITE = DEPTH + 3, DEPTH + 6
"""Columns of `searches` (see `play_games`): depth of the search, kind of results that it keeps, context for White."""
AS_FOUND = 2
"""Value in the column KEEPS: searches use all earlier entries, so the same position may later get a different move."""

FIRST_LOT, LOT_BITS = -(2**15), 14
"""A lot is FIRST_LOT plus a number n below 2**14. Of m legal moves it plays the move with index n m // 2**14."""

# Reasons why games end; game.endings.REASON_TEXT describes them.
NO_MOVE, REPETITION, QUIET, LENGTH, FAILURE, TABLEBASE = 0, 1, 2, 3, 4, 5

_0 = np.uint64(0)
_GAMMA = np.uint64(generator.GAMMA)
_32 = np.uint64(32)


@inlined
def random_below(states: Array, colour: Int, limit: Int) -> Int:
    """Return `SplitMix64.below` with the state of one colour."""
    states[colour] += _GAMMA
    return np.int64(((mix(states[colour]) >> _32) * np.uint64(limit)) >> _32)


@inlined
def choose_by_material(moves: Array, count: Int, seeded: bool, states: Array, colour: Int) -> Int:
    """Return the index of the first move to the best material balance; with a seed, of a random one of the best."""
    best = -1_000_000
    best_index = 0
    ties = 0
    for index in range(count):
        score = material(moves[index, 0], moves[index, 1], moves[index, 2])
        if score > best:
            best, best_index, ties = score, index, 1
        elif score == best:
            ties += 1
    if not seeded or ties == 1:
        return best_index
    skip = random_below(states, colour, ties)
    for index in range(best_index, count):
        if material(moves[index, 0], moves[index, 1], moves[index, 2]) == best:
            if skip == 0:
                return index
            skip -= 1
    return best_index


@inlined
def choose_by_search(player: Int, seeded: bool, states: Array, colour: Int, memory: Array, length: Int) -> Int:
    """Return the index of the move that a search chooses; with a seed, of a random one of the best; -1 if it failed."""
    chosen: Int = call(memory[5], player, memory[6], memory[7], length)
    if chosen < 0 or not seeded:
        return chosen
    context = np.int64(load_word(player + 8 * OF_WHITE * colour))
    scores, depths = get(context, at.ROOT_SCORES), get(context, at.ROOT_DEPTHS)
    best, depth = load_word(scores + 8 * chosen), load_word(depths + 8 * chosen)
    ties: Int = 0
    for index in range(get(context, at.ROOT_COUNT)):
        ties += np.int64(load_word(scores + 8 * index) == best and load_word(depths + 8 * index) == depth)
    skip = random_below(states, colour, ties) if ties > 1 else 0
    for index in range(get(context, at.ROOT_COUNT)):
        if load_word(scores + 8 * index) == best and load_word(depths + 8 * index) == depth:
            if skip == 0:
                return index
            skip -= 1
    return chosen


@inlined
def choose_by_score(scores: Array, count: Int) -> Int:
    """Return the index of the first best score; -1 if any score is not a finite number."""
    best = np.float32(0.0)
    best_index = -1
    for index in range(count):
        score = scores[index]
        if not (score - score == np.float32(0.0)):
            return -1
        if best_index < 0 or score > best:
            best, best_index = score, index
    return best_index


@inlined
def is_same(history: Array, first: Int, second: Int) -> Any:
    """Return whether two positions of `history` (uint64, n x 3) are the same."""
    pieces = history[first, 0] == history[second, 0] and history[first, 1] == history[second, 1]
    return pieces and history[first, 2] == history[second, 2]


@inlined
def count_occurrences(history: Array, length: Int) -> Int:
    """Return the number of occurrences of the last of `length` positions in `history`.

    Only every second entry has the same side to move.
    """
    last = length - 1
    count = 1
    index = last - 4 if last >= 4 else -1
    while index >= 0:
        if is_same(history, index, last):
            count += 1
        index -= 2
    return count


@inlined
def last_occurrence(history: Array, length: Int) -> Int:
    """Return the index in `history` of the latest earlier occurrence of the last position; -1 if there is none."""
    last = length - 1
    index: Int = last - 4 if last >= 4 else np.int64(-1)
    while index >= 0:
        if is_same(history, index, last):
            return index
        index -= 2
    return np.int64(-1)


@inlined
def play_game(
    kinds: Array,
    seeded: Array,
    programs: Array,
    king_values: Array,
    searches: Array,
    black: Int,
    white: Int,
    start: Array,
    opening: Array,
    states: Array,
    limits: Array,
    memory: Array,
    scores: Array,
    summed: Array,
    moves: Array,
    history: Array,
    remembered: Array,
    record: Array,
    recorded: Int,
    keep: bool,
    outcome: Array,
) -> bool:
    """Play one game; return False if `record` has no room for its moves.

    `outcome` int64: result (1 Black, -1 White, 0 draw), reason, plies, evaluations.
    """
    chosen: Int
    score: Int
    repetition, quiet_limit, men_reset, max_plies = limits[0], limits[1], limits[2], limits[3]
    side = np.int64(start[3])
    a, b, kings = start[0], start[1], start[2]  # pieces of Black and of White, unlike own and opponent
    black_summed = white_summed = False  # whether `summed` has the board of a side's first-layer sums
    evaluations = 0
    ply = 0
    quiet = 0
    length: Int = np.int64(1)  # positions in history: those since the last irreversible move
    # Without these rules the best move of a position does not depend on the path that led to it.
    path_independent = repetition == 0 and quiet_limit == 0
    history[0, 0], history[0, 1], history[0, 2] = a, b, kings
    if memory[5] != 0:
        store_word(memory[6] + 24, _0)
        store_word(memory[6] + 32, _0)
    result = 0
    reason = NO_MOVE
    while True:
        own, opponent = (a, b) if side == 0 else (b, a)
        count = min(generate(own, opponent, kings, side, moves), CAPACITY)
        if count == 0:
            result = -1 if side == 0 else 1
            break
        if repetition > 0 and length > 4 and count_occurrences(history, length) >= repetition:
            reason = REPETITION
            break
        if quiet_limit > 0 and quiet >= quiet_limit:
            reason = QUIET
            break
        if max_plies > 0 and ply >= max_plies:
            reason = LENGTH
            break
        if popcount(a | b) <= memory[8]:
            result = call(memory[9], memory[7] + 24 * (length - 1), side, memory[10], 0)
            reason = TABLEBASE
            break
        player = black if side == 0 else white
        remembered[length - 1, 0], remembered[length - 1, 1] = -1, 0
        score = np.int64(at.NO_SCORE)
        if ply < opening.shape[0] and opening[ply] != -1:
            lot = np.int64(opening[ply])
            chosen = lot if lot >= 0 else (lot - FIRST_LOT) * count >> LOT_BITS
        elif count == 1:
            chosen = 0
        elif kinds[player] == RANDOM:
            chosen = random_below(states, side, count)
        elif searches[player, 0] != 0:
            left: Int = max_plies - ply if max_plies > 0 else at.NO_LIMIT
            place = last_occurrence(history, length) if path_independent and not seeded[player] else np.int64(-1)
            if place >= 0 and remembered[place, 0] >= 0 and remembered[place, 2] <= left:
                # The same search would give the same move. Without the repetition rule, games cycle until they reach
                # the limit of plies, so this saves most of the time.
                chosen = remembered[place, 0]
                evaluations += remembered[place, 1]
                score = remembered[place, 3]
                for word in range(4):  # copying the row at once takes a second more to compile
                    remembered[length - 1, word] = remembered[place, word]
            else:
                store_word(memory[6], np.uint64(side))
                store_word(memory[6] + 8, np.uint64(quiet))
                store_word(memory[6] + 16, np.uint64(left))
                address = np.int64(searches.ctypes.data) + player * searches.strides[0]
                chosen = choose_by_search(address, seeded[player], states, side, memory, length)
                context = searches[player, OF_WHITE * side]
                if chosen >= 0:
                    evaluations += get(context, at.EVALUATIONS)
                    score = get(context, at.ROOT_SCORE)
                    if searches[player, KEEPS] != AS_FOUND:
                        remembered[length - 1, 0] = chosen
                    if searches[player, KEEPS] == 0:
                        remembered[length - 1, 1] = get(context, at.EVALUATIONS)
                    remembered[length - 1, 2] = get(context, at.DEEPEST) + searches[player, DEPTH] + 1
                    remembered[length - 1, 3] = score
        elif kinds[player] == MATERIAL:
            chosen = choose_by_material(moves, count, seeded[player], states, side)
        else:
            plan, taps, params = programs[player, 0], programs[player, 1], programs[player, 2]
            sums = memory[side]
            if black_summed if side == 0 else white_summed:
                old = summed[side]
                advance(old[0], old[1], old[2], own, opponent, kings, side, plan, params, 0, sums_bytes(plan), sums)
            else:
                rebuild(own, opponent, kings, side, plan, params, 0, sums_bytes(plan), sums)
                if side == 0:
                    black_summed = True
                else:
                    white_summed = True
            summed[side, 0], summed[side, 1], summed[side, 2] = own, opponent, kings
            score_moves(
                own, opponent, kings, side, memory[3], count, plan, taps, params, king_values[player],
                sums, memory[2], memory[4],
            )  # fmt: skip
            chosen = choose_by_score(scores, count)
            if chosen >= 0:  # a failed choice counts no evaluations, as in game.match
                evaluations += count
        if chosen < 0 or chosen >= count:
            reason = FAILURE
            result = -1 if side == 0 else 1
            break
        if keep:
            if recorded + ply >= record.shape[0]:
                return False
            record[recorded + ply, 0] = np.uint32(moves[chosen, 3])
            record[recorded + ply, 1] = np.uint32(score & 0xFFFF_FFFF)
        man_moved = own & ~kings & ~moves[chosen, 0] != _0
        captured = opponent != moves[chosen, 1]
        a, b = (moves[chosen, 0], moves[chosen, 1]) if side == 0 else (moves[chosen, 1], moves[chosen, 0])
        kings = moves[chosen, 2]
        if captured or man_moved:
            length = 0
        quiet = 0 if captured or (man_moved and men_reset != 0) else quiet + 1
        history[length, 0], history[length, 1], history[length, 2] = a, b, kings
        length += 1
        side = 1 - side
        ply += 1
    outcome[0], outcome[1], outcome[2], outcome[3] = result, reason, ply, evaluations
    return True


@compiled
def play_games(
    kinds: Array,
    seeded: Array,
    programs: Array,
    king_values: Array,
    searches: Array,
    blacks: Array,
    whites: Array,
    start: Array,
    openings: Array,
    opening_of: Array,
    states: Array,
    limits: Array,
    first: Int,
    memory: Array,
    scores: Array,
    summed: Array,
    moves: Array,
    history: Array,
    remembered: Array,
    record: Array,
    keep: bool,
    outcomes: Array,
) -> Int:
    """Play the games from `first` on until all are done or `record` is full; return the index of the next game.

    Args:
        kinds: int64 (players), one of RANDOM, MATERIAL, NETWORK.
        seeded: bool (players), whether a material player chooses at random among its best moves.
        programs: int64 (players, 3), addresses of a network's plan, taps and parameters; 0 for other players.
        king_values: float32 (players), value of a king to each network.
        searches: int64 (players, OF_WHITE + 1), arguments of `game.search.batch_kernels.choose`; the first is 0 for
            players that do not search.
        blacks: int64 (games), index of Black's player.
        whites: int64 (games), index of White's player.
        start: uint64 (4): Black's pieces, White's, kings, side to move.
        openings: int16 (openings, plies), index of each move among the legal ones; -1 where the player moves, and
            lots (FIRST_LOT).
        opening_of: int64 (games), row of `openings`.
        states: uint64 (games, 2), generator states of Black and White; changed.
        limits: int64 (4): repetition, quiet plies, whether moves of men reset them, maximum plies (0 is off).
        first: index of the game to begin with.
        memory: int64 (11), addresses: sums of Black's network, of White's, scratch of both, `moves`, `scores`,
            `game.search.batch_kernels.choose`, seven words for it, `history`; then the number of pieces up to which
            tablebases end games (0 is off), and the addresses of `game.search.tablebase_kernels.adjudicate` and of
            the tables.
        scores: float32 (CAPACITY).
        summed: uint64 (2, 3), the board whose first-layer sums are in memory, for each side.
        moves: uint64 (CAPACITY, 4); history: uint64 (the larger of the limits + 2, 3).
        remembered: int64 (rows of `history`, 4), by position of the history: the move that a search chose (-1 if none
            did), its evaluations, a number of plies that all lines of the search stayed below, and its score.
        record: uint32 (room, 2), the code of each move of all games played, one after the other, and the score of the
            search that chose it (the bits of an int32; `game.search.layout.NO_SCORE` without a search), if `keep`.
        outcomes: int64 (games, 4), written by `play_game`.
    """
    recorded: Int = np.int64(0)  # a plain 0 has a literal type, for which `play_game` would be compiled again
    for game in range(first, blacks.shape[0]):
        black_state, white_state = states[game, 0], states[game, 1]
        fits = play_game(
            kinds, seeded, programs, king_values, searches, blacks[game], whites[game], start,
            openings[opening_of[game]], states[game], limits, memory, scores, summed, moves, history, remembered,
            record, recorded, keep, outcomes[game],
        )  # fmt: skip
        if not fits:
            states[game, 0], states[game, 1] = black_state, white_state
            return game
        recorded += outcomes[game, 2]
    return blacks.shape[0]


@compiled
def follow(
    black: Word, white: Word, kings: Word, side: Int, codes: Array, moves: Array, rows: Array, indexes: Array
) -> Int:
    """Play the moves with these codes (uint32) until one is illegal; return how many were played.

    Writes to `rows` (uint64, codes x 4) the board before each move, as the mover sees it: own, opponent, kings, and
    whether it has a capture; to `indexes` (int16, codes) the index of each move among the legal ones. `moves` (uint64,
    CAPACITY x 4) is scratch.
    """
    own, opponent = (black, white) if side == 0 else (white, black)
    mover: Int = side
    for ply in range(len(codes)):
        count = generate(own, opponent, kings, mover, moves)
        chosen = -1
        for index in range(count):
            if moves[index, 3] == codes[ply]:
                chosen = index
        if chosen < 0:
            return ply
        rows[ply, 0], rows[ply, 1] = rotate_for(own, mover), rotate_for(opponent, mover)
        rows[ply, 2], rows[ply, 3] = rotate_for(kings, mover), np.uint64(moves[0, 1] != opponent)
        indexes[ply] = chosen
        own, opponent, kings = moves[chosen, 1], moves[chosen, 0], moves[chosen, 2]
        mover = 1 - mover
    return len(codes)
