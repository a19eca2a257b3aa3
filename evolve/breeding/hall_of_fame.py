"""The champions of earlier generations: whether a champion is one of them, and as opponents of later ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolve.run import generation_csv, hall_of_fame
from evolve.run.append_only import HALL_OF_FAME
from evolve.run.manifest import Manifest

if TYPE_CHECKING:
    from deap import tools

    from evolve.breeding.individual import Individual
    from evolve.run.folder import RunFolder


def same_player(one: Individual, other: Individual) -> bool:
    """Whether two individuals play alike to the bit; for `deap.tools.HallOfFame`."""
    return bool(one.king == other.king and one[0] == other[0] and np.array_equal(one, other))


def find(hall: tools.HallOfFame, champion: Individual) -> Individual | None:
    """The same player among earlier champions, with the name that it had first; None if it is a new one."""
    return next((each for each in hall if same_player(each, champion)), None)


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

    path = run.path / HALL_OF_FAME
    rows = generation_csv.parse(b"".join(hall_of_fame.champion_lines(run, known)), str(path))
    count = known.newest + 1
    kings = np.full(count, run.network().king) if rows.kings is None else rows.kings
    made = [Individual(*each) for each in zip(rows.weights, rows.names, strict=True)]
    for champion, king in zip(made, kings, strict=True):
        champion.king, champion.fitness.values = float(king), (1.0,)
    return made
