"""A selective alpha-beta search in plain Python, node by node, written from `docs/search.md`.

Plain minimax cannot judge a search that leaves out moves and plies: its value depends on the order of moves, on the
table and on the counters. So this twin visits the same positions in the same order as the compiled search, and has a
table, history counters and killers of its own. It takes positions and legal moves from the Python side of the program,
and evaluates every leaf separately. It knows no tablebases and none of Blondie24's rules.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from game import moves
from game.board import Position
from game.endings import draw_reason
from game.moves import Move
from game.rules import DrawRules
from game.search.interface import Limits, SearchOptions
from tests.naive_search import Line, line_of

WIN = 0x7FC0_0000
"""The score of a win at the root."""
PROVED = 0x7F80_0000
"""The least score of a proved win."""
DRAWN = PROVED - 1
"""Beyond a score of this size nothing is pruned."""
INFINITY = 0x7FFF_FFFF
LEAVES_TOGETHER = 4
FIRST_BUCKETS = 256
ENTRY_EACH = 1 << 14
MOST_HISTORY = (1 << 29) - 2
CORRECTIONS = 1 << 14
WEIGHT = 0.06
"""Weight of a new difference in a correction, for each ply that remains."""

Key = Callable[[Position], int]
Path = tuple[int, ...]


@dataclass(frozen=True)
class Entry:
    """A result in the table: `bound` is 1 if the value is at most the score, 2 if at least, 3 if exactly."""

    key: int
    score: int
    depth: int
    bound: int
    move: int | None
    age: int = 0


@dataclass
class Table:
    """Buckets of two entries, which double in number with the positions visited.

    Attributes:
        an_entry: number of visited positions, after the first ones, for which there is an entry.
        age: number of the search in its game if results of earlier ones give way to its own; else always 0.
    """

    most: int
    an_entry: int = 1
    age: int = 0
    buckets: list[list[Entry | None]] = field(default_factory=list)

    def clear(self) -> None:
        self.age = 0
        self.buckets = [[None, None] for _ in range(min(FIRST_BUCKETS, self.most))]

    def grow(self, nodes: int) -> None:
        size = len(self.buckets)
        wanted = min(nodes, ENTRY_EACH + nodes // self.an_entry)
        while size < self.most and 2 * size < wanted:
            size *= 2
        for _ in range(size - len(self.buckets)):
            self.buckets.append([None, None])
        for bucket in self.buckets:
            for place, entry in enumerate(bucket):
                if entry is not None and self._of(entry.key) is not bucket:
                    other = self._of(entry.key)
                    other[0 if other[0] is None else 1] = entry
                    bucket[place] = None

    def _of(self, key: int) -> list[Entry | None]:
        return self.buckets[key % len(self.buckets)]

    def get(self, key: int) -> Entry | None:
        return next((entry for entry in self._of(key) if entry is not None and entry.key == key), None)

    def put(self, entry: Entry) -> None:
        """Store an entry: in place of the position's own, else of a shallower or older one, else of the newest."""
        entry = replace(entry, age=self.age)
        bucket = self._of(entry.key)
        deepest = bucket[0]
        other = (
            deepest is not None
            and deepest.age == entry.age
            and deepest.key != entry.key
            and deepest.depth > entry.depth
        )
        bucket[1 if other else 0] = entry

    @property
    def entries(self) -> dict[int, Entry]:
        """All entries by key; of two with the same key, the one that is found."""
        return {entry.key: entry for bucket in self.buckets for entry in reversed(bucket) if entry is not None}


class NodeLimitError(Exception):
    """The search has visited as many positions as it may."""


@dataclass(frozen=True)
class Value:
    """The value of a position to its side to move, whether it holds on this path only, and the principal variation."""

    score: int
    path_dependent: bool = False
    line: tuple[Move, ...] = ()


@dataclass
class Outcome:
    """The result of a search.

    Attributes:
        depth: depth of the last complete iteration.
        nodes: positions visited.
        best: number of the best move, in the order of moves.
        score: its value.
        line: the principal variation.
        moves: score, whether it is exact, and depth, by move.
    """

    depth: int = 0
    nodes: int = 0
    best: int = -1
    score: int = 0
    line: tuple[Move, ...] = ()
    moves: dict[Move, tuple[int, bool, int]] = field(default_factory=dict)


