"""The steps of a visit: choosing a child, adding the children of a leaf, evaluating it, and backing up its value.

All real numbers that are kept are float64, computed by additions, multiplications, divisions and square roots alone;
the network's outputs and the exponentials of `game.networks.vectors` are float32. So results are the same bits on every
processor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game import generator
from game.bits import (
    leading_zeros,
    load_byte,
    load_double,
    load_int,
    load_short,
    load_word,
    mix,
    popcount,
    rotate,
    store_byte,
    store_double,
    store_int,
    store_short,
    store_word,
)
from game.compiled.jit import Double, Float, Int, Word, inlined
from game.endgame.probe_kernels import covers, probe
from game.kernels import CAPACITY, MOVE_BYTES, STEP_SHIFT, generate_at
from game.networks import vectors as v
from game.networks.activations import ACTIVATIONS
from game.networks.kernels import expected_result
from game.search.context_kernels import get, put
from game.search.tree import layout as at

_TANH = list(ACTIVATIONS).index("tanh")
_0 = np.uint64(0)
_1 = np.uint64(1)
_11 = np.uint64(11)
_GAMMA = np.uint64(generator.GAMMA)
_LN_2 = 0.6931471805599453
_ROOT_2 = 1.4142135623730951
_SMALL = 2.0**-52
_TERMS = 11
"""Terms of the series of a logarithm; the first that is omitted is below 2e-19."""


@inlined
def node_at(number: Int, tree: Int) -> Int:
    return get(tree, at.NODES) + number * at.NODE_BYTES


@inlined
def log_of(word: Word) -> Double:
    """Return the natural logarithm of a whole number above 0 (uint64), to about 1e-15.

    The number is m * 2**e with m between the roots of 1/2 and of 2, and ln m = 2 (s + s**3 / 3 + s**5 / 5 + ...) with
    s = (m - 1) / (m + 1).
    """
    zeros = leading_zeros(word)
    mantissa = np.float64(np.int64((word << np.uint64(zeros)) >> _11)) * 2.0**-53
    exponent = np.float64(64 - zeros)
    if mantissa * _ROOT_2 < 1.0:
        mantissa, exponent = 2.0 * mantissa, exponent - 1.0
    s = (mantissa - 1.0) / (mantissa + 1.0)
    square = s * s
    series = 0.0
    for term in range(_TERMS - 1, -1, -1):
        series = series * square + 1.0 / np.float64(2 * term + 1)
    return exponent * _LN_2 + 2.0 * s * series


@inlined
def exponential(seed: Word, index: Int) -> Double:
    """Return a number drawn from the exponential distribution: -ln u for the word u with this index in a stream."""
    # SplitMix64 at this place of the stream: no state is kept, so numbers do not depend on the order of calls.
    word = mix(seed + np.uint64(index + 1) * _GAMMA)
    return max(64.0 * _LN_2 - log_of(word | _1), _SMALL)


@inlined
def gumbel(seed: Word, index: Int) -> Double:
    """Return a number drawn from the standard Gumbel distribution: -ln(-ln u) for the same word."""
    return 52.0 * _LN_2 - log_of(np.uint64(np.int64(exponential(seed, index) * 2.0**52)))


@inlined
def write_exponentials(values: Int, count: Int) -> None:
    """Replace float32 numbers x by e**-x; the memory is padded to whole vectors."""
    for place in range(0, 4 * count, v.BYTES):
        v.store(values + place, v.exp_minus(v.load(values + place)))


@inlined
def visits_of(node: Int) -> Int:
    """Return the visits of a node, with those whose leaf is not evaluated yet."""
    return load_int(node + at.VISITS) + load_byte(node + at.PENDING)


@inlined
def value_to_parent(node: Int) -> Double:
    """Return the mean value of a visited node to its parent's side, without visits whose leaf is not evaluated yet."""
    proof = load_short(node + at.PROOF)
    if proof != 0:
        return -1.0 if proof > 0 else 1.0
    return -load_double(node + at.SUM) / np.float64(load_int(node + at.VISITS))


