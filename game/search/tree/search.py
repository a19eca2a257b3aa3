"""The Python side of tree searches: checks arguments, owns the kernels' memory, and translates their results."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game import moves
from game.board import Position
from game.errors import InputError
from game.moves import Move
from game.networks import kernels as network_kernels
from game.networks.evaluator import Evaluator, rows_seen
from game.rules import BLACK, MAX_MOVES, MAX_PLIES, WCDF, WHITE, DrawRules
from game.search.interface import (
    TABLEBASE_WON,
    WIN,
    EvaluationError,
    Limits,
    RootMove,
    SearchOptions,
    SearchResult,
    Stop,
    one_search,
)
from game.search.layout import NO_LIMIT
from game.search.memory import open_for
from game.search.search import AlphaBeta, plies_without_change, rotate_move
from game.search.tree import layout as at

NODE = np.dtype(
    {
        "names": ["position", "sum", "visits", "first", "code", "prior", "value", "proof", "count"],
        "formats": ["3u8", "f8", "i4", "i4", "u4", "f4", "f4", "i2", "u1"],
        "offsets": [at.OWN, at.SUM, at.VISITS, at.FIRST, at.CODE, at.PRIOR, at.VALUE, at.PROOF, at.COUNT],
        "itemsize": at.NODE_BYTES,
    }
)
"""The fields of a node that results are made of; its position is own, opponent and kings, as its mover sees them."""

FIRST_ROOM = 256
"""Memory is allocated for the children of this number of visits at first; it grows when it is needed."""

Nodes = NDArray[np.void]


SELECTIONS = {"puct": at.PUCT, "gumbel": at.GUMBEL, "ucb": at.UCB}


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """Options of a tree search.

    Attributes:
        selection: the rule by which visits go on: ``puct``, ``gumbel`` (sequential halving at the root, the improved
            policy below), or ``ucb``, which needs no policy.
        candidates: by Gumbel, the number of moves that a root considers.
        tablebase: as in `SearchOptions`.
        skips_forced: a root with one legal move is not searched.

    Raises:
        InputError: a number is out of range.
    """

    selection: str = "puct"
    candidates: int = at.MOST_CANDIDATES
    together: int = at.MOST_TOGETHER
    tablebase: int = 0
    skips_forced: bool = False

    def __post_init__(self) -> None:
        assert self.selection in SELECTIONS
        if not 1 <= self.candidates <= at.MOST_CANDIDATES:
            raise InputError(f"candidates: expected 1 to {at.MOST_CANDIDATES}, got {self.candidates}")
        if not 1 <= self.together <= at.MOST_TOGETHER:
            raise InputError(f"together: expected 1 to {at.MOST_TOGETHER}, got {self.together}")


def halving_schedule(candidates: int, visits: int) -> list[int]:
    """Return, for each visit, the number of visits that the selected child of the root has already.

    The visits are divided equally among the rounds of sequential halving, and in each among its candidates; each round
    keeps the better half, and the last two stay until the end.

    Source: Karnin, Koren and Somekh, Almost optimal exploration in multi-armed bandits (2013); Danihelka et al., Policy
    improvement by planning with Gumbel (2022).
    """
    if candidates == 1:
        return list(range(visits))
    rounds = math.ceil(math.log2(candidates))
    schedule, done, left = list[int](), 0, candidates
    while len(schedule) < visits:
        times = max(1, visits // (rounds * left))
        for each in range(done, done + times):
            schedule += [each] * left
        done, left = done + times, max(2, left // 2)
    return schedule[:visits]


@dataclass(frozen=True, slots=True)
class Leaves:
    """The evaluation of leaves: a kernel that writes outputs of positions, as that of a network does.

    Attributes:
        address: of a callback with the arguments of `game.networks.kernels.write_outputs`.
        words: int64, its argument `network`.
        memory: whatever else the words need as long as they are used.
        outputs: float32 numbers for each position; they are 0 at first.
        policy: the first of 128 outputs that rate first steps.
        value: what the first outputs are (see RESULTS in `game.search.tree.layout`).
        plays: whether it plays games, whose positions it counts in PLAYED.
    """

    address: int
    words: NDArray[np.int64]
    memory: tuple[Any, ...]
    outputs: int
    policy: int
    value: int
    plays: bool = False

    @classmethod
    def of(cls, evaluator: Evaluator) -> Leaves:
        """Return the evaluation by a network.

        Raises:
            InputError: the network lacks a head.
        """
        program, spec = evaluator.program, evaluator.program.spec
        if not (spec.heads and spec.values and spec.rates_moves):
            raise InputError(f"{spec.name}: a tree search needs a value and a policy; this network lacks one")
        address, words, scratch = evaluator.writer()
        outputs = program.scratch // (2 * network_kernels.TOGETHER)
        return cls(address, words, (evaluator, scratch), outputs, program.columns[-128], int(spec.heads.value == "wdl"))


GOES_ON = 2
"""The result of a game that has not ended."""


@dataclass(frozen=True, slots=True)
class Roots:
    """Results of a forest, one for each of its trees.

    Attributes:
        counts: int64, number of legal moves.
        best: int64, index of the best move.
        values: float64, mean value to the side to move, or the proved result; 0 without a visit.
        visits: int64 of shape (trees, MAX_MOVES), visits of each move, in the order of legal moves.
        policy: float32 of shape (trees, MAX_MOVES), the improved policy.
    """

    counts: NDArray[np.int64]
    best: NDArray[np.int64]
    values: NDArray[np.float64]
    visits: NDArray[np.int64]
    policy: NDArray[np.float32]


class Forest:
    """Trees whose leaves are evaluated together, each with its own root.

    For self-play: `begin` each tree, `search`, `conclude`, `advance` each tree by a move, `search` again.

    Args:
        leaves: the evaluation of leaves, or the network that does it.
        visits: visits of each search after that of the root itself.

    Raises:
        InputError: the network lacks a head, a number is out of range, or tablebases are missing.
    """

    def __init__(
        self, leaves: Leaves | Evaluator, options: TreeOptions, rules: DrawRules = WCDF, *, trees: int = 1, visits: int
    ) -> None:
        leaves = leaves if isinstance(leaves, Leaves) else Leaves.of(leaves)
        if not 0 <= visits <= at.MOST_VISITS:
            raise InputError(f"visits: expected 0 to {at.MOST_VISITS:,}, got {visits:,}")
        self.leaves, self.options, self.count = leaves, options, trees
        self.words = np.zeros(at.FOREST_WORDS, np.int64)
        self.trees = np.zeros((trees, at.TREE_WORDS), np.int64)
        together = trees * options.together
        self._outputs = np.zeros((together, leaves.outputs), np.float32)
        self._positions, self._waiting = np.empty((together, 3), np.uint64), np.empty((together, 2), np.int64)
        self._moves, self._floats = np.empty((MAX_MOVES + 1, 4), np.uint64), np.empty(MAX_MOVES, np.float32)
        self._scores = np.zeros((trees, MAX_MOVES))
        self._history = np.zeros((trees, 0, 3), np.uint64)
        self._never = np.zeros(1, np.uint64)
        gumbel = options.selection == "gumbel"
        candidates = range(1, options.candidates + 1) if gumbel else ()
        schedules = [[0] * visits if gumbel else [], *(halving_schedule(k, visits) for k in candidates)]
        self._schedule = np.array(schedules, np.int32)
        tables = open_for(options.tablebase) if options.tablebase else None
        w, t = self.words, self.trees
        w[at.TREES], w[at.TREE_COUNT] = t.ctypes.data, trees
        w[at.WRITER], w[at.NETWORK], w[at.STRIDE] = leaves.address, leaves.words.ctypes.data, 4 * leaves.outputs
        w[at.POLICY], w[at.RESULTS] = 4 * leaves.policy, leaves.value
        w[at.POSITIONS], w[at.OUTPUTS] = self._positions.ctypes.data, self._outputs.ctypes.data
        w[at.LEAVES], w[at.MOVES] = self._waiting.ctypes.data, self._moves.ctypes.data
        w[at.FLOATS], w[at.SCHEDULE] = self._floats.ctypes.data, self._schedule.ctypes.data
        w[at.SELECTION], w[at.CANDIDATES] = SELECTIONS[options.selection], options.candidates
        w[at.SCHEDULE_VISITS], w[at.MOST_PLAYED] = visits, NO_LIMIT
        w[at.REPETITION], w[at.MEN_RESET] = rules.repetition, rules.men_reset
        w[at.QUIET_LIMIT] = rules.quiet_plies or NO_LIMIT
        w[at.SKIPS_FORCED] = options.skips_forced
        w[at.TOGETHER], w[at.STOP] = options.together, self._never.ctypes.data
        if tables is not None:
            w[at.TABLES], w[at.TABLE_PIECES] = tables.address, min(options.tablebase, tables.pieces)
        self.tables, self.rules = tables, rules
        self._make_history(rules.quiet_plies or rules.max_plies)
        t[:, at.SCORES] = self._scores.ctypes.data + self._scores[0].nbytes * np.arange(trees)
        t[:, at.WANTED], t[:, at.PAUSE] = visits + 1, NO_LIMIT
        self._allocate(MAX_MOVES + 16 * min(visits, FIRST_ROOM))

    def _allocate(self, capacity: int) -> None:
        """Allocate memory for this number of nodes in each tree, aligned to lines of the cache; keep all nodes."""
        before = self.nodes if hasattr(self, "nodes") else None
        self._memory = np.empty(self.count * capacity * at.NODE_BYTES + at.NODE_BYTES, np.uint8)
        start = -self._memory.ctypes.data % at.NODE_BYTES
        whole = self._memory[start : start + self.count * capacity * at.NODE_BYTES]
        self.nodes: Nodes = whole.view(NODE).reshape(self.count, capacity)
        if before is not None:
            size = before.shape[1] * at.NODE_BYTES
            whole.reshape(self.count, -1)[:, :size] = before.view(np.uint8).reshape(self.count, size)
        self.trees[:, at.CAPACITY] = capacity
        self.trees[:, at.NODES] = self.nodes.ctypes.data + capacity * at.NODE_BYTES * np.arange(self.count)

    def _make_history(self, plies: int) -> None:
        """Make room for this number of positions before each root; keep those that there are."""
        before = self._history
        self._history = np.zeros((self.count, plies + 2, 3), np.uint64)
        self._history[:, : before.shape[1]] = before
        self.trees[:, at.HISTORY] = self._history.ctypes.data + self._history[0].nbytes * np.arange(self.count)

    def begin(self, tree: int, position: Position, history: Sequence[Position] = (), *, noise: int = 0) -> None:
        """Give a tree a root; `noise` is the seed of the noise there, 0 for none."""
        from game.search.tree import kernels

        run, quiet = (min(plies, MAX_PLIES) for plies in plies_without_change([*history, position], self.rules))
        if run > self._history.shape[1] - 2:  # more than the rules allow, as in the analysis of a game that went on
            self._make_history(run)
        before = rows_seen([*history, position][len(history) - run :])
        self._history[tree, :run] = before[:-1]
        words = self.trees[tree]
        root = self.nodes[tree, :1].view(np.uint8)
        root[: at.POSITION_BYTES] = before[-1].view(np.uint8)
        root[at.QUIET : at.COUNT] = np.array([quiet, run], np.int16).view(np.uint8)
        words[at.LENGTH_LEFT] = self.rules.max_plies - len(history) if self.rules.max_plies else NO_LIMIT
        self.set_noise(tree, noise)
        kernels.begin(words.ctypes.data, self.words.ctypes.data)

    def set_noise(self, tree: int, seed: int) -> None:
        """Set the seed of the noise at the root of a tree, before its search; 0 for none."""
        self.trees[tree].view(np.uint64)[at.NOISE] = seed

    def advance(self, indexes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Play a move of each root, by its index, or none (-1); the positions after them are the new roots.

        Return the result of each game to the side to move at its root: 1, 0 or -1 if the game has ended (without a
        legal move, by the draw rules, or because tables cover the position), else `GOES_ON`.
        """
        from game.search.tree import kernels

        indexes, results = np.ascontiguousarray(indexes, np.int64), np.empty(self.count, np.int64)
        assert indexes.shape == (self.count,)
        assert (indexes < self.nodes[:, 0]["count"]).all()
        kernels.advance(self.words.ctypes.data, indexes.ctypes.data, results.ctypes.data)
        return results

    def search(self, stop: NDArray[np.uint64] | None = None) -> None:
        """Search all trees to their numbers of visits.

        Raises:
            EvaluationError: an output of the network is not a finite number.
        """
        from game.search.tree import kernels

        self.words[at.STOP] = (self._never if stop is None else stop).ctypes.data
        while kernels.search(self.words.ctypes.data):
            self._allocate(2 * self.nodes.shape[1] + MAX_MOVES)
        if self.trees[:, at.FAILED].any():
            raise EvaluationError("the network gives a value that is not a finite number")

    def root(self, tree: int) -> Any:
        return self.nodes[tree, 0]

    def children(self, tree: int, number: int = 0) -> Nodes:
        """Return the children of a node of a tree, in the order of its legal moves."""
        first, count = int(self.nodes[tree, number]["first"]), int(self.nodes[tree, number]["count"])
        return self.nodes[tree, first : first + count]

    def best(self, tree: int, number: int = 0) -> int:
        """Return the index of the best move of a searched node."""
        from game.search.tree import kernels

        return int(kernels.best_child(number, self.trees[tree].ctypes.data, self.words.ctypes.data))

    def conclude(self) -> Roots:
        """Return the results of all roots after a search."""
        from game.search.tree import kernels

        roots = Roots(
            self.nodes[:, 0]["count"].astype(np.int64),
            np.empty(self.count, np.int64),
            np.empty(self.count),
            np.zeros((self.count, MAX_MOVES), np.int64),
            np.zeros((self.count, MAX_MOVES), np.float32),
        )
        parts = (roots.best, roots.values, roots.visits, roots.policy)
        kernels.conclude(self.words.ctypes.data, *(part.ctypes.data for part in parts))
        return roots


