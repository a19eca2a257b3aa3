"""Kinds of tournament stages; everything about a stage is in its class.

A tournament plays its stages one after the other. In elimination stages some players leave after each round. Stages
that rank come last, and their points add up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve.kinds import pairing
from evolve.kinds.kind import Kind, choice, switch, whole
from evolve.kinds.pairing import LEADER, Indexes, Play, Points, PointsTable, Scores, Tally

HALL_OF_FAME = "hall-of-fame"


@dataclass(frozen=True)
class StageContext:
    """The players of a stage, and the services it may use.

    Attributes:
        players: int64, indexes of the individuals that play, ascending.
        champions: int64, indexes of champions of earlier generations, which are not ranked.
        play_round: plays the pairings of a round, int64 of shape (pairings, 2); rounds are numbered from 0.
        tally: games, results and points so far in stages that count, this stage included.
        table: points so far in the stages that rank.
    """

    players: Indexes
    champions: Indexes
    play_round: Callable[[int, Indexes], Scores]
    generator: np.random.Generator
    points: Points
    tally: Tally
    table: PointsTable
    last: bool


@dataclass(frozen=True)
class Standings:
    """The result of a stage: all its players (int64), best first, and how many of them advance."""

    order: Indexes
    survivors: int


@dataclass(frozen=True)
class Stage(Kind, ABC):
    """A stage of a tournament.

    Attributes:
        ranks: whether it orders its survivors, as the last stages do; the moves of its games are kept.
        champions: largest number of champions of earlier generations that it needs.
        selection: the kind of selection that it needs; empty if it fits any.
    """

    kinds: ClassVar = {}
    ranks: ClassVar[bool] = False
    selection: ClassVar[str] = ""

    counts: bool = switch(True, "its games count in the columns games, wins, draws, losses and points")

    @property
    def champions(self) -> int:
        return 0

    def problem(self, path: str, players: int, *, first: bool, mean: bool) -> str:
        """Return, in one line, why this number of players cannot play it; empty if they can."""
        return ""

    @abstractmethod
    def survivors(self, players: int) -> int:
        """Return how many of this number of players advance."""

    @abstractmethod
    def play(self, field: StageContext) -> Standings:
        """Play the stage."""


@dataclass(frozen=True)
class RoundsStage(Stage):
    """A stage in which each round eliminates players; they are ranked by last round, then points, then index."""

    rounds: int = whole(1, 1, 20, "number of rounds")

    @abstractmethod
    def parts(self) -> tuple[int, int]:
        """Return the size of the groups into which players are divided, and how many of each group advance."""

    @abstractmethod
    def play_once(self, players: Indexes, play: Play, field: StageContext) -> Indexes:
        """Play a round; return the players that advance, in order of index."""

    def problem(self, path: str, players: int, *, first: bool, mean: bool) -> str:
        size, advance = self.parts()
        for _ in range(self.rounds):
            if players % size:
                return f"{path}.rounds: {players} individuals cannot be divided into {self._name_of_parts()}"
            players = players // size * advance
        return ""

    def _name_of_parts(self) -> str:
        return f"groups of {self.parts()[0]}"

    def survivors(self, players: int) -> int:
        size, advance = self.parts()
        for _ in range(self.rounds):
            players = players // size * advance
        return players

    def play(self, field: StageContext) -> Standings:
        players, left = field.players, []
        for number in range(self.rounds):
            winners = self.play_once(players, partial(field.play_round, number), field)
            # Those that go out together are ordered by all points so far; at the end, later rounds come before
            # earlier ones.
            left.append(field.tally.best_first(np.setdiff1d(players, winners)))
            players = winners
        return Standings(np.concatenate([players, *reversed(left)]), len(players))


@dataclass(frozen=True)
class Knockout(RoundsStage, kind="elimination"):
    """Random pairs; the winner of each goes on."""

    ties: str = choice(
        "pool",
        ("pool", "swap"),
        "after a tie, pool shuffles all tied players and pairs them anew, swap repeats the pairing with colours "
        "swapped; a second tie is decided at random",
    )

    def parts(self) -> tuple[int, int]:
        return 2, 1

    def _name_of_parts(self) -> str:
        return "pairs"

    def play_once(self, players: Indexes, play: Play, field: StageContext) -> Indexes:
        return pairing.knockout_round(players, play, field.generator, self.ties)


@dataclass(frozen=True)
class Groups(RoundsStage, kind="groups"):
    """Random groups in which all play all; the best of each group go on."""

    size: int = whole(4, 2, 1024, "players in a group")
    advance: int = whole(2, 1, 1023, "number of players of a group that go on, by points, then wins")

    def parts(self) -> tuple[int, int]:
        return self.size, self.advance

    def problem(self, path: str, players: int, *, first: bool, mean: bool) -> str:
        if self.advance >= self.size:
            return f"{path}.advance: expected less than {path}.size = {self.size}, got {self.advance}"
        return super().problem(path, players, first=first, mean=mean)

    def play_once(self, players: Indexes, play: Play, field: StageContext) -> Indexes:
        return pairing.play_groups(players, play, field.generator, self.size, self.advance, field.points)


@dataclass(frozen=True)
class RankingStage(Stage):
    """A stage that ranks its players."""

    ranks: ClassVar = True
    best: int = whole(0, 0, 65_536, "number of players that go on to the next stage (0: all)")

    @abstractmethod
    def pairs(self, field: StageContext) -> Indexes:
        """Return the pairings; int64 of shape (pairings, 2), Black first."""

    def break_ties(self, field: StageContext) -> list[NDArray[np.int64]]:
        """Return keys that order players with equal points; as in `numpy.lexsort`, the last key is the primary one."""
        return [field.players]

    def survivors(self, players: int) -> int:
        return self.best or players

    def play(self, field: StageContext) -> Standings:
        pairs = self.pairs(field)
        members = np.concatenate([field.players, field.champions])
        field.table.add(members, pairs, field.play_round(0, pairs))
        if not (field.last or self.best):
            return Standings(field.players, len(field.players))  # the next stage adds to the table
        order = field.table.best_first(field.players, self.break_ties(field))
        if not self.best:
            return Standings(order, len(order))
        # The next stage ranks the rest anew: points against opponents who are out would not be comparable.
        field.table.clear()
        left = field.tally.best_first(np.setdiff1d(field.players, order[: self.best]))
        return Standings(np.concatenate([order[: self.best], left]), self.best)


@dataclass(frozen=True)
class RoundRobin(RankingStage, kind="round-robin"):
    """All play all and are ranked by points; ties are broken by wins, points in the whole tournament, then index."""

    def pairs(self, field: StageContext) -> Indexes:
        return pairing.round_robin_pairs(field.players, field.generator)

    def break_ties(self, field: StageContext) -> list[NDArray[np.int64]]:
        players = field.players
        return [players, -field.tally.points[players], -field.table.wins[players]]


@dataclass(frozen=True)
class Opponents(RankingStage, kind="opponents"):
    """Each plays some opponents, and points rank them; ties are broken at random, since players with more wins may
    only have played more games.
    """

    games: int = whole(5, 1, 1000, "opponents of each individual")
    opponents: str = choice(
        "population",
        ("population", HALL_OF_FAME),
        "population: random individuals, drawn with replacement for each player, which plays Black; both get points; "
        "hall-of-fame: different champions of earlier generations, the same for all",
    )

    @property
    def champions(self) -> int:
        return self.games if self.opponents == HALL_OF_FAME else 0

    def pairs(self, field: StageContext) -> Indexes:
        if self.champions:
            return pairing.hall_of_fame_opponents(field.players, field.champions)
        return pairing.random_opponents(field.players, self.games, field.generator)

    def break_ties(self, field: StageContext) -> list[NDArray[np.int64]]:
        return [field.generator.permutation(len(field.players))]


@dataclass(frozen=True)
class Mirror(RankingStage, kind="mirror"):
    """With population.mean, mutants play their mirror images and are ranked by points; ties are broken by index.

    Two mirror images with equal points are neighbours in the ranking. So both or neither become parents, and either way
    they do not move the mean; the only exception is a pair of which just one gets the last place among the parents.
    """

    games: int = whole(5, 1, 1000, "pairings of each mutant with its mirror image")

    def problem(self, path: str, players: int, *, first: bool, mean: bool) -> str:
        return (
            "" if first and mean else f"{path}.kind: mirror must be the first stage, and needs population.mean = true"
        )

    def pairs(self, field: StageContext) -> Indexes:
        return pairing.mirror_images(field.players[field.players != LEADER], self.games)