@inlined
def select_by_puct(node: Int, first: Int, count: Int) -> Int:
    """Return the address of the child with the best bound: mean value + c * prior * sqrt(N) / (1 + n)."""
    # A child without a visit counts a little less than its parent: priors lead to the best moves first. Pending visits
    # lower the second term, so that the walks of one round spread over the children.
    visits = visits_of(node)
    unvisited = load_double(node + at.SUM) / np.float64(max(load_int(node + at.VISITS), 1)) - at.BELOW
    weight = at.EXPLORATION * np.sqrt(np.float64(visits))
    best = -np.inf
    chosen = first
    for index in range(count):
        child = first + index * at.NODE_BYTES
        if load_short(child + at.PROOF) == 0:
            n = visits_of(child)
            value = unvisited if load_int(child + at.VISITS) == 0 else value_to_parent(child)
            score = value + weight * np.float64(v.load_float(child + at.PRIOR)) / np.float64(1 + n)
            if score > best:
                best, chosen = score, child
    return chosen


@inlined
def select_by_ucb(node: Int, first: Int, count: Int) -> Int:
    """Return the address of the first child without a visit, or the best bound: mean value + c * sqrt(ln N / n).

    Source: Kocsis and Szepesvari, Bandit based Monte-Carlo planning (2006).
    """
    spread = np.sqrt(log_of(np.uint64(max(visits_of(node), 1))))
    best = -np.inf
    chosen = first
    for index in range(count):
        child = first + index * at.NODE_BYTES
        if load_short(child + at.PROOF) == 0:
            if load_int(child + at.VISITS) == 0:
                return child
            score = value_to_parent(child) + at.SPREAD * spread / np.sqrt(np.float64(visits_of(child)))
            if score > best:
                best, chosen = score, child
    return chosen


@inlined
def select_evenly(first: Int, count: Int) -> Int:
    """Return the address of the first child with the fewest visits."""
    fewest = at.MOST_VISITS + 1
    chosen = first
    for index in range(count):
        child = first + index * at.NODE_BYTES
        if load_short(child + at.PROOF) == 0 and visits_of(child) < fewest:
            fewest, chosen = visits_of(child), child
    return chosen


@inlined
def completed_value(child: Int, mixed: Double) -> Double:
    """Return the value of a child to its parent's side, or `mixed` if it has no visit."""
    return mixed if load_int(child + at.VISITS) == 0 else value_to_parent(child)


@inlined
def mixed_value(node: Int, first: Int, count: Int) -> Double:
    """Return the value that children without a visit are assumed to have.

    It is the mean of the network's value, counted once, and of the values of the visited children by their priors,
    counted once for each visit (Danihelka et al., Policy improvement by planning with Gumbel, 2022, appendix D).
    """
    visits, priors, values = 0.0, 0.0, 0.0
    for index in range(count):
        child = first + index * at.NODE_BYTES
        n = load_int(child + at.VISITS)
        if n > 0:
            prior = np.float64(v.load_float(child + at.PRIOR))
            visits += np.float64(n)
            priors += prior
            values += prior * value_to_parent(child)
    value = np.float64(v.load_float(node + at.VALUE))
    return value if visits == 0.0 else (value + visits * (values / priors)) / (1.0 + visits)


@inlined
def value_weight(first: Int, count: Int) -> Double:
    """Return the weight of values against logits."""
    most: Int = np.int64(0)
    for index in range(count):
        most = max(most, visits_of(first + index * at.NODE_BYTES))
    return (at.SCALE_VISITS + np.float64(most)) * at.SCALE


