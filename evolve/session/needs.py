"""What a session is going to need, told before it begins: memory and bytes on disk, and whether they are free."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from evolve.config.model import Config
from evolve.kinds.optimisers.genes import Genes
from evolve.session.saving import BYTES_A_ROW, generation_bytes, numbers_of, plan, run_bytes
from evolve.tournament.arena import LARGEST_TASK
from game.networks.program import program_of
from game.resources import free_memory

MEMORY_OF_SESSION, MEMORY_OF_WORKER = 170e6, 20e6
"""Bytes without any individuals, compiled code included; what processes share is counted once. Measured."""

BYTES_AN_INDIVIDUAL = 4000
"""Of memory, without its numbers: objects, names, what the process that saves knows of it. Measured."""

COPIES = 6
"""Of all weights and step sizes, 4 bytes each: bred, ranked, compared, on the way to the disk. Measured."""

SHARED_COPIES = 2
"""Of all weights in the memory that workers see: founders play for their places in twos, or champions play, too."""


def memory(config: Config, workers: int) -> float:
    """Bytes that all processes of a session will take at most, about. Nothing in it grows with the generations but
    champions of earlier ones, where they play.
    """
    size, weights, numbers = config.individuals, config.network.weights, numbers_of(config)
    champions = 4.0 * weights * config.generations if config.champions else 0.0
    texts = size * (BYTES_A_ROW + 17.0) * config.saving.newest if config.saving.thins else 0.0
    prepared = min(2 * LARGEST_TASK, size) * 4.0 * program_of(config.network).params  # players of a task
    individuals = size * (BYTES_AN_INDIVIDUAL + 4.0 * COPIES * numbers + 4.0 * SHARED_COPIES * (weights + 1))
    return MEMORY_OF_SESSION + workers * (MEMORY_OF_WORKER + prepared) + individuals + champions + texts


def needs(config: Config, workers: int, run: Path) -> list[str]:
    """What a session will need, in words, and warnings where that is not free.

    Args:
        config: of the run.
        workers: number of processes that play.
        run: its folder.
    """
    wanted = memory(config, workers)
    told = [f"{plan(config)}, {_megabytes(generation_bytes(config))} each; about {_megabytes(wanted)} of memory"]
    optimiser = config.optimiser.kind
    if not config.learns and isinstance(optimiser, Genes):
        told.append(f"{optimiser.games:,} own games before each generation, beside those that are counted")
    free = free_memory()
    if free is not None and wanted > free:
        told.append(f"warning: only {_megabytes(free)} of memory are free: fewer individuals or workers need less")
    with contextlib.suppress(OSError):
        left, all_of_it = shutil.disk_usage(run).free, run_bytes(config)
        there = sum(path.stat().st_size for path in run.glob("generation_*.csv"))
        if all_of_it - there > left:
            told.append(
                f"warning: only {_megabytes(left)} are free on the disk of {run.name}: the run stops when it is full, "
                f"and goes on with {config.verb} --resume"
            )
    return told


def briefly(config: Config, workers: int) -> str:
    """What a session will need, in a few words."""
    return f"about {_megabytes(max(run_bytes(config), 1e6))} on disk, {_megabytes(memory(config, workers))} of memory"


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size / 1e6:.2g} MB"
