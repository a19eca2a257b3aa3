"""Maps of styles, which divide the values of some traits into cells."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from game.errors import InputError, did_you_mean, one_line
from game.traits import FEW_GAMES, TRAITS, TraitMean

MOST_AXES, MOST_CELLS = 4, 4096
CELLS = 5
"""Default number of cells along an axis."""


@dataclass(frozen=True)
class Axis:
    """A trait of a map, with the range that is divided into equal cells."""

    trait: int
    low: float
    high: float
    cells: int

    @classmethod
    def parse(cls, text: str) -> Axis:
        """Read ``back-row``, or ``back-row=1:3.5:5`` with the ends of the range and the number of cells.

        Raises:
            InputError: there is no such trait, or the range is not one.
        """
        name, _, numbers = text.partition("=")
        trait = trait_index(name)
        if not numbers:
            return cls(trait, TRAITS[trait].low, TRAITS[trait].high, CELLS)
        number = r"(-?(?:[0-9]{1,9}\.?[0-9]{0,9}|\.[0-9]{1,9}))"
        match = re.fullmatch(rf"{number}:{number}:([0-9]{{1,9}})", numbers)
        low, high, cells = (float(match[1]), float(match[2]), int(match[3])) if match else (0.0, 0.0, 0)
        if not (low < high and cells):
            raise InputError(
                f"{name}: expected LOW:HIGH:CELLS with cells of a positive width, as in {name}="
                f"{TRAITS[trait].low:g}:{TRAITS[trait].high:g}:{CELLS}, got {one_line(numbers)}"
            )
        return cls(trait, low, high, cells)

    def cell(self, value: float) -> int:
        """Return the number of the cell of a value, from 1; values beyond an end belong to the cell at this end."""
        place = math.floor((value - self.low) * self.cells / (self.high - self.low))
        return min(max(place, 0), self.cells - 1) + 1


@dataclass(frozen=True)
class TraitMap:
    """A map of styles: the values of two to four traits, or of a single one, divided into cells."""

    axes: tuple[Axis, ...]

    @classmethod
    def parse(cls, text: str) -> TraitMap:
        """Read axes separated by commas, as in ``back-row,pieces=13:18:5``.

        Raises:
            InputError: a trait does not exist or is given twice, there are too many traits or cells, or a range is not
                one.
        """
        axes = tuple(map(Axis.parse, text.split(",")))
        names = [TRAITS[axis.trait].name for axis in axes]
        if len(set(names)) < len(names):
            raise InputError(f"{next(name for name in names if names.count(name) > 1)}: given twice")
        if len(axes) > MOST_AXES:
            raise InputError(f"expected at most {MOST_AXES} traits, got {len(axes)}")
        made = cls(axes)
        if made.cells > MOST_CELLS:
            raise InputError(f"expected at most {MOST_CELLS:,} cells, got {made.cells:,}")
        return made

    @property
    def names(self) -> tuple[str, ...]:
        """The traits of the numbers of a cell."""
        return tuple(TRAITS[axis.trait].name for axis in self.axes)

    @property
    def counts(self) -> tuple[int, ...]:
        """The largest value of each number of a cell."""
        return tuple(axis.cells for axis in self.axes)

    @property
    def cells(self) -> int:
        return math.prod(self.counts)

    def place(self, traits: Sequence[TraitMean]) -> tuple[int, ...] | None:
        """Return the cell of a player, one number from 1 for each of `names`; None if too few games count."""
        own = [traits[axis.trait] for axis in self.axes]
        if min(mean.games for mean in own) < FEW_GAMES:
            return None
        return tuple(axis.cell(mean.value) for axis, mean in zip(self.axes, own, strict=True))

    def name(self, cell: Sequence[int]) -> str:
        """Return the name of a cell, such as ``back-row=4,centre=1``."""
        return ",".join(f"{name}={number}" for name, number in zip(self.names, cell, strict=True))


def trait_index(name: str) -> int:
    """Return the index of a trait in `TRAITS`.

    Raises:
        InputError: there is no trait of this name; the message names the nearest one.
    """
    known = [trait.name for trait in TRAITS]
    if name in known:
        return known.index(name)
    hint = did_you_mean(name.lower(), known, 0.4)
    raise InputError(f"{one_line(name) or repr(name)}: no such trait, expected one of {', '.join(known)}{hint}")
