"""Games of a network against itself by tree search, with a record of the searches: what `zero` learns from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.networks.evaluator import Evaluator
from game.rules import DrawRules
from game.search.layout import NO_LIMIT
from game.search.tree.layout import EVALUATIONS
from game.search.tree.search import Forest, TreeOptions

TREES = 48
"""Number of games that are played side by side, so that the network evaluates many positions at a time."""
FIRST_SAMPLES = 64
"""Room for this number of samples per game at first; it grows when it is needed."""


@dataclass(frozen=True)
class SearchedGames:
    """Games and the searches of their positions; positions with one legal move have none.

    Attributes:
        results: int8 of shape (games,): 1, 0 or -1 for the side that began.
        plies: int32 of shape (games,).
        evaluations: positions that the network evaluated.
        rows: uint64 of shape (samples, 3): own, opponent, kings, as the side to move sees them.
        values: float32 of shape (samples,): the mean value of the search to the side to move, or its proved result.
        surprises: float32 of shape (samples,): by how much the search changed the policy, from 0 to 1: half the sum of
            the absolute differences.
        games: int32 of shape (samples,): the number of the game.
        at_plies: int32 of shape (samples,): the number of plies before the position.
        steps: uint8 of shape (samples, STEPS): the legal first steps, as outputs of the policy; then 255.
        shares: float16 of shape (samples, STEPS): the improved policy over these steps; then 0.
    """

    results: NDArray[np.int8]
    plies: NDArray[np.int32]
    evaluations: int
    rows: NDArray[np.uint64]
    values: NDArray[np.float32]
    surprises: NDArray[np.float32]
    games: NDArray[np.int32]
    at_plies: NDArray[np.int32]
    steps: NDArray[np.uint8]
    shares: NDArray[np.float16]

    def points(self) -> NDArray[np.int8]:
        """Return the result of the game for the side to move of each sample."""
        return np.where(self.at_plies % 2 == 0, 1, -1).astype(np.int8) * self.results[self.games]


def play(
    evaluator: Evaluator,
    options: TreeOptions,
    rules: DrawRules,
    starts: NDArray[np.uint64],
    seeds: NDArray[np.uint64],
    *,
    visits: int,
    trees: int = TREES,
) -> SearchedGames:
    """Play games from given positions. A game depends only on its position and seed, not on the others.

    Games end by the rules, or when the tables of `options` cover the position.

    Args:
        starts: uint64 of shape (games, 3): own, opponent, kings, as the side to move sees them.
        seeds: uint64 of shape (games,): seeds of the noise at the roots.
    """
    from extras.learning import self_play_kernels as at

    count = len(starts)
    forest = Forest(evaluator, options, rules, trees=min(trees, count), visits=visits)
    series = np.zeros(at.SERIES_WORDS, np.int64)
    starts, seeds = np.ascontiguousarray(starts, np.uint64), np.ascontiguousarray(seeds, np.uint64)
    results, plies = np.zeros((2, count), np.int64)
    played, done = np.zeros((2, forest.count), np.int64)
    series[[at.GAMES, at.LENGTH]] = count, rules.max_plies or NO_LIMIT
    for word, array in (
        (at.STARTS, starts), (at.SEEDS, seeds), (at.RESULTS, results), (at.PLIES, plies),
        (at.PLAYED, played), (at.DONE, done),
    ):  # fmt: skip
        series[word] = array.ctypes.data
    memory = _Record(FIRST_SAMPLES * count + forest.count)
    memory.bind(series)
    at.begin_games(series.ctypes.data, forest.words.ctypes.data)
    evaluations, state = 0, at.RUNNING
    while state != at.ENDED:
        forest.search()
        evaluations += int(forest.trees[:, EVALUATIONS].sum())
        state = at.play(series.ctypes.data, forest.words.ctypes.data)
        while state == at.FULL:
            memory = memory.grown(int(series[at.USED]))
            memory.bind(series)
            state = at.play(series.ctypes.data, forest.words.ctypes.data)
    used = int(series[at.USED])
    order = np.lexsort((memory.at_plies[:used], memory.games[:used]))
    record = {name: array[:used][order] for name, array in vars(memory).items()}
    record["shares"] = record["shares"].astype(np.float16)
    return SearchedGames(results.astype(np.int8), plies.astype(np.int32), evaluations, **record)


class _Record:
    def __init__(self, capacity: int) -> None:
        from extras.learning.self_play_kernels import STEPS

        self.rows = np.empty((capacity, 3), np.uint64)
        self.values, self.surprises = np.empty((2, capacity), np.float32)
        self.games, self.at_plies = np.empty((2, capacity), np.int32)
        self.steps, self.shares = np.empty((capacity, STEPS), np.uint8), np.empty((capacity, STEPS), np.float32)

    def bind(self, series: NDArray[np.int64]) -> None:
        from extras.learning import self_play_kernels as at

        series[at.CAPACITY] = len(self.rows)
        words: dict[int, Any] = {
            at.POSITIONS: self.rows, at.VALUES: self.values, at.SURPRISES: self.surprises, at.OF_GAME: self.games,
            at.OF_PLY: self.at_plies, at.STEP_OUTPUTS: self.steps, at.SHARES: self.shares,
        }  # fmt: skip
        for word, array in words.items():
            series[word] = array.ctypes.data

    def grown(self, used: int) -> _Record:
        larger = _Record(2 * len(self.rows))
        for name, array in vars(self).items():
            getattr(larger, name)[:used] = array[:used]
        return larger
