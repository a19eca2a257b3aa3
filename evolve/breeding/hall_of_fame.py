"""The champions of all generations: opponents of later ones, and what is left of generations without weights.

``hall_of_fame.csv`` has no checksum of its own; each champion is compared with its generation, which has one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evolve.run import append_only, generation_csv
from evolve.run.files import open_regular
from evolve.run.generation_csv import Generation, genome_digest
from evolve.run.manifest import Manifest
from evolve.run.row_index import GENOME_COLUMN

if TYPE_CHECKING:
    from deap import tools

    from evolve.breeding.individual import Individual
    from evolve.run.folder import RunFolder


def same_player(one: Individual, other: Individual) -> bool:
    """Whether two individuals play alike to the bit; for `deap.tools.HallOfFame`."""
    return bool(one.king == other.king and one[0] == other[0] and np.array_equal(one, other))


def draw_champions(hall: tools.HallOfFame, count: int, generator: np.random.Generator) -> list[Individual]:
    """So many different champions of earlier generations, at random; all of them if there are fewer.

    Source: Rosin and Belew, New methods for competitive coevolution (1997).
    """
    return [hall[int(place)] for place in generator.permutation(len(hall))[:count]]


def champions(run: RunFolder, known: Manifest) -> list[Individual]:
    """The champions of all complete generations, in their order.

    Raises:
        DamagedRunError: one is not that of its generation.
        GenerationError: the file cannot be read.
    """
    from evolve.breeding.individual import Individual

    path = run.path / append_only.HALL_OF_FAME
    header, *lines = generation_csv.read_bytes(path).splitlines(keepends=True)
    count = known.newest + 1
    for generation, line in enumerate(lines[:count]):
        if not _is_champion(header, line, run.checked_bytes(known, generation)):
            raise run.damaged(append_only.HALL_OF_FAME, f"line {generation + 2} is not the champion", generation - 1)
    rows = generation_csv.parse(b"".join([header, *lines[:count]]), str(path))
    kings = np.full(count, run.network().king) if rows.kings is None else rows.kings
    made = [Individual(*each) for each in zip(rows.weights, rows.names, strict=True)]
    for champion, king in zip(made, kings, strict=True):
        champion.king, champion.fitness.values = float(king), (1.0,)
    return made


def champion_of(run: RunFolder, known: Manifest, generation: int, rows: Generation) -> Generation:
    """The best of a generation that was thinned, with its weights: one row.

    Args:
        run: the run.
        known: its manifest.
        generation: number of the generation.
        rows: the generation as it is now.

    Raises:
        DamagedRunError: the hall of fame has somebody else.
        GenerationError: it cannot be read.
    """
    path = run.path / append_only.HALL_OF_FAME
    header, line = b"", None
    with open_regular(path) as file:
        header = file.readline()
        line = next((line for line in file if line.startswith(f"{generation},".encode())), None)
    if line is None or not _is_champion(header, line, run.checked_bytes(known, generation)):
        what = f"the champion of generation {generation} is not there"
        raise run.damaged(append_only.HALL_OF_FAME, what, generation - 1)
    found = generation_csv.parse(header + line, str(path))
    return replace(rows.head(1), weights=found.weights, genomes=None)


def _is_champion(header: bytes, line: bytes, generation: bytes) -> bool:
    """Whether a line of the hall of fame is the first row of a generation file, which is a whole or a thinned one."""
    columns, best = generation.split(b"\n", 2)[:2]
    facts = header.split(b",w0,", 1)[0].count(b",") + 1  # columns before the weights
    fields = line.rstrip(b"\n").split(b",", facts)
    if len(fields) <= facts or not best.startswith(b",".join(fields[1:facts]) + b","):
        return False
    if columns.rpartition(b",")[2] != GENOME_COLUMN.encode():
        return best.endswith(b"," + fields[facts])
    try:
        weights = np.array(fields[facts].split(b","), np.float64).astype(np.float32)
    except ValueError:
        return False
    return best.rpartition(b",")[2].decode() == genome_digest(weights)
