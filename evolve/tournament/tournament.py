"""The tournament of a generation: stages one after the other, and the ranking that comes out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config, Stage
from evolve.tournament import pairing
from evolve.tournament.pairing import Indexes, Scores

PlayGames = Callable[[Indexes, tuple[int, ...], bool], Scores]
"""Plays pairings (int64, n x 2); the key (stage, round, batch) derives openings; True keeps the moves."""


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

    def add(self, pairs: Indexes, scores: Scores, config: Config) -> None:
        """Add pairings; wins, draws and losses count games. Guests (indexes beyond the individuals) are left out."""
        gained = pairing.earned(scores, config.points)
        for side, won, lost in ((0, scores.first, scores.second), (1, scores.second, scores.first)):
            here = pairs[:, side] < self.size
            players = pairs[here, side]
            np.add.at(self.games, players, scores.games)
            np.add.at(self.wins, players, won[here])
            np.add.at(self.draws, players, scores.drawn[here])
            np.add.at(self.losses, players, lost[here])
            np.add.at(self.points, players, gained[side][here])


@dataclass(frozen=True)
class Ranking:
    """The outcome of a tournament.

    Attributes:
        order: int64 of shape (individuals,): indexes of the individuals, best first. Those whom the last stages ranked
            come first, the eliminated after them, later rounds before earlier, then by points, then by index.
        tally: what each has done.
    """

    order: Indexes
    tally: Tally


class _Standings:
    """Where individuals stand in the stages that rank: points and wins add up from stage to stage.

    Args:
        players: individuals and guests.
        config: what results are worth, and whether the first individual leads in any case.
    """

    def __init__(self, players: int, config: Config) -> None:
        self._rules, self._led = config.points, config.population.mean
        self._points = np.zeros(players, np.int64)
        self._wins = np.zeros(players, np.int64)
        self._beaten = np.zeros((players, players) if config.points.sharing else (0, 0), np.bool_)

    def add(self, members: Indexes, pairs: Indexes, scores: Scores) -> None:
        """Add the pairings of a stage."""
        table = pairing.standings(members, pairs, scores, self._rules)
        self._points[members] += table.points
        self._wins[members] += table.wins
        if self._rules.sharing:
            for winners, losers in (pairs[scores.margin > 0].T, pairs[scores.margin < 0, ::-1].T):
                self._beaten[winners, losers] = True

    def best_first(self, alive: Indexes, stage: Stage, tally: Tally, generator: np.random.Generator) -> Indexes:
        """Those who play, in order: by fitness sharing if that is asked for, by points, then by the rule for ties.

        After a round robin ties go by wins, by points of the whole tournament, by index; after opponents by lot, since
        there more wins only mean more games. After mirror images they go by index: where two are level both are in or
        both are out, and change nothing in the mean.
        """
        keys: list[NDArray[np.generic]]
        if stage.kind == "opponents":
            keys = [generator.permutation(len(alive))]
        elif stage.kind == "mirror":
            keys = [alive]
        else:
            keys = [alive, -tally.points[alive], -self._wins[alive]]
        keys.append(-self._points[alive])
        if self._rules.sharing:
            keys.append(-pairing.shared_fitness(self._beaten[alive]))
        if self._led:
            keys.append(alive != LEADER)
        return alive[np.lexsort(keys)]


def run(config: Config, generator: np.random.Generator, play_games: PlayGames, guests: int = 0) -> Ranking:
    """Play all stages.

    Args:
        config: population, stages, games and points.
        generator: for pairings, colours, coins and lots; its numbers do not depend on how games are spread.
        play_games: plays pairings.
        guests: champions of earlier generations that stand behind the individuals; the tournament does not rank them.
    """
    size = config.population.size
    tally, table = Tally(size), _Standings(size + guests, config)
    alive = np.arange(size)
    out: list[Indexes] = []  # those who left, a round each
    for number, stage in enumerate(config.stages):
        for turn in range(1 if stage.ranks else stage.rounds):
            batches = 0

            def play(pairs: Indexes, stage=stage, number=number, turn=turn) -> Scores:  # type: ignore[no-untyped-def]
                nonlocal batches
                scores = play_games(pairs, (number, turn, batches), stage.ranks)
                batches += 1
                if stage.counts:
                    tally.add(pairs, scores, config)
                return scores

            if stage.ranks:
                visitors = size + np.arange(min(stage.games, guests) if stage.from_hall else 0)
                pairs = _pairs(stage, alive, visitors, generator)
                table.add(np.concatenate([alive, visitors]), pairs, play(pairs))
                if number < len(config.stages) - 1 and not stage.best:
                    continue
                going = table.best_first(alive, stage, tally, generator)
                if number == len(config.stages) - 1:
                    return Ranking(np.concatenate([going, *_ordered(out, tally)]), tally)
                going, table = np.sort(going[: stage.best]), _Standings(size + guests, config)
            elif stage.kind == "elimination":
                going = pairing.eliminate(alive, play, generator, stage.ties)
            else:
                going = pairing.play_groups(alive, play, generator, stage, config.points)
            out.append(np.setdiff1d(alive, going))
            alive = going
    raise AssertionError("a configuration ends with a stage that ranks")


def _pairs(stage: Stage, alive: Indexes, visitors: Indexes, generator: np.random.Generator) -> Indexes:
    """Who plays whom in a stage that ranks."""
    if stage.kind == "round-robin":
        return pairing.round_robin_pairs(alive, generator)
    if stage.kind == "mirror":
        return pairing.mirror_images(alive[alive != LEADER], stage.games)
    if stage.from_hall:
        return pairing.against_guests(alive, visitors)
    return pairing.drawn_opponents(alive, stage.games, generator)


def _ordered(out: list[Indexes], tally: Tally) -> list[Indexes]:
    """Those who left, later rounds first, each by points, then by index."""
    return [left[np.lexsort((left, -tally.points[left]))] for left in reversed(out)]
