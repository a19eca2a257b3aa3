"""The memory layout of a search: the meaning of each word of its context, and the records of its plies.

The searching side is always side 0: the board is rotated once, at the root, if White searches. So side = ply & 1,
mirrored positions give the same tree, and all positions are evaluated and stored as the searching side sees the board.
"""

from __future__ import annotations

MAX_DEPTH = 64
"""Largest depth of the full-width search, in plies."""

MAX_PLY = 192
"""Largest distance from the root, in plies. Captures and forced moves make lines longer than the depth."""

# Words of the context.
NODES, EVALUATIONS, NODE_LIMIT, STOP, ABORTED = 0, 1, 2, 3, 4
TABLE, BUCKET_MASK, AGE = 5, 6, 7
QUIESCENCE, BLONDIE, EQUAL_DEPTH = 8, 9, 10
REPETITION, REPETITION_PLIES, QUIET_LIMIT, LENGTH_LEFT, MEN_RESET = 11, 12, 13, 14, 15
EVALUATOR_KIND, PLAN, TAPS, PARAMS, KING, SCRATCH, SUMS, SUMS_BYTES = 16, 17, 18, 19, 20, 21, 22, 23
RECORDS, ROWS, HISTORY, PV, PATH_DEPENDENT = 24, 25, 26, 27, 28
ROOT_COUNT, ROOT_ORDER, ROOT_SCORES, ROOT_EXACT, ROOT_BEST, ROOT_SCORE, ROOT_DEPTH = 29, 30, 31, 32, 33, 34, 35
EVALUATOR, LARGEST_MASK, LEAF_CACHE, DEEPEST = 36, 37, 38, 39
LEAVES = 40  # addresses of the moves to the leaves of a batch
VALUES = 48  # values of these leaves to the side that made the move
MISSES = 56  # indexes of the leaves that are not in the leaf cache
MISS_KEYS = 64  # keys of the misses
ROOT_DEPTHS, ROOT_PV, NEW_SCORES, NEW_EXACT = 68, 69, 70, 71
SUMS_PLY = 72  # first-layer sums are valid for the path up to this ply; OTHER_SUMS_PLY: the same for side 1
# KEEPS: whether table and leaf cache keep exact values from move to move of a game. KEPT_AGE: the age to continue with,
# 0 for a new one. NEWEST_AGE: the newest age. AGES_NEEDED: the number of ages that the game may still need, including
# this one; if ages would run out, the tables are cleared before the game, not during it.
KEEPS, KEPT_AGE, NEWEST_AGE, AGES_NEEDED = 73, 74, 75, 76
LOWEST, HIGHEST = 77, 78  # bits of float32: with KEEPS, bounds of the network's output
# TABLES: address of open tablebases, 0 for none. TABLEBASE: address of `tablebase_kernels.tablebase`. Positions are
# looked up if they have at most TABLEBASE_PIECES pieces (0 for none), and if the sum of their pieces and men is less
# than TABLEBASE_BELOW. TABLEBASE_HITS counts them. ROOT_VALUE is the value of the root to the side to move, or UNKNOWN.
# ROOT_KEPT is the number of root moves that are searched, the first ones in ROOT_ORDER.
TABLES, TABLEBASE, TABLEBASE_PIECES, TABLEBASE_BELOW, TABLEBASE_HITS, ROOT_VALUE, ROOT_KEPT = 79, 80, 81, 82, 83, 84, 85
ENOUGH = 86  # if a leaf in the cache has at least this value, the others of its batch need not be evaluated
# THREATS: plies that threats may add to a line, 0 for none. TWOFOLD: additional weight of an occurrence within the
# search when repetitions are counted.
THREATS, TWOFOLD = 87, 88
# RULE, RULE_PLIES: the values of REPETITION and REPETITION_PLIES by the rules, before tablebases change them.
RULE, RULE_PLIES = 89, 90
# REDUCTIONS: whether late moves are searched less deep. PRUNING: whether positions near the leaves are pruned. The
# margins are the most by which a quiet move is then assumed to raise or lower the evaluation: scores of material, or
# bits of float32 for networks.
REDUCTIONS, PRUNING, MARGIN_UP, MARGIN_DOWN = 91, 92, 93, 94
SELECTIVE = 95  # whether any of THREATS, REDUCTIONS and PRUNING is on; otherwise a search reads none of these words
ITERATION = 96  # address of `root_kernels.plain`, or of `every_option`
BINDING = (EVALUATOR_KIND, EVALUATOR, PLAN, TAPS, PARAMS, KING, SUMS_BYTES, MARGIN_UP, MARGIN_DOWN)
OTHER_SUMS_PLY = 97
# AGEING: whether each search that continues a game has an age of its own. OLDEST: the age of the oldest results that a
# search uses. USED_MASK: the largest BUCKET_MASK before this search since the table was cleared; the rest is empty.
# AN_ENTRY: positions that a search visits, after its first ones, before the table grows by an entry.
AGEING, OLDEST, USED_MASK, AN_ENTRY = 98, 99, 100, 101
# CORRECTS: whether evaluations for pruning are corrected by what the search found (`node_kernels.corrected`).
# CORRECTIONS: the address of CORRECTION_WORDS words with the bits of a float32.
CORRECTS, CORRECTIONS = 102, 103
LEAF_CACHE_MASK = 104  # the number of entries of the leaf cache, less 1
CONTEXT_WORDS = 105