@inlined
def write_improved(node: Int, first: Int, count: Int, floats: Int) -> Double:
    """Write the improved policy of a node without its denominator, float32 for each child; return the denominator.

    The policy is softmax(logits + weight * values), that is, proportional to the prior times e**(weight * value).
    """
    # The largest value is subtracted before the exponential, which cancels in the quotient and keeps it within range.
    mixed, weight = mixed_value(node, first, count), value_weight(first, count)
    best = -np.inf
    for index in range(count):
        best = max(best, completed_value(first + index * at.NODE_BYTES, mixed))
    for index in range(count):
        value = completed_value(first + index * at.NODE_BYTES, mixed)
        v.store_float(floats + 4 * index, np.float32(weight * (best - value)))
    write_exponentials(floats, count)
    total = 0.0
    for index in range(count):
        share = v.load_float(floats + 4 * index) * v.load_float(first + index * at.NODE_BYTES + at.PRIOR)
        v.store_float(floats + 4 * index, share)
        total += np.float64(share)
    return total


@inlined
def select_by_policy(node: Int, first: Int, count: Int, floats: Int) -> Int:
    """Return the address of the child that lags most behind the improved policy: the largest p - n / (1 + N)."""
    total = write_improved(node, first, count, floats)
    visits: Int = np.int64(0)
    for index in range(count):
        visits += visits_of(first + index * at.NODE_BYTES)
    best = -np.inf
    chosen = first
    for index in range(count):
        child = first + index * at.NODE_BYTES
        if load_short(child + at.PROOF) == 0:
            share = np.float64(v.load_float(floats + 4 * index)) / total
            score = share - np.float64(visits_of(child)) / np.float64(1 + visits)
            if score > best:
                best, chosen = score, child
    return chosen


@inlined
def halving_score(child: Int, index: Int, mixed: Double, weight: Double, tree: Int) -> Double:
    """Return the score of a move of the root by Gumbel: its Gumbel number + logit + weight * value."""
    return load_double(get(tree, at.SCORES) + 8 * index) + weight * completed_value(child, mixed)


@inlined
def select_by_halving(root: Int, first: Int, count: Int, tree: Int, forest: Int) -> Int:
    """Return the address of the root's child with the best score, among those with the scheduled number of visits.

    If none has it, because results were proved, it is the best of all.
    """
    # The schedule gives the number of visits that the next child has. The scores order the candidates, so the better
    # half of each round goes on without a list of them.
    done = visits_of(root) - 1
    candidates = min(count, get(forest, at.CANDIDATES))
    schedule = get(forest, at.SCHEDULE) + 4 * (candidates * get(forest, at.SCHEDULE_VISITS) + done)
    scheduled = load_int(schedule)
    mixed, weight = mixed_value(root, first, count), value_weight(first, count)
    best, best_scheduled = -np.inf, -np.inf
    chosen, chosen_scheduled = first, np.int64(0)
    for index in range(count):
        child = first + index * at.NODE_BYTES
        if load_short(child + at.PROOF) == 0:
            score = halving_score(child, index, mixed, weight, tree)
            if score > best:
                best, chosen = score, child
            if visits_of(child) == scheduled and score > best_scheduled:
                best_scheduled, chosen_scheduled = score, child
    return chosen if chosen_scheduled == 0 else chosen_scheduled


@inlined
def select(number: Int, tree: Int, forest: Int) -> Int:
    """Return the number of the child at which a visit of an evaluated node goes on."""
    node = node_at(number, tree)
    count, start = load_byte(node + at.COUNT), load_int(node + at.FIRST)
    first = node_at(start, tree)
    chosen = first
    lags = False  # whether a move of the root has less than its equal share of half of the visits
    if number == 0 and get(tree, at.EVEN) != 0:
        chosen = select_evenly(first, count)
        lags = 2 * count * visits_of(chosen) < visits_of(node)
    if count > 1 and not lags:
        selection = get(forest, at.SELECTION)
        if selection == at.PUCT:
            chosen = select_by_puct(node, first, count)
        elif selection == at.UCB:
            chosen = select_by_ucb(node, first, count)
        elif number == 0:
            chosen = select_by_halving(node, first, count, tree, forest)
        else:
            chosen = select_by_policy(node, first, count, get(forest, at.FLOATS))
    return start + (chosen - first) // at.NODE_BYTES


