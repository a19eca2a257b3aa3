"""Compiled: a search of many trees at once, from their roots to their results.

`search` walks every tree until it waits for the network or has made its visits, evaluates all the leaves together, and
repeats both. A tree's result does not depend on the others, because the network's outputs for a position do not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bits import (
    call,
    load_byte,
    load_double,
    load_int,
    load_short,
    load_word,
    store_double,
    store_short,
    store_word,
)
from game.compiled.jit import Double, Int, compiled, inlined
from game.kernels import CAPACITY
from game.networks import vectors as v
from game.search.context_kernels import get, put
from game.search.tree import layout as at
from game.search.tree.node_kernels import (
    back_up,
    begin_node,
    evaluate_node,
    halving_score,
    has_room,
    is_drawn,
    mark_pending,
    mixed_value,
    node_at,
    open_node,
    select,
    table_value,
    value_weight,
    visits_of,
    write_improved,
)

_0 = np.uint64(0)


@inlined
def tree_at(number: Int, forest: Int) -> Int:
    return get(forest, at.TREES) + 8 * at.TREE_WORDS * number


@inlined
def find_leaf(tree: Int, forest: Int) -> tuple[Int, Int]:
    """Walk from the root to a leaf; return its number, and 1 if it waits for the network, else 0.

    The number is -1 if the leaf waits already, and -2 if the tree has no room for the children of the leaf. A
    position with one legal move is not evaluated: the walk goes on to the next.
    """
    number: Int = np.int64(0)
    ply: Int = np.int64(0)
    while True:
        # A node without children has not been visited: give it its children.
        node = node_at(number, tree)
        if load_int(node + at.FIRST) == at.UNKNOWN:
            if not has_room(tree):
                return np.int64(-2), np.int64(0)
            open_node(number, ply, tree, forest)
        # A node with a choice that was never evaluated is a leaf for the network. If it waits already, another visit of
        # it in this round would say nothing new.
        if load_byte(node + at.COUNT) > 1 and load_int(node + at.VISITS) == 0:
            return number if load_byte(node + at.PENDING) == 0 else np.int64(-1), np.int64(1)
        # The game, or its result by tables, ends here; no network is asked.
        if load_byte(node + at.COUNT) == 0:
            return number, np.int64(0)
        number = select(number, tree, forest)
        ply += 1


@inlined
def is_finished(tree: Int, forest: Int) -> Any:
    """Return whether the root needs no more visits: it is proved or forced, or all have been made or begun."""
    root = node_at(0, tree)
    if get(forest, at.PLAYED) >= get(forest, at.MOST_PLAYED):
        return True
    forced = load_byte(root + at.COUNT) == 1 and get(forest, at.SKIPS_FORCED) != 0
    return forced or load_short(root + at.PROOF) != 0 or visits_of(root) >= get(tree, at.WANTED)


@inlined
def together(tree: Int, forest: Int) -> Int:
    """Return the number of leaves to collect: fewer in a small tree, where pending visits distort the selection."""
    return min(get(forest, at.TOGETHER), 1 + load_int(node_at(0, tree) + at.VISITS) // at.VISITS_A_LEAF)


@inlined
def collect(number: Int, forest: Int) -> Any:
    """Visit leaves of a tree until it has collected its share of this round, or is finished.

    Return False if it lacks room; with more memory the next call goes on, so the memory changes no result.
    """
    tree = tree_at(number, forest)
    if get(tree, at.FAILED) != 0:
        return True
    # Step 1. Begin a round of this tree, unless the last call ran out of memory in the middle of one.
    if get(tree, at.LEFT) == 0 and load_int(node_at(0, tree) + at.VISITS) < get(tree, at.PAUSE):
        put(tree, at.LEFT, together(tree, forest))
    while get(tree, at.LEFT) > 0 and not is_finished(tree, forest):
        # Step 2. Find a leaf. All nodes of its line count as visited from now on, so the next walk of this round takes
        # another one.
        leaf, waits = find_leaf(tree, forest)
        if leaf == -2:
            return False
        if leaf == -1:
            break
        mark_pending(leaf, tree)
        if waits == 0:
            put(forest, at.PLAYED, get(forest, at.PLAYED) + 1)
            back_up(leaf, 0.0, tree)
            continue
        # Step 3. Put the leaf in the queue of all trees, whose positions the network evaluates in one call.
        waiting = get(forest, at.WAITING)
        node, position = node_at(leaf, tree), get(forest, at.POSITIONS) + at.POSITION_BYTES * waiting
        for byte in range(0, at.POSITION_BYTES, 8):
            store_word(position + byte, load_word(node + byte))
        entry = get(forest, at.LEAVES) + 16 * waiting
        store_word(entry, np.uint64(number))
        store_word(entry + 8, np.uint64(leaf))
        put(forest, at.WAITING, waiting + 1)
        put(tree, at.LEFT, get(tree, at.LEFT) - 1)
    put(tree, at.LEFT, 0)
    return True


@inlined
def evaluate(forest: Int) -> None:
    """Evaluate the leaves that wait, and back up their values."""
    waiting = get(forest, at.WAITING)
    outputs, stride = get(forest, at.OUTPUTS), get(forest, at.STRIDE)
    call(get(forest, at.WRITER), get(forest, at.POSITIONS), waiting, get(forest, at.NETWORK), outputs)
    for index in range(waiting):
        entry = get(forest, at.LEAVES) + 16 * index
        tree, leaf = tree_at(np.int64(load_word(entry)), forest), np.int64(load_word(entry + 8))
        if not evaluate_node(leaf, outputs + index * stride, tree, forest):
            put(tree, at.FAILED, 1)
        put(tree, at.EVALUATIONS, get(tree, at.EVALUATIONS) + 1)
        back_up(leaf, np.float64(v.load_float(node_at(leaf, tree) + at.VALUE)), tree)


@compiled
def search(forest: Int) -> Int:
    """Visit the trees until each is finished or has failed; return 0, or 1 if a tree lacks room and this has to go on.

    A word that is not 0 at STOP ends the search after a round of leaves.
    """
    while True:
        while get(forest, at.NEXT) < get(forest, at.TREE_COUNT):
            if not collect(get(forest, at.NEXT), forest):
                return np.int64(1)
            put(forest, at.NEXT, get(forest, at.NEXT) + 1)
        put(forest, at.NEXT, 0)
        if get(forest, at.WAITING) == 0:
            return np.int64(0)
        evaluate(forest)
        put(forest, at.WAITING, 0)
        if load_word(get(forest, at.STOP)) != _0:
            return np.int64(0)


@compiled
def begin(tree: Int, forest: Int) -> None:
    """Begin a tree with the root and its children; position, QUIET and REVERSIBLE of the root must be set already."""
    begin_node(node_at(0, tree), np.int64(0))
    put(tree, at.USED, 1)
    put(tree, at.EVALUATIONS, 0)
    put(tree, at.LOOKED_UP, 0)
    put(tree, at.FAILED, 0)
    put(tree, at.LEFT, 0)
    open_node(np.int64(0), np.int64(0), tree, forest)


@inlined
def result_of_game(tree: Int, forest: Int) -> Int:
    """Return the result of the game at the root to its side to move, 1, 0 or -1; 2 if the game goes on.

    A game ends if there is no legal move, by the draw rules (including their number of repetitions), and by tables.
    """
    # At the root the rules say how many repetitions draw the game; inside the tree a single earlier occurrence does.
    root = node_at(0, tree)
    if load_byte(root + at.COUNT) == 0:
        return np.int64(-1)
    if is_drawn(np.int64(0), np.int64(0), get(forest, at.REPETITION) - 1, tree, forest):
        return np.int64(0)
    return table_value(root, tree, forest)


@inlined
def advance_tree(index: Int, tree: Int, forest: Int) -> None:
    """Play a move of the root of a searched tree, by its index, and begin the tree again at the position after it."""
    root = node_at(0, tree)
    child = node_at(load_int(root + at.FIRST) + index, tree)
    # The old root joins the positions since the last irreversible move. If the move is irreversible itself, the child's
    # REVERSIBLE of 0 lets the list begin anew.
    place = get(tree, at.HISTORY) + at.POSITION_BYTES * load_short(root + at.REVERSIBLE)
    for byte in range(0, at.POSITION_BYTES, 8):
        store_word(place + byte, load_word(root + byte))
        store_word(root + byte, load_word(child + byte))
    store_short(root + at.QUIET, load_short(child + at.QUIET))
    store_short(root + at.REVERSIBLE, load_short(child + at.REVERSIBLE))
    put(tree, at.LENGTH_LEFT, get(tree, at.LENGTH_LEFT) - 1)
    begin(tree, forest)


@compiled
def advance(forest: Int, moves: Int, results: Int) -> None:
    """Play a move of the root of each tree and begin its tree again at the position after it.

    Args:
        moves: address of int64, the index of each tree's move, or -1 for none.
        results: address of int64 that receive `result_of_game`.
    """
    for number in range(get(forest, at.TREE_COUNT)):
        tree, index = tree_at(number, forest), get(moves, number)
        if index >= 0:
            advance_tree(index, tree, forest)
        put(results, number, result_of_game(tree, forest))


@compiled
def best_child(number: Int, tree: Int, forest: Int) -> Int:
    """Return the index of the best move of a node that has children.

    The nearest proved win is best; if all moves lose, the farthest loss. Otherwise the move with the most visits is
    best. If several have the most visits, the largest prior decides, or at the root with Gumbel's method the best
    score.
    """
    node = node_at(number, tree)
    first, count = node_at(load_int(node + at.FIRST), tree), load_byte(node + at.COUNT)
    mixed, weight = mixed_value(node, first, count), value_weight(first, count)
    by_score = number == 0 and get(forest, at.SELECTION) == at.GUMBEL
    best: Int = np.int64(0)
    best_rank: Int = np.int64(-2 * at.MOST_VISITS)
    best_score: Double = -np.inf
    for index in range(count):
        child = first + index * at.NODE_BYTES
        proof, visits = load_short(child + at.PROOF), visits_of(child)
        # Rank first, score among equals. Proofs outrank visits on both sides: a negative proof of a child is a win
        # here, nearer ones first; a positive one is a loss, farther ones first.
        rank = visits
        score = np.float64(v.load_float(child + at.PRIOR))
        if proof != 0:
            rank = 2 * at.MOST_VISITS - proof if proof < 0 else -proof
        elif by_score:
            score = halving_score(child, index, mixed, weight, tree)
        if rank > best_rank or (rank == best_rank and score > best_score):
            best, best_rank, best_score = index, rank, score
    return best


@compiled
def conclude(forest: Int, best: Int, values: Int, visits: Int, policy: Int) -> None:
    """Write the results of searched roots.

    Args:
        best: address of int64, the index of each root's best move.
        values: address of float64, the mean value of each root to its side to move, or its proved result.
        visits: address of int64, `CAPACITY` for each root: the visits of its moves.
        policy: address of float32, `CAPACITY` for each root: the improved policy.
    """
    for number in range(get(forest, at.TREE_COUNT)):
        tree = tree_at(number, forest)
        root = node_at(0, tree)
        first, count = node_at(load_int(root + at.FIRST), tree), load_byte(root + at.COUNT)
        value, proof = 0.0, load_short(root + at.PROOF)
        if proof != 0:
            value = 1.0 if proof > 0 else -1.0
        elif load_int(root + at.VISITS) > 0:
            value = load_double(root + at.SUM) / np.float64(load_int(root + at.VISITS))
        store_double(values + 8 * number, value)
        put(best, number, best_child(np.int64(0), tree, forest))
        shares = policy + 4 * CAPACITY * number
        total = write_improved(root, first, count, shares)
        for index in range(count):
            place = shares + 4 * index
            v.store_float(place, np.float32(np.float64(v.load_float(place)) / total))
            put(visits, CAPACITY * number + index, load_int(first + index * at.NODE_BYTES + at.VISITS))
