"""Runs in which one network learns, written without learning, so quickly, for tests of reports and the window."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from evolve.breeding.inheritance import individual_name
from evolve.config import toml
from evolve.run import append_only, weights_file
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation, to_csv
from evolve.run.log import NETWORK_COLUMNS, RATED_COLUMNS
from evolve.run.manifest import Manifest
from evolve.session import create

LARGE = ("network={name='large',input='squares',layers=[{kind='dense',units=320},{kind='dense',units=1}]}",)
"""Settings of a network so large that its weights are in separate files."""

RATED = 2
"""One generation of this many is rated."""


def import_methods() -> None:
    """Import the methods of learning for tests, which register themselves; without learning, skip the test."""
    pytest.importorskip("extras.learning.tests.walk", reason="only the extra learning makes networks learn")


def make_learnt_run(
    folder: Path,
    name: str,
    generations: int,
    settings: Sequence[str],
    numbers: Mapping[str, Sequence[float | None]],
    preset: str = "cowan",
) -> Run:
    """Make a complete run.

    Args:
        folder: the folder of runs.
        name: the name of the run.
        generations: the number of the last generation.
        settings: settings of its configuration, including the method.
        numbers: columns of the method by generation; None, or the end of the column, means unknown.
        preset: the preset that the settings change.
    """
    import_methods()
    config = toml.load(preset, settings=[*settings, f"generations={max(generations, 1)}"])
    run = create.create(folder, name, config)
    columns = [*NETWORK_COLUMNS, *config.learning.method.columns, *RATED_COLUMNS, "seconds"]
    count = config.network.weights
    generator = np.random.Generator(np.random.Philox(1))
    known, log, hall = Manifest(), [",".join(columns) + "\n"], []
    weights = generator.uniform(-1, 1, count).astype(np.float32)
    for generation in range(generations + 1):
        weights = weights + generator.normal(0, 0.05, count).astype(np.float32)
        name_, before = individual_name(generation, 0), individual_name(generation - 1, 0)
        plays = config.learning.method.plays and generation > 0
        counts = np.array([[200, 90, 30, 80, 210] if plays else [0] * 5], np.int64)
        origin, parents = ("learnt", (before,)) if generation else ("founder", ())
        rows = Generation([name_], weights[None], np.ones(1, np.int64), [origin], [parents], counts)
        if count >= weights_file.LARGE:
            data = weights_file.to_bytes(weights, np.zeros(1, np.float32))
            weights_file.weights_path(run.generation_path(generation)).write_bytes(data)
            rows = Generation(
                [name_], weights[None, :0], rows.ranks, rows.origins, rows.parents, counts,
                genomes=[weights_file.digest(data)],
            )  # fmt: skip
        text = to_csv(rows)
        run.generation_path(generation).write_bytes(text)
        known = known.with_entry(hashlib.sha256(text).hexdigest())
        rating = 300 * (1 - np.exp(-generation / 10))
        rated = (rating, rating - 60, rating + 60) if generation % RATED == 0 else (None,) * 3
        values: dict[str, float | int | str | None] = {
            **dict.fromkeys(columns),
            **dict.fromkeys(NETWORK_COLUMNS, 0),
            **{"generation": generation, "champion": name_, "individuals": 1, "seconds": 12.5},
            **dict(zip(("games", "wins", "draws", "losses"), counts[0].tolist(), strict=False)),
            "samples": 80_000 if generation else 0,
            "loss": round(2 * np.exp(-generation / 8) + 1, 4) if generation else None,
            **{each: (column[generation] if generation < len(column) else None) for each, column in numbers.items()},
            **dict(zip(RATED_COLUMNS, rated, strict=False)),
        }
        log.append(",".join("" if (value := values[column]) is None else str(value) for column in columns) + "\n")
        hall.append(to_csv(rows, header=generation == 0, first=("generation", generation)))
    (run.path / append_only.LOG).write_text("".join(log), encoding="utf-8")
    (run.path / append_only.HALL_OF_FAME).write_bytes(b"".join(hall))
    (run.path / append_only.CHAMPIONS).write_text("", encoding="utf-8")
    known.write(run.path)
    return run