@inlined
def same_position(left: Int, right: Int) -> Any:
    """Return whether two nodes, or positions of the history, are the same."""
    pieces = load_word(left) == load_word(right) and load_word(left + 8) == load_word(right + 8)
    return pieces and load_word(left + 16) == load_word(right + 16)


@inlined
def is_drawn(number: Int, ply: Int, enough: Int, tree: Int, forest: Int) -> Any:
    """Return whether a position is a draw by quiet plies, length, or `enough` earlier occurrences in game and line."""
    node = node_at(number, tree)
    if load_short(node + at.QUIET) >= get(forest, at.QUIET_LIMIT) or ply >= get(tree, at.LENGTH_LEFT):
        return True
    reversible = load_short(node + at.REVERSIBLE)
    if get(forest, at.REPETITION) == 0 or reversible < 4:
        return False
    # Walk back along the line to the root, then along the positions of the game before it.
    newest = get(tree, at.HISTORY) + at.POSITION_BYTES * load_short(node_at(0, tree) + at.REVERSIBLE)
    earlier = number
    occurrences = 0
    for back in range(1, reversible + 1):
        if back <= ply:
            earlier = load_int(node_at(earlier, tree) + at.PARENT)
            place = node_at(earlier, tree)
        else:
            place = newest - at.POSITION_BYTES * (back - ply)
        # The same side moves at every second ply, and no position can return after two.
        if back >= 4 and back & 1 == 0 and same_position(node, place):
            occurrences += 1
            if occurrences >= enough:
                return True
    return False


@inlined
def table_value(node: Int, tree: Int, forest: Int) -> Int:
    """Return the value of a position by tables: 1 won, 0 drawn, -1 lost; 2 if they do not cover it."""
    own, opponent, kings = load_word(node + at.OWN), load_word(node + at.OPPONENT), load_word(node + at.KINGS)
    tables = get(forest, at.TABLES)
    if popcount(own | opponent) > get(forest, at.TABLE_PIECES) or not covers(own, opponent, tables):
        return np.int64(2)
    put(tree, at.LOOKED_UP, get(tree, at.LOOKED_UP) + 1)
    return probe(own, opponent, kings, np.int64(0), tables)


@inlined
def begin_node(node: Int, parent: Int) -> None:
    """Write everything but position, move and plies of a node that has not been visited."""
    store_double(node + at.SUM, 0.0)
    store_int(node + at.VISITS, 0)
    store_int(node + at.FIRST, at.UNKNOWN)
    store_int(node + at.PARENT, parent)
    v.store_float(node + at.PRIOR, np.float32(1.0))
    v.store_float(node + at.VALUE, np.float32(0.0))
    store_short(node + at.PROOF, 0)
    store_byte(node + at.COUNT, 0)
    store_byte(node + at.PENDING, 0)


@inlined
def write_child(parent: Int, number: Int, row: Int, child: Int, men_reset: Int) -> None:
    """Write the node after a move, without prior and visits; the next side to move sees the board rotated."""
    own, kings = load_word(parent + at.OWN), load_word(parent + at.KINGS)
    own_after, opponent_after = load_word(row), load_word(row + 8)
    captured = opponent_after != load_word(parent + at.OPPONENT)
    man_moved = own & ~kings & ~own_after != _0
    reset = captured or (man_moved and men_reset != 0)
    store_word(child + at.OWN, rotate(opponent_after))
    store_word(child + at.OPPONENT, rotate(own_after))
    store_word(child + at.KINGS, rotate(load_word(row + 16)))
    store_int(child + at.CODE, np.int64(load_word(row + 24)))
    store_short(child + at.QUIET, 0 if reset else load_short(parent + at.QUIET) + 1)
    store_short(child + at.REVERSIBLE, 0 if captured or man_moved else load_short(parent + at.REVERSIBLE) + 1)
    begin_node(child, number)