@functools.lru_cache(1 << 16)
def successors(position: Position) -> tuple[tuple[Move, Position], ...]:
    return tuple(moves.successors(position))


@functools.lru_cache(1 << 16)
def may_capture(position: Position) -> bool:
    after = successors(position)
    return bool(after) and bool(after[0][0].captured)


def threatens(position: Position) -> bool:
    """Return whether the side that has just moved could capture if it were to move again."""
    return may_capture(Position(position.black, position.white, position.kings, 1 - position.side))


class Selective:
    """The searches of one player for one side.

    Args:
        style: the options.
        rules: the draw rules.
        value: returns the score of a position to a side.
        shifted: returns a score raised by a number of margins (of the first kind, or lowered by the second if
            negative).
        key: returns the key of a position in the table.
        to_value, to_score: convert scores of a network to its values and back; without them nothing is corrected.
    """

    def __init__(
        self,
        style: SearchOptions,
        rules: DrawRules,
        value: Callable[[Position, int], int],
        shifted: Callable[[int, int], int],
        key: Key,
        *,
        one_by_one: bool,
        to_value: Callable[[int], np.float32] | None = None,
        to_score: Callable[[np.float32], int] = round,
    ) -> None:
        self.style, self.rules = style, rules
        self.value, self.shifted, self.key = value, shifted, key
        self.together = 1 if one_by_one else LEAVES_TOGETHER
        self.table = Table(style.entries // 2, style.positions_an_entry)
        self.history: Counter[tuple[int, Path]] = Counter()
        self.killers: dict[int, Path] = {}
        self.to_value, self.to_score, self.corrects = to_value, to_score, False
        self.corrections: dict[int, np.float32] = {}
        self.nodes, self.limit, self.side = 0, INFINITY, 0

    def search(
        self,
        position: Position,
        before: Sequence[Position],
        depth: int,
        nodes: int = INFINITY,
        *,
        goes_on: bool = False,
    ) -> list[Outcome]:
        """Search a position to a depth, or until so many positions are visited; return the results of all iterations.

        Args:
            position: the root.
            before: the positions of the game before it.
            depth, nodes: the limits; the first iteration is always completed.
            goes_on: whether the table is kept from the search before, and half of the history.
        """
        if goes_on:
            self.history = Counter({move: count // 2 for move, count in self.history.items()})
            self.table.age += self.style.ages
        else:
            self.table.clear()
            self.history.clear()
            self.corrections.clear()
        self.corrects = self.to_value is not None and self.style.fitted(Limits(depth, nodes)).corrections
        self.killers.clear()
        self.nodes, self.side = 0, position.side
        line = line_of(position, before, self.rules)
        order, results = list(range(len(successors(position)))), list[Outcome]()
        last = Outcome()
        for current in range(1, depth + 1):
            self.limit = nodes if current > 1 else INFINITY
            last = Outcome(last.depth, 0, last.best, last.score, last.line, dict(last.moves))
            whole = self._iteration(line, current, order, last)
            last.nodes = self.nodes
            results.append(last)
            if not whole or abs(last.score) >= WIN - current:
                break
        return results

    def _iteration(self, root: Line, depth: int, order: list[int], result: Outcome) -> bool:
        """Search the moves of the root to a depth; return whether all were searched before the limit."""
        self.table.grow(self.nodes)
        after = successors(root.position)
        best, score, variation = -1, -INFINITY, tuple[Move, ...]()
        seen: dict[Move, tuple[int, bool, int]] = {}
        for index in order:
            move, position = after[index]
            leaf = depth == 1 and not (self.style.resolves and may_capture(position))
            try:
                if leaf:
                    self.nodes += 1
                    value = Value(self.value(position, root.position.side))
                elif best < 0:
                    value = self._after(root, position, -INFINITY, INFINITY, depth - 1, 1)
                else:
                    alpha = score - 1 if index < best else score  # the first of several equal moves is best
                    value = self._after(root, position, alpha, alpha + 1, depth - 1, 1)
                    if value.score > alpha:
                        value = self._after(root, position, alpha, INFINITY, depth - 1, 1)
            except NodeLimitError:
                break
            better = best < 0 or value.score > score or (value.score == score and index < best)
            seen[move] = value.score, better or leaf, depth
            if better:
                best, score, variation = index, value.score, (move, *value.line)
        whole = len(seen) == len(after)
        if best < 0 or (not whole and best == result.best):
            return whole
        result.best, result.score, result.line = best, score, variation
        result.moves |= seen
        order.remove(best)
        order.insert(0, best)
        if whole:
            result.depth = depth
        return whole

    def _after(self, line: Line, position: Position, alpha: int, beta: int, depth: int, ply: int) -> Value:
        """Return the value, to the side that moved, of a position that it moved to."""
        value = self._node(line.after(position, self.rules), -beta, -alpha, depth, ply)
        return Value(-value.score, value.path_dependent, value.line)

    def _node(self, line: Line, alpha: int, beta: int, depth: int, ply: int) -> Value:
        """Return the value of a position if it lies between alpha and beta, else a bound."""
        self.nodes += 1
        if self.nodes > self.limit:
            raise NodeLimitError
        position = line.position
        after = successors(position)
        if not after:
            return Value(ply - WIN)
        if self._is_draw(line, ply):
            return Value(0, path_dependent=True)

        # The table: a cutoff with a zero window only, the best move in any case.
        zero_window = beta - alpha == 1
        tried_first = None
        if depth > 0:
            entry = self.table.get(self.key(position))
            if entry is not None:
                if entry.move is not None and entry.move < len(after):
                    tried_first = entry.move
                score = _from_root(entry.score, -ply)
                decides = (score >= beta and entry.bound != 1) or (score <= alpha and entry.bound != 2)
                if zero_window and entry.depth >= depth and decides:
                    return Value(score)

        quiet, value = not may_capture(position), None
        if quiet and zero_window and self.style.pruning and 1 <= depth <= 3 and alpha > -DRAWN and beta < DRAWN:
            value = self._leaf(position, position.side)
            bound = self._pruned(self._corrected(value, position), position, alpha, beta, depth)
            if bound is not None:
                return Value(bound)

        lowest = alpha
        node = _Node(line, alpha, beta, self._child_depth(depth, quiet, tried_first, len(after)), ply, zero_window)
        if node.child_depth <= 0:
            left = self._leaves(node)
        else:
            left = self._ordered(position, ply, tried_first)
        if node.best < beta:
            self._moves(node, left)

        if value is not None and not node.path_dependent:
            self._learn(value, node.best, lowest, beta, depth, position)
        best_move = after[node.best_index][0]
        if depth > 0 and not node.path_dependent:
            bound = 2 if node.best >= beta else 1 if node.best <= lowest else 3
            move = node.best_index if node.best > lowest else tried_first
            self.table.put(Entry(self.key(position), _from_root(node.best, ply), depth, bound, move))
        if node.best >= beta and quiet and node.child_depth > 0:
            self.killers[ply] = best_move.path
            counter = position.side, best_move.path
            self.history[counter] = min(self.history[counter] + depth * depth, MOST_HISTORY)
        return Value(node.best, node.path_dependent, node.variation)

    def _is_draw(self, line: Line, ply: int) -> bool:
        twofold = self.style.twofold and self.rules.repetition > 0
        if twofold and line.position in line.reversible[-1 - ply : -1]:
            return True
        return draw_reason(line.reversible, line.quiet, line.plies, self.rules) is not None

    def _child_depth(self, depth: int, quiet: bool, tried_first: int | None, count: int) -> int:
        """Return the plies that remain after a move."""
        if depth > 0:
            known = tried_first is not None or count == 1
            return depth - 1 if known or depth < 4 or not self.style.reductions else depth - 2
        # Captures after the last ply go on; a quiet position there is one with a threat, the only one of its line.
        return -1 if quiet and self.style.threats else depth

    def _correction(self, position: Position) -> int:
        men = Position(position.black & ~position.kings, position.white & ~position.kings, 0, position.side)
        return self.key(men) % CORRECTIONS

    def _corrected(self, value: int, position: Position) -> int:
        if not self.corrects:
            return value
        return self.to_score(self.to_value(value) + self.corrections.get(self._correction(position), np.float32(0)))

    def _learn(self, value: int, best: int, alpha: int, beta: int, depth: int, position: Position) -> None:
        """Correct evaluations of positions with the same men towards a result, unless it is a bound on the far side."""
        beyond = (best >= beta and best < value) or (best <= alpha and best > value)
        if not self.corrects or abs(best) >= DRAWN or beyond:
            return
        place = self._correction(position)
        old = self.corrections.get(place, np.float32(0))
        difference = self.to_value(best) - self.to_value(value)
        self.corrections[place] = old + np.float32(depth) * np.float32(WEIGHT) * (difference - old)

    def _pruned(self, value: int, position: Position, alpha: int, beta: int, depth: int) -> int | None:
        """Return a bound if the evaluation is outside the window by more than a margin per ply, else None."""
        high, low = self.shifted(value, depth), self.shifted(value, -depth)
        if high <= alpha:
            return high
        return low if low >= beta and not threatens(position) else None

    def _leaf(self, position: Position, side: int) -> int:
        """Return the evaluation to a side, as the searching side sees the board."""
        score = self.value(position, self.side)
        return score if side == self.side else -score

    def _leaves(self, node: _Node) -> list[int]:
        """Evaluate the leaves after the last ply; return the moves to search, in the order of moves."""
        left, batch = list[int](), list[int]()
        side = node.line.position.side
        after = successors(node.line.position)
        for index, (_, position) in enumerate(after):
            captures = self.style.resolves and may_capture(position)
            if captures or (self.style.threats and node.child_depth == 0 and threatens(position)):
                left.append(index)
            if not captures:
                batch.append(index)
            if len(batch) == self.together or index == len(after) - 1:
                self.nodes += len(batch)
                for leaf in batch:
                    node.learn(leaf, Value(self._leaf(after[leaf][1], side)))
                batch = []
                if node.best >= node.beta:
                    break
        return left

    def _ordered(self, position: Position, ply: int, tried_first: int | None) -> list[int]:
        def order(index: int) -> int:
            move, _ = after[index]
            if index == tried_first:
                return 1 << 30
            if move.captured:
                return 1 + len(move.captured)
            if move.path == self.killers.get(ply):
                return 1 << 29
            return 1 + self.history[position.side, move.path]

        after = successors(position)
        return sorted(range(len(after)), key=order, reverse=True)

    def _moves(self, node: _Node, left: Sequence[int]) -> None:
        """Search moves until none is left or one exceeds the window."""
        after = successors(node.line.position)
        for searched, index in enumerate(left):
            position = after[index][1]
            less = self._reduction(node, position, searched)
            value, before = None, False
            if less or (searched and not node.zero_window):
                depth = node.child_depth - less
                value = self._after(node.line, position, node.alpha, node.alpha + 1, depth, node.ply + 1)
                if value.score > node.alpha and (less or value.score < node.beta):
                    value, before = None, value.path_dependent
            if value is None:
                value = self._after(node.line, position, node.alpha, node.beta, node.child_depth, node.ply + 1)
            if value.score > node.best and value.score >= node.beta:  # a cutoff depends on this move alone
                node.path_dependent = value.path_dependent
                node.learn(index, value)
                return
            node.path_dependent |= value.path_dependent or before
            node.learn(index, value)

    def _reduction(self, node: _Node, position: Position, searched: int) -> int:
        """Return the plies by which a late move is searched less deep."""
        if not self.style.reductions or may_capture(node.line.position) or may_capture(position):
            return 0
        if searched < 3 or node.child_depth < 2 or node.best <= -PROVED:
            return 0
        return 2 if searched >= 6 and node.child_depth > 2 else 1


@dataclass
class _Node:
    line: Line
    alpha: int
    beta: int
    child_depth: int
    ply: int
    zero_window: bool
    best: int = -INFINITY
    best_index: int = 0
    variation: tuple[Move, ...] = ()
    path_dependent: bool = False

    def learn(self, index: int, value: Value) -> None:
        if value.score > self.best:
            self.best, self.best_index = value.score, index
            if value.score > self.alpha:
                self.alpha = value.score
                if not self.zero_window:
                    self.variation = (successors(self.line.position)[index][0], *value.line)


def _from_root(score: int, plies: int) -> int:
    """Return a score of which proved wins are counted from another position, so many plies later."""
    return score + plies if score >= PROVED else score - plies if score <= -PROVED else score
