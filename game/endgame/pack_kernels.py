"""Compiled: codes of whole slices to blocks and back (`game.endgame.layout`). Codes are those of `build_kernels`."""

from __future__ import annotations

import numpy as np

from game.endgame import layout as at
from game.jit import Array, Int, compiled, inlined


@inlined
def _value(code: Int) -> Int:
    """`at.DRAWN`, `at.LOST` or `at.WON`."""
    return np.int64(0) if code == 0 else 2 - (code & 1)


@compiled
def pack_values(codes: Array, entries: Array, content: Array, counts: Array) -> int:
    """Write the values of a slice.

    Args:
        codes: uint8.
        entries: uint32, one a block.
        content: uint8, as many as all blocks may need (`2 + 2 * at.BITMAP_BYTES` each), all zero.
        counts: int64, 4: drawn, lost, won positions are written, and the largest code.

    Returns:
        Bytes of the content.
    """
    end = np.int64(0)
    drawn, lost, largest = np.int64(0), np.int64(0), np.int64(0)
    for block in range(entries.size):
        first: Int = block * at.BLOCK
        last: Int = min(first + at.BLOCK, codes.size)
        draws, losses, most = np.int64(0), np.int64(0), np.uint8(0)
        for place in range(first, last):
            code = codes[place]
            draws += np.int64(code == 0)
            losses += np.int64(code & 1)
            most = max(most, code)
        wins = last - first - draws - losses
        drawn += draws
        lost += losses
        largest = max(largest, np.int64(most))
        common: Int = at.DRAWN
        if losses > draws:
            common = at.LOST
        if wins > max(draws, losses):
            common = at.WON
        second: Int = at.LOST if common == at.DRAWN else at.DRAWN
        third: Int = 3 - common - second
        count = losses if second == at.LOST else draws
        rest = last - first - count - (draws if common == at.DRAWN else (losses if common == at.LOST else wins))
        if count + rest == 0:
            entries[block] = common
            continue
        count, rest = min(count, np.int64(at.BITMAP_BYTES)), min(rest, np.int64(at.BITMAP_BYTES))
        entries[block] = end * 4 + at.PACKED
        head: Int = count | (rest << 6) | (common << 12) | (second << 14)
        content[end] = head & 255
        content[end + 1] = head >> 8
        end += 2
        for turn in range(2):
            which, size = (second, count) if turn == 0 else (third, rest)
            if size == at.BITMAP_BYTES:
                for place in range(first, last):
                    if _value(np.int64(codes[place])) == which:
                        content[end + ((place - first) >> 3)] |= 1 << ((place - first) & 7)
            elif size > 0:
                listed: Int = end
                for place in range(first, last):
                    if _value(np.int64(codes[place])) == which:
                        content[listed] = place - first
                        listed += 1
            end += size
    counts[0], counts[1], counts[2] = drawn, lost, codes.size - drawn - lost
    counts[3] = largest
    return int(end)


@compiled
def unpack_values(entries: Array, content: Array, codes: Array) -> None:
    """Write the values that `pack_values` has packed as codes without distances: 0 drawn, 1 lost, 2 won."""
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
    """Write the distances of a slice, those of draws as anything.

    Args:
        codes: uint8.
        entries: uint32, one a block.
        content: uint8, as many as all blocks may need (`7 * at.BITMAP_BYTES` each), all zero.

    Returns:
        Bytes of the content.
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
    """Add the distances that `pack_distances` has packed to codes as `unpack_values` writes them."""
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
                both: Int = np.int64(content[at_byte]) | (np.int64(content[at_byte + 1]) << 8)
                codes[place] = 2 * (least + ((both >> (bit & 7)) & ((1 << width) - 1))) + (code & 1)
