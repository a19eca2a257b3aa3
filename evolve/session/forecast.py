"""Forecasts of the time of each generation of a session, from games that are counted and sampled.

The first players of a run are random and their games are short; later ones know what pieces are worth, play longer and
have more to search. Games of both are therefore played: of random networks, and of networks like later ones, to whose
output the difference in pieces is added; if it is part of all of them, their weights are as mutations spread them.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from evolve.config import anchors
from evolve.config.model import Config
from evolve.config.search import MAX_GENERATIONS, Search
from evolve.kinds.individual import Individual
from evolve.kinds.pairing import Indexes, Scores
from evolve.kinds.stages import HALL_OF_FAME
from evolve.session import champion_rating
from evolve.session.saving import generation_bytes
from evolve.tournament import tournament
from evolve.tournament.arena import ballots
from evolve.workers.pool import Pool
from evolve.workers.processes import choose_start_method
from game.batch.games import BatchPlayers, play_all
from game.errors import InputError
from game.installation import cores
from game.number_text import count_text
from game.search.interface import Limits
from game.search.layout import MAX_DEPTH

RANDOM, LATER, ANCHOR = "random", "later", "anchor"
"""The players of a measured game: the names in keys of costs, beside a depth or the number of an anchor."""
FIRST_GAMES, MOST_GAMES = 4, 256
"""Games that are played at each depth in turn, and at most at those of the session."""
RATED_GAMES = 2
"""Games against each anchor that are played to measure its share of the cost."""
GROWTH = 3.4
"""Factor by which each further ply multiplies the cost of a game where it is not measured."""
USUAL_DRAWS = 0.3
"""Assumed share of draws for counting the games of a tournament, in which pairs may play again after a draw."""
DUELS = 2
"""Usual number of duels for a founder's place: after a draw, two other founders play."""
HALFWAY = 36
"""Generation in which the logarithm of the cost of a game is halfway from that of random players to that of players
that count pieces: measured in `first` (docs/presets.md)."""
SPREAD = 128
"""Mutations after which networks that always count pieces play as later ones: measured in `blondie24`."""
SECONDS_A_GAME, SECONDS_A_MULTIPLICATION, SECONDS_AN_ANCHOR = 6e-5, 5e-8, 3e-4
"""Guesses before code is compiled: seconds for a game at one ply without its network, for each multiplication after
the first layer, and for the moves of an anchor."""
RECENT = 6
"""Number of generations whose times correct the forecast of a session with a time."""
SECONDS_A_BYTE, SECONDS_A_GENERATION = 3e-8, 0.02
"""Measured time to breed and save a generation: per byte, plus a constant."""


class GameCost(NamedTuple):
    """The seconds of a game by the clock, and the number of games that were played for it; 0 for a guess."""

    seconds: float
    games: int = 0

    @classmethod
    def mean(cls, costs: Sequence[GameCost]) -> GameCost:
        """Return the mean cost of processes that measured the same; a guess if one of them guessed."""
        seconds, games = zip(*costs, strict=True)
        return cls(sum(seconds) / len(costs), sum(games) if all(games) else 0)


Costs = dict[tuple[str, int], GameCost]


class GameCounts(NamedTuple):
    """The games of a generation.

    Attributes:
        played: the same without games that are known already, since players are deterministic.
        calls: number of times that a stage waits for the last of its games.
    """

    counted: int
    played: int
    calls: int