UNKNOWN = 2

BATCH = 4
"""Number of leaves that are evaluated together. Larger batches are faster per leaf, but cutoffs come later
(docs/search.md)."""

LEAF_BYTES = 16
"""Bytes of an entry of the leaf cache: a key, into which the age is mixed, and a value."""

# EVALUATOR_KIND: the evaluator of leaves.
MATERIAL, NETWORK = 0, 1

# Requests to an evaluator, `evaluator(context, request, ply, count)`: set up the root, write the values of leaves.
AT_ROOT, AT_LEAVES = 0, 1

# Requests to the function at ITERATION, `every_option(context, depth, argument, request)`: run an iteration (`argument`
# is whether all moves get exact scores), or `find_move`, only with KEEPS (`argument` is a guess of the value).
ITERATE, FIND_MOVE = 0, 1

# Requests to tablebases, `tablebase(context, request, ply, row)`: judge the moves of the root; return the score of the
# move in a row, which leads to this ply.
JUDGE_ROOT, PROBE_AFTER = 0, 1

# ABORTED: the reason why a search ended early.
RUNNING, LIMIT_REACHED, STOPPED, FAILED = 0, 1, 2, 3

# Byte offsets in a record. There is a record for each ply, and before the root for each position of the game since its
# last irreversible move (a capture or a move of a man). REVERSIBLE counts the plies since that move, QUIET the quiet
# plies by `DrawRules`; ROW is the address of the move that led here.
KEY, BLACK, WHITE, KINGS, ROW, REVERSIBLE, QUIET, KILLER = 0, 8, 16, 24, 32, 40, 48, 56
RECORD_BYTES = 64

HISTORY_WORDS = 512
"""History counters: side x starting bit x step of a simple move."""

CORRECTION_WORDS = 1 << 14

PV_BYTES = 8 * (MAX_PLY + 2)
"""The principal variation from a ply on: its length, then the codes of its moves."""

# Scores are int64. An evaluation is the bit pattern of the absolute value of a float32, with its sign. Such scores have
# the order of the floats, can be negated exactly and allow zero windows (alpha, alpha + 1). No finite float reaches
# PROVED, and every score fits an int32.
PROVED = 0x7F80_0000
"""The smallest score of a proved win; as the bits of an evaluation it would be infinity."""

DRAWN = PROVED - 1
"""The absolute value of a draw by the rules of the game if tables know the root to be won (a loss of this size) or lost
(a gain): more than any evaluation. Otherwise a draw is worth 0."""

WIN = 0x7FC0_0000
"""The score of a win at the root; a win n plies later is worth n less."""

TABLEBASE_WIN = 0x7FA0_0000
"""The score of a win by tables at the root; if the search reaches it n plies later, it is worth n less. A win on the
board is worth more, because its distance is known."""

INFINITY = 0x7FFF_FFFF

NO_SCORE = -0x8000_0000
"""Stands for the score of a move that no search chose; below all scores, and the least int32."""

NO_LIMIT = 1 << 62

MAN_VALUE, KING_VALUE = 100, 150
"""Values of pieces to the player `material`."""
