"""Legal moves, and alpha-beta with the same moves, scores and node counts as `game/search`, where it is explained.

Part of an exported agent, so it imports only numpy; `evolve/export/page/search.js` does the same in JavaScript.

Square s (1 to 32) is bit s - 1. Within a search, side 0 is the side that searches; the board is rotated if it is White.
Scores are integers: the bits of the absolute value of a float32, with its sign.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from evolve.export.spiel.network import Floats, Network, rotate

Position = tuple[int, int, int, int]
"""Black pieces, white pieces, kings of both, and the side to move: 0 for Black, which moves first, or 1."""

ALL = 0xFFFFFFFF
TOP_ROW, BOTTOM_ROW = 0x0000000F, 0xF0000000
# Rows 1, 3, 5, 7 (squares 1-4, 9-12, ...) are shifted to the right of the rows between them.
EVEN, ODD = 0x0F0F0F0F, 0xF0F0F0F0
EVEN_LEFT = 0x07070707  # without the squares at the right edge
ODD_RIGHT = 0xE0E0E0E0  # without the squares at the left edge


def shift(word: int, direction: int) -> int:
    """Return all squares of a word one step on; directions 0 and 1 are backwards as Black sees the board."""
    if direction == 0:
        return (word & ODD_RIGHT) >> 5 | (word & EVEN) >> 4
    if direction == 1:
        return (word & ODD) >> 4 | (word & EVEN_LEFT) >> 3
    if direction == 2:
        return ((word & EVEN) << 4 | (word & ODD_RIGHT) << 3) & ALL
    return ((word & EVEN_LEFT) << 5 | (word & ODD) << 4) & ALL


class Row:
    """A legal move: the board after it, and its path.

    Attributes:
        own, opponent, kings: the pieces after the move; `own` are those of the mover.
        path: squares from start to end, as bits.
        counter: index of the history counter: one for each side, start and first step.
        key: sort key of the search.
    """

    __slots__ = ("counter", "key", "kings", "opponent", "own", "path")

    def __init__(self, side: int, own: int, opponent: int, kings: int, path: tuple[int, ...], step: int) -> None:
        self.own, self.opponent, self.kings, self.path = own, opponent, kings, path
        self.counter = side * 128 + (path[0].bit_length() - 1) * 4 + step
        self.key = 0


def all_capturers(own: int, opponent: int, kings: int, side: int) -> int:
    """Return the pieces of `own` that have a jump."""
    empty = ~(own | opponent) & ALL
    ahead = 2 if side == 0 else 0
    found = 0
    for direction, able in (
        (ahead, own),
        (ahead + 1, own),
        (2 - ahead, own & kings),
        (3 - ahead, own & kings),
    ):
        if able:
            found |= able & shift(opponent & shift(empty, 3 - direction), 3 - direction)
    return found


def generate(own: int, opponent: int, kings: int, side: int) -> list[Row]:
    """Return all legal moves, by ascending path as the mover sees the board."""
    starts = all_capturers(own, opponent, kings, side)
    rows: list[Row] = []
    if starts:
        for start in squares(starts, side):
            add_jumps(own, opponent, kings, side, start, rows)
        return rows
    empty = ~(own | opponent) & ALL
    crowned = BOTTOM_ROW if side == 0 else TOP_ROW
    for start in squares(own, side):
        king = bool(kings & start)
        for step in range(0 if king else 2, 4):
            target = shift(start, step if side == 0 else 3 - step) & empty
            if target:
                after = kings ^ start | target if king else kings | target & crowned
                rows.append(Row(side, own ^ start | target, opponent, after, (start, target), step))
    return rows


def squares(word: int, side: int) -> list[int]:
    """Return the set bits of a word as words, in the order in which a side sees them."""
    found = []
    while word:
        bit = word & -word
        found.append(bit)
        word ^= bit
    return found if side == 0 else found[::-1]


def add_jumps(own: int, opponent: int, kings: int, side: int, start: int, rows: list[Row]) -> None:
    """Add a move for every capture path of the piece on `start`."""
    king = bool(kings & start)
    empty = ~(own | opponent) & ALL | start  # the piece has left its square
    crowned = 0 if king else BOTTOM_ROW if side == 0 else TOP_ROW

    def extend(path: tuple[int, ...], captured: int) -> None:
        square, ends = path[-1], True
        if not square & crowned:  # crowning ends the turn
            for step in range(0 if king else 2, 4):
                direction = step if side == 0 else 3 - step
                middle = shift(square, direction) & opponent & ~captured
                landing = shift(middle, direction) & empty
                if landing:
                    ends = False
                    extend((*path, landing), captured | middle)
        if ends and len(path) > 1:
            left = kings & ~captured
            after = left ^ start | square if king else left | square & crowned
            rows.append(Row(side, own ^ start | square, opponent & ~captured, after, path, 0))

    extend((start,), 0)


MOST_PLIES = 192
PROVED = 0x7F800000  # the smallest score of a proved win
WIN = 0x7FC00000  # a win after n plies is worth n less
INFINITE = 0x7FFFFFFF
DRAWN = PROVED - 1
REPETITION, QUIET_PLIES = 3, 80
BATCH = 4
UPPER, LOWER, EXACT = 1, 2, 3
NO_MOVE = 255
TABLE_MOVE_ORDER, KILLER_ORDER, MOST_HISTORY = 2**30, 2**29, 2**29 - 2
PRUNED_DEPTH, WITHOUT_MOVE, LATE, LATER = 3, 4, 3, 6
MOST_VALUES = 1 << 16
MOST_NODES = 2**62


class LimitReached(Exception):
    """The end of a search by its number of positions."""


def key_of(black: int, white: int, kings: int, side: int) -> int:
    """Return the key of a position in the table."""
    whole = 2**64 - 1
    b, w, k = (  # with an unused bit after every second row
        word & 0xFF | (word & 0xFF00) << 1 | (word & 0xFF0000) << 2 | word >> 24 << 27 for word in (black, white, kings)
    )
    key = b * 0x9E3779B97F4A7C15 ^ (w ^ w << 29) * 0xC2B2AE3D27D4EB4F ^ (k + (k << 31)) * 0x165667B19E3779F9
    if side:
        key ^= 0x94D049BB133111EB
    key &= whole
    key = (key ^ key >> 32) * 0xBF58476D1CE4E5B9 & whole
    return key ^ key >> 29


def moved(score: int, margin: float, times: int) -> int:
    """Return a score increased by `times` a margin; proved wins and losses stay the same."""
    if abs(score) >= PROVED:
        return score
    return scores_of(np.array([value_of(score) + np.float32(times * margin)], np.float32))[0]


def scores_of(values: Floats) -> list[int]:
    bits: list[int] = np.ascontiguousarray(values).view(np.int32).tolist()
    return [word if word >= 0 else -(word & 0x7FFFFFFF) for word in bits]


def value_of(score: int) -> np.float32:
    value: np.float32 = np.array([abs(score)], np.int32).view(np.float32)[0]
    return -value if score < 0 else value


def number_of(score: int) -> float:
    """Return a score as the program reports it: an evaluation, or a number near a million for a proved win."""
    if abs(score) >= PROVED:
        plies = WIN - abs(score)
        return 1_000_000.0 - plies if score > 0 else plies - 1_000_000.0
    return min(max(float(value_of(score)), -900_000.0), 900_000.0) if score else 0.0


class TranspositionTable:
    """The transposition table: two entries a bucket, for the deepest and the newest result."""

    def __init__(self, bits: int) -> None:
        self.entries: list[Any] = [None] * 2**bits  # of key, score, depth, bound, move, age
        self.largest_mask = 2**bits // 2 - 1
        self.mask = self.age = 0

    def probe(self, key: int) -> Any:
        bucket = 2 * (key & self.mask)
        for entry in self.entries[bucket : bucket + 2]:
            if entry is not None and entry[0] == key and entry[5] == self.age:
                return entry
        return None

    def store(self, key: int, score: int, depth: int, bound: int, move: int) -> None:
        """Store a result: in place of the position's own entry, else of a shallower one, else of the newest."""
        at = 2 * (key & self.mask)
        entry = self.entries[at]
        if entry is not None and entry[0] != key and entry[5] == self.age and entry[2] > depth:
            at += 1
        self.entries[at] = (key, score, depth, bound, move, self.age)

    def grow(self, mask: int) -> None:
        """Distribute the entries of this search over more buckets."""
        entries = self.entries
        for at in range(2 * (self.mask + 1)):
            entry = entries[at]
            if entry is not None and entry[5] == self.age:
                target = 2 * (entry[0] & mask)
                if target != at & ~1:
                    there = entries[target]
                    entries[target + (there is not None and there[5] == self.age)] = entry
                    entries[at] = None
        self.mask = mask


