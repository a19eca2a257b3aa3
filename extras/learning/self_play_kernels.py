"""Compiled: games that a network plays against itself, one in each tree of a forest, with a record to learn from."""

from __future__ import annotations

import numpy as np

from game.bits import (
    load_byte,
    load_double,
    load_int,
    load_short,
    load_word,
    mix,
    store_byte,
    store_int,
    store_short,
    store_word,
)
from game.compiled.jit import Int, Word, compiled, inlined
from game.generator import GAMMA
from game.networks import vectors as v
from game.search.context_kernels import get, put
from game.search.tree import layout as at
from game.search.tree.kernels import advance_tree, begin, best_child, result_of_game, tree_at
from game.search.tree.node_kernels import node_at, step_output, write_improved

# Words of a series of games: the number of games, and the next one to begin; addresses of the positions in which they
# begin (24 bytes each), of their seeds (uint64), of their results to the side that begins and of their plies (int64
# each); the number of plies after which the rules end a game.
GAMES, NEXT, STARTS, SEEDS, RESULTS, PLIES, LENGTH = 0, 1, 2, 3, 4, 5, 6
# The record: its capacity and the samples in use, and addresses of the positions (24 bytes), of the root's values and
# of the surprise (float32: half the sum of the differences between the improved policy and the prior), of the numbers
# of games (int32) and plies (int32), and of the first steps (uint8) and their shares (float32), STEPS for each sample.
CAPACITY, USED, POSITIONS, VALUES, SURPRISES, OF_GAME, OF_PLY, STEP_OUTPUTS, SHARES = 7, 8, 9, 10, 11, 12, 13, 14, 15
# Address of the game (int64) that each tree plays, -1 for none, and of the number of its plies (int64).
PLAYED, DONE = 16, 17
SERIES_WORDS = 18

STEPS = 32
"""Maximum number of first steps in a sample; the few positions with more are not recorded."""
NONE = 255
"""Fills the first steps of a sample that has fewer."""

RUNNING, ENDED, FULL = 0, 1, 2

_0 = np.uint64(0)
_1 = np.uint64(1)
_GAMMA = np.uint64(GAMMA)


@inlined
def noise_of(seed: Word, ply: Int) -> Word:
    """Return the seed of the noise at a ply of a game; never 0."""
    return mix(seed + np.uint64(ply + 1) * _GAMMA) | _1


@inlined
def begin_game(number: Int, series: Int, forest: Int) -> None:
    """Begin the next game in a tree; without one, the tree stays at rest."""
    tree, game = tree_at(number, forest), get(series, NEXT)
    if game >= get(series, GAMES):
        store_word(get(series, PLAYED) + 8 * number, np.uint64(-1))
        put(tree, at.WANTED, 0)
        return
    put(series, NEXT, game + 1)
    store_word(get(series, PLAYED) + 8 * number, np.uint64(game))
    store_word(get(series, DONE) + 8 * number, _0)
    root = node_at(0, tree)
    for byte in range(0, at.POSITION_BYTES, 8):
        store_word(root + byte, load_word(get(series, STARTS) + at.POSITION_BYTES * game + byte))
    store_short(root + at.QUIET, 0)
    store_short(root + at.REVERSIBLE, 0)
    put(tree, at.LENGTH_LEFT, get(series, LENGTH))
    put(tree, at.NOISE, np.int64(noise_of(load_word(get(series, SEEDS) + 8 * game), np.int64(0))))
    begin(tree, forest)


@inlined
def record(number: Int, game: Int, ply: Int, series: Int, forest: Int) -> None:
    """Add the root of a searched tree to the record, unless its move is forced or it has too many first steps."""
    tree = tree_at(number, forest)
    root = node_at(0, tree)
    count, first = load_byte(root + at.COUNT), node_at(load_int(root + at.FIRST), tree)
    if count < 2:
        return
    sample, floats = get(series, USED), get(forest, at.FLOATS)
    total = write_improved(root, first, count, floats)
    steps, shares = get(series, STEP_OUTPUTS) + STEPS * sample, get(series, SHARES) + 4 * STEPS * sample
    places: Int = np.int64(-1)
    surprise = 0.0
    last: Int = np.int64(-1)
    share, prior = 0.0, 0.0
    for index in range(count):
        child = first + index * at.NODE_BYTES
        step = step_output(load_int(child + at.CODE))
        if step != last:
            surprise += abs(share - prior) / 2.0
            places, last, share, prior = places + 1, step, 0.0, 0.0
            if places >= STEPS:
                return
            store_byte(steps + places, step)
        share += np.float64(v.load_float(floats + 4 * index)) / total
        prior += np.float64(v.load_float(child + at.PRIOR))
        v.store_float(shares + 4 * places, np.float32(share))
    surprise += abs(share - prior) / 2.0
    for place in range(places + 1, STEPS):
        store_byte(steps + place, NONE)
        v.store_float(shares + 4 * place, np.float32(0.0))
    position = get(series, POSITIONS) + at.POSITION_BYTES * sample
    for byte in range(0, at.POSITION_BYTES, 8):
        store_word(position + byte, load_word(root + byte))
    proof = load_short(root + at.PROOF)
    value = load_double(root + at.SUM) / np.float64(max(load_int(root + at.VISITS), 1))
    if proof != 0:
        value = 1.0 if proof > 0 else -1.0
    v.store_float(get(series, VALUES) + 4 * sample, np.float32(value))
    v.store_float(get(series, SURPRISES) + 4 * sample, np.float32(surprise))
    store_int(get(series, OF_GAME) + 4 * sample, game)
    store_int(get(series, OF_PLY) + 4 * sample, ply)
    put(series, USED, sample + 1)


@compiled
def begin_games(series: Int, forest: Int) -> None:
    for number in range(get(forest, at.TREE_COUNT)):
        begin_game(np.int64(number), series, forest)


@compiled
def play(series: Int, forest: Int) -> Int:
    """Play a move in each tree, all of which are searched; return ENDED, RUNNING, or FULL if the record needs room."""
    trees = get(forest, at.TREE_COUNT)
    if get(series, USED) + trees > get(series, CAPACITY):
        return FULL
    state: Int = np.int64(ENDED)
    for each in range(trees):
        number: Int = np.int64(each)
        tree, game = tree_at(number, forest), np.int64(load_word(get(series, PLAYED) + 8 * number))
        if game < 0:
            continue
        done = np.int64(load_word(get(series, DONE) + 8 * number))
        record(number, game, done, series, forest)
        advance_tree(best_child(np.int64(0), tree, forest), tree, forest)
        done += 1
        store_word(get(series, DONE) + 8 * number, np.uint64(done))
        result = result_of_game(tree, forest)
        if result == 2:
            put(tree, at.NOISE, np.int64(noise_of(load_word(get(series, SEEDS) + 8 * game), done)))
        else:
            store_word(get(series, RESULTS) + 8 * game, np.uint64(result if done & 1 == 0 else -result))
            store_word(get(series, PLIES) + 8 * game, np.uint64(done))
            begin_game(number, series, forest)
        if np.int64(load_word(get(series, PLAYED) + 8 * number)) >= 0:
            state = np.int64(RUNNING)
    return state