@inlined
def open_node(number: Int, ply: Int, tree: Int, forest: Int) -> Int:
    """Add the children of a node at its first visit; return their number, 0 if the game or its result ends the line."""
    node, moves = node_at(number, tree), get(forest, at.MOVES)
    own, opponent, kings = load_word(node + at.OWN), load_word(node + at.OPPONENT), load_word(node + at.KINGS)
    # The rules in their order: a side without a move has lost, whatever the draw rules say; then draws; then tables.
    # The root is never judged, since a move is wanted there.
    count = generate_at(own, opponent, kings, np.int64(0), moves)
    store_int(node + at.FIRST, at.ENDED)
    if count == 0:
        store_short(node + at.PROOF, -at.WON)
        return np.int64(0)
    if ply > 0:
        if is_drawn(number, ply, np.int64(1), tree, forest):
            return np.int64(0)
        known = table_value(node, tree, forest)
        if known != 2:
            store_short(node + at.PROOF, known * at.BY_TABLE)
            return np.int64(0)
    start, men_reset = get(tree, at.USED), get(forest, at.MEN_RESET)
    for index in range(count):
        write_child(node, number, moves + index * MOVE_BYTES, node_at(start + index, tree), men_reset)
    put(tree, at.USED, start + count)
    store_int(node + at.FIRST, start)
    store_byte(node + at.COUNT, count)
    return count


@inlined
def has_room(tree: Int) -> Any:
    """Return whether the memory of a tree has room for the children of any position."""
    return get(tree, at.USED) + CAPACITY <= get(tree, at.CAPACITY)