class TreeSearch:
    """A tree search with its memory (see `game.search.interface.Searcher`).

    A depth d is 2**d visits of the root. If tablebases cover the root, they answer, or alpha-beta by the value head
    chooses among the moves that keep its result.
    """

    def __init__(self, evaluator: Evaluator | None, options: TreeOptions | None = None) -> None:
        self.evaluator, self.options = evaluator, options or TreeOptions()
        self._endings: AlphaBeta | None = None  # made when it is needed, since it compiles another search
        self._busy = threading.Lock()

    def search(
        self,
        position: Position,
        history: Sequence[Position] = (),
        *,
        limits: Limits,
        rules: DrawRules = WCDF,
        all_scores: bool = False,
        stop: Stop | None = None,
        on_depth: Callable[[SearchResult], None] | None = None,
    ) -> SearchResult:
        """Search a position, as `game.search.interface.Searcher` says.

        With `all_scores`, a second tree scores the moves: half of its visits are shared equally by those of the root.
        The best move is still that of the first tree, which would be played.
        """
        with one_search(self._busy, stop, limits.seconds) as ending:
            count = len(moves.legal_moves(position))
            if count == 0:
                raise InputError(f"no legal move: {position.fen()}")
            most = min(self.most_visits(limits), 2 ** (limits.depth or 64), at.MOST_VISITS)
            wanted = [most, max(most, count + 1)] if all_scores else [most]
            forests = [self.make_forest(limits, rules, visits - 1) for visits in wanted]
            pieces = (position.black | position.white).bit_count()
            if pieces <= forests[0].words[at.TABLE_PIECES]:
                endings = self._endings or AlphaBeta(self.evaluator, SearchOptions(tablebase=self.options.tablebase))
                self._endings = endings
                return endings.search(
                    position, history, limits=limits, rules=rules, all_scores=all_scores, stop=ending, on_depth=on_depth
                )
            began = time.perf_counter()
            for forest in forests:
                forest.begin(0, position, history)
            forests[-1].trees[0, at.EVEN] = all_scores
            stopping = None  # the first depth is always completed
            pause = count + 1 if all_scores else 2
            while True:
                for forest in forests:
                    forest.trees[0, at.PAUSE] = pause
                    forest.search(stopping)
                ended = all([self.is_over(forest, limits) for forest in forests]) or ending.is_set
                if ended or on_depth is not None:
                    result = _result(forests, self.best(forests[0]), position, time.perf_counter() - began)
                    if on_depth is not None:
                        on_depth(result)
                    if ended:
                        return result
                visits = max(int(forest.root(0)["visits"]) for forest in forests)
                pause, stopping = 1 << visits.bit_length(), ending.word

    def most_visits(self, limits: Limits) -> int:
        """Return the number of visits after which a search ends."""
        return limits.nodes or at.MOST_VISITS

    def make_forest(self, limits: Limits, rules: DrawRules, visits: int) -> Forest:
        assert self.evaluator is not None
        return Forest(self.evaluator, self.options, rules, visits=visits)

    def is_over(self, forest: Forest, limits: Limits) -> bool:
        """Return whether the search of a tree has reached its limits, or has proved its root."""
        return bool(forest.root(0)["visits"] >= forest.trees[0, at.WANTED] or forest.root(0)["proof"])

    def best(self, forest: Forest) -> int:
        return forest.best(0)


