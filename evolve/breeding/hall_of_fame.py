"""The champions of earlier generations: whether a champion is one of them, and as opponents of later ones."""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

import numpy as np

from evolve.run import generation_csv
from evolve.run.append_only import HALL_OF_FAME
from evolve.run.champions import champion_lines
from evolve.run.manifest import Manifest

if TYPE_CHECKING:
    from evolve.breeding.individual import Individual
    from evolve.run.folder import Run


class HallOfFame:
    """The champions of a run as far as it has come, players that are alike to the bit only once.

    `deap.tools.HallOfFame` compares a new champion with each of the others, for which a long run pays in every
    generation; here they are found by their weights.

    Args:
        genomes: keep them, for opponents; otherwise only names.
    """

    def __init__(self, *, genomes: bool) -> None:
        self._genomes = genomes
        self._names: dict[bytes, str] = {}
        self._players: list[Individual] = []

    def find(self, champion: Individual) -> str:
        """The name that the same player had when it was champion first; empty if it is a new one."""
        return self._names.get(_key(champion), "")

    def add(self, champion: Individual) -> None:
        """Take a champion in, unless the same player is there."""
        from evolve.breeding.individual import Individual

        key = _key(champion)
        if key not in self._names:
            self._names[key] = champion.name
            if self._genomes:
                self._players.append(Individual(champion, champion.name, king=champion.king))

    def draw(self, count: int, generator: np.random.Generator) -> list[Individual]:
        """So many different ones at random; all of them if there are fewer.

        Source: Rosin and Belew, New methods for competitive coevolution (1997).
        """
        places = generator.permutation(len(self._names))[:count]
        return [self._players[-1 - int(place)] for place in places]  # counted from the newest


def _key(champion: Individual) -> bytes:
    """The same for players that are alike, of whom one may have 0 where another one has -0."""
    return hashlib.sha256((np.asarray(champion) + np.float32(0)).tobytes() + struct.pack("d", champion.king)).digest()


def champions(run: Run, known: Manifest) -> list[Individual]:
    """The champions of all complete generations, in their order.

    Raises:
        DamagedRunError: one is not that of its generation.
        GenerationError: the file cannot be read.
    """
    from evolve.breeding.individual import Individual

    path = run.path / HALL_OF_FAME
    rows = generation_csv.parse(b"".join(champion_lines(run, known)), str(path))
    count = known.newest + 1
    kings = np.full(count, run.network().king) if rows.kings is None else rows.kings
    made = [Individual(*each) for each in zip(rows.weights, rows.names, strict=True)]
    for champion, king in zip(made, kings, strict=True):
        champion.king, champion.fitness.values = float(king), (1.0,)
    return made
