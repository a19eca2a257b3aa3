"""How codes lie in a file of tables, and what describes open tables to compiled code.

Codes stand in blocks. A block of values names the commonest one; two sets of places say where the other two are. A set
is a list of bytes while that is shorter, else a bitmap. A block in which all are the same takes no bytes. A block of
distances has as many bits a code as its range needs.
"""

from __future__ import annotations

BLOCK = 256
"""Codes of a block; its places are bytes."""
BITMAP_BYTES = BLOCK // 8

# Of a block of values: an entry (uint32) of the value, or of PACKED, and where its bytes are, times 4. These begin with
# 2 that tell the bytes of both sets (6 bits each; BITMAP_BYTES: a bitmap), the commonest value and that of the first
# set (2 bits each); the sets follow.
DRAWN, LOST, WON = 0, 1, 2
PACKED = 3

# Of a block of distances: an entry (uint32) of the bits a code (3 bits), the smallest distance (7) and where its bytes
# are, in units of BITMAP_BYTES. Distances are halved: what is lost has an even one, what is won an odd one.
WIDTH_BITS, LEAST_BITS = 3, 7

SPARE = 256
"""Bytes behind the last block of either kind, zero: whatever a block says, it is read within the file."""

# Words (int64) of the memory that describes open tables (`Tables.address`): the largest number of pieces, the same with
# distances, and from FIRST_SLICE on, by `Slice.number`, SLICE_WORDS each: addresses of entries and bytes of both kinds.
PIECES, DISTANCES, FIRST_SLICE = 0, 1, 8
SLICE_WORDS = 4
VALUE_ENTRIES, VALUE_BYTES, DISTANCE_ENTRIES, DISTANCE_BYTES = 0, 1, 2, 3
SLICES = 4096
DIRECTORY_WORDS = FIRST_SLICE + SLICES * SLICE_WORDS
