"""Runs of which only the configuration and the log are written: the files that comparisons of many runs read."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from evolve.breeding.inheritance import individual_name
from evolve.config import toml
from evolve.run.append_only import LOG
from evolve.run.files import CONFIG
from evolve.run.folder import FORMAT, Run
from evolve.run.log import LOG_COLUMNS
from evolve.run.manifest import Manifest

RATED = 5
"""One generation of this many is rated."""


def make_logged_run(
    runs: Path, name: str, generations: int, seed: int, *settings: str, best: float = 400.0, wide: float = 1.0
) -> Run:
    """Make a run with a log but without individuals.

    Args:
        runs: the folder of runs.
        name: the name of the run.
        generations: the number of the last generation in the log.
        seed: the seed of the run, and of the noise in its log.
        settings: settings of its configuration.
        best: the limit of its rating.
        wide: the limit of its diversity.
    """
    run = Run(runs / name)
    run.path.mkdir(parents=True)
    config = toml.load(settings=[f"generations={max(generations, 1)}", f"seed={seed}", *settings])
    (run.path / CONFIG).write_text(toml.to_toml(config, {"format": FORMAT}), encoding="utf-8")
    (run.path / LOG).write_text(f"{','.join(LOG_COLUMNS)}\n", encoding="utf-8")
    add_lines(run, range(generations + 1), seed, best=best, wide=wide)
    return run


def add_lines(run: Run, numbers: Sequence[int], seed: int, *, best: float = 400.0, wide: float = 1.0) -> None:
    known, lines = run.manifest(), []
    known = Manifest() if known.newest < 0 else known
    for number in numbers:
        draw = np.random.Generator(np.random.Philox([seed, number])).normal(size=3)
        rating = round(best * (1 - math.exp(-number / 15)) + 12 * float(draw[0]))
        rated = (rating, rating - 55, rating + 60) if number % RATED == 0 else ("", "", "")
        diversity = round(wide * (1 + 2 * math.exp(-number / 8)) + 0.05 * float(draw[1]), 4)
        lines.append(
            (number, individual_name(number, 0), 64, 900, 120 + round(9 * float(draw[2])), 0, 42_000, 3_100_000,
             41, 20.5, 3, 64, diversity, *rated, "", "", "", 12.5)
        )  # fmt: skip
        data = f"generation {number}".encode()
        run.generation_path(number).write_bytes(data)
        known = known.with_entry(hashlib.sha256(data).hexdigest())
    with (run.path / LOG).open("a", encoding="utf-8") as file:
        file.write("".join(",".join(map(str, line)) + "\n" for line in lines))
    known.write(run.path)