class AgentSearch:
    """Alpha-beta, with the tree and the table of the program."""

    def __init__(self, network: Network, margins: list[float], options: dict[str, Any]) -> None:
        self.network, self.margins = network, margins
        self.blondie, self.equal_depth = options["blondie"], options["equal_depth"]
        self.twofold, self.pruning, self.reductions = options["twofold"], options["pruning"], options["reductions"]
        self.threats = 1 if options["threats"] else 0
        self.resolves = bool(options["quiescence"] or self.blondie or self.threats)
        self.selective = bool(self.threats or self.reductions or self.pruning)
        self.repetition_plies = 4 * ((2 if self.twofold else REPETITION) - 1)
        self.table = TranspositionTable(options["table_bits"])
        self.known: dict[tuple[int, int, int, int], int] = {}
        self.history = [0] * 256
        self.goes_on = False

    def search(
        self, positions: list[Position], depth: int | None, nodes: int | None
    ) -> tuple[tuple[int, ...], float, int]:
        """Search the last position of a game.

        Returns:
            the best move, as a path of squares 1 to 32, its score, and the number of positions visited. A win in n
            plies has the score 1,000,000 - n.
        """
        side = positions[-1][3]
        self.set_root(positions)
        last, step = depth or 64, 2 if self.blondie else 1
        depth, self.limit = min(step, last), MOST_NODES
        while self.search_moves(depth) and depth < last and abs(self.root_score) < WIN - depth:
            depth, self.limit = min(depth + step, last), nodes or MOST_NODES
        path = tuple(bit.bit_length() for bit in self.root_rows[self.root_best].path)
        return tuple(33 - square for square in path) if side else path, number_of(self.root_score), self.nodes

    def set_root(self, positions: list[Position]) -> None:
        run = quiet = 0
        for before, after in itertools.pairwise(positions):
            mine, theirs = (0, 1) if before[3] == 0 else (1, 0)
            changes = before[theirs] != after[theirs] or before[mine] & ~before[2] & ~after[mine]
            run, quiet = (0, 0) if changes else (run + 1, quiet + 1)
        # Records of the positions before the root that count for repetitions, of the root, and of each ply.
        self.before, side = run, positions[-1][3]
        records = run + MOST_PLIES + 2
        self.keys, self.reversible, self.quiet = [0] * records, [0] * records, [0] * records
        self.boards: list[tuple[int, int, int]] = [(0, 0, 0)] * records
        self.killers, self.row_of = [-1] * records, list[Any]([None] * records)
        for index, (black, white, kings, mover) in enumerate(positions[len(positions) - 1 - run :]):
            board = (rotate(white), rotate(black), rotate(kings)) if side else (black, white, kings)
            self.boards[index], self.keys[index] = board, key_of(*board, int(mover != side))
        self.reversible[run], self.quiet[run] = run, quiet
        self.nodes = self.root_best = self.root_score = 0
        if self.goes_on:
            self.history = [count >> 1 for count in self.history]
        else:
            self.table.age += 1
            self.table.mask = min(255, self.table.largest_mask)
            self.history = [0] * 256
        self.root_rows = generate(*self.boards[run], 0)
        self.order = list(range(len(self.root_rows)))

    def search_moves(self, depth: int) -> bool:
        """Search the moves of the root for the best one and its value; return False if the limit was reached."""
        mask = self.table.mask
        while mask < self.table.largest_mask and 2 * (mask + 1) < self.nodes:
            mask = 2 * mask + 1
        if mask > self.table.mask:
            self.table.grow(mask)
        child_depth = depth if len(self.order) == 1 and self.blondie else depth - 1
        best, best_index, complete = -INFINITE, -1, True
        for index in self.order:
            row = self.root_rows[index]
            alpha = -INFINITE
            if best_index >= 0:
                alpha = best - 1 if index < best_index else best  # the first of equal moves is best
            try:
                self.make_move(row, 0)
                if self.is_leaf(row, child_depth):
                    self.nodes += 1
                    score = self.leaf_values([row], 0)[0]
                elif alpha > -INFINITE:
                    score = -self.alphabeta(row, -alpha - 1, -alpha, child_depth, 1)
                    if score > alpha:
                        score = -self.alphabeta(row, -INFINITE, -alpha, child_depth, 1)
                else:
                    score = -self.alphabeta(row, -INFINITE, INFINITE, child_depth, 1)
            except LimitReached:
                complete = False
                break
            if best_index < 0 or score > best or (score == best and index < best_index):
                best, best_index = score, index
        if best_index >= 0 and (complete or best_index != self.root_best):
            # The best move is searched first in the next iteration; the others keep their order.
            self.order = [best_index, *(index for index in self.order if index != best_index)]
            self.root_best, self.root_score = best_index, best
        return complete

    def alphabeta(self, move: Row, alpha: int, beta: int, depth: int, ply: int) -> int:
        """Return the value after a move, to the side to move, if it is between alpha and beta; else a bound."""
        self.nodes += 1
        self.path_dependent = False
        if self.nodes > self.limit:
            raise LimitReached
        # A side without a move has lost.
        side, record = ply & 1, self.before + ply
        opponent = move.own
        rows = generate(move.opponent, opponent, move.kings, side)
        if not rows:
            return ply - WIN
        if self.is_draw(ply):
            self.path_dependent = True
            return 0
        # Look the position up in the table.
        key, principal, table_move = self.keys[record], beta - alpha > 1, -1
        entry = self.table.probe(key) if depth > 0 else None
        if entry is not None:
            _, score, known_depth, bound, index, _ = entry
            table_move = index if index < len(rows) else -1
            if self.equal_depth:
                usable = not self.blondie and self.path_independent(ply, depth) and known_depth == depth
            else:
                usable = known_depth >= depth
            if usable and not principal:
                score += -ply if score >= PROVED else ply if score <= -PROVED else 0
                if (score >= beta and bound & LOWER) or (score <= alpha and bound & UPPER):
                    return int(score)
        # Prune where few plies remain and the evaluation is far outside the window.
        quiet = rows[0].opponent == opponent
        if self.pruning and quiet and not principal:
            pruned = self.prune(alpha, beta, depth, ply)
            if pruned != INFINITE:
                return pruned
        child_depth = depth - 1
        if len(rows) == 1 and self.blondie and ply + depth < MOST_PLIES - 2:
            child_depth = depth
        elif child_depth < 0 and not self.blondie:
            child_depth = max(child_depth, -self.threats) if self.selective and quiet else depth
        elif self.reductions and table_move < 0 and len(rows) > 1 and depth >= WITHOUT_MOVE:
            child_depth -= 1
        original_alpha, best, best_row, path_dependent = alpha, -INFINITE, rows[0], False
        last_ply = ply >= MOST_PLIES - 2
        if child_depth <= 0 and (last_ply or not (child_depth & 1 and self.blondie)):
            best, best_row = self.evaluate_leaves(rows, side, child_depth, ply, beta)
            alpha = max(alpha, best)
        elif child_depth > 0 and len(rows) > 1:
            self.score_for_ordering(rows, opponent, table_move, self.killers[record])
        else:
            for row in rows:
                row.key = 1
        searched = 0
        while best < beta and (row := max(rows, key=lambda each: each.key)).key > 0:
            row.key = 0
            self.make_move(row, ply)
            less = self.reduction(row, side, searched, child_depth, best) if self.reductions and quiet else 0
            if less > 0 or (searched > 0 and principal):
                score = -self.alphabeta(row, -alpha - 1, -alpha, child_depth - less, ply + 1)
                if score > alpha and (less > 0 or score < beta):
                    path_dependent = path_dependent or self.path_dependent
                    score = -self.alphabeta(row, -beta, -alpha, child_depth, ply + 1)
            else:
                score = -self.alphabeta(row, -beta, -alpha, child_depth, ply + 1)
            searched += 1
            if score > best:
                best, best_row = score, row
                alpha = max(alpha, score)
                if score >= beta:  # this move alone decides, whatever the moves before it depended on
                    path_dependent = self.path_dependent
                    break
            path_dependent = path_dependent or self.path_dependent
        self.path_dependent = path_dependent
        if depth > 0 and not path_dependent:
            bound = LOWER if best >= beta else UPPER if best <= original_alpha else EXACT
            index = rows.index(best_row) if best > original_alpha else NO_MOVE
            if bound == UPPER and table_move >= 0:
                index = table_move
            stored = best + ply if best >= PROVED else best - ply if best <= -PROVED else best
            self.table.store(key, stored, depth, bound, index)
        # Reward a quiet move that caused a cutoff.
        if best >= beta and child_depth > 0 and quiet:
            self.killers[record] = best_row.counter
            self.history[best_row.counter] = min(self.history[best_row.counter] + depth * depth, MOST_HISTORY)
        return best

    def evaluate_leaves(self, rows: list[Row], side: int, depth: int, ply: int, beta: int) -> tuple[int, Row]:
        """Evaluate the moves that lead to leaves, in batches, until one is good enough; mark the others with a key."""
        every = ply >= MOST_PLIES - 2 or not self.resolves
        threats = self.threats and depth + self.threats > 0 and not every
        leaves = [every or not all_capturers(row.opponent, row.own, row.kings, 1 - side) for row in rows]
        chosen = [row for row, leaf in zip(rows, leaves, strict=True) if leaf]
        values = dict(zip(map(id, chosen), self.leaf_values(chosen, ply), strict=True))
        best, best_row, batch = -INFINITE, rows[0], list[Row]()
        for row, leaf in zip(rows, leaves, strict=True):
            row.key = int(not leaf or (threats and all_capturers(row.own, row.opponent, row.kings, side) != 0))
            if leaf:
                batch.append(row)
            if len(batch) == BATCH or (row is rows[-1] and batch):
                for each in batch:
                    if values[id(each)] > best:
                        best, best_row = values[id(each)], each
                self.nodes += len(batch)
                batch = []
                if best >= beta:
                    break
        return best, best_row

    def is_leaf(self, row: Row, depth: int) -> bool:
        if depth > 0 or (self.blondie and depth & 1):
            return False
        return not self.resolves or not all_capturers(row.opponent, row.own, row.kings, 1)

    def make_move(self, row: Row, ply: int) -> None:
        """Fill the record of the next ply with the position after a move."""
        record, side = self.before + ply, ply & 1
        black, white, kings = self.boards[record]
        own, opponent = (white, black) if side else (black, white)
        changes = opponent != row.opponent or own & ~kings & ~row.own
        self.reversible[record + 1] = 0 if changes else self.reversible[record] + 1
        self.quiet[record + 1] = 0 if changes else self.quiet[record] + 1
        board = (row.opponent, row.own, row.kings) if side else (row.own, row.opponent, row.kings)
        self.boards[record + 1] = board
        self.keys[record + 1] = key_of(*board, 1 - side)
        self.row_of[record + 1] = row

    def is_draw(self, ply: int) -> bool:
        record = self.before + ply
        reversible, key = self.reversible[record], self.keys[record]
        if reversible >= self.repetition_plies:
            occurrences = 1
            for back in range(4, reversible + 1, 2):
                if self.keys[record - back] == key:
                    occurrences += 1 + (REPETITION if back <= ply and self.twofold else 0)
            if occurrences >= REPETITION:
                return True
        return self.quiet[record] >= QUIET_PLIES

    def path_independent(self, ply: int, depth: int) -> bool:
        """Return whether no draw within `depth` plies can depend on the path."""
        record, plies = self.before + ply, depth + self.threats
        return self.reversible[record] + plies < self.repetition_plies and self.quiet[record] + plies < QUIET_PLIES

    def score_for_ordering(self, rows: list[Row], opponent: int, table_move: int, killer: int) -> None:
        for index, row in enumerate(rows):
            if index == table_move:
                row.key = TABLE_MOVE_ORDER
            elif row.opponent != opponent:
                row.key = 1 + (opponent & ~row.opponent).bit_count()
            else:
                row.key = KILLER_ORDER if row.counter == killer else 1 + self.history[row.counter]

    def prune(self, alpha: int, beta: int, depth: int, ply: int) -> int:
        """Return a bound outside the window for a position without captures; INFINITE if it has to be searched."""
        if depth <= 0 or depth > PRUNED_DEPTH or alpha <= -DRAWN or beta >= DRAWN:
            return INFINITE
        row = self.row_of[self.before + ply]
        value = -self.leaf_values([row], ply - 1)[0]
        bound = moved(value, self.margins[0], depth)
        if bound <= alpha:
            return bound
        bound = moved(value, self.margins[1], -depth)
        threatened = bound >= beta and all_capturers(row.own, row.opponent, row.kings, 1 - (ply & 1))
        return bound if bound >= beta and not threatened else INFINITE

    def reduction(self, row: Row, side: int, searched: int, depth: int, best: int) -> int:
        """Return the number of plies by which a late quiet move is searched less deep."""
        if searched < LATE or depth < 2 or best <= -PROVED:
            return 0
        if all_capturers(row.opponent, row.own, row.kings, 1 - side):
            return 0
        return 2 if searched >= LATER and depth > 2 else 1

    def leaf_values(self, rows: list[Row], ply: int) -> list[int]:
        """Return the values of the leaves after moves at `ply`, to the side that made the moves."""
        odd = ply & 1
        view = 1 if self.network.by_mover and not odd else 0
        boards = [(row.opponent, row.own, row.kings) if odd else (row.own, row.opponent, row.kings) for row in rows]
        unknown = [board for board in boards if (*board, view) not in self.known]
        if unknown:
            if len(self.known) > MOST_VALUES:
                self.known.clear()
                unknown = boards
            values = scores_of(self.network.values(unknown, view))
            self.known.update({(*board, view): value for board, value in zip(unknown, values, strict=True)})
        # A value is for the side to move, or for side 0 if the network does not see which side is to move.
        sign = -1 if self.network.by_mover or odd else 1
        return [sign * self.known[*board, view] for board in boards]


class AgentPlayer:
    """The player: its network, and a search for each side if results are kept from move to move."""

    def __init__(self, data: dict[str, Any]) -> None:
        network = Network(data["network"])
        margins = [float("inf") if margin is None else margin for margin in data["margins"]]
        self.limits = data["limits"]
        self.keeps = data["options"]["keeps_table"]
        self.searches = [AgentSearch(network, margins, data["options"]) for _ in range(2 if self.keeps else 1)]
        self.last: list[Any] = [None, None]

    def search(
        self, positions: list[Position], depth: int | None = None, nodes: int | None = None
    ) -> tuple[tuple[int, ...], float, int]:
        """Search the last position of a game; see `AgentSearch.search`. Without limits, the player's own are used."""
        if depth is None and nodes is None:
            depth, nodes = self.limits["depth"], self.limits["nodes"]
        side, how = positions[-1][3], (depth, nodes)
        search = self.searches[side % len(self.searches)]
        if self.keeps:
            last = self.last[side]
            search.goes_on = (
                last is not None
                and last[0] == how
                and len(last[1]) < len(positions)
                and last[1] == positions[: len(last[1])]
            )
            self.last[side] = (how, list(positions))
        return search.search(positions, depth, nodes)