@inlined
def step_output(code: Int) -> Int:
    """Return the index of the output for the first step of a move: 4 x square + direction."""
    bit = code & 63
    return 4 * (bit - bit // 9) + ((code >> STEP_SHIFT) & 3)


@inlined
def alike(child: Int, first: Int, count: Int) -> Int:
    """Return the number of siblings after a child, itself included, that begin with the same step.

    Such moves are consecutive, since moves are in the order of their paths.
    """
    step = step_output(load_int(first + child * at.NODE_BYTES + at.CODE))
    last = child + 1
    while last < count and step_output(load_int(first + last * at.NODE_BYTES + at.CODE)) == step:
        last += 1
    return last - child


@inlined
def position_value(outputs: Int, results: Int) -> Float:
    """Return the expected result of a position, from -1 to 1, from its outputs, which are overwritten."""
    if results == 1:
        return expected_result(outputs)
    if results == 2:
        return v.load_float(outputs)
    v.store(outputs, v.activate(v.load(outputs), _TANH))
    return v.load_float(outputs)


@inlined
def write_priors(first: Int, count: Int, steps: Int, floats: Int) -> Any:
    """Write the priors of a node's children: a softmax over first steps, each shared by the moves that begin with it.

    Return whether all their outputs are finite.
    """
    # Softmax over the first steps. A sum of x - x is 0 unless some x is infinite or NaN.
    most = v.load_float(steps + 4 * step_output(load_int(first + at.CODE)))
    broken = np.float32(0.0)
    for index in range(count):
        output = v.load_float(steps + 4 * step_output(load_int(first + index * at.NODE_BYTES + at.CODE)))
        v.store_float(floats + 4 * index, output)
        broken += output - output
        most = max(most, output)
    for index in range(count):
        v.store_float(floats + 4 * index, most - v.load_float(floats + 4 * index))
    write_exponentials(floats, count)
    total = 0.0
    index = 0
    while index < count:
        total += np.float64(v.load_float(floats + 4 * index))
        index += alike(index, first, count)
    index = 0
    while index < count:
        moves = alike(index, first, count)
        prior = np.float32(np.float64(v.load_float(floats + 4 * index)) / (total * np.float64(moves)))
        for number in range(index, index + moves):
            v.store_float(first + number * at.NODE_BYTES + at.PRIOR, prior)
        index += moves
    return broken == np.float32(0.0)


@inlined
def write_scores(first: Int, count: Int, steps: Int, tree: Int) -> None:
    """Write the Gumbel number plus the logit of each move of the root; without noise, the logit alone."""
    scores, seed = get(tree, at.SCORES), np.uint64(get(tree, at.NOISE))
    index = 0
    while index < count:
        moves = alike(index, first, count)
        logit = np.float64(v.load_float(steps + 4 * step_output(load_int(first + index * at.NODE_BYTES + at.CODE))))
        logit -= log_of(np.uint64(moves))
        for number in range(index, index + moves):
            noise = 0.0
            if seed != _0:
                noise = gumbel(seed, number)
            store_double(scores + 8 * number, logit + noise)
        index += moves


@inlined
def mix_noise(first: Int, count: Int, seed: Word) -> None:
    """Mix noise into the priors of a root: a draw from the flat Dirichlet distribution, normalised exponentials."""
    total = 0.0
    for index in range(count):
        total += exponential(seed, index)
    for index in range(count):
        place = first + index * at.NODE_BYTES + at.PRIOR
        noise = exponential(seed, index) / total
        v.store_float(
            place, np.float32((1.0 - at.NOISE_SHARE) * np.float64(v.load_float(place)) + at.NOISE_SHARE * noise)
        )


@inlined
def evaluate_node(number: Int, outputs: Int, tree: Int, forest: Int) -> Any:
    """Write the value of a node and the priors of its children from the network's outputs; return whether finite."""
    node = node_at(number, tree)
    first, count = node_at(load_int(node + at.FIRST), tree), load_byte(node + at.COUNT)
    steps = outputs + get(forest, at.POLICY)
    sound = write_priors(first, count, steps, get(forest, at.FLOATS))
    if number == 0:
        if get(forest, at.SELECTION) == at.GUMBEL:
            write_scores(first, count, steps, tree)
        elif get(tree, at.NOISE) != 0:
            mix_noise(first, count, np.uint64(get(tree, at.NOISE)))
    value = position_value(outputs, get(forest, at.RESULTS))
    v.store_float(node + at.VALUE, value)
    return sound and value - value == np.float32(0.0)


@inlined
def prove(parent: Int, tree: Int) -> None:
    """Prove a node by its children: it is won if one of them is lost, and lost if all of them are won."""
    first = node_at(load_int(parent + at.FIRST), tree)
    least: Int = np.int64(at.WON + 1)  # the best for the parent: the nearest win, or the farthest loss
    unproved = False
    for index in range(load_byte(parent + at.COUNT)):
        proof = load_short(first + index * at.NODE_BYTES + at.PROOF)
        if proof == 0:
            unproved = True
        else:
            least = min(least, proof)
    # The distance to the end grows by one ply from child to parent; the sign changes with the side.
    if least < 0:
        store_short(parent + at.PROOF, -least - 1)
    elif not unproved:
        store_short(parent + at.PROOF, 1 - least)


@inlined
def mark_pending(number: Int, tree: Int) -> None:
    """Count a visit that waits for its leaf, in all nodes of the line."""
    while True:
        node = node_at(number, tree)
        store_byte(node + at.PENDING, load_byte(node + at.PENDING) + 1)
        if number == 0:
            return
        number = load_int(node + at.PARENT)


@inlined
def back_up(number: Int, value: Double, tree: Int) -> None:
    """Add the value of a leaf, to its side to move, to all nodes of the line; proved results take its place."""
    while True:
        node = node_at(number, tree)
        proof = load_short(node + at.PROOF)
        if proof != 0:
            value = 1.0 if proof > 0 else -1.0
        # The visit is no longer pending; it counts with the value for the side to move at this node.
        store_byte(node + at.PENDING, load_byte(node + at.PENDING) - 1)
        store_int(node + at.VISITS, load_int(node + at.VISITS) + 1)
        store_double(node + at.SUM, load_double(node + at.SUM) + value)
        if number == 0:
            return
        number = load_int(node + at.PARENT)
        if proof != 0 and load_short(node_at(number, tree) + at.PROOF) == 0:
            prove(node_at(number, tree), tree)
        value = -value
