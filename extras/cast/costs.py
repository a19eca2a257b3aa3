"""The time of a generation of a cast: mutants play the field, and some of them and of the members play again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from evolve.config.model import Config
from evolve.kinds.individual import Individual
from evolve.run.conditions import PlayConditions
from evolve.session.game_costs import Costs, GameCost, describe_sample, guess
from evolve.strength.effort import network_player
from evolve.tournament.arena import openings_of
from extras.cast import kind
from extras.cast.session import A_TASK, FieldTask, play_task

AGAIN, MORE_AT_FIRST = 0.46, 0.3
"""Players that play again, as a share of the mutants, without those that play again since they have the fewest games,
and how many more there are at first, while most cells are empty: measured in the shipped cast."""
LOADING_SECONDS, COMPILING_SECONDS = 1.5, 9.0
"""Seconds in which new processes load code, and in which the library that adapts mutants is compiled."""
GROWTH = 0.93
"""Factor from the cost of the games of random members to that of later ones, measured there, too."""


class FieldCosts(Costs):
    @staticmethod
    def measure(config: Config, coming: range, seconds: float, process: int) -> tuple[Any, tuple[Config, Individual]]:
        opponents, how, table = kind.opponents_of(config), PlayConditions.of(config.search, 0), openings_of(config)
        generator, founders = np.random.default_rng(2 + process), config.founders
        low, high = (founders.low, founders.high) if founders.method == "uniform" else (-0.3, 0.3)
        size = len(opponents)
        pairs = np.array([(at, size + at) for at in range(size)] * max(A_TASK // (2 * size), 1))
        games = spent = 0.0
        while games < A_TASK or spent < seconds:
            genomes = generator.uniform(low, high, (size, config.network.weights)).astype(np.float32)
            members = [network_player("", row, config.network, config.network.king, how) for row in genomes]
            drawn = generator.integers(0, len(table), len(pairs))
            task = FieldTask((*members, *opponents), pairs, table, drawn, config.games)
            before = time.perf_counter()
            played = play_task(task)
            if games or spent:
                games, spent = games + played.counts.games, spent + time.perf_counter() - before
            else:
                spent = 1e-9  # the first games are not counted: they load code
        cost = GameCost(spent / games, int(games), how.limits.depth or 1, 0.0)
        return cost, (config, Individual(genomes[0], "member", king=config.network.king))

    def take(self, parts: Sequence[Any]) -> None:
        self._cost = GameCost.of_all(parts)

    def guess(self, coming: range) -> None:
        self._cost = guess(self.config, self.config.search.limits(0).depth or 1, self.slowness)

    @property
    def once(self) -> float:
        return LOADING_SECONDS + (COMPILING_SECONDS if kind.adapted_of(self.config) else 0.0)

    def games(self, generation: int) -> int:
        stage, mutants = kind.field_of(self.config), kind.mutants_of(self.config)
        rules = kind.rules_of(self.config)
        again = (AGAIN + MORE_AT_FIRST / (1 + generation / 4)) * mutants + rules.refresh
        if not generation:
            mutants = again = rules.first or mutants  # of the founders, all that have a cell play again
        return round(2 * len(stage.names) * (mutants * stage.ballots + again * stage.again))

    def seconds(self, generation: int) -> float:
        cost = self._cost.seconds * (GROWTH if generation else 1.0)
        waiting = A_TASK * cost * (self.processes - 1) / self.processes  # for half of the last task of both rounds
        return self.games(generation) * cost / self.processes + waiting

    @property
    def sample(self) -> str:
        return describe_sample(self._cost.games, self._cost.seconds)
