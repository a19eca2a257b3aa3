"""Runs with names and parents as breeding would give them, but without weights; any number of generations is quick."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from evolve.breeding.inheritance import individual_name
from evolve.config import toml
from evolve.run.folder import Run
from evolve.run.manifest import Manifest
from evolve.session import create

HEADER = "name,rank,origin,parents,games,wins,draws,losses,points,genome"

Row = tuple[str, str, tuple[str, ...]]
"""Name, origin, parents."""


def make_family_run(
    folder: Path,
    name: str,
    generations: int,
    *,
    parents: int = 4,
    recombine: bool = True,
    survive: float = 0.5,
    quiet: Sequence[int] = (),
    seed: int = 1,
) -> Run:
    """Make a run of the preset `cowan` without weights.

    Args:
        folder: the folder of runs.
        name: the name of the run.
        generations: the number of the last generation.
        parents: the number of parents of each generation.
        recombine: whether pairs of parents have children.
        survive: the probability that a survivor ranks before all new individuals.
        quiet: generations whose first rows are all survivors.
        seed: the seed of the ranks and of the run.
    """
    sizes = f"population={{parents={parents},recombine={'true' if recombine else 'false'},mutants=1}}"
    stages = 'stages=[{kind="elimination",rounds=1},{kind="round-robin"}]'
    run = create.create(folder, name, toml.load(settings=[sizes, stages, f"generations={generations}", f"seed={seed}"]))
    draw, known, best = random.Random(seed), Manifest(), list[str]()
    for generation in range(generations + 1):
        rows = _bred(generation, best, parents, recombine=recombine)
        ranks = {row[0]: draw.random() for row in rows}
        for row in rows:
            if row[1] == "survivor" and (generation in quiet or draw.random() < survive):
                ranks[row[0]] -= 1
        rows.sort(key=lambda row: ranks[row[0]])
        best = [row[0] for row in rows[:parents]]
        lines = [HEADER, *(_line(rank, *row) for rank, row in enumerate(rows, 1)), ""]
        data = "\n".join(lines).encode()
        run.generation_path(generation).write_bytes(data)
        known = known.with_entry(hashlib.sha256(data).hexdigest())
    known.write(run.path)
    return run


def _line(rank: int, name: str, origin: str, parents: tuple[str, ...]) -> str:
    return f"{name},{rank},{origin},{' '.join(parents)},30,{30 - rank % 30},0,{rank % 30},{90 - rank},{rank:016x}"


def _bred(generation: int, best: Sequence[str], parents: int, *, recombine: bool) -> list[Row]:
    """Return all individuals of a generation, in the order of breeding."""
    pairs = [*combinations(best, 2)] if generation else [("", "")] * (parents * (parents - 1) // 2)
    made: list[tuple[str, tuple[str, ...]]] = [("survivor", (each,)) for each in best or [""] * parents]
    if recombine:
        made += [("recombined", pair) for pair in pairs for _ in range(2)]
    made += [("mutated", sources) for _, sources in made]
    named = [(individual_name(generation, at), *each) for at, each in enumerate(made)]
    return named if generation else [(name, "founder", ()) for name, _, _ in named]
