"""Compiled lookup of a position in open tables, without unpacking its block."""

from __future__ import annotations

import numpy as np

from game.bits import load_unaligned, load_word, popcount
from game.compiled.jit import Int, Word, compiled, inlined
from game.endgame import slices as at
from game.endgame.index_kernels import index_of, slice_number

_BYTE = np.uint64(255)
_ENTRY = np.uint64(0xFFFFFFFF)
_ONES = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@inlined
def covers(own: Word, opponent: Word, tables: Int) -> bool:
    """Return whether tables cover positions with these pieces; `tables` is 0 if there are no tables."""
    return bool(tables != 0 and popcount(own | opponent) <= np.int64(load_word(tables + 8 * at.PIECES)))


@inlined
def _contains(size: Int, address: Int, place: Int) -> bool:
    """Return whether a set of `size` bytes contains a place of its block."""
    if size == at.BITMAP_BYTES:
        return bool((load_unaligned(address + (place >> 3)) >> np.uint64(place & 7)) & np.uint64(1) != np.uint64(0))
    repeated = np.uint64(place) * _ONES  # in each of eight bytes
    while size > 0:
        other = load_unaligned(address) ^ repeated
        zeros = (other - _ONES) & ~other & _HIGH  # nonzero if a byte of `other` is zero: the list contains the place
        if size < 8:  # ignore the bytes after the list
            zeros &= ~(_ALL << np.uint64(8 * size))
        if zeros != np.uint64(0):
            return True
        size -= 8
        address += 8
    return False


@inlined
def _value_at(record: Int, index: Int) -> Int:
    """Return the value at an index of a slice: `at.DRAWN`, `at.LOST` or `at.WON`."""
    entries = np.int64(load_word(record + 8 * at.VALUE_ENTRIES))
    entry = np.int64(load_unaligned(entries + 4 * (index // at.BLOCK)) & _ENTRY)
    if entry & 3 != at.PACKED:
        return entry & 3
    address = np.int64(load_word(record + 8 * at.VALUE_BYTES)) + (entry >> 2)
    head = np.int64(load_unaligned(address) & np.uint64(0xFFFF))
    place = index & (at.BLOCK - 1)
    # A block lists the places of its two rarer values; every other place has the most common one. The values are 0, 1
    # and 2, so the one that is neither of two is 3 less their sum.
    size, rest = head & 63, (head >> 6) & 63
    if _contains(size, address + 2, place):
        return head >> 14
    if _contains(rest, address + 2 + size, place):
        return 3 - ((head >> 12) & 3) - (head >> 14)
    return (head >> 12) & 3


@inlined
def _distance_at(record: Int, index: Int) -> Int:
    """Return half the distance, rounded up in won positions (in lost ones it is even)."""
    entries = np.int64(load_word(record + 8 * at.DISTANCE_ENTRIES))
    entry = np.int64(load_unaligned(entries + 4 * (index // at.BLOCK)) & _ENTRY)
    width = entry & ((1 << at.WIDTH_BITS) - 1)
    least = (entry >> at.WIDTH_BITS) & ((1 << at.LEAST_BITS) - 1)
    address = np.int64(load_word(record + 8 * at.DISTANCE_BYTES))
    address += (entry >> (at.WIDTH_BITS + at.LEAST_BITS)) * at.BITMAP_BYTES
    bit = (index & (at.BLOCK - 1)) * width
    bits = np.int64((load_unaligned(address + (bit >> 3)) >> np.uint64(bit & 7)) & _BYTE)
    return least + (bits & ((1 << width) - 1))


@inlined
def _record_of(own: Word, opponent: Word, kings: Word, tables: Int) -> Int:
    return tables + 8 * (at.FIRST_SLICE + at.SLICE_WORDS * slice_number(own, opponent, kings))


@compiled
def probe(own: Word, opponent: Word, kings: Word, side: Int, tables: Int) -> Int:
    """Return the value of a covered position to the side to move: 1 won, 0 drawn, -1 lost."""
    value = _value_at(_record_of(own, opponent, kings, tables), index_of(own, opponent, kings, side))
    return (value >> 1) - (value & 1)


@compiled
def probe_code(own: Word, opponent: Word, kings: Word, side: Int, tables: Int) -> Int:
    """Return the code of a covered position, as in `build_kernels`; with its distance if tables have distances."""
    record = _record_of(own, opponent, kings, tables)
    index = index_of(own, opponent, kings, side)
    value = _value_at(record, index)
    if value == at.DRAWN or np.int64(load_word(record + 8 * at.DISTANCE_ENTRIES)) == 0:
        return value
    return 2 * _distance_at(record, index) + (value & 1)


@compiled
def distance(own: Word, opponent: Word, kings: Word, side: Int, tables: Int) -> Int:
    """Return the distance of a covered position in plies; -1 for a draw, or without distances."""
    if popcount(own | opponent) > np.int64(load_word(tables + 8 * at.DISTANCES)):
        return np.int64(-1)
    return probe_code(own, opponent, kings, side, tables) - 1
