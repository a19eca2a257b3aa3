"""The hall of fame: the champions of a run."""

from __future__ import annotations

import hashlib
import struct

import numpy as np

from evolve.kinds.individual import Individual
from evolve.run import generation_csv
from evolve.run.append_only import HALL_OF_FAME
from evolve.run.champions import champion_lines
from evolve.run.folder import Run
from evolve.run.manifest import Manifest


class HallOfFame:
    """The champions of a run so far; champions with equal weights and king value count once.

    DEAP's own class compares a new champion with all earlier ones, so each generation of a long run would take longer.

    Args:
        genomes: whether to keep genomes, for opponents, or only names.
    """

    def __init__(self, *, genomes: bool) -> None:
        self._genomes = genomes
        self._names: dict[bytes, str] = {}
        self._players: list[Individual] = []

    def find(self, champion: Individual) -> str:
        """Return the name of the first champion with the same genome; empty if there is none."""
        return self._names.get(_key(champion), "")

    def add(self, champion: Individual) -> None:
        key = _key(champion)
        if key not in self._names:
            self._names[key] = champion.name
            if self._genomes:
                self._players.append(Individual(champion, champion.name, king=champion.king))

    def draw(self, count: int, generator: np.random.Generator) -> list[Individual]:
        """Return `count` different champions at random, or all of them if there are fewer.

        Source: Rosin and Belew, New methods for competitive coevolution (1997).
        """
        places = generator.permutation(len(self._names))[:count]
        return [self._players[-1 - int(place)] for place in places]  # places count from the newest


def _key(champion: Individual) -> bytes:
    """Return a key that is equal for champions that play alike; -0 counts as 0."""
    return hashlib.sha256((np.asarray(champion) + np.float32(0)).tobytes() + struct.pack("d", champion.king)).digest()


def champions(run: Run, known: Manifest) -> list[Individual]:
    """Return the champions of all complete generations, in order.

    Raises:
        DamagedRunError: one is not the champion of its generation.
        GenerationError: the file cannot be read.
    """
    path = run.path / HALL_OF_FAME
    rows = generation_csv.parse(b"".join(champion_lines(run, known)), str(path))
    count = known.newest + 1
    kings = np.full(count, run.network().king) if rows.kings is None else rows.kings
    made = [Individual(*each) for each in zip(rows.weights, rows.names, strict=True)]
    for champion, king in zip(made, kings, strict=True):
        champion.king, champion.fitness.values = float(king), (1.0,)
    return made
