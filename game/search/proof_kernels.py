"""Proof-number search: whether a side can force a win, by tables and by a search that reaches them.

The side in question is side 0; the board is rotated if it is White. A position has two numbers, as its mover sees them:
`phi`, the effort to show that the mover has its way (side 0 wins, or side 1 does not lose), and `delta`, the effort to
show that it has not. 0 is shown, SETTLED is impossible. Source: Nagai (2002), df-pn; where he adds the numbers of
several moves, the largest counts, plus one for each of the others, because many lines lead to the same position.

`widen` proves wins, since each proved position rests on others that were proved before it. It does not prove that there
is no win: a position that occurs again in a line counts as none, which need not be so in other lines. That is left to
`close`, which takes what `widen` suggests and collects positions that side 0 cannot leave: in each of them side 1 has a
move to another one, or to a table in which side 0 does not win.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bits import load_word, prefetch, store_word
from game.compiled.jit import Int, Word, compiled, inlined, part
from game.endgame.probe_kernels import covers, probe
from game.kernels import MOVE_BYTES, generate_at
from game.search.context_kernels import get, material, put
from game.search.table_kernels import position_key

# Words of the context. TABLE: entries of two words, a key and its numbers (`packed`); MASK: their number, less one.
# PATH: for each ply the key, and the plies since a capture or a move of a man. QUEUE: the positions that `close`
# collects, each with twice the index of the one before it, plus its side to move. SEEN: the set of their keys.
NODES, LIMIT, TABLE, MASK, TABLES, PATH, ROWS, QUEUE, SEEN, SEEN_MASK, QUEUED = range(11)
CONTEXT_WORDS = 11

MAX_PLY = 400
"""Plies of the longest line; a position after it counts as no win."""
SETTLED = 1 << 29
"""The effort of what is impossible. It is more by the plies of a proved win, and by 1 if `close` has proved that there
is no win."""
BUCKET = 4
"""Entries of the table from which one is chosen."""
CLOSED, FULL = -1, -2
WON, NOT_WON, OPEN = 1, 0, -1

_0 = np.uint64(0)
_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@inlined
def packed(phi: Int, delta: Int) -> Int:
    return (phi << 32) | delta


@inlined
def bucket_of(key: Word, context: Int) -> Int:
    return get(context, TABLE) + 16 * (np.int64(key) & get(context, MASK) & -BUCKET)


@inlined
def place_of(key: Word, context: Int) -> Int:
    """Return the address of the entry of a position: its own, else one that it may replace."""
    bucket = bucket_of(key, context)
    victim, least = bucket, np.int64(1) << 62
    for entry in (bucket, bucket + 16, bucket + 32, bucket + 48):
        numbers = np.int64(load_word(entry + 8))
        if load_word(entry) == key or numbers == 0:
            return entry
        effort = (numbers >> 32) + (numbers & 0xFFFFFFFF)
        if effort < least:
            victim, least = entry, effort
    return victim


@inlined
def known(key: Word, context: Int) -> Int:
    """Return the numbers of a position in the table, 0 if it has none."""
    entry = place_of(key, context)
    return np.int64(load_word(entry + 8)) if load_word(entry) == key else np.int64(0)


@inlined
def keep(key: Word, numbers: Int, context: Int) -> None:
    entry = place_of(key, context)
    store_word(entry, key)
    store_word(entry + 8, np.uint64(numbers))


@inlined
def key_of(own: Word, opponent: Word, kings: Word, side: Int) -> Word:
    return position_key(own, opponent, kings, 0) if side == 0 else position_key(opponent, own, kings, 1)


@inlined
def by_tables(own: Word, opponent: Word, kings: Word, side: Int, context: Int) -> Int:
    """Return WON or NOT_WON for side 0, or OPEN if tables do not cover a position with the side `side` to move."""
    if own == _0 or opponent == _0:
        return side if own == _0 else 1 - side
    if not covers(own, opponent, get(context, TABLES)):
        return np.int64(OPEN)
    value = probe(own, opponent, kings, side, get(context, TABLES))
    return np.int64(value > 0) if side == 0 else np.int64(value < 0)


@inlined
def settled(won: Int, side: Int, more: Int) -> Int:
    """Return the numbers of a position that is won or not for side 0, with `side` to move."""
    if won == 1 - side:
        return packed(np.int64(0), SETTLED + more)
    return packed(SETTLED + more, np.int64(0))


@inlined
def at_first(own: Word, opponent: Word, kings: Word, side: Int) -> Int:
    """Return the numbers of a position that has not been searched: more material makes a win seem nearer."""
    lead = material(own, opponent, kings) // 50
    if side == 0:
        return packed(1 + max(np.int64(0), 4 - lead), 1 + max(np.int64(0), lead))
    return packed(1 + max(np.int64(0), -lead), 1 + max(np.int64(0), 4 + lead))


@inlined
def reversible_plies(own: Word, kings: Word, opponent: Word, row: Int, ply: Int, context: Int) -> Int:
    """Return the plies since a capture or a move of a man, after a move at a ply."""
    if opponent != load_word(row + 8) or own & ~kings & ~load_word(row) != _0:
        return np.int64(0)
    return np.int64(load_word(get(context, PATH) + 16 * ply + 8)) + 1


@inlined
def numbers_after(own: Word, kings: Word, opponent: Word, row: Int, side: Int, ply: Int, context: Int) -> Int:
    """Return the numbers of the position after a move of `side`, at the ply after `ply`."""
    a, b, k = load_word(row + 8), load_word(row), load_word(row + 16)
    won = by_tables(a, b, k, 1 - side, context)
    if won != OPEN:
        return settled(won, 1 - side, np.int64(0))
    if ply + 1 >= MAX_PLY:
        return settled(np.int64(NOT_WON), 1 - side, np.int64(0))
    key = key_of(a, b, k, 1 - side)
    for back in range(4, reversible_plies(own, kings, opponent, row, ply, context) + 1, 2):
        if load_word(get(context, PATH) + 16 * (ply + 1 - back)) == key:
            return settled(np.int64(NOT_WON), 1 - side, np.int64(0))
    numbers = known(key, context)
    return at_first(a, b, k, 1 - side) if numbers == 0 else numbers


@part
def widen(
    own: Word, opponent: Word, kings: Word, side: Int, most: Int, others: Int, ply: Int, rows: Int, context: Int
) -> Int:
    """Search a position until its numbers reach `most` (phi) or `others` (delta), or nodes run out; return them."""
    nodes = get(context, NODES) + 1
    put(context, NODES, nodes)
    key = key_of(own, opponent, kings, side)
    store_word(get(context, PATH) + 16 * ply, key)
    count = generate_at(own, opponent, kings, side, rows)
    for row in range(rows, rows + count * MOVE_BYTES, MOVE_BYTES):
        prefetch(bucket_of(key_of(load_word(row + 8), load_word(row), load_word(row + 16), 1 - side), context))
    for row in range(rows, rows + count * MOVE_BYTES, MOVE_BYTES):
        store_word(row + 24, np.uint64(numbers_after(own, kings, opponent, row, side, ply, context)))
    free = rows + (count + 1) * MOVE_BYTES
    while True:
        # Step 1. The mover needs one good reply, so its effort is that of the easiest move; to stop it, all have to
        # be stopped.
        best, phi, second, largest, left = rows, np.int64(2 * SETTLED), np.int64(2 * SETTLED), np.int64(0), np.int64(0)
        fast, slow = np.int64(SETTLED), np.int64(0)
        for row in range(rows, rows + count * MOVE_BYTES, MOVE_BYTES):
            numbers = load_word(row + 24)
            theirs, mine = np.int64(numbers >> _32), np.int64(numbers & _LOW)
            if mine < phi:
                best, phi, second = row, mine, phi
            elif mine < second:
                second = mine
            if theirs > 0:
                left += 1
                largest = max(largest, theirs)
            if mine == 0:
                fast = min(fast, theirs - SETTLED)
            if theirs == 0:
                slow = max(slow, mine - SETTLED)
        delta: Int = np.int64(0) if left == 0 else min(largest + left - 1, np.int64(SETTLED))
        if largest >= SETTLED:
            delta = np.int64(SETTLED)
        phi = min(phi, np.int64(SETTLED))
        # Step 2. A proved win has its plies.
        if phi == 0:
            delta = SETTLED + fast + 1 if side == 0 else np.int64(SETTLED)
        elif delta == 0:
            phi = SETTLED + slow + 1 if side == 1 else np.int64(SETTLED)
        if phi >= most or delta >= others or get(context, NODES) >= get(context, LIMIT):
            break
        # Step 3. Search the easiest move until another one seems clearly easier.
        a, b, k = load_word(best + 8), load_word(best), load_word(best + 16)
        run = reversible_plies(own, kings, opponent, best, ply, context)
        store_word(get(context, PATH) + 16 * (ply + 1) + 8, np.uint64(run))
        limit = min(most, second + second // 4 + 1)
        numbers = np.uint64(widen(a, b, k, 1 - side, others - left + 1, limit, ply + 1, free, context))
        store_word(best + 24, numbers)
    numbers = packed(phi, delta)
    keep(key, numbers, context)
    return numbers


@compiled
def search(own: Word, opponent: Word, kings: Word, side: Int, context: Int) -> Int:
    """Search whether side 0 wins until this is settled or nodes run out; return WON, NOT_WON (suggested) or OPEN."""
    limit = np.int64(SETTLED)
    store_word(get(context, PATH) + 8, _0)
    numbers = widen(own, opponent, kings, side, limit, limit, np.int64(0), get(context, ROWS), context)
    return value_of(numbers, side)


@inlined
def value_of(numbers: Int, side: Int) -> Int:
    """Return WON, NOT_WON or OPEN, as numbers of a position with `side` to move say."""
    if numbers >> 32 == 0 and numbers != 0:
        return np.int64(1 - side)
    return np.int64(side) if numbers & 0xFFFFFFFF == 0 and numbers != 0 else np.int64(OPEN)


@compiled
def known_value(own: Word, opponent: Word, kings: Word, side: Int, context: Int) -> Int:
    """Return the numbers of a position by tables or the memory of searches; 0 if they are not known."""
    won = by_tables(own, opponent, kings, side, context)
    return known(key_of(own, opponent, kings, side), context) if won == OPEN else settled(won, side, np.int64(0))


@compiled
def restore(rows: Int, end: Int, context: Int) -> None:
    """Add rows of a key and its numbers, from one address to another, to the table."""
    for row in range(rows, end, 16):
        keep(load_word(row), np.int64(load_word(row + 8)), context)


@inlined
def is_closed(numbers: Int, side: Int) -> Any:
    """Return whether numbers of a position say that `close` has proved that it is not won."""
    return numbers == settled(np.int64(NOT_WON), side, np.int64(1))


@inlined
def place_seen(key: Word, context: Int) -> Int:
    """Return the address of a position in the set of those that `close` has collected, or of the room for it."""
    place = np.int64(key >> _32)
    while True:
        address = get(context, SEEN) + 8 * (place & get(context, SEEN_MASK))
        if load_word(address) == key or load_word(address) == _0:
            return address
        place += 1


@inlined
def collect(row: Int, side: Int, index: Int, context: Int) -> None:
    """Add the position after a move of `side` to those that `close` has to look at, unless it is there or room ends."""
    count, key = get(context, QUEUED), key_of(load_word(row + 8), load_word(row), load_word(row + 16), 1 - side)
    place = place_seen(key, context)
    if 2 * count < get(context, SEEN_MASK) and load_word(place) == _0:
        store_word(place, key)
        record = get(context, QUEUE) + MOVE_BYTES * count
        store_word(record, load_word(row + 8))
        store_word(record + 8, load_word(row))
        store_word(record + 16, load_word(row + 16))
        store_word(record + 24, np.uint64(2 * index + 1 - side))
        put(context, QUEUED, count + 1)


@compiled
def close(context: Int) -> Int:
    """Prove that the first position in QUEUE is not won for side 0, from what searches suggest.

    Returns:
        CLOSED, FULL (no more room, or nodes), or the index in QUEUE of a position of which searches claim too much.
    """
    for place in range(get(context, SEEN_MASK) + 1):
        store_word(get(context, SEEN) + 8 * place, _0)
    rows = get(context, ROWS)
    index: Int = np.int64(0)
    put(context, QUEUED, 1)
    while index < get(context, QUEUED):
        record = get(context, QUEUE) + MOVE_BYTES * index
        own, opponent, kings = load_word(record), load_word(record + 8), load_word(record + 16)
        side = np.int64(load_word(record + 24)) & 1
        put(context, NODES, get(context, NODES) + 1)
        if get(context, NODES) >= get(context, LIMIT) or 2 * get(context, QUEUED) >= get(context, SEEN_MASK):
            return np.int64(FULL)
        count = generate_at(own, opponent, kings, side, rows)
        chosen: Int = np.int64(0)
        leaves = False
        for row in range(rows, rows + count * MOVE_BYTES, MOVE_BYTES):
            a, b, k = load_word(row + 8), load_word(row), load_word(row + 16)
            won = by_tables(a, b, k, 1 - side, context)
            key = key_of(a, b, k, 1 - side)
            numbers = known(key, context) if won == OPEN else np.int64(0)
            if side == 0:  # every move has to be answered
                if won == WON:
                    return index
                if won == OPEN and not is_closed(numbers, 1 - side):
                    collect(row, side, index, context)
            elif won == NOT_WON or is_closed(numbers, 1 - side) or load_word(place_seen(key, context)) == key:
                leaves = True
                break
            elif won == OPEN and chosen == 0 and value_of(numbers, 1 - side) == NOT_WON:
                chosen = row
        if side == 1 and not leaves:
            if chosen == 0:
                return index
            collect(chosen, side, index, context)
        index += 1
    for place in range(get(context, QUEUED)):
        record = get(context, QUEUE) + MOVE_BYTES * place
        own, opponent, kings = load_word(record), load_word(record + 8), load_word(record + 16)
        side = np.int64(load_word(record + 24)) & 1
        keep(key_of(own, opponent, kings, side), settled(np.int64(NOT_WON), side, np.int64(1)), context)
    return np.int64(CLOSED)
