"""Measured costs of the games of a session, from which its time is estimated.

The first players of a run are random and their games are short; later ones know what pieces are worth, play longer and
have more to search. A sample therefore contains games of random networks, and of networks like later ones, to whose
output the difference in pieces is added; if it is part of all of them, their weights are as mutations spread them.
"""

from __future__ import annotations

import math
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from evolve.config import anchors
from evolve.config.model import Config
from evolve.config.search import Search
from evolve.kinds.individual import Individual
from evolve.kinds.pairing import Indexes, Scores
from evolve.kinds.stages import HALL_OF_FAME
from evolve.session import champion_rating
from evolve.tournament import tournament
from evolve.tournament.arena import ballots
from evolve.workers.processes import SharedRows, WorkerProcesses, choose_start_method
from game.batch.games import BatchPlayers, play_all
from game.errors import InputError
from game.installation import cores
from game.networks.spec import Spec
from game.number_text import count_text
from game.search.interface import Limits
from game.search.layout import MAX_DEPTH

FIRST_GAMES, ENOUGH_GAMES, MOST_GAMES = 4, 24, 256
USUAL_DRAWS = 0.3
"""Assumed share of draws for counting the games of a tournament, in which pairs may play again after a draw."""
MOST_GROWTH = 8.0
"""Upper limit of the factor by which each further ply multiplies the cost of a game in an extrapolation."""
HALFWAY = 36
"""Generation in which the logarithm of the cost of a game is halfway from that of random players to that of players
that count pieces: measured in `first` (docs/presets.md)."""
SPREAD = 128
"""Mutations after which networks that always count pieces play as later ones: measured in `blondie24`."""
RATED_GAMES = 2
"""Games against each anchor that are played to measure its share of the cost."""

STEPS, STEPS_SECONDS, LOOPS = 50_000, 0.00375, 6
"""Steps of the loop that measures the speed of this machine, its time on the machine where the figures below were
measured, and how often it is measured."""
EVALUATIONS = 400
"""Evaluations in a game at one ply."""
GROWTH, BLONDIE_GROWTH = 3.4, 3.0
"""Factors by which each further ply multiplies evaluations, in general and with Blondie24's search."""
SECONDS_AN_EVALUATION, SECONDS_A_MULTIPLICATION, SECONDS_AN_ANCHOR = 2.5e-7, 2e-10, 3e-4
"""Seconds for an evaluation without its network, for a multiplication after the first layer, and for an anchor's moves
in a game."""

Clock = Callable[[], float]
T = TypeVar("T")


@dataclass(frozen=True)
class GameCost:
    """The cost of a game: seconds by the clock, at a depth in plies, and its length in plies."""

    seconds: float
    games: int
    depth: int
    draws: float
    plies: float = 1.0

    @classmethod
    def of_all(cls, costs: Sequence[GameCost]) -> GameCost:
        """Return the mean cost over processes that have measured the same at the same time."""
        games = sum(cost.games for cost in costs)
        seconds, draws, plies = (
            sum(getattr(cost, name) * cost.games for cost in costs) / games for name in ("seconds", "draws", "plies")
        )
        return cls(seconds, games, min(cost.depth for cost in costs), draws, plies)


@dataclass(frozen=True)
class GameCounts:
    """The games of a generation.

    Attributes:
        counted: their number in the log.
        played: the same without games that are known already, since players are deterministic.
        calls: number of times that a stage waits for the last of its games.
    """

    counted: int
    played: int
    calls: int


def in_all_processes(measure: Callable[[int], T], count: int, start_method: str) -> list[T]:
    """Return what each of the processes that will play measures while all of them are busy.

    Where processes are slow to start, only this one measures.
    """
    if count == 1 or choose_start_method(start_method, threads=_has_threads()) != "fork":
        return [measure(0)]
    crew = WorkerProcesses(
        count, start_method="fork", shared=SharedRows(1, 0), timeout=math.inf, tick=lambda: None, name="measuring"
    )
    finished = False
    try:
        measured = list(crew.stream(measure, range(count)))
        finished = True
    finally:
        crew.close(kill=not finished)
    return measured


def _has_threads() -> bool:
    try:
        return len(os.listdir("/proc/self/task")) > 1  # also threads that are not Python's
    except OSError:
        return threading.active_count() > 1


