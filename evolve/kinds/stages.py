"""Kinds of tournament stages: each class contains all that the program knows about its stage.

Stages follow each other. In elimination stages some players leave after each round. Stages that rank come last, and
their points add up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

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
        play_round: plays pairings, int64 of shape (pairings, 2), of a round; rounds are numbered from 0.
        generator: for pairings, colours, coins and lots.
        points: points for results.
        tally: counts of each individual so far where games count, this stage included.
        table: points so far in the stages that rank.
        last: whether no stage follows.
        genomes: weights by index, float32 of shape (weights,) each; may be empty where no stage reads them.
    """

    players: Indexes
    champions: Indexes
    play_round: Callable[[int, Indexes], Scores]
    generator: np.random.Generator
    points: Points
    tally: Tally
    table: PointsTable
    last: bool
    genomes: Sequence[Any] = ()


@dataclass(frozen=True)
class Standings:
    """The result of a stage.

    Attributes:
        order: int64, all players of the stage, best first.
        survivors: number of them that go on.
    """

    order: Indexes
    survivors: int


@dataclass(frozen=True)
class Stage(Kind, ABC):
    """A stage of a tournament. Pairings depend on the generator of its context alone, so that a run can be repeated.

    Attributes:
        ranks: whether it orders its survivors, as the last stages do. The moves of its games are kept.
        champions: the most champions of earlier generations that it asks for.
    """

    kinds: ClassVar = {}
    ranks: ClassVar[bool] = False

    counts: bool = switch(True, "its games count for games, wins, draws, losses and points in the saved generation")

    @property
    def champions(self) -> int:
        return 0

    def problem(self, path: str, players: int, *, first: bool, mean: bool) -> str:
        """Return why this number of players cannot play it, in one line; empty if they can.

        Args:
            path: the prefix of its keys, such as ``stages.0``.
            players: number of players.
            first: whether it is the first stage.
            mean: whether the individuals are a mean and its mutants (`population.mean`).
        """
        return ""

    @abstractmethod
    def survivors(self, players: int) -> int:
        """Return the number of these players that go on."""

    @abstractmethod
    def play(self, field: StageContext) -> Standings:
        """Play the stage."""


@dataclass(frozen=True)
class RoundsStage(Stage):
    """A stage of rounds, each of which some players leave; those are ranked by round, by points, by index."""

    rounds: int = whole(1, 1, 20, "how often in a row")

    @abstractmethod
    def parts(self) -> tuple[int, int]:
        """Return the size of the parts into which players are divided, and the number of a part that go on."""

    @abstractmethod
    def play_once(self, players: Indexes, play: Play, field: StageContext) -> Indexes:
        """Play a round; return the players that go on, by ascending index."""

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
            going = self.play_once(players, partial(field.play_round, number), field)
            left.append(field.tally.best_first(np.setdiff1d(players, going)))
            players = going
        return Standings(np.concatenate([players, *reversed(left)]), len(players))


@dataclass(frozen=True)
class Knockout(RoundsStage, kind="elimination"):
    """Random pairs, the winner of each goes on."""

    ties: str = choice(
        "pool",
        ("pool", "swap"),
        "tied pairs: pool shuffles and pairs them anew, swap plays again with colours swapped; "
        "a second tie is decided by the generator",
    )

    def parts(self) -> tuple[int, int]:
        return 2, 1

    def _name_of_parts(self) -> str:
        return "pairs"

    def play_once(self, players: Indexes, play: Play, field: StageContext) -> Indexes:
        return pairing.knockout_round(players, play, field.generator, self.ties)


@dataclass(frozen=True)
class Groups(RoundsStage, kind="groups"):
    """Random groups in which each plays each, the best of each group go on."""

    size: int = whole(4, 2, 1024, "members of a group")
    advance: int = whole(2, 1, 1023, "how many of a group go on, by points, then wins")

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
    best: int = whole(0, 0, 65_536, "how many of the best go on to the next stage (0: all)")

    @abstractmethod
    def pairs(self, field: StageContext) -> Indexes:
        """Return the pairings; int64 of shape (pairings, 2), Black first."""

    def break_ties(self, field: StageContext) -> list[NDArray[np.int64]]:
        """Return keys that order players with equal points, smaller ones first; the first key decides last."""
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
        field.table.clear()
        left = field.tally.best_first(np.setdiff1d(field.players, order[: self.best]))
        return Standings(np.concatenate([order[: self.best], left]), self.best)


@dataclass(frozen=True)
class RoundRobin(RankingStage, kind="round-robin"):
    """All play all, which ranks them; equal points go by wins, by points of the whole tournament, by index."""

    def pairs(self, field: StageContext) -> Indexes:
        return pairing.round_robin_pairs(field.players, field.generator)

    def break_ties(self, field: StageContext) -> list[NDArray[np.int64]]:
        players = field.players
        return [players, -field.tally.points[players], -field.table.wins[players]]


@dataclass(frozen=True)
class Opponents(RankingStage, kind="opponents"):
    """Each plays some random opponents, which ranks them; equal points go by lot: more wins only mean more games."""

    games: int = whole(5, 1, 1000, "games of each individual")
    opponents: str = choice(
        "population",
        ("population", HALL_OF_FAME),
        "population: drawn anew for each, with replacement; each has Black, and both score; "
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
    """With population.mean, mutants play their mirror images, which ranks them; equal points go by index: where two are
    level both are in or both are out, and change nothing in the mean, but for one that may get the last place alone.
    """

    games: int = whole(5, 1, 1000, "pairings of two mirror images")

    def problem(self, path: str, players: int, *, first: bool, mean: bool) -> str:
        return "" if first and mean else f"{path}.kind: mirror is the first stage, with population.mean = true"

    def pairs(self, field: StageContext) -> Indexes:
        return pairing.mirror_images(field.players[field.players != LEADER], self.games)
