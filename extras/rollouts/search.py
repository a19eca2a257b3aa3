"""Searches whose leaves are valued by games to their end: UCT, and the four rules of the best child."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from extras.rollouts import kernels
from game.networks.evaluator import Evaluator
from game.rules import MAX_MOVES, DrawRules
from game.search.interface import Limits
from game.search.layout import NO_LIMIT
from game.search.tree import layout as at
from game.search.tree.search import Forest, Leaves, TreeOptions, TreeSearch

OPTIONS = TreeOptions(selection="ucb", together=1)
SECURITY = 1.0
"""A secure child has the best mean less this, divided by the square root of its visits."""
LONGEST = 2
"""A search for a max-robust child ends at this multiple of its positions."""


class RolloutSearch(TreeSearch):
    """A tree search by UCB whose leaves are valued by games to their end; `nodes` limits the positions of these games.

    Args:
        network: the network that chooses the moves of the games; None for random moves.
        seed: of their random numbers; a search begins with the same ones each time.
        child: the rule of the move to play, one of `CHILDREN`.
    """

    def __init__(self, network: Evaluator | None = None, seed: int = 0, child: str = "robust") -> None:
        super().__init__(network, OPTIONS)
        self.seed, self.child = seed, child

    def most_visits(self, limits: Limits) -> int:
        return at.MOST_VISITS

    def make_forest(self, limits: Limits, rules: DrawRules, visits: int) -> Forest:
        words = np.zeros(kernels.WORDS, np.int64)
        leaves = Leaves(kernels.write_results.address, words, self._fill(words), 160, 16, 2, plays=True)
        forest = Forest(leaves, OPTIONS, rules, visits=visits)
        words[kernels.FOREST] = forest.words.ctypes.data
        forest.words[at.MOST_PLAYED] = limits.nodes or NO_LIMIT
        return forest

    def _fill(self, words: NDArray[np.int64]) -> tuple[Any, ...]:
        network, moves = self.evaluator, np.zeros((MAX_MOVES + 2, 4), np.uint64)
        words[kernels.STATE : kernels.STATE + 1] = np.array([self.seed], np.uint64).view(np.int64)
        words[kernels.MOVES] = moves[1:].ctypes.data
        if network is None:
            return (moves,)
        scratch = np.zeros(kernels.SCORES + 8 * MAX_MOVES + network.program.scratch, np.float32)
        words[kernels.FLOATS] = scratch.ctypes.data
        if network.program.spec.rates_moves:
            writer, arguments, floats = network.writer()
            words[kernels.CHOOSER] = kernels.choose_by_policy.address
            words[kernels.WRITER], words[kernels.NETWORK] = writer, arguments.ctypes.data
            words[kernels.POLICY] = 4 * network.program.columns[-128]
            return moves, scratch, arguments, floats
        floats = np.zeros(network.program.scratch, np.float32)
        king = int(np.array([network.king], np.float32).view(np.int32)[0])
        words[kernels.CHOOSER] = kernels.choose_by_value.address
        words[kernels.PLAN :] = *network.addresses, king, floats.ctypes.data
        return moves, scratch, floats

    def is_over(self, forest: Forest, limits: Limits) -> bool:
        if super().is_over(forest, limits):
            return True
        words = forest.words
        if words[at.PLAYED] < words[at.MOST_PLAYED]:
            return False
        # A max-robust child has both the most visits and the best mean; until there is one, the search goes on.
        undecided = self.child == "max-robust" and forest.best(0) != self._best_by(forest, 0.0)
        if limits.nodes is None or not undecided or words[at.MOST_PLAYED] >= LONGEST * limits.nodes:
            return True
        words[at.MOST_PLAYED] += max(limits.nodes // 8, 1)
        return False

    def best(self, forest: Forest) -> int:
        if self.child in ("max", "secure"):
            return self._best_by(forest, SECURITY if self.child == "secure" else 0.0)
        return forest.best(0)

    @staticmethod
    def _best_by(forest: Forest, security: float) -> int:
        """Return the index of the child with the best mean less `security` / sqrt(visits); proofs come first."""
        best, children = forest.best(0), forest.children(0)
        if children[best]["proof"]:
            return best
        visited = [index for index, each in enumerate(children) if each["visits"] and not each["proof"]]

        def bound(index: int) -> float:
            visits = int(children[index]["visits"])
            return -float(children[index]["sum"]) / visits - security / math.sqrt(visits)

        return max(visited, key=bound, default=best)
