"""Estimates of the time, memory and disk space that a session needs.

The games of a generation are counted, and a few are played to measure the processor time per game. The total is divided
by the number of workers and, if the machine is busy, by the share of a core that this process had during the
measurement. Before the code of a session is compiled, the cost of a game is guessed from measured costs of searches.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evolve.breeding.individual import Individual
from evolve.config import anchors
from evolve.config.model import Config
from evolve.kinds.pairing import Indexes, Scores
from evolve.kinds.stages import HALL_OF_FAME
from evolve.session import champion_rating
from evolve.session.compiled_code import load_steps
from evolve.session.saving import BYTES_A_ROW, generation_bytes, numbers_of, plan, run_bytes
from evolve.tournament import tournament
from evolve.tournament.arena import LARGEST_TASK, ballots
from game.batch.games import BatchPlayers, play_all
from game.compiled import compiling
from game.installation import free_memory
from game.networks.evaluator import program_of
from game.number_text import count_text, span_text
from game.search.interface import Limits

SAMPLE_SECONDS = 0.3
"""Approximate processor time spent on measuring the cost of games."""
FIRST_GAMES, MOST_GAMES = 4, 128
SECONDS_A_BYTE, SECONDS_A_GENERATION = 3e-8, 0.02
"""Measured time to breed and save a generation: per byte, plus a constant."""
USUAL_DRAWS = 0.3
"""Assumed share of draws for counting the games of a tournament, in which pairs may play again after a draw."""
MOST_GROWTH = 8.0
"""Upper limit of the factor by which each further ply multiplies the cost of a game in an extrapolation."""

STEPS, STEPS_SECONDS = 2_000_000, 0.15
"""Steps of the loop that measures the speed of this machine, and its time on the machine where the figures below were
measured."""
EVALUATIONS = 290
"""Evaluations in a game of random players at one ply."""
GROWTH, BLONDIE_GROWTH = 4.8, 3.4
"""Factors by which each further ply multiplies evaluations, in general and with Blondie24's search."""
SECONDS_AN_EVALUATION, SECONDS_A_MULTIPLICATION, SECONDS_AN_ANCHOR = 2.5e-7, 2e-10, 3e-4
"""Seconds for an evaluation without its network, for a multiplication after the first layer, and for an anchor's moves
in a game."""
COMPILING_SECONDS = 10.0
FREE = 0.9
"""The machine counts as busy if this process gets a smaller share of a core."""

Clock = Callable[[], float]


@dataclass(frozen=True)
class GameCost:
    """The cost of a game.

    Attributes:
        seconds: processor time.
        games: number of games played to measure it; 0 for a guess.
        depth: search depth of their players, in plies.
        draws: share of drawn games.
    """

    seconds: float
    games: int
    depth: int
    draws: float


@dataclass(frozen=True)
class TimeEstimate:
    """The expected time and games of a session.

    Attributes:
        seconds: expected time; None if unknown.
        games: expected number of games.
        words: a description of both, and of how they were estimated.
        brief: a description of both in a few words.
    """

    seconds: float | None
    games: int
    words: str
    brief: str


