"""The memory of a search: which word of its context holds what, and how the records beside it lie.

The searcher is always side 0: the board is turned once, at the root, if White searches. So side = ply & 1, mirrored
positions give the same tree, and evaluations and table entries are always those of the searcher.
"""

from __future__ import annotations

MAX_DEPTH = 64
"""Most plies of full-width search."""

MAX_PLY = 192
"""Longest line: captures and forced moves at the end of a line may be longer than its depth."""

# Words of the context.
NODES, EVALUATIONS, NODE_LIMIT, STOP, ABORTED = 0, 1, 2, 3, 4
TABLE, BUCKET_MASK, GENERATION = 5, 6, 7
RESOLVE, BLONDIE, EQUAL = 8, 9, 10
REPETITION, RUN_LIMIT, QUIET_LIMIT, LENGTH_LEFT, MEN_RESET = 11, 12, 13, 14, 15
KIND, PLAN, TAPS, PARAMS, KING, SCRATCH, SUMS, SUMS_BYTES = 16, 17, 18, 19, 20, 21, 22, 23
RECORDS, ROWS, HISTORY, LINES, TAINT = 24, 25, 26, 27, 28
ROOT_COUNT, ROOT_ORDER, ROOT_SCORES, ROOT_EXACT, ROOT_BEST, ROOT_SCORE, ROOT_DEPTH = 29, 30, 31, 32, 33, 34, 35
EVALUATOR, LARGEST_MASK, LEAF_CACHE, DEEPEST = 36, 37, 38, 39
LEAVES = 40  # rows of the leaves of a batch
VALUES = 48  # their values to who made the last move
MISSES = 56  # places of the leaves that are not in the cache
HASHES = 64  # of those
ROOT_DEPTHS, ROOT_LINE, NEW_SCORES, NEW_EXACT = 68, 69, 70, 71
CONTEXT_WORDS = 72

BATCH = 4
"""Leaves that are judged together."""

LEAF_CACHE_BITS, LEAF_BYTES = 12, 16
"""Entries, and what each takes: its hash, which the number of the search is part of, and its value."""

# Kinds of evaluation.
MATERIAL, NETWORK = 0, 1

# What an evaluator is asked for, by `evaluator(context, what, ply, count)`: to start at the root, to follow to the
# position of a ply, to write the values of leaves.
AT_ROOT, AT_PLY, AT_LEAVES = 0, 1, 2

# Why a search was given up.
RUNNING, LIMIT_REACHED, STOPPED, FAILED = 0, 1, 2, 3

# A record for each ply, and for each position of the game since its last capture or move of a man.
HASH, BLACK, WHITE, KINGS, ROW, RUN, QUIET, KILLER = 0, 8, 16, 24, 32, 40, 48, 56
RECORD_BYTES = 64

HISTORY_WORDS = 512
"""Side, starting bit and step of a simple move."""

LINE_BYTES = 8 * (MAX_PLY + 2)
"""Principal variation from a ply on: its length, then codes of moves."""

# Scores are int64. An evaluation is the bit pattern of a float32 as a number, negative if the float is: that keeps the
# order of floats and turns signs exactly. No finite float reaches UNPROVED, and every score is far inside an int32.
UNPROVED = 0x7F80_0000
"""Scores from here on are proved; as an evaluation it would be infinite."""

WIN = 0x7FC0_0000
"""The game is won at this ply; n plies later it is worth n less."""

INFINITY = 0x7FFF_FFFF

NO_LIMIT = 1 << 62

MAN_VALUE, KING_VALUE = 100, 150
"""The piece count of `material`."""
