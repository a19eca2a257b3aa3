"""What players have done in a tournament, and where they stand in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evolve.kinds import pairing
from evolve.kinds.pairing import Indexes, Points, Scores

LEADER = 0
"""Index of the mean of the parents, where a generation has one. It leads its generation whatever its games say: they
tell less about it than all the games of all parents do, of which it is made."""


@dataclass
class Tally:
    """Counts of each individual over the pairings that count; int64 arrays of shape (individuals,)."""

    size: int
    games: Indexes = field(init=False)
    wins: Indexes = field(init=False)
    draws: Indexes = field(init=False)
    losses: Indexes = field(init=False)
    points: Indexes = field(init=False)

    def __post_init__(self) -> None:
        for name in ("games", "wins", "draws", "losses", "points"):
            setattr(self, name, np.zeros(self.size, np.int64))

    def add(self, pairs: Indexes, scores: Scores, points: Points) -> None:
        """Add pairings; wins, draws and losses count games. Indexes beyond the individuals are left out."""
        gained = pairing.award_points(scores, points)
        for side, won, lost in ((0, scores.first, scores.second), (1, scores.second, scores.first)):
            here = pairs[:, side] < self.size
            players = pairs[here, side]
            np.add.at(self.games, players, scores.games)
            np.add.at(self.wins, players, won[here])
            np.add.at(self.draws, players, scores.draws[here])
            np.add.at(self.losses, players, lost[here])
            np.add.at(self.points, players, gained[side][here])

    def best_first(self, players: Indexes) -> Indexes:
        """Players by points, then by index."""
        return players[np.lexsort((players, -self.points[players]))]


class PointsTable:
    """Points and wins in the stages that rank, which add up from stage to stage.

    Args:
        players: individuals, and champions of earlier generations behind them.
        points: what results are worth.
        led: whether the first individual leads in any case (`LEADER`).
    """

    def __init__(self, players: int, points: Points, *, led: bool) -> None:
        self._rules, self._led = points, led
        self._points = np.zeros(players, np.int64)
        self._beaten = np.zeros((players, players) if points.sharing else (0, 0), np.bool_)
        self.wins = np.zeros(players, np.int64)

    def add(self, members: Indexes, pairs: Indexes, scores: Scores) -> None:
        """Add pairings among some members."""
        sums = pairing.add_up(members, pairs, scores, self._rules)
        self._points[members] += sums.points
        self.wins[members] += sums.wins
        if self._rules.sharing:
            for winners, losers in (pairs[scores.margin > 0].T, pairs[scores.margin < 0, ::-1].T):
                self._beaten[winners, losers] = True

    def clear(self) -> None:
        """Begin anew."""
        for array in (self._points, self._beaten, self.wins):
            array[...] = 0

    def best_first(self, players: Indexes, ties: Sequence[NDArray[np.int64]]) -> Indexes:
        """Players in order: by fitness sharing if that is asked for, by points, then by the keys for ties.

        Args:
            players: whom to put in order.
            ties: keys of the players, smaller ones first; the first key decides last.
        """
        keys: list[NDArray[np.generic]] = [*ties, -self._points[players]]
        if self._rules.sharing:
            keys.append(-pairing.share_fitness(self._beaten[players]))
        if self._led:
            keys.append(players != LEADER)
        return players[np.lexsort(keys)]