def estimate(config: Config, workers: int, done: int = -1, clock: Clock = time.process_time) -> TimeEstimate:
    """Estimate the time of the remaining generations on this machine, if its load stays the same.

    Args:
        config: the configuration of the run.
        workers: number of processes that play.
        done: the newest complete generation; -1 if there is none.
        clock: returns seconds of processor time.
    """
    unknown = _why_unknown(config)
    if unknown:
        return TimeEstimate(None, 0, f"time: unknown before the start, {unknown}", "time: unknown before the start")
    coming = range(done + 1, config.generations + 1)
    if not coming:
        none = "time: none, all generations are complete"
        return TimeEstimate(0.0, 0, none, none)
    limits = {_depth(limit): limit for limit in map(config.search.limits, coming)}
    compiled = all(compiling.is_there(load) for load in load_steps(config).values())
    began, since = clock(), time.monotonic()
    if compiled:
        costs = {
            depth: play_sample(config, limit, SAMPLE_SECONDS / len(limits), clock) for depth, limit in limits.items()
        }
    else:
        slowness = _slowness(clock)
        costs = {depth: _guess(config, depth, slowness) for depth in limits}
    share = _share(clock() - began, time.monotonic() - since)
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
    overhead = len(coming) * (SECONDS_A_GENERATION + SECONDS_A_BYTE * generation_bytes(config))
    overhead += 0.0 if compiled else COMPILING_SECONDS * slowness
    total = (seconds / workers + overhead) / (share if share < FREE else 1.0)
    about = f"about {span_text(total)}" if round(total) else "less than 1 s"
    brief = f"{about} with {count_text(workers, 'worker')}, {games:,} games"
    where = f"on this machine with {count_text(workers, 'worker')}"
    busy = (
        f"if other programs go on leaving it {100 * share:.0f} % of a core"
        if share < FREE
        else "if nothing else keeps it busy"
    )
    return TimeEstimate(total, games, f"{about} {where}, {busy}: {games:,} games ({_sample(costs)})", brief)


def _depth(limits: Limits) -> int:
    """Return the depth of search limits; individuals always have one."""
    return limits.depth or 1


def _why_unknown(config: Config) -> str:
    if config.kind.duration:
        return config.kind.duration
    if config.plugins.files:
        return "since your own code takes part"
    if config.optimiser.kind.makes or config.predicts:
        return "since players also learn from their own games; the first generation will show it"
    if config.games.openings == "middle" or config.games.adjudicate:
        return "since openings or tablebases have to be prepared first; the first generation will show it"
    return ""


def count_games(config: Config) -> int:
    """Return the approximate number of games in a generation, from a tournament with random results."""
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
    """Return the number of games in which founders compete for places; after a draw, two other founders play."""
    size = config.population.size
    return size * config.games.a_pairing * math.ceil(1 / max(1 - cost.draws, 0.05))


def _share(processor_seconds: float, seconds: float) -> float:
    return min(max(processor_seconds / max(seconds, 1e-9), 0.01), 1.0)


def _slowness(clock: Clock) -> float:
    """Return the factor by which this machine is slower than the one on which the figures were measured."""
    began = clock()
    word = 0
    for step in range(STEPS):
        word ^= step * step
    return (clock() - began) / STEPS_SECONDS


def _guess(config: Config, depth: int, slowness: float) -> GameCost:
    """Guess the cost of a game of random players before its code is compiled."""
    multiplications = sum(config.network.multiplications()[1:])
    evaluation = SECONDS_AN_EVALUATION + SECONDS_A_MULTIPLICATION * multiplications
    growth = BLONDIE_GROWTH if config.search.style().blondie else GROWTH
    return GameCost(EVALUATIONS * growth ** (depth - 1) * evaluation * slowness, 0, depth, USUAL_DRAWS)


def play_sample(config: Config, limits: Limits, seconds: float, clock: Clock = time.process_time) -> GameCost:
    """Measure the cost of a game of random players.

    A few games are played at each depth in turn, up to the depth of `limits`. If time runs out before, the cost at this
    depth is extrapolated from the growth so far. Time left at the full depth is used for further games.

    Args:
        config: network, openings and rules.
        limits: search limits of the players.
        seconds: approximate processor time to spend.
        clock: returns seconds of processor time.
    """
    generator, began = np.random.default_rng(2), clock()
    wanted = _depth(limits)
    first = wanted if wanted <= 2 else 1
    grown: list[float] = []
    cost = _play(config, replace(limits, depth=first), FIRST_GAMES, generator, clock)  # not counted: it loads code
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
    """Return the time to rate a champion, measured with two games against each anchor if these are short enough."""
    if not cost.games:
        played = len(anchors.parse_session_anchors(config.rating.anchors)) * config.rating.games
        return played * (cost.seconds / 2 + SECONDS_AN_ANCHOR)
    blank = Individual(np.zeros(config.network.weights, np.float32), "blank", king=config.network.king)
    tasks = champion_rating.tasks(config, blank, config.generations)
    if cost.seconds > SAMPLE_SECONDS / 4:
        return len(tasks) * config.rating.games * cost.seconds
    began = clock()
    for task in tasks:
        champion_rating.play(replace(task, games=2))
    return (clock() - began) / 2 * config.rating.games