def count_games(config: Config) -> GameCounts:
    """Return the approximate number of games in a generation, from a tournament with random results."""
    generator, counted, played, calls = np.random.default_rng(1), 0, 0, 0
    a_pairing = config.games.a_pairing

    def play(pairs: Indexes, key: tuple[int, ...], keep: bool) -> Scores:
        nonlocal counted, played, calls
        counted += len(pairs) * a_pairing
        repeats = config.games.openings == "start"
        played += (len(np.unique(pairs, axis=0)) if repeats else len(pairs)) * a_pairing
        calls += 1
        lots = generator.random(len(pairs))
        first = np.asarray(lots < (1 - USUAL_DRAWS) / 2, np.int64)
        return Scores(first, np.asarray(lots > (1 + USUAL_DRAWS) / 2, np.int64), a_pairing)

    champions = max(
        (stage.champions for stage in config.stages if getattr(stage, "opponents", "") == HALL_OF_FAME), default=0
    )
    tournament.run(config, generator, play, min(champions, config.generations))
    return GameCounts(counted, played, calls)


@cache
def measure_slowness() -> float:
    """Return the factor by which this machine is slower than the one on which the figures were measured."""
    times = []
    for _ in range(LOOPS):
        began = time.process_time()
        word = 0
        for step in range(STEPS):
            word ^= step * step
        times.append(time.process_time() - began)
    return min(times) / STEPS_SECONDS  # the others were slower for other reasons than this machine


def guess(config: Config, depth: int, slowness: float) -> GameCost:
    multiplications = sum(config.network.multiplications()[1:])
    evaluation = SECONDS_AN_EVALUATION + SECONDS_A_MULTIPLICATION * multiplications
    growth = BLONDIE_GROWTH if config.search.style().blondie else GROWTH
    return GameCost(EVALUATIONS * growth ** (depth - 1) * evaluation * slowness, 0, depth, USUAL_DRAWS)


def knowing(network: Spec) -> Spec:
    """Return a network to whose output the difference in pieces is added; the same one where this is impossible."""
    try:
        return replace(network, piece_difference=True)
    except InputError:
        return network


def later_of(config: Config) -> Config:
    """Return a configuration whose founders play games as long as those of later generations."""
    network, founders = knowing(config.network), config.founders
    if network != config.network:
        return replace(config, network=network)
    middle, half = (founders.low + founders.high) / 2, (founders.high - founders.low) / 2
    half = math.sqrt(half**2 + 3 * SPREAD * founders.step**2)  # of a uniform distribution with the same variance
    return replace(config, founders=replace(founders, low=middle - half, high=middle + half))


def play_samples(
    config: Config, limits: Sequence[Limits], seconds: float, clock: Clock = time.perf_counter, seed: int = 2
) -> dict[int, GameCost]:
    """Measure the cost of a game of random players by depth.

    A few games are played at each depth in turn, up to the largest one. If time runs out before, the costs of greater
    depths are extrapolated from the growth so far.
    """
    generator, began = np.random.default_rng(seed), clock()
    wanted = sorted({limit.depth or 1 for limit in limits})
    limit, first = limits[0], wanted[0] if wanted[-1] <= 2 or limits[0].nodes else 1
    costs: dict[int, GameCost] = {}
    _play(config, replace(limit, depth=first), FIRST_GAMES, generator, clock)  # not counted: it loads code
    for depth in range(first, wanted[-1] + 1) if not limit.nodes else wanted:
        costs[depth] = _play(config, replace(limit, depth=depth), FIRST_GAMES, generator, clock)
        grown = [cost.seconds for cost in costs.values()][-3:]  # later plies multiply the cost less than the first
        growth = min(max((grown[-1] / grown[0]) ** (1 / max(len(grown) - 1, 1)), 1.0), MOST_GROWTH)
        if depth < wanted[-1] and growth * grown[-1] * FIRST_GAMES > seconds - (clock() - began):
            break
    last = max(costs)
    for depth in wanted:
        if depth > last:
            costs[depth] = replace(costs[last], seconds=costs[last].seconds * growth ** (depth - last))
    left = seconds - (clock() - began)
    reached = [depth for depth in wanted if depth <= last]
    for depth in reached:
        more = min(int(left / len(reached) / max(costs[depth].seconds, 1e-6)), MOST_GAMES)
        if more > 0:
            further = _play(config, replace(limit, depth=depth), more, generator, clock)
            costs[depth] = GameCost.of_all([costs[depth], further])
    return {depth: costs[depth] for depth in wanted}


