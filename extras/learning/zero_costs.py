"""The time of a generation of `zero`: games by tree search in all processes, and a fit.

The time of the fit is that of its products of matrices, which are measured with numpy, times a factor that was measured
once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from evolve.config.model import Config
from evolve.kinds.individual import Individual
from evolve.session.game_costs import Costs, describe_sample
from extras.learning.methods import Zero
from extras.learning.zero_games import GAMES_A_TASK, TreeGames, play_games
from game.networks.evaluator import Evaluator

LEARNT = 1.5
"""Factor by which games of a network that has learnt a little are longer than those of a random one."""
FIT = 7.0
"""Time of a step of Adam, with the samples that it needs, in units of the time of its products of matrices."""
ONCE = 6.0
"""Seconds to load and compile the fit."""
EVALUATIONS, SECONDS_AN_EVALUATION = 1400, 2.5e-6
"""Evaluations of a game with 16 visits a move, and their time, before the code is compiled."""
RATING_SECONDS = 0.02
PRODUCTS = 20
"""Products of matrices that are measured; some 30 ms."""


class TreeCosts(Costs):
    @staticmethod
    def measure(config: Config, coming: range, seconds: float, process: int) -> tuple[Any, tuple[Config, Individual]]:
        method, spec = config.learning.method, config.network
        assert isinstance(method, Zero)
        generator = np.random.default_rng(2 + process)
        weights = generator.normal(0.0, 0.05, spec.weights).astype(np.float32)
        count = min(GAMES_A_TASK, method.games)
        evaluator = Evaluator(spec, weights)
        play_games(TreeGames(config, 1, (0, 1), 0), evaluator)  # not counted: it loads code
        games, before, spent = 0, time.perf_counter(), 0.0
        while not games or spent < seconds / 2:
            play_games(TreeGames(config, 1 + games // count, (0, count), 0), evaluator)  # of each generation, the first
            games, spent = games + count, time.perf_counter() - before
        step = 3 * method.batch * sum(spec.multiplications()) * _multiplication_seconds(generator)
        return (spent / games, step, games), (config, Individual(weights, "blank", king=spec.king))

    def take(self, parts: Sequence[Any]) -> None:
        games, steps, counts = zip(*parts, strict=True)
        self._game, self._step, self._played = float(np.mean(games)), float(np.mean(steps)), sum(counts)

    def guess(self, coming: range) -> None:
        method, anchors = self._method, self.config.rating.anchors.count(";") + 1
        self._game = EVALUATIONS * method.visits / 16 * SECONDS_AN_EVALUATION * self.slowness
        self._step = method.batch * 6 * self.config.network.weights / 2e10 * self.slowness
        self.anchors, self._played = (RATING_SECONDS * self.slowness,) * anchors * (self.config.rating.every > 0), 0

    @property
    def once(self) -> float:
        return ONCE

    @property
    def _method(self) -> Zero:
        method = self.config.learning.method
        assert isinstance(method, Zero)
        return method

    def games(self, generation: int) -> int:
        return self._method.stage(generation).games + self._method.gate if generation else 0

    def seconds(self, generation: int) -> float:
        if not generation:
            return 0.0
        method, learnt = self._method, LEARNT if generation > 1 else 1.0
        games = self.games(generation) * self._game * learnt
        return games / self.processes + FIT * self._step * method.stage(generation).steps / min(self.processes, 2)

    @property
    def sample(self) -> str:
        return describe_sample(self._played, self._game)


def _multiplication_seconds(generator: np.random.Generator) -> float:
    rows, weights = (generator.random(shape, np.float32) for shape in ((1024, 256), (256, 128)))
    times = []
    for _ in range(PRODUCTS):
        began = time.perf_counter()
        rows @ weights
        times.append(time.perf_counter() - began)
    return min(times) / (1024 * 256 * 128)  # the others waited for a core or for memory
