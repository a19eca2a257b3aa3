"""Compiled packing of the codes of a slice (`build_kernels`) into blocks (`game.endgame.slices`), and unpacking."""

from __future__ import annotations

import numpy as np

from game.bits import load_unaligned, lowest_bit, popcount
from game.compiled.jit import Array, Int, Word, compiled, inlined
from game.endgame import slices as at

_0 = np.uint64(0)
_1 = np.uint64(1)
_LOW = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
_COLLECT = np.uint64(0x0102040810204080)
_TOP_BYTE = np.uint64(56)


@inlined
def _eight(codes: Array, place: Int) -> Word:
    """Return eight codes as one word, the first in the lowest byte; places after the last code count as drawn."""
    if place + 8 <= codes.size:
        return load_unaligned(np.int64(codes.ctypes.data) + place)
    word = _0
    for each in range(place, codes.size):
        word |= np.uint64(codes[each]) << np.uint64(8 * (each - place))
    return word


@inlined
def _list_values(codes: Array, first: Int, sets: Array, counts: Array) -> None:
    """Write the places of each value in a block, as bitmaps of 4 words, and the number of these places."""
    # Eight codes at a time, as the bytes of a word: set a bit in each byte that qualifies, then multiply by _COLLECT,
    # which gathers these eight bits in the highest byte.
    counts[:] = 0
    for quarter in range(4):
        lost, decided = _0, _0
        for part in range(8):
            word = _eight(codes, first + quarter * 64 + part * 8)
            odd = word & _LOW
            nonzero = (((word & ~_HIGH) + ~_HIGH) | word) & _HIGH  # the highest bit of each byte that is not 0
            shift = np.uint64(part * 8)
            lost |= ((odd * _COLLECT) >> _TOP_BYTE) << shift
            decided |= (((nonzero >> np.uint64(7)) * _COLLECT) >> _TOP_BYTE) << shift
        sets[at.DRAWN, quarter], sets[at.LOST, quarter], sets[at.WON, quarter] = ~decided, lost, decided ^ lost
        for value in range(3):
            counts[value] += popcount(sets[value, quarter])


@compiled
def pack_values(codes: Array, entries: Array, content: Array, sets: Array, counts: Array) -> int:
    """Pack the values of a slice.

    Args:
        codes: uint8.
        entries: uint32, one per block.
        content: uint8, with room for the largest blocks (`2 + 2 * at.BITMAP_BYTES` each).
        sets: uint64, (3, 4): scratch memory.
        counts: int64, (2, 3): the first row receives the numbers of drawn, lost and won positions; the second is
            scratch memory.

    Returns:
        Number of bytes of the content.
    """
    end = np.int64(0)
    counts[0] = 0
    total, count = counts[0], counts[1]
    for block in range(entries.size):
        _list_values(codes, block * at.BLOCK, sets, count)
        # Most positions of a block have the same value, which is in the head. Only places of other values are written.
        common: Int = np.int64(at.DRAWN)
        for value in range(1, 3):
            total[value] += count[value]
            if count[value] > count[common]:
                common = np.int64(value)
        if count[common] == at.BLOCK:
            entries[block] = common
            continue
        second: Int = 1 - min(common, np.int64(1))
        entries[block] = end * 4 + at.PACKED
        start: Int = end
        end += 2
        head: Int = (common << 12) | (second << 14)
        for turn in range(2):
            value = second if turn == 0 else 3 - common - second  # the three values add up to 3
            size: Int = min(count[value], np.int64(at.BITMAP_BYTES))
            head |= size << (6 * turn)
            for quarter in range(4):
                word = sets[value, quarter]
                if size == at.BITMAP_BYTES:
                    for each in range(8):
                        content[end + each] = (word >> np.uint64(8 * each)) & np.uint64(255)
                    end += 8
                else:
                    while word != _0:
                        content[end] = quarter * 64 + lowest_bit(word)
                        word &= word - _1
                        end += 1
        content[start] = head & 255
        content[start + 1] = head >> 8
    total[at.DRAWN] = codes.size - total[at.LOST] - total[at.WON]
    return int(end)


