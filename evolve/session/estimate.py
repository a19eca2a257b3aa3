"""Estimates of the time, memory and disk space that a session needs.

The games of each generation are counted, and what they cost is measured on this machine by the class that the kind of
run names (`RunKind.costs`). Time to breed, to save and to rate champions is added.
"""

from __future__ import annotations

import contextlib
import shutil
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.model import Config
from evolve.config.search import MAX_GENERATIONS
from evolve.session import champion_rating
from evolve.session.compiled_code import load_steps
from evolve.session.game_costs import measure_slowness
from evolve.session.saving import BYTES_A_ROW, generation_bytes, numbers_of, plan, run_bytes
from evolve.tournament.arena import LARGEST_TASK
from game.compiled import compiling
from game.installation import free_memory, imported
from game.networks.evaluator import program_of
from game.number_text import count_text, span_text

if TYPE_CHECKING:
    from evolve.session.game_costs import Costs

SAMPLE_SECONDS, LONG_SAMPLE_SECONDS = 0.3, 3.0
"""Approximate time spent on measuring the cost of games before a session, and for an estimate alone."""
SECONDS_A_BYTE, SECONDS_A_GENERATION = 3e-8, 0.02
"""Measured time to breed and save a generation: per byte, plus a constant."""
COMPILING_SECONDS = 10.0
DOUBT, GUESSED_DOUBT = 1.5, 3.0
"""Factor by which sessions of other seeds took more or less than the time expected from games of all depths that were
played, and from others (docs/presets.md)."""
FREE = 0.9
"""The machine counts as busy if a process gets a smaller share of a core."""


@dataclass(frozen=True)
class Forecast:
    """The expected time of each generation of a session.

    Attributes:
        slowness: the factor by which this machine is slower than the one where the figures were measured.
    """

    config: Config
    costs: Costs
    slowness: float
    first: int = 0

    def seconds(self, generation: int) -> float:
        beside = SECONDS_A_GENERATION + SECONDS_A_BYTE * generation_bytes(self.config)
        once = self.costs.once if generation == self.first else 0.0
        return self.costs.seconds(generation) + (beside + once) * self.slowness

    def rating(self, generation: int) -> float:
        return self.costs.rating(generation) if self.config.rating.every else 0.0

    def sums(self, first: int, last: int, *, timed: bool) -> Iterator[tuple[float, int]]:
        """Yield the time and the games from the first generation to each, if this is the last one."""
        total, games = 0.0, 0
        for generation in range(first, last + 1):
            total += self.seconds(generation)
            games += self.costs.games(generation)
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


@dataclass(frozen=True)
class TimeEstimate:
    """The expected time of a session and the range in which it is, as far as they are known, and its games.

    Attributes:
        forecast: the time of each generation; None if unknown, or if none is to come.
    """

    seconds: float | None
    games: int
    words: str
    brief: str
    last: int
    forecast: Forecast | None = None
    between: tuple[float, float] | None = None


def estimate(
    config: Config, workers: int, done: int = -1, seconds: float = SAMPLE_SECONDS, within: float | None = None
) -> TimeEstimate:
    """Estimate the time of the remaining generations on this machine, if its load stays the same.

    Args:
        seconds: approximate time to spend on measuring.
        within: choose the last generation so that the session takes about so many seconds; None for the configured one.
    """
    unknown = why_unknown(config)
    if unknown:
        text = "time: unknown before the start"
        return TimeEstimate(None, 0, f"{text}, {unknown}", text, config.generations)
    first, last = done + 1, MAX_GENERATIONS if within is not None else config.generations
    if first > last:
        none = "time: none, all generations are complete"
        return TimeEstimate(0.0, 0, none, none, last)
    compiled = all(compiling.is_there(load) for load in load_steps(config).values())
    slowness = measure_slowness()
    costs: Costs = imported(config.kind.costs)(
        config, workers, range(first, last + 1), compiled=compiled, slowness=slowness, seconds=seconds
    )
    forecast = Forecast(config, costs, slowness, first)
    if within is not None:  # code is compiled once, and that time is not part of the session's
        last, total, games = forecast.fitting(first, within)
    else:
        total, games = deque(forecast.sums(first, last, timed=False), maxlen=1)[0]
    compiling_seconds = 0.0 if compiled else COMPILING_SECONDS * slowness
    total += compiling_seconds
    about = f"about {span_text(total)}" if round(total) else "less than 1 s"
    doubt = DOUBT if costs.played else GUESSED_DOUBT
    between = total / doubt, total * doubt
    brief = f"{about} with {count_text(workers, 'worker')}, {games:,} games"
    where = f"on this machine with {count_text(workers, 'worker')}"
    busy = (
        f"as long as other programs leave it {100 * costs.share:.0f} % of each core"
        if costs.share < FREE
        else "if nothing else keeps it busy"
    )
    sample = costs.sample
    if not compiled:
        sample += f", and {compiling_seconds:.0f} s to compile the code; later estimates are better"
    if within is None and round(total):  # a session of a chosen time keeps to it
        about += " ({} to {})".format(*map(span_text, between))
    words = f"{about} {where}, {busy}: {games:,} games ({sample})"
    return TimeEstimate(total, games, words, brief, last, forecast, between)


def why_unknown(config: Config) -> str:
    """Return why the time of a run cannot be estimated; empty if it can."""
    if not config.kind.costs:
        return "the first generation will show it"
    if config.plugins.files:
        return "since your own code takes part"
    if config.predicts:
        return "since players also learn from their own games; the first generation will show it"
    if config.games.adjudicate:
        from game.endgame.tables import are_built

        if not are_built(config.games.adjudicate):
            return "since tablebases have to be prepared first; the first generation will show it"
    return ""


MEMORY_OF_SESSION, MEMORY_OF_WORKER = 170e6, 20e6
"""Measured bytes, including compiled code but not individuals; memory that processes share is counted once."""

BYTES_AN_INDIVIDUAL = 4000
"""Measured bytes of an individual's objects and names; its weights are counted apart."""

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
    wanted = memory(config, workers)
    messages = [f"{plan(config)}, {_megabytes(generation_bytes(config))} each; about {_megabytes(wanted)} of memory"]
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
