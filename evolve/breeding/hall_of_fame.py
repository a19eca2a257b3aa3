"""The hall of fame: the champions of a run."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable

import numpy as np
from deap import tools

from evolve.kinds.individual import Individual
from evolve.run import generation_csv
from evolve.run.append_only import HALL_OF_FAME
from evolve.run.champions import champion_lines
from evolve.run.folder import Run
from evolve.run.manifest import Manifest


class HallOfFame(tools.HallOfFame):  # type: ignore[misc]
    """The champions of a run so far, the newest first; champions with equal weights and king value count once.

    Args:
        maxsize: how many of the newest keep their genomes, as opponents; names are kept for all.
    """

    def __init__(self, maxsize: int = 1) -> None:
        super().__init__(maxsize)
        self._names: dict[bytes, str] = {}

    def find(self, champion: Individual) -> str:
        """Return the name of the first champion with the same genome; empty if there is none."""
        return self._names.get(_key(champion), "")

    def update(self, champions: Iterable[Individual]) -> None:
        # DEAP's own method compares a champion with all earlier ones, so each generation of a long run would take
        # longer. Without fitness all are equal, since ranks in different generations cannot be compared.
        for champion in champions:
            key = _key(champion)
            if key not in self._names:
                self._names[key] = champion.name
                if len(self) == self.maxsize:
                    self.remove(-1)
                self.insert(Individual(champion, champion.name, king=champion.king))

    def draw(self, count: int, generator: np.random.Generator) -> list[Individual]:
        """Return `count` different champions at random, or all of them if there are fewer.

        Source: Rosin and Belew, New methods for competitive coevolution (1997).
        """
        return [self[int(place)] for place in generator.permutation(len(self))[:count]]


def _key(champion: Individual) -> bytes:
    """Return a key that is equal for champions that play alike; -0 counts as 0."""
    return hashlib.sha256((np.asarray(champion) + np.float32(0)).tobytes() + struct.pack("d", champion.king)).digest()


def champions(run: Run, known: Manifest) -> list[Individual]:
    """Return the champions of all complete generations, in order."""
    path = run.path / HALL_OF_FAME
    rows = generation_csv.parse(b"".join(champion_lines(run, known)), str(path))
    count = known.newest + 1
    kings = np.full(count, run.network().king) if rows.kings is None else rows.kings
    made = [Individual(*each) for each in zip(rows.weights, rows.names, strict=True)]
    for champion, king in zip(made, kings, strict=True):
        champion.king = float(king)
    return made