@compiled
def unpack_values(entries: Array, content: Array, codes: Array) -> None:
    """Write values packed by `pack_values` as codes without distances: 0 drawn, 1 lost, 2 won."""
    for block in range(entries.size):
        first: Int = block * at.BLOCK
        last: Int = min(first + at.BLOCK, codes.size)
        entry = np.int64(entries[block])
        if entry & 3 != at.PACKED:
            codes[first:last] = entry & 3
            continue
        begin: Int = entry >> 2
        head: Int = np.int64(content[begin]) | (np.int64(content[begin + 1]) << 8)
        begin += 2
        common: Int = (head >> 12) & 3
        second: Int = head >> 14
        codes[first:last] = common
        for turn in range(2):
            which, size = (second, head & 63) if turn == 0 else (3 - common - second, (head >> 6) & 63)
            if size == at.BITMAP_BYTES:
                for place in range(last - first):
                    if (content[begin + (place >> 3)] >> (place & 7)) & 1:
                        codes[first + place] = which
            else:
                for index in range(size):
                    if first + content[begin + index] < last:
                        codes[first + content[begin + index]] = which
            begin += size


@compiled
def pack_distances(codes: Array, entries: Array, content: Array) -> int:
    """Pack the distances of a slice; draws have arbitrary distances.

    Args:
        codes: uint8.
        entries: uint32, one per block.
        content: uint8, all zero, with room for the largest blocks (`7 * at.BITMAP_BYTES` each).

    Returns:
        Number of bytes of the content.
    """
    end = np.int64(0)
    for block in range(entries.size):
        first: Int = block * at.BLOCK
        last: Int = min(first + at.BLOCK, codes.size)
        least, most = np.int64(127), np.int64(0)
        for place in range(first, last):
            code = np.int64(codes[place])
            if code != 0:
                least = min(least, code >> 1)
                most = max(most, code >> 1)
        # A block stores its least distance once, and all others as differences in as few bits as the largest needs.
        width = np.int64(0)
        while most - least >= 1 << width:
            width += 1
        entries[block] = (((end // at.BITMAP_BYTES) << at.LEAST_BITS) | least) << at.WIDTH_BITS | width
        for place in range(first, last):
            code = np.int64(codes[place])
            if code != 0 and width > 0:
                bit: Int = (place - first) * width
                shifted: Int = ((code >> 1) - least) << (bit & 7)
                content[end + (bit >> 3)] |= shifted & 255
                if shifted > 255:
                    content[end + (bit >> 3) + 1] |= shifted >> 8
        end += width * at.BITMAP_BYTES
    return int(end)


@compiled
def unpack_distances(entries: Array, content: Array, codes: Array) -> None:
    """Add distances packed by `pack_distances` to codes from `unpack_values`."""
    for block in range(entries.size):
        first: Int = block * at.BLOCK
        entry = np.int64(entries[block])
        width: Int = entry & ((1 << at.WIDTH_BITS) - 1)
        least: Int = (entry >> at.WIDTH_BITS) & ((1 << at.LEAST_BITS) - 1)
        begin: Int = (entry >> (at.WIDTH_BITS + at.LEAST_BITS)) * at.BITMAP_BYTES
        for place in range(first, min(first + at.BLOCK, codes.size)):
            code = np.int64(codes[place])
            if code != 0:
                bit: Int = (place - first) * width
                at_byte: Int = begin + (bit >> 3)
                # The bits of a difference may continue in the next byte.
                both: Int = np.int64(content[at_byte]) | (np.int64(content[at_byte + 1]) << 8)
                codes[place] = 2 * (least + ((both >> (bit & 7)) & ((1 << width) - 1))) + (code & 1)
