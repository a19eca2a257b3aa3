"""How long a session will take, told before it begins: its games are counted, and a few are played to see their cost.

Nothing here depends on how busy the machine is: what counts is processor time, shared by the workers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from evolve.breeding.individual import Individual
from evolve.config.model import Config
from evolve.kinds.pairing import Indexes, Scores
from evolve.kinds.stages import HALL_OF_FAME
from evolve.session import champion_rating
from evolve.session.compiled_code import load_steps
from evolve.session.saving import generation_bytes
from evolve.tournament import tournament
from evolve.tournament.arena import ballots
from game import compiling
from game.batch.games import BatchPlayers, play_all
from game.number_text import count_text, span_text
from game.search.limits import Limits

SAMPLE_SECONDS = 0.3
"""Processor time of the games that are played to see what they cost, about."""
FIRST_GAMES, MOST_GAMES = 4, 512
SECONDS_A_BYTE, SECONDS_A_GENERATION = 3e-8, 0.02
"""Of a generation, beside its games: to breed and save it. Measured."""
USUAL_DRAWS = 0.3
"""Part of games that is drawn where tournaments are counted: drawn pairs may play again."""
MOST_GROWTH = 8.0
"""How much dearer a game gets by a ply more at most, where that is concluded from games that looked less far."""

Clock = Callable[[], float]


@dataclass(frozen=True)
class GameCost:
    """What a game costs.

    Attributes:
        seconds: on one core.
        games: how many were played to know.
        depth: how far their players looked, in plies.
        draws: part of them that was drawn.
    """

    seconds: float
    games: int
    depth: int
    draws: float


@dataclass(frozen=True)
class Estimate:
    """What is known of a session before it begins.

    Attributes:
        seconds: that it will take, about; None if nothing is known.
        games: that it will play, about.
        words: this, and how it was got.
        brief: the same in a few words.
    """

    seconds: float | None
    games: int
    words: str
    brief: str


def estimate(config: Config, workers: int, done: int = -1, clock: Clock = time.process_time) -> Estimate:
    """How long the generations after one will take on this machine, if nothing else keeps it busy.

    Args:
        config: what will be played.
        workers: number of processes that play.
        done: the newest generation that is there already; -1 if none is.
        clock: gives seconds of processor time.
    """
    unknown = _why_unknown(config)
    if unknown:
        return Estimate(None, 0, f"time: not known before, {unknown}", "time: not known before")
    coming = range(done + 1, config.generations + 1)
    if not coming:
        none = "time: none, all generations are there"
        return Estimate(0.0, 0, none, none)
    looks = {_depth(each): each for each in map(config.search.limits, coming)}
    costs = {depth: play_sample(config, each, SAMPLE_SECONDS / len(looks), clock) for depth, each in looks.items()}
    a_generation = count_games(config)
    games, seconds = 0, 0.0
    for generation in coming:
        cost = costs[_depth(config.search.limits(generation))]
        more = a_generation + (_duels(config, cost) if generation == 0 and config.founders.method == "duel" else 0)
        games += more
        seconds += more * cost.seconds
    deepest = _depth(config.search.limits(config.generations))
    rated = sum(champion_rating.is_due(config, generation) for generation in coming)
    if rated:
        seconds += rated * _rating_seconds(config, costs[deepest], clock)
    beside = len(coming) * (SECONDS_A_GENERATION + SECONDS_A_BYTE * generation_bytes(config))
    total = seconds / workers + beside
    brief = f"about {span_text(total)} with {count_text(workers, 'worker')}, {games:,} games"
    return Estimate(total, games, _words(config, workers, total, games, costs), brief)


def _depth(limits: Limits) -> int:
    """How far individuals look; they always have a depth."""
    return limits.depth or 1


def _why_unknown(config: Config) -> str:
    if config.learns:
        return "the first generation of what learns tells it"
    if config.plugins.files:
        return "since code of your own takes part"
    if config.optimiser.kind.learns or config.predicts:
        return "since players learn from games of their own, too; the first generation tells it"
    if config.games.openings == "middle" or config.games.adjudicate:
        return "since games begin or end by what is prepared first; the first generation tells it"
    if not all(compiling.is_there(load) for load in load_steps(config).values()):
        return "since code has to be compiled first"
    return ""


def count_games(config: Config) -> int:
    """Games of a generation, about: its tournament with results by lot."""
    generator, games = np.random.default_rng(1), 0
    a_pairing = config.games.a_pairing

    def play(pairs: Indexes, key: tuple[int, ...], keep: bool) -> Scores:
        nonlocal games
        games += len(pairs) * a_pairing
        lots = generator.random(len(pairs))
        first = np.asarray(lots < (1 - USUAL_DRAWS) / 2, np.int64)
        return Scores(first, np.asarray(lots > (1 + USUAL_DRAWS) / 2, np.int64), a_pairing)

    champions = max(
        (stage.champions for stage in config.stages if getattr(stage, "opponents", "") == HALL_OF_FAME), default=0
    )
    tournament.run(config, generator, play, min(champions, config.generations))
    return games


def _duels(config: Config, cost: GameCost) -> int:
    """Games for the places of founders: drawn ones are played again with others."""
    size = config.population.size
    return size * config.games.a_pairing * math.ceil(1 / max(1 - cost.draws, 0.05))


def play_sample(config: Config, limits: Limits, seconds: float, clock: Clock = time.process_time) -> GameCost:
    """What a game of random players costs.

    They look a ply further each time, as far as they are to look or as the time allows; what is left is concluded from
    how the cost has grown. Where they come to that depth, they play as many games as the time allows.

    Args:
        config: network, openings and rules.
        limits: how far players are to look.
        seconds: processor time to spend, about.
        clock: gives it.
    """
    generator, began = np.random.default_rng(2), clock()
    wanted = _depth(limits)
    first = wanted if wanted <= 2 else 1
    grown: list[float] = []
    cost = _play(config, replace(limits, depth=first), FIRST_GAMES, generator, clock)  # the first loads code
    for depth in range(first, wanted + 1):
        cost = _play(config, replace(limits, depth=depth), FIRST_GAMES, generator, clock)
        grown.append(cost.seconds)
        growth = min(max((grown[-1] / grown[0]) ** (1 / max(len(grown) - 1, 1)), 1.0), MOST_GROWTH)
        left = seconds - (clock() - began)
        if depth < wanted and growth * cost.seconds * FIRST_GAMES > left:
            return replace(cost, seconds=cost.seconds * growth ** (wanted - depth))
    more = min(int((seconds - (clock() - began)) / max(cost.seconds, 1e-6)), MOST_GAMES)
    return _play(config, limits, more, generator, clock) if more > FIRST_GAMES else cost


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
    )
    return GameCost((clock() - began) / games, games, _depth(limits), float((played.results == 0).mean()))


def _rating_seconds(config: Config, cost: GameCost, clock: Clock) -> float:
    """Of the games by which a champion is rated: two against each opponent tell, unless even these take too long."""
    nobody = Individual(np.zeros(config.network.weights, np.float32), "nobody", king=config.network.king)
    tasks = champion_rating.tasks(config, nobody, config.generations)
    if cost.seconds > SAMPLE_SECONDS / 4:
        return len(tasks) * config.rating.games * cost.seconds
    began = clock()
    for task in tasks:
        champion_rating.play(replace(task, games=2))
    return (clock() - began) / 2 * config.rating.games


def _words(config: Config, workers: int, seconds: float, games: int, costs: dict[int, GameCost]) -> str:
    depth, cost = max(costs.items())
    sample = f"{count_text(cost.games, 'game')} of random players took {_short(cost, depth)}"
    if cost.depth < depth:
        sample = f"{cost.games} at depth {cost.depth} tell of {_short(cost, depth)} at depth {depth}"
    where = f"on this machine with {count_text(workers, 'worker')}, if nothing else keeps it busy"
    return f"about {span_text(seconds)} {where}: {games:,} games ({sample})"


def _short(cost: GameCost, depth: int) -> str:
    return f"{1000 * cost.seconds:.2g} ms each" if cost.seconds < 0.1 else f"{cost.seconds:.2g} s each"