def with_usual_lengths(costs: dict[int, GameCost]) -> dict[int, GameCost]:
    """Return the costs of games that are as long as those at the largest depth at which enough were played.

    The cost of a ply varies little from game to game, but the lengths of a few games do.
    """
    enough = [cost.plies for _, cost in sorted(costs.items()) if cost.games >= ENOUGH_GAMES]
    return {
        depth: replace(cost, seconds=cost.seconds * enough[-1] / cost.plies, plies=enough[-1])
        if enough and cost.games < ENOUGH_GAMES
        else cost
        for depth, cost in costs.items()
    }


def _play(config: Config, limits: Limits, games: int, generator: np.random.Generator, clock: Clock) -> GameCost:
    founders, table = config.founders, ballots(config.games.openings)
    genomes = generator.uniform(founders.low, founders.high, (2 * games, config.network.weights)).astype(np.float32)
    field = BatchPlayers.of_networks(config.network, genomes, limits=limits, style=config.search.style())
    opening_of = generator.integers(0, len(table), games)
    began = clock()
    played = play_all(
        field,
        np.arange(games),
        np.arange(games, 2 * games),
        openings=table,
        opening_of=opening_of,
        rules=config.games.rules(),
        adjudicate=config.games.adjudicate,
    )
    seconds, draws = (clock() - began) / games, float((played.results == 0).mean())
    return GameCost(seconds, games, limits.depth or 1, draws, float(played.plies.mean()))


class Measured(NamedTuple):
    """Measurements of a process: costs, seconds of a game against each anchor, and the share of a core that it had."""

    costs: Any
    anchors: tuple[float, ...]
    share: float


def _measure(kind: type[Costs], config: Config, coming: range, seconds: float, process: int) -> Measured:
    began, since = time.process_time(), time.perf_counter()
    costs, rated = kind.measure(config, coming, seconds, process)
    anchors = []
    for task in champion_rating.tasks(*rated, process) if config.rating.every else ():
        start = time.perf_counter()
        champion_rating.play(replace(task, games=RATED_GAMES))
        anchors.append((time.perf_counter() - start) / RATED_GAMES)
    share = (time.process_time() - began) / max(time.perf_counter() - since, 1e-9)
    return Measured(costs, tuple(anchors), min(max(share, 0.01), 1.0))


class Costs(ABC):
    """The games and the time of each generation of a run; guessed unless the code is compiled.

    Attributes:
        anchors: seconds of a game against each anchor of the ratings; empty without ratings.
        share: the share of a core that each process had.
    """

    anchors: tuple[float, ...] = ()
    share = 1.0

    def __init__(
        self, config: Config, workers: int, coming: range, *, compiled: bool, slowness: float, seconds: float
    ) -> None:
        self.config, self.processes, self.slowness = config, max(min(workers, cores()), 1), slowness
        self._compiled = compiled
        if not compiled:
            self.guess(coming)
            return
        measure = partial(_measure, type(self), config, coming, seconds)
        parts = in_all_processes(measure, self.processes, config.workers.start_method)
        self.anchors = tuple(float(np.mean(times)) for times in zip(*(part.anchors for part in parts), strict=True))
        self.share = min(part.share for part in parts)
        self.take([part.costs for part in parts])

    @staticmethod
    @abstractmethod
    def measure(config: Config, coming: range, seconds: float, process: int) -> tuple[Any, tuple[Config, Individual]]:
        """Measure costs by playing games, in one of several processes that do so at the same time."""

    @abstractmethod
    def take(self, parts: Sequence[Any]) -> None:
        """Take the measurements of all processes."""

    @abstractmethod
    def guess(self, coming: range) -> None:
        """Guess costs before the code is compiled."""

    @abstractmethod
    def games(self, generation: int) -> int:
        """Return the number of games in a generation."""

    @abstractmethod
    def seconds(self, generation: int) -> float:
        """Return the time of a generation, without breeding, saving and rating."""

    def rating(self, generation: int) -> float:
        champion, games = self.rated_champion(generation), self.config.rating.games
        return self.together([games * (champion + anchor) for anchor in self.anchors[::-1]])

    @property
    def once(self) -> float:
        """Seconds to load and compile what a session needs besides games, on the machine of the figures."""
        return 0.0

    def rated_champion(self, generation: int) -> float:
        """Return the time that a champion adds to a game against an anchor; 0 if the games measured had one like it."""
        return 0.0

    @property
    def played(self) -> bool:
        """True if games of all depths were played for the estimate."""
        return self._compiled

    @property
    @abstractmethod
    def sample(self) -> str:
        """The games that were played for the estimate, in words."""

    def together(self, tasks: Sequence[float]) -> float:
        """Return the time of tasks that begin in this order, each in the process that is free first."""
        free = [0.0] * self.processes
        for task in tasks:
            free[free.index(min(free))] += task
        return max(free)


