"""Compiled: a search of many trees at once, from their roots to their results.

`search` walks every tree until it waits for the network or has made its visits, evaluates all the leaves together, and
so on. A tree's result does not depend on the others, because the network's outputs for a position do not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bits import (
    call,
    load_byte,
    load_int,
    load_short,
    load_word,
    store_byte,
    store_double,
    store_int,
    store_short,
    store_word,
)
from game.compiled.jit import Double, Int, compiled, inlined
from game.networks import vectors as v
from game.search.context_kernels import get, put
from game.search.tree import layout as at
from game.search.tree.node_kernels import (
    back_up,
    evaluate_node,
    halving_score,
    has_room,
    mark_pending,
    mixed_value,
    node_at,
    open_node,
    select,
    value_to_parent,
    value_weight,
    visits_of,
    write_improved,
)

_0 = np.uint64(0)


@inlined
def tree_at(number: Int, forest: Int) -> Int:
    """Return the address of the words of a tree."""
    return get(forest, at.TREES) + 8 * at.TREE_WORDS * number


@inlined
def find_leaf(tree: Int, forest: Int) -> tuple[Int, Int]:
    """Walk from the root to a leaf; return its number, and 1 if it waits for the network, else 0.

    The number is -1 if the leaf waits already, and -2 if the tree has no room for the children of another one. A
    position with one legal move is not evaluated: the walk goes on to the next.
    """
    number: Int = np.int64(0)
    ply: Int = np.int64(0)
    while True:
        node = node_at(number, tree)
        if load_int(node + at.FIRST) == at.UNKNOWN:
            if not has_room(tree):
                return np.int64(-2), np.int64(0)
            open_node(number, ply, tree, forest)
        if load_byte(node + at.COUNT) > 1 and load_int(node + at.VISITS) == 0:
            return number if load_byte(node + at.PENDING) == 0 else np.int64(-1), np.int64(1)
        if load_byte(node + at.COUNT) == 0:
            return number, np.int64(0)
        number = select(number, tree, forest)
        ply += 1


@inlined
def is_finished(tree: Int, forest: Int) -> Any:
    """Return whether the root needs no more visits: it is proved or forced, or all have been made or begun."""
    root = node_at(0, tree)
    forced = load_byte(root + at.COUNT) == 1 and get(forest, at.SKIPS_FORCED) != 0
    return forced or load_short(root + at.PROOF) != 0 or visits_of(root) >= get(tree, at.WANTED)


@inlined
def together(tree: Int, forest: Int) -> Int:
    """Return the number of leaves to collect: fewer in a small tree, where pending visits distort the selection."""
    return min(get(forest, at.TOGETHER), 1 + load_int(node_at(0, tree) + at.VISITS) // at.VISITS_A_LEAF)


@inlined
def collect(number: Int, waiting: Int, forest: Int) -> Int:
    """Visit leaves of a tree until it waits or is finished; return the number of leaves that wait in the forest."""
    tree = tree_at(number, forest)
    if get(tree, at.STATE) != at.RUNNING or load_int(node_at(0, tree) + at.VISITS) >= get(tree, at.PAUSE):
        return waiting
    last = waiting + together(tree, forest)
    while waiting < last and not is_finished(tree, forest):
        leaf, waits = find_leaf(tree, forest)
        if leaf < 0:
            if leaf == -2:
                put(tree, at.STATE, at.FULL)
            break
        mark_pending(leaf, tree)
        if waits == 0:
            back_up(leaf, 0.0, tree)
            continue
        node, position = node_at(leaf, tree), get(forest, at.POSITIONS) + at.POSITION_BYTES * waiting
        for byte in range(0, at.POSITION_BYTES, 8):
            store_word(position + byte, load_word(node + byte))
        entry = get(forest, at.LEAVES) + 16 * waiting
        store_word(entry, np.uint64(number))
        store_word(entry + 8, np.uint64(leaf))
        waiting += 1
    return waiting


@inlined
def evaluate(waiting: Int, forest: Int) -> None:
    """Evaluate the leaves that wait, and back up their values."""
    outputs, stride = get(forest, at.OUTPUTS), get(forest, at.STRIDE)
    call(get(forest, at.WRITER), get(forest, at.POSITIONS), waiting, get(forest, at.NETWORK), outputs)
    for index in range(waiting):
        entry = get(forest, at.LEAVES) + 16 * index
        tree, leaf = tree_at(np.int64(load_word(entry)), forest), np.int64(load_word(entry + 8))
        if not evaluate_node(leaf, outputs + index * stride, tree, forest):
            put(tree, at.STATE, at.FAILED)
        put(tree, at.EVALUATIONS, get(tree, at.EVALUATIONS) + 1)
        back_up(leaf, np.float64(v.load_float(node_at(leaf, tree) + at.VALUE)), tree)


@compiled
def search(forest: Int) -> Int:
    """Visit the trees until each is finished, is full or has failed; return 1 if one of them is full, else 0.

    A word that is not 0 at STOP ends the search after the current leaves.
    """
    trees = get(forest, at.TREE_COUNT)
    while load_word(get(forest, at.STOP)) == _0:
        waiting: Int = np.int64(0)
        for number in range(trees):
            waiting = collect(number, waiting, forest)
        if waiting == 0:
            break
        evaluate(waiting, forest)
    full: Int = np.int64(0)
    for number in range(trees):
        full |= np.int64(get(tree_at(number, forest), at.STATE) == at.FULL)
    return full


@compiled
def begin(tree: Int, forest: Int) -> None:
    """Begin a tree at its root, whose position, QUIET and REVERSIBLE are set: add the children of the root alone."""
    root = node_at(0, tree)
    store_double(root + at.SUM, 0.0)
    store_int(root + at.VISITS, 0)
    store_int(root + at.FIRST, at.UNKNOWN)
    store_int(root + at.PARENT, 0)
    v.store_float(root + at.PRIOR, np.float32(1.0))
    store_short(root + at.PROOF, 0)
    store_byte(root + at.COUNT, 0)
    store_byte(root + at.PENDING, 0)
    put(tree, at.USED, 1)
    put(tree, at.EVALUATIONS, 0)
    put(tree, at.LOOKED_UP, 0)
    put(tree, at.STATE, at.RUNNING)
    open_node(np.int64(0), np.int64(0), tree, forest)


@compiled
def advance(index: Int, tree: Int, forest: Int) -> None:
    """Play a move of the root of a searched tree, by its index, and begin a new tree at the position after it."""
    root = node_at(0, tree)
    child = node_at(load_int(root + at.FIRST) + index, tree)
    reversible = load_short(root + at.REVERSIBLE)
    place = get(tree, at.HISTORY) + at.POSITION_BYTES * reversible
    for byte in range(0, at.POSITION_BYTES, 8):
        store_word(place + byte, load_word(root + byte))
        store_word(root + byte, load_word(child + byte))
    store_short(root + at.QUIET, load_short(child + at.QUIET))
    store_short(root + at.REVERSIBLE, load_short(child + at.REVERSIBLE))
    put(tree, at.LENGTH_LEFT, get(tree, at.LENGTH_LEFT) - 1)
    begin(tree, forest)


@compiled
def best_child(number: Int, tree: Int, forest: Int) -> Int:
    """Return the index of the best move of a node that has children.

    A proved win is best, the nearest first; if all moves lose, it is the farthest loss. Otherwise it is the move with
    the most visits: of several the one with the largest prior, or at the root by Gumbel the one with the best score. At
    a root whose moves are visited equally, it is the move with the best value.
    """
    node = node_at(number, tree)
    first, count = node_at(load_int(node + at.FIRST), tree), load_byte(node + at.COUNT)
    mixed, weight = mixed_value(node, first, count), value_weight(first, count)
    even = number == 0 and get(tree, at.EVEN) != 0
    by_score = number == 0 and get(forest, at.GUMBEL) != 0
    best: Int = np.int64(0)
    best_rank: Int = np.int64(-2 * at.MOST_VISITS)
    best_score: Double = -np.inf
    for index in range(count):
        child = first + index * at.NODE_BYTES
        proof, visits = load_short(child + at.PROOF), visits_of(child)
        rank = visits
        score = np.float64(v.load_float(child + at.PRIOR))
        if proof != 0:
            rank = 2 * at.MOST_VISITS - proof if proof < 0 else -proof
        elif even and visits > 0:
            rank, score = np.int64(at.MOST_VISITS), value_to_parent(child, visits)
        elif by_score and not even:
            score = halving_score(child, index, mixed, weight, tree)
        if rank > best_rank or (rank == best_rank and score > best_score):
            best, best_rank, best_score = index, rank, score
    return best


@compiled
def write_policy(tree: Int, forest: Int, shares: Int) -> None:
    """Write the improved policy of a searched root to the float32 numbers at `shares`, one for each of its moves.

    The memory has room for whole vectors.
    """
    root = node_at(0, tree)
    first, count = node_at(load_int(root + at.FIRST), tree), load_byte(root + at.COUNT)
    total = write_improved(root, first, count, shares)
    for index in range(count):
        v.store_float(shares + 4 * index, np.float32(np.float64(v.load_float(shares + 4 * index)) / total))
