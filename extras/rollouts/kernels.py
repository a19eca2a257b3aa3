"""Compiled: games from the leaves of a tree to their end, whose results are the values of the leaves."""

from __future__ import annotations

import numpy as np

from game import generator
from game.bits import call, load_int, load_short, load_word, mix, rotate, store_word
from game.compiled.jit import Int, Word, callback, inlined
from game.kernels import MOVE_BYTES, generate_at
from game.networks import vectors as v
from game.networks.kernels import score_positions
from game.search.context_kernels import get, put
from game.search.tree import layout as at
from game.search.tree.kernels import tree_at
from game.search.tree.node_kernels import gumbel, node_at, step_output

FOREST, STATE, CHOOSER, MOVES, FLOATS, WRITER, NETWORK, POLICY, PLAN = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""Words of rollouts: the forest; the state of the generator; the address of the kernel that chooses moves, or 0 for
random moves; memory for the moves of a position and for outputs. For a policy: the kernel that writes outputs, its
argument, and the byte at which the policy begins. For values, from PLAN: plan, taps, parameters, king, scratch memory.
"""
WORDS = PLAN + 5

SCORES = 256
"""Room for the scores of the positions after each move of a position; rows of these positions follow."""

RANDOM_PART = 8
"""With a network that only values positions, one move of so many is random, so that games differ."""

_0 = np.uint64(0)
_32 = np.uint64(32)
_GAMMA = np.uint64(generator.GAMMA)


@inlined
def draw(rollouts: Int) -> Word:
    """Return the next word of the generator (`game.generator.SplitMix64.next`)."""
    word = load_word(rollouts + 8 * STATE) + _GAMMA
    store_word(rollouts + 8 * STATE, word)
    return mix(word)


@inlined
def draw_below(limit: Int, rollouts: Int) -> Int:
    """Return a number from 0 to below `limit` (`game.generator.SplitMix64.below`)."""
    return np.int64(((draw(rollouts) >> _32) * np.uint64(limit)) >> _32)


@callback(4)
def choose_by_policy(position: Int, moves: Int, count: Int, rollouts: Int) -> Int:
    """Draw a move by the probabilities of a policy: the largest logit plus a number from the Gumbel distribution."""
    outputs = get(rollouts, FLOATS)
    call(get(rollouts, WRITER), position, np.int64(1), get(rollouts, NETWORK), outputs)
    best, chosen = -np.inf, np.int64(-1)
    for index in range(count):
        code = np.int64(load_word(moves + index * MOVE_BYTES + 24))
        logit = np.float64(v.load_float(outputs + get(rollouts, POLICY) + 4 * step_output(code)))
        score = logit + gumbel(load_word(rollouts + 8 * STATE), np.int64(0))
        draw(rollouts)  # the word of that number
        if score > best:
            best, chosen = score, np.int64(index)
    return chosen


@callback(4)
def choose_by_value(position: Int, moves: Int, count: Int, rollouts: Int) -> Int:
    """Choose the move after which a network values the position best; now and then, a random one."""
    if draw_below(np.int64(RANDOM_PART), rollouts) == 0:
        return draw_below(count, rollouts)
    # The fourth word of a row says who moves there, so the move's code gives way to a 0: the opponent.
    scores = get(rollouts, FLOATS)
    rows = scores + 4 * SCORES
    for index in range(count):
        for byte in range(0, 24, 8):
            store_word(rows + 32 * index + byte, load_word(moves + index * MOVE_BYTES + byte))
        store_word(rows + 32 * index + 24, _0)
    words = rollouts + 8 * PLAN
    score_positions(
        np.int64(0), rows, count, get(words, 0), get(words, 1), get(words, 2),
        v.load_float(words + 24), get(words, 4), scores,
    )  # fmt: skip
    best, chosen = np.float32(-np.inf), np.int64(-1)
    for index in range(count):
        score = v.load_float(scores + 4 * index)
        if not (score - score == np.float32(0.0)):
            return np.int64(-1)
        if score > best:
            best, chosen = score, np.int64(index)
    return chosen


@inlined
def play(node: Int, left: Int, forest: Int, rollouts: Int) -> Int:
    """Play a game from a node to its end; return its result to the side to move there, or 2 if a choice failed.

    Draws are by quiet plies and by length; positions that occur again are not looked for.
    """
    own, opponent, kings = load_word(node + at.OWN), load_word(node + at.OPPONENT), load_word(node + at.KINGS)
    quiet: Int = load_short(node + at.QUIET)
    moves, chooser, position = get(rollouts, MOVES), get(rollouts, CHOOSER), get(rollouts, MOVES) - 24
    result: Int = np.int64(-1)  # of the game to the side to move at the node, if the side to move has lost now
    played: Int = np.int64(0)
    while True:
        # Step 1. A side without a legal move has lost, whatever the draw rules say.
        count = generate_at(own, opponent, kings, np.int64(0), moves)
        if count == 0:
            break
        if quiet >= get(forest, at.QUIET_LIMIT) or played >= left:
            result = np.int64(0)
            break
        # Step 2. Choose a move; a forced one needs no choice.
        chosen: Int = np.int64(0)
        if count > 1:
            if chooser == 0:
                chosen = draw_below(count, rollouts)
            else:
                store_word(position, own)
                store_word(position + 8, opponent)
                store_word(position + 16, kings)
                chosen = call(chooser, position, moves, count, rollouts)
                if chosen < 0:
                    result = np.int64(2)
                    break
        # Step 3. Play it; the other side sees the board rotated.
        row = moves + chosen * MOVE_BYTES
        own_after, opponent_after = load_word(row), load_word(row + 8)
        man_moved = own & ~kings & ~own_after != _0
        reset = opponent_after != opponent or (man_moved and get(forest, at.MEN_RESET) != 0)
        quiet = np.int64(0) if reset else quiet + 1
        own, opponent, kings = rotate(opponent_after), rotate(own_after), rotate(load_word(row + 16))
        result = -result
        played += 1
    put(forest, at.PLAYED, get(forest, at.PLAYED) + played + 1)
    return result


@callback(4)
def write_results(_positions: Int, count: Int, rollouts: Int, outputs: Int) -> Int:
    """Write the results of games from the leaves that wait, as the first output of each."""
    forest = get(rollouts, FOREST)
    for index in range(count):
        entry = get(forest, at.LEAVES) + 16 * index
        tree, number = tree_at(np.int64(load_word(entry)), forest), np.int64(load_word(entry + 8))
        left, above = get(tree, at.LENGTH_LEFT), number
        while above != 0:
            left, above = left - 1, load_int(node_at(above, tree) + at.PARENT)
        result = play(node_at(number, tree), left, forest, rollouts)
        value = np.float32(np.nan) if result == 2 else np.float32(result)
        v.store_float(outputs + index * get(forest, at.STRIDE), value)
    return np.int64(0)