class TournamentCosts(Costs):
    @staticmethod
    def measure(config: Config, coming: range, seconds: float, process: int) -> tuple[Any, tuple[Config, Individual]]:
        limits, seed = list(_reached(config, coming).values()), 2 + process
        later = later_of(config)
        random = play_samples(config, limits, seconds / 3, seed=seed)
        counting = play_samples(later, limits, 2 * seconds / 3, seed=seed)
        blank = Individual(np.zeros(config.network.weights, np.float32), "blank", king=config.network.king)
        # The champion's share is that of a game.
        return (random, counting), (replace(later, search=Search()), blank)

    def take(self, parts: Sequence[Any]) -> None:
        self._random, self._knowing = (
            with_usual_lengths({depth: GameCost.of_all([part[depth] for part in result]) for depth in result[0]})
            for result in zip(*parts, strict=True)
        )
        self._games = count_games(self.config)

    def guess(self, coming: range) -> None:
        config = self.config
        reached = _reached(config, coming)
        self._random = self._knowing = {depth: guess(config, depth, self.slowness) for depth in reached}
        names = anchors.parse_session_anchors(config.rating.anchors) if config.rating.every else ()
        self.anchors = (SECONDS_AN_ANCHOR * self.slowness,) * len(names)
        self._games = count_games(config)

    def games(self, generation: int) -> int:
        return self._games.counted + self._duels(generation)

    def seconds(self, generation: int) -> float:
        cost, processes = self._game(generation), self.processes
        waiting = self._games.calls * cost * (processes - 1) / processes / 2  # for the last game of each stage
        return (self._games.played + self._duels(generation)) * cost / processes + waiting

    def rated_champion(self, generation: int) -> float:
        return self._game(generation) / 2

    def _game(self, generation: int) -> float:
        depth, learnt = self.config.search.limits(generation).depth or 1, generation / (generation + HALFWAY)
        return float(self._random[depth].seconds ** (1 - learnt) * self._knowing[depth].seconds ** learnt)

    def _duels(self, generation: int) -> int:
        """Return the number of games in which founders compete for places; after a draw, two other founders play."""
        if generation or self.config.founders.method != "duel":
            return 0
        draws = self._random[self.config.search.limits(0).depth or 1].draws
        return self.config.population.size * self.config.games.a_pairing * math.ceil(1 / max(1 - draws, 0.05))

    @property
    def played(self) -> bool:
        return super().played and all(cost.depth == depth for depth, cost in self._knowing.items())

    @property
    def sample(self) -> str:
        depth, cost = max(self._knowing.items())
        if 0 < cost.depth < depth:
            each = _each(cost.seconds)
            return f"{count_text(cost.games, 'game')} at depth {cost.depth} suggest {each} at depth {depth}"
        return describe_sample(cost.games, cost.seconds)


def _reached(config: Config, coming: range) -> dict[int, Limits]:
    search = config.search
    end = coming.start + search.deepen_every * MAX_DEPTH
    reached = range(coming.start, min(end, coming.stop - 1) + 1, max(search.deepen_every, 1))
    return {limit.depth or 1: limit for limit in map(search.limits, [*reached, coming.stop - 1])}


def describe_sample(games: int, seconds: float) -> str:
    """Describe the games that an estimate is made from, each of which took so many seconds; without games a guess."""
    return f"{count_text(games, 'game')} took {_each(seconds)}" if games else f"a guess of {_each(seconds)}"


def _each(seconds: float) -> str:
    return f"{1000 * seconds:.2g} ms each" if seconds < 0.1 else f"{seconds:.2g} s each"
