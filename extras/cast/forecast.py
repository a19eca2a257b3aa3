"""The time of a generation of a cast: mutants play the field, and some of them and of the members play again."""

from __future__ import annotations

from evolve.session.forecast import Forecast
from extras.cast import kind
from extras.cast.session import A_TASK

AGAIN, MORE_AT_FIRST = 0.46, 0.3
"""Players that play again, as a share of the mutants, without those that play again since they have the fewest games,
and how many more there are at first, while most cells are empty: measured in the shipped cast."""
LOADING_SECONDS, COMPILING_SECONDS = 1.5, 9.0
"""Seconds in which new processes load code, and in which the library that adapts mutants is compiled."""
GROWTH = 0.93
"""Factor from the cost of the games of random members to that of later ones, measured there, too."""


class FieldForecast(Forecast):
    def games(self, generation: int) -> int:
        stage, mutants = kind.field_of(self.config), kind.mutants_of(self.config)
        rules = kind.rules_of(self.config)
        again = (AGAIN + MORE_AT_FIRST / (1 + generation / 4)) * mutants + rules.refresh
        if not generation:
            mutants = again = rules.first or mutants  # of the founders, all that have a cell play again
        return round(2 * len(stage.names) * (mutants * stage.ballots + again * stage.again))

    def seconds(self, generation: int) -> float:
        once = LOADING_SECONDS + (COMPILING_SECONDS if kind.adapted_of(self.config) else 0.0)
        return super().seconds(generation) + (once if generation == self.first else 0.0)

    def _game(self, generation: int) -> float:
        return super()._game(0) * (GROWTH if generation else 1.0)

    def _playing(self, generation: int) -> float:
        cost = self._game(generation)
        waiting = A_TASK * cost * (self.processes - 1) / self.processes  # for half of the last task of both rounds
        return self.games(generation) * cost / self.processes + waiting
