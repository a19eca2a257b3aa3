"""Runs with a map of characters: the golden one, which plays, and others that are written without playing.

The latter have any number of members, with traits that fit their cells.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from pathlib import Path

import numpy as np
import pytest

from evolve.breeding.inheritance import individual_name
from evolve.config import toml
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation, to_csv
from evolve.run.manifest import Manifest
from evolve.session import create
from extras.cast.trait_maps import TraitMap
from game.traits import TRAITS

GAMES = 40

TINY = (
    *("population.parents=8", "population.traits=back-row=1:3:3,pieces=13:16:3", "population.refresh=2"),
    *("search.depth=1", "search.quiescence=false", "games.max_plies=90", "rating.every=0", "saving.newest=1"),
    *("stages.0.opponents=material,depth=1", "stages.0.ballots=6", "stages.0.again=4"),
)
GOLDEN = "bed6fff8eccab2860b08265c37fedc21be652d7be9eb9b0b09f1257355ea1697"
"""The digest of the golden run."""
FOUNDED = "65afaeb6f40de0bb01470621221c61640b243346dbfd0f06b38191660d2c439d"


def begin(folder: Path, *options: str) -> list[str]:
    """Return the arguments that begin the golden run in a folder of runs."""
    settings = [part for setting in TINY for part in ("--set", setting)]
    return ["evolve", "--preset=cast", "--seed=5", "--generations=3", f"--out={folder}", "--json", *settings, *options]


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
    trait_columns = pytest.importorskip("extras.cast.members", reason="casts are an extra").trait_columns
    settings = [f'population.traits="{traits}"', f"seed={seed}"]
    run = create.create(folder, name, toml.load("cast", settings=settings))
    if not members:
        return run
    draw, cells = random.Random(seed), TraitMap.parse(traits)
    places = list(itertools.product(*(range(1, count + 1) for count in cells.counts)))
    chosen = draw.sample(list(enumerate(places)), members)
    points = sorted((draw.randrange(GAMES // 2, 2 * GAMES - 4) for _ in chosen), reverse=True)
    values = []
    for _, cell in chosen:
        means = [trait.low + draw.random() * (trait.high - trait.low) for trait in TRAITS]
        for at, axis in enumerate(cells.axes):
            share = (cell[at] - draw.random()) / axis.cells
            means[axis.trait] = axis.low + share * (axis.high - axis.low)
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