def _result(forests: Sequence[Forest], best: int, position: Position, seconds: float) -> SearchResult:
    """Return the result of a search: its line from the first tree, its scores from the last."""
    words, root, children = forests[-1].trees[0], forests[-1].root(0), forests[-1].children(0)
    depth, even = int(root["visits"]).bit_length() - 1, bool(words[at.EVEN])
    unvisited = float(root["sum"] / root["visits"]) - at.BELOW
    listed = []
    for index, child in enumerate(children):
        visits = int(child["visits"])
        own_depth = depth if even else max(visits.bit_length() - 1, 0)
        score = _score(child) if visits else max(unvisited, -1.0)
        entry = RootMove(_move(child, position.side), score, visits > 0, own_depth, visits)
        order = index != best, child["proof"] > 0, 0 if even else -visits, -score
        listed.append((order, index, entry))
    moves_in_order = tuple(entry for *_, entry in sorted(listed, key=lambda entry: entry[:2]))
    evaluations = sum(int(forest.trees[0, at.EVALUATIONS]) for forest in forests)
    played = sum(int(forest.words[at.PLAYED]) for forest in forests) if forests[0].leaves.plays else 0
    return SearchResult(
        moves_in_order[0].move, moves_in_order[0].score, depth, played or evaluations, evaluations, seconds,
        _line(forests[0], best, position.side), moves_in_order,
        tablebase_hits=sum(int(forest.trees[0, at.LOOKED_UP]) for forest in forests),
    )  # fmt: skip


def _move(node: np.void, side: int) -> Move:
    move = moves.decode(int(node["code"]), BLACK)
    return rotate_move(move) if side == WHITE else move


def _score(node: np.void) -> float:
    """Return the score of the move that leads to a visited node, to the side that makes it, one ply before the node."""
    proof = int(node["proof"])
    if not proof:
        return -float(node["sum"] / node["visits"])
    size = abs(proof)
    score = WIN - (at.WON - size + 1) if size > at.BY_TABLE else TABLEBASE_WON - (at.BY_TABLE - size + 1)
    return math.copysign(score, -proof)


def _line(forest: Forest, best: int, side: int) -> tuple[Move, ...]:
    """Return the principal variation: the best move of each node, as far as nodes were visited."""
    line, number = list[Move](), 0
    while forest.nodes[0, number]["count"]:
        number = int(forest.nodes[0, number]["first"]) + (forest.best(0, number) if number else best)
        if line and not forest.nodes[0, number]["visits"]:
            break
        line.append(_move(forest.nodes[0, number], (side + len(line)) & 1))
    return tuple(line)
