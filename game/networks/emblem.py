"""Emblems: a network as a small coat of arms, by which people recognise an individual."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from game.networks.first_layer import Picture

SIDE = 4
"""Number of fields of an emblem in each direction."""

LEVELS = 4
"""Number of shades of its fields."""

TINCTURES, METALS = 8, 6
"""Number of colours of emblems."""


@dataclass(frozen=True)
class Emblem:
    """A coat of arms: what a network gives for the parts of the board, in shades of one colour.

    Attributes:
        fields: shades of the fields, 0 (worth least) to `LEVELS` - 1, from the opponent's side of the board down.
        tincture: number of its colour, from 0; individuals of one run share it.
    """

    fields: tuple[tuple[int, ...], ...]
    tincture: int = 0

    @property
    def metal(self) -> int:
        """The number of its lightest shade, which follows from its fields and tells individuals of one run apart."""
        return zlib.crc32(bytes(shade for line in self.fields for shade in line)) % METALS


def emblem_of(pictures: Sequence[Picture], family: str) -> Emblem | None:
    """Return the emblem of a network by its pictures (`first_layer`); None without any.

    Its fields are parts of the board, if the first picture is one, else of the picture.

    Args:
        family: the name of its run, which determines the colour.
    """
    return _emblem(pictures[0], family) if pictures else None


@lru_cache(maxsize=64)
def _emblem(picture: Picture, family: str) -> Emblem:
    return Emblem(_shades(_fields(picture)), zlib.crc32(family.encode()) % TINCTURES)


def _fields(picture: Picture) -> list[list[float]]:
    columns, rows = picture.size
    across, down = min(columns, SIDE), min(rows, SIDE)
    sums = [[0.0] * across for _ in range(down)]
    counts = [[0] * across for _ in range(down)]
    for y, row in enumerate(picture.rows):
        for x, value in enumerate(row):
            if value is not None:
                sums[y * down // rows][x * across // columns] += value
                counts[y * down // rows][x * across // columns] += 1
    return [
        [total / max(count, 1) for total, count in zip(line, numbers, strict=True)]
        for line, numbers in zip(sums, counts, strict=True)
    ]


def _shades(fields: Sequence[Sequence[float]]) -> tuple[tuple[int, ...], ...]:
    """Return the rank of each field among all, in equal groups, so that every emblem uses every shade."""
    order = sorted(value for line in fields for value in line)
    return tuple(tuple(order.index(value) * LEVELS // len(order) for value in line) for line in fields)