class Forecast:
    """The expected time of each generation of a session in which individuals play each other.

    Args:
        coming: the generations of the session.
        seconds: approximate time to spend on measuring; 0 to guess instead.
    """

    def __init__(self, config: Config, workers: int, coming: range, seconds: float) -> None:
        self.config, self.first = config, coming.start
        self.processes = max(min(workers, cores()), 1)
        self._beside = SECONDS_A_GENERATION + SECONDS_A_BYTE * generation_bytes(config)
        depths = _depths(config, coming)
        self._costs = self._measured(depths, seconds) if seconds else _guess(config, depths)

    def _measured(self, depths: Collection[int], seconds: float) -> Costs:
        """Return the mean costs in all processes that will play, which measure them at the same time.

        Where processes are slow to start, only this one measures.
        """
        forks = choose_start_method(self.config.workers.start_method) == "fork"
        count = self.processes if forks else 1
        with Pool(count, warmup=-1.0) as pool:
            parts = list(pool.results(partial(_measure, self.config, depths, seconds), range(count)))
        return {key: GameCost.mean([part[key] for part in parts]) for key in parts[0]}

    @property
    def is_measured(self) -> bool:
        """True if games of all depths were played for it."""
        return all(cost.games for cost in self._costs.values())

    @property
    def sample(self) -> str:
        """The games at the largest depth that were played for it, in words."""
        cost = self._costs[max(key for key in self._costs if key[0] == LATER)]
        each = f"{1000 * cost.seconds:.2g} ms each" if cost.seconds < 0.1 else f"{cost.seconds:.2g} s each"
        return f"{count_text(cost.games, 'game')} took {each}" if cost.games else f"a guess of {each}"

    def games(self, generation: int) -> int:
        return self._counts.counted + self._duels(generation)

    def seconds(self, generation: int) -> float:
        """Return the time of a generation without its rating."""
        return self._playing(generation) + self._beside

    def rating(self, generation: int) -> float:
        """Return the time in which a champion is rated, whose games with each anchor are played by one process."""
        free, champion = [0.0] * self.processes, self._game(generation) / 2
        for anchor in sorted((key for key in self._costs if key[0] == ANCHOR), reverse=True):
            free[free.index(min(free))] += self.config.rating.games * (champion + self._costs[anchor].seconds)
        return max(free)

    def sums(self, first: int, last: int, *, timed: bool) -> Iterator[tuple[float, int]]:
        """Yield the time and the games from the first generation to each, if this is the last one."""
        total, games = 0.0, 0
        for generation in range(first, last + 1):
            total += self.seconds(generation)
            games += self.games(generation)
            rating = self.rating(generation)
            total += rating if (due := champion_rating.is_due(self.config, generation)) else 0.0
            yield total + (rating if timed and not due else 0.0), games

    def fitting(self, first: int, seconds: float) -> tuple[int, float, int]:
        """Return the last generation for a session of about so many seconds, its expected time, and its games."""
        sums = enumerate(self.sums(first, MAX_GENERATIONS, timed=True), first)
        last, (total, games) = next(sums)
        for generation, (more, counted) in sums:
            if abs(more - seconds) > abs(total - seconds):
                break
            last, total, games = generation, more, counted
        return last, total, games

    @cached_property
    def _counts(self) -> GameCounts:
        return count_games(self.config)

    def _duels(self, generation: int) -> int:
        duels = not generation and self.config.founders.method == "duel"
        return DUELS * self.config.population.size * self.config.games.a_pairing if duels else 0

    def _playing(self, generation: int) -> float:
        cost, processes = self._game(generation), self.processes
        waiting = self._counts.calls * cost * (processes - 1) / processes / 2  # for the last game of each stage
        return (self._counts.played + self._duels(generation)) * cost / processes + waiting

    def _game(self, generation: int) -> float:
        depth, learnt = self.config.search.limits(generation).depth or 1, generation / (generation + HALFWAY)
        random, later = (self._costs[name, depth].seconds for name in (RANDOM, LATER))
        return float(random ** (1 - learnt) * later**learnt)


class Schedule:
    """The time in which a session is to end, in seconds from its first game, and the last generation for it.

    Since other players play longer or shorter games and other programs come and go, the generation is chosen anew
    before each one, from the times of the newest ones.
    """

    def __init__(self, forecast: Forecast, seconds: float) -> None:
        self._forecast, self.seconds = forecast, seconds
        self._recent: deque[tuple[float, float]] = deque(maxlen=RECENT)

    def add(self, generation: int, seconds: float, *, rated: bool) -> None:
        expected = self._forecast.seconds(generation) + rated * self._forecast.rating(generation)
        self._recent.append((expected, seconds))

    def last(self, generation: int, elapsed: float, planned: int) -> int:
        """Return the last generation: this one if one more would take the session further from its time."""
        expected, seconds = (sum(column) for column in zip(*self._recent, strict=True)) if self._recent else (1.0, 1.0)
        left = (self.seconds - elapsed) * expected / max(seconds, 1e-9)
        one, two = (total for total, _ in self._forecast.sums(generation, generation + 1, timed=True))
        if abs(two - left) > abs(one - left):
            return generation
        return self._forecast.fitting(generation, left)[0] if generation >= planned else planned


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