def _sample(costs: dict[int, GameCost]) -> str:
    depth, cost = max(costs.items())
    if not cost.games:
        return (
            f"a guess of {_short(cost)}, and {COMPILING_SECONDS:.0f} s to compile the code; later estimates are better"
        )
    if cost.depth < depth:
        return f"{cost.games} games at depth {cost.depth} suggest {_short(cost)} at depth {depth}"
    return f"{count_text(cost.games, 'game')} of random players took {_short(cost)}"


def _short(cost: GameCost) -> str:
    return f"{1000 * cost.seconds:.2g} ms each" if cost.seconds < 0.1 else f"{cost.seconds:.2g} s each"


MEMORY_OF_SESSION, MEMORY_OF_WORKER = 170e6, 20e6
"""Measured bytes, including compiled code but not individuals; memory that processes share is counted once."""

BYTES_AN_INDIVIDUAL = 4000
"""Measured bytes of an individual's objects and names, also in the saving process; its weights are counted apart."""

COPIES = 6
"""Measured copies of all weights and step sizes (4 bytes each), for breeding, ranking, statistics and saving."""

SHARED_COPIES = 2
"""Copies of all weights in shared memory: two founders play for each place, and earlier champions may play."""


def memory(config: Config, workers: int) -> float:
    """Return the approximate peak memory of all processes of a session, in bytes.

    It grows with the number of generations only if champions of earlier generations play.
    """
    size, weights, numbers = config.individuals, config.network.weights, numbers_of(config)
    champions = 4.0 * weights * config.generations if config.champions else 0.0
    texts = size * (BYTES_A_ROW + 17.0) * config.saving.newest if config.saving.thins else 0.0
    prepared = min(2 * LARGEST_TASK, size) * 4.0 * program_of(config.network).params  # players of a task
    individuals = size * (BYTES_AN_INDIVIDUAL + 4.0 * COPIES * numbers + 4.0 * SHARED_COPIES * (weights + 1))
    return MEMORY_OF_SESSION + workers * (MEMORY_OF_WORKER + prepared) + individuals + champions + texts


def needs(config: Config, workers: int, run: Path) -> list[str]:
    """Describe the needs of a session, and warn if memory or disk space is short."""
    wanted = memory(config, workers)
    messages = [f"{plan(config)}, {_megabytes(generation_bytes(config))} each; about {_megabytes(wanted)} of memory"]
    if config.optimiser.kind.own_games:
        messages.append(
            f"{config.optimiser.kind.own_games:,} own games before each generation, in addition to those counted"
        )
    free = free_memory()
    if free is not None and wanted > free:
        messages.append(f"warning: only {_megabytes(free)} of memory are free: fewer individuals or workers need less")
    with contextlib.suppress(OSError):
        left, needed = shutil.disk_usage(run).free, run_bytes(config)
        saved = sum(path.stat().st_size for path in run.glob("generation_*.csv"))
        if needed - saved > left:
            messages.append(
                f"warning: only {_megabytes(left)} are free on the disk of {run.name}: the run stops when it is full, "
                f"and goes on with {config.verb} --resume"
            )
    return messages


def briefly(config: Config, workers: int) -> str:
    return f"about {_megabytes(max(run_bytes(config), 1e6))} on disk, {_megabytes(memory(config, workers))} of memory"


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size / 1e6:.2g} MB"
