"""The memory layout of tree searches: the words of a forest and of each tree, and the fields of a node.

A *forest* is a number of trees with one network, options and draw rules. A node is a position as its side to move sees
it, together with the turn that leads to it, so a tree needs no edges. The children of a node are consecutive, in the
order of its legal moves. Node 0 is the root.
"""

from __future__ import annotations

MOST_VISITS = 1_000_000
"""Maximum number of visits of a search."""

MOST_TOGETHER = 8
"""Maximum number of leaves that a tree collects before the network evaluates them."""

VISITS_A_LEAF = 16
"""Number of visits of the root after which a tree collects one leaf more at a time, up to `MOST_TOGETHER`."""

MOST_CANDIDATES = 16
"""Maximum number of moves that a root with Gumbel's method considers."""

# Words of a forest. TREES is the address of the words of the first tree, TREE_COUNT the number of trees.
TREES, TREE_COUNT = 0, 1
# The network, or whatever else evaluates leaves: the address of the kernel that writes its outputs, and that kernel's
# argument `network`; bytes of a position's outputs, the byte in them at which the policy begins, and whether the value
# is a score (0), win, draw and loss (1), or a result from -1 to 1 (2).
WRITER, NETWORK, STRIDE, POLICY, RESULTS = 2, 3, 6, 7, 8
# Positions of the leaves to evaluate, their outputs, and for each its tree (number) and node; then memory for the moves
# of a position, and for one float32 for each of them.
POSITIONS, OUTPUTS, LEAVES, MOVES, FLOATS = 9, 10, 11, 12, 13
# Selection: PUCT, GUMBEL or UCB; for Gumbel, the number of candidates, and the address of a table of int32 by number of
# candidates and visit: the visits that a child of the root must have to be selected next.
SELECTION, CANDIDATES, SCHEDULE, SCHEDULE_VISITS = 14, 15, 16, 17
PUCT, GUMBEL, UCB = 0, 1, 2
# Draw rules: whether positions that occur again are drawn, quiet plies, whether moves of men end a quiet sequence.
REPETITION, QUIET_LIMIT, MEN_RESET = 18, 19, 20
# Open tables (0: none), and the largest number of pieces that is looked up.
TABLES, TABLE_PIECES = 21, 22
TOGETHER = 23  # leaves that each tree collects, at most
STOP = 24  # address of a uint64 that is not 0 if the search should end
SKIPS_FORCED = 25  # whether a root with one legal move is not searched
WAITING, NEXT = 26, 27  # number of leaves that wait for the network, and of the tree that collects leaves next
# Positions that were played, where games evaluate leaves, with the visits that ended without an evaluation; and the
# number after which no other leaf is visited.
PLAYED, MOST_PLAYED = 28, 29
FOREST_WORDS = 30

# Words of a tree. NODES is the address of its nodes, with room for CAPACITY of which USED are in use. HISTORY is the
# address of the positions before the root since the last irreversible move, oldest first, 24 bytes each. LENGTH_LEFT is
# the number of plies until the rules end the game. The search ends after WANTED visits, and pauses after PAUSE. NOISE
# is the seed of the noise at the root, 0 for none; with EVEN, half of the visits are shared equally by its moves.
# SCORES is the address of a float64 for each move of the root, its Gumbel number plus its logit.
NODES, CAPACITY, USED, HISTORY, LENGTH_LEFT, WANTED, PAUSE, NOISE, EVEN, SCORES = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
# LEFT is the number of leaves that it may still collect in this round. Results: positions that the network evaluated,
# positions that were looked up in tables, and whether an output was not a finite number.
LEFT, EVALUATIONS, LOOKED_UP, FAILED = 10, 11, 12, 13
TREE_WORDS = 14

# Byte offsets in a node, and its size. SUM, float64, is the sum of the values of its visits to its side to move. FIRST
# is its first child: UNKNOWN before its first visit, ENDED for a drawn game. CODE is that of the move that leads to it,
# PRIOR, float32, its probability by the policy. VALUE, float32, is the network's value. PENDING counts visits whose
# leaf is not evaluated yet. QUIET and REVERSIBLE are plies as in the records of alpha-beta.
OWN, OPPONENT, KINGS, SUM = 0, 8, 16, 24
VISITS, FIRST, PARENT, CODE, PRIOR, VALUE = 32, 36, 40, 44, 48, 52
PROOF, QUIET, REVERSIBLE, COUNT, PENDING = 56, 58, 60, 62, 63
NODE_BYTES = 64
POSITION_BYTES = 24

UNKNOWN, ENDED = -1, 0

# PROOF: 0, or the proved result for the side to move: a win in n plies is WON - n, a loss LOST + n. If only tables know
# the result, n plies are those to the position that they cover, counted from BY_TABLE.
WON = 20_000
BY_TABLE = 10_000

EXPLORATION = 1.5
"""The factor of PUCT's second term."""

SPREAD = 2.0
"""The factor of UCB's second term."""

BELOW = 0.1
"""A child without a visit is assumed to be this much worse than its parent."""

NOISE_SHARE = 0.25
"""The share of the noise in the priors of a root by PUCT."""

SCALE_VISITS, SCALE = 50.0, 0.5
"""The weight of values against logits, by Gumbel: `SCALE` times the sum of `SCALE_VISITS` and the visits of the most
visited child. (Danihelka et al. have 1.0 for values from 0 to 1; here they are from -1 to 1.)"""
