"""Estimates of the time, memory and disk space that a session needs.

The time of each generation is that of the forecast that the kind of run names (`RunKind.forecast`).
"""

from __future__ import annotations

import contextlib
import shutil
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.model import Config
from evolve.config.search import MAX_GENERATIONS
from evolve.session.compiled_code import load_steps
from evolve.session.saving import BYTES_A_ROW, generation_bytes, numbers_of, plan, run_bytes
from evolve.tournament.arena import LARGEST_TASK
from game.compiled import compiling
from game.installation import free_memory, imported
from game.networks.evaluator import program_of
from game.number_text import count_text, span_text

if TYPE_CHECKING:
    from evolve.session.forecast import Forecast

SAMPLE_SECONDS, LONG_SAMPLE_SECONDS = 0.3, 3.0
"""Approximate time spent on measuring the cost of games before a session, and for an estimate alone."""
COMPILING_SECONDS = 10.0
DOUBT, GUESSED_DOUBT = 1.5, 3.0
"""Factor by which sessions of other seeds took more or less than the time expected from games of all depths that were
played, and from others (docs/presets.md)."""


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
    forecast: Forecast = imported(config.kind.forecast)(config, workers, range(first, last + 1), seconds * compiled)
    if within is not None:  # code is compiled once, and that time is not part of the session's
        last, total, games = forecast.fitting(first, within)
    else:
        total, games = deque(forecast.sums(first, last, timed=False), maxlen=1)[0]
    total += COMPILING_SECONDS * (not compiled)
    about = f"about {span_text(total)}" if round(total) else "less than 1 s"
    doubt = DOUBT if forecast.is_measured else GUESSED_DOUBT
    between = total / doubt, total * doubt
    brief = f"{about} with {count_text(workers, 'worker')}, {games:,} games"
    if within is None and round(total):  # a session of a chosen time keeps to it
        about += " ({} to {})".format(*map(span_text, between))
    sample = forecast.sample
    if not compiled:
        sample += f", and {COMPILING_SECONDS:.0f} s to compile the code; later estimates are better"
    where = f"on this machine with {count_text(workers, 'worker')}, if it stays as busy as now"
    return TimeEstimate(total, games, f"{about} {where}: {games:,} games ({sample})", brief, last, forecast, between)


def why_unknown(config: Config) -> str:
    """Return why the time of a run cannot be estimated; empty if it can."""
    if not config.kind.forecast:
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
