"""The layout of a file of tables, and of the memory that describes open tables to compiled code.

Codes are stored in blocks. A block of values names its most common value, and has two sets of places for the other two.
A set is a list of bytes or a bitmap, whichever is shorter. A block of equal values takes no bytes. A block of distances
has as many bits for each code as its range needs.
"""

from __future__ import annotations

BLOCK = 256
"""Codes of a block; its places are bytes."""
BITMAP_BYTES = BLOCK // 8

# A block of values has an entry (uint32): the value of all its codes, or PACKED plus 4 times the place of its bytes.
# The first two bytes contain the sizes of both sets (6 bits each; BITMAP_BYTES: a bitmap), the most common value and
# the value of the first set (2 bits each); the sets follow.
DRAWN, LOST, WON = 0, 1, 2
PACKED = 3

# A block of distances has an entry (uint32): the number of bits of a code (3 bits), the smallest distance (7), and the
# place of its bytes in units of BITMAP_BYTES. Distances are halved, because those of lost positions are even and those
# of won positions odd.
WIDTH_BITS, LEAST_BITS = 3, 7

SPARE = 256
"""Zero bytes behind the last block of either kind, so that even a damaged block is read within the file."""

# Words (int64) of the memory that describes open tables (`Tables.address`): the largest number of pieces, the same with
# distances, and from FIRST_SLICE on, by `Slice.number`, SLICE_WORDS each: addresses of entries and bytes of both kinds.
PIECES, DISTANCES, FIRST_SLICE = 0, 1, 8
SLICE_WORDS = 4
VALUE_ENTRIES, VALUE_BYTES, DISTANCE_ENTRIES, DISTANCE_BYTES = 0, 1, 2, 3
SLICES = 4096
DIRECTORY_WORDS = FIRST_SLICE + SLICES * SLICE_WORDS
