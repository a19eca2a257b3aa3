"""Runs with a map of characters, written without playing: any number of members, with traits that fit their cells."""

from __future__ import annotations

import hashlib
import itertools
import random
from pathlib import Path

import numpy as np

from evolve.breeding.inheritance import individual_name
from evolve.config import toml
from evolve.run.cells import trait_columns
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation, to_csv
from evolve.run.manifest import Manifest
from evolve.session import create
from game.traits import TRAITS, TraitMap

GAMES = 40


def make_cast_run(
    folder: Path, name: str, members: int, traits: str = "back-row,pieces,centre", *, broken: str = "", seed: int = 1
) -> Run:
    """Make a run of the preset `cast` with one generation.

    Args:
        folder: the folder of runs.
        name: the name of the run.
        members: number of members, in random cells; 0 makes a run without a generation.
        traits: its map.
        broken: the cell that the second-best member has in the file instead of its own; empty to leave it.
        seed: the seed of the cells, the scores and the weights.
    """
    settings = [f'population.traits="{traits}"', f"seed={seed}"]
    run = create.create(folder, name, toml.load("cast", settings=settings))
    if not members:
        return run
    draw, cells = random.Random(seed), TraitMap.parse(traits)
    places = list(itertools.product(*(range(1, axis.cells + 1) for axis in cells.axes)))
    chosen = draw.sample(list(enumerate(places)), members)
    points = sorted((draw.randrange(GAMES // 2, 2 * GAMES - 4) for _ in chosen), reverse=True)
    values = []
    for _, cell in chosen:
        means = [trait.low + draw.random() * (trait.high - trait.low) for trait in TRAITS]
        for axis, number in zip(cells.axes, cell, strict=True):
            means[axis.trait] = axis.low + (number - draw.random()) * (axis.high - axis.low) / axis.cells
        row = [cells.name(cell).replace(",", " ")]
        values.append([*row, *(text for mean in means for text in (repr(mean), str(GAMES)))])
    if broken:
        values[1][0] = broken
    weights = np.random.Generator(np.random.Philox(seed)).uniform(-0.3, 0.3, (members, run.network().weights))
    counts = [(GAMES, won // 2, won % 2, GAMES - won // 2 - won % 2, won) for won in points]
    rows = Generation(
        [individual_name(0, number) for number, _ in chosen],
        weights.astype(np.float32),
        np.arange(1, members + 1),
        ["founder"] * members,
        [()] * members,
        np.array(counts, np.int64),
        columns=dict(zip(trait_columns(), map(list, zip(*values, strict=True)), strict=True)),
    )
    data = to_csv(rows)
    run.generation_path(0).write_bytes(data)
    Manifest().with_entry(hashlib.sha256(data).hexdigest()).write(run.path)
    return run