def later_of(config: Config) -> Config:
    """Return a configuration whose founders play games as long as those of later generations."""
    try:
        network = replace(config.network, piece_difference=True)
    except InputError:  # it has no value to which it could be added
        network = config.network
    if network != config.network:
        return replace(config, network=network)
    founders = config.founders
    middle, half = (founders.low + founders.high) / 2, (founders.high - founders.low) / 2
    half = math.sqrt(half**2 + 3 * SPREAD * founders.step**2)  # of a uniform distribution with the same variance
    return replace(config, founders=replace(founders, low=middle - half, high=middle + half))


def sample_games(config: Config, depths: Collection[int], seconds: float, seed: int = 2) -> dict[int, GameCost]:
    """Measure the cost of a game between founders by depth.

    A few games are played at each depth in turn, up to the largest one, then as many as there is time for at the given
    depths. If time runs out before, the costs of greater depths are extrapolated.
    """
    generator, end = np.random.default_rng(seed), time.perf_counter() + seconds
    costs, cost = dict[int, GameCost](), GameCost(0.0)
    for depth in sorted(depths) if config.search.nodes else range(1, max(depths) + 1):
        left = end - time.perf_counter()
        if costs and GROWTH * cost.seconds * FIRST_GAMES > left:
            cost = GameCost(GROWTH * cost.seconds)
        else:
            cost = _play(config, depth, FIRST_GAMES, generator)
            share = (end - time.perf_counter()) / sum(each >= depth for each in depths)
            if depth in depths and (more := min(int(share / cost.seconds), MOST_GAMES)) > 0:
                cost = _play(config, depth, more, generator)
        costs[depth] = cost
    return {depth: costs[depth] for depth in depths}


def _play(config: Config, depth: int, games: int, generator: np.random.Generator) -> GameCost:
    founders, table = config.founders, ballots(config.games.openings)
    genomes = generator.uniform(founders.low, founders.high, (2 * games, config.network.weights)).astype(np.float32)
    limits = Limits(depth, config.search.nodes or None)
    field = BatchPlayers.of_networks(config.network, genomes, limits=limits, style=config.search.style())
    opening_of = generator.integers(0, len(table), games)
    began = time.perf_counter()
    play_all(
        field,
        np.arange(games),
        np.arange(games, 2 * games),
        openings=table,
        opening_of=opening_of,
        rules=config.games.rules(),
        adjudicate=config.games.adjudicate,
    )
    return GameCost((time.perf_counter() - began) / games, games)


def _measure(config: Config, depths: Collection[int], seconds: float, process: int) -> Costs:
    later, costs = later_of(config), Costs()
    for name, players, share in ((RANDOM, config, 1 / 3), (LATER, later, 2 / 3)):
        sampled = sample_games(players, depths, share * seconds, 2 + process)
        costs |= {(name, depth): cost for depth, cost in sampled.items()}
    if config.rating.every:
        blank = Individual(np.zeros(config.network.weights, np.float32), "blank", king=config.network.king)
        for number, task in enumerate(champion_rating.tasks(replace(later, search=Search()), blank, process)):
            began = time.perf_counter()
            champion_rating.play(replace(task, games=RATED_GAMES))
            costs[ANCHOR, number] = GameCost((time.perf_counter() - began) / RATED_GAMES, RATED_GAMES)
    return costs


def _guess(config: Config, depths: Collection[int]) -> Costs:
    evaluations = SECONDS_A_GAME + SECONDS_A_MULTIPLICATION * sum(config.network.multiplications()[1:])
    names: Sequence[str] = anchors.parse_session_anchors(config.rating.anchors) if config.rating.every else ()
    rated = {(ANCHOR, number): GameCost(SECONDS_AN_ANCHOR) for number in range(len(names))}
    return rated | {
        (name, depth): GameCost(GROWTH ** (depth - 1) * evaluations) for name in (RANDOM, LATER) for depth in depths
    }


def _depths(config: Config, coming: range) -> set[int]:
    every = config.search.deepen_every
    last = min(coming.start + every * MAX_DEPTH, coming.stop - 1)
    changes = range(coming.start, last + 1, max(every, 1))
    return {config.search.limits(generation).depth or 1 for generation in (*changes, last)}
