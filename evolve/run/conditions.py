"""How the generations of a run were played: the configuration and searches of each, and what a branch may change.

A run that branched off another has copies of its first generations, which were played with other values:
``config_0020.toml`` holds those of the generations up to 20.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evolve.run.append_only import whole_number
from evolve.run.files import RunError
from game.endgame.slices import MOST_PIECES
from game.search.limits import Limits, SearchOptions
from game.toml_file import quote_value

if TYPE_CHECKING:
    from evolve.config.model import Config
    from evolve.config.search import Search


def earlier_name(last: int) -> str:
    """File name of what generations up to this one were played with."""
    return f"config_{last:04d}.toml"


def earlier_configs(folder: Path) -> list[tuple[int, Path]]:
    """The files of a run folder, each with the last generation that it is of, in this order."""
    found = []
    for path in folder.glob("config_*.toml"):
        last = whole_number(path.stem.removeprefix("config_").encode("utf-8", "replace"))
        if last >= 0 and path.name == earlier_name(last):
            found.append((last, path))
    return sorted(found)


FAITHFUL = ("cowan", "cowan-ballots", "blondie24", "blondie24-1999", "league")
"""Presets whose individuals play as those did whose experiment they repeat, which had no tablebases."""


class PlayConditions(NamedTuple):
    """What decides, apart from the network, which moves an individual finds.

    Attributes:
        limits: what ends its searches.
        style: options of its searches, those of the table included.
    """

    limits: Limits
    style: SearchOptions

    @classmethod
    def of(cls, search: Search, generation: int) -> PlayConditions:
        """Those of a generation; a run may look deeper in later ones."""
        return cls(search.limits(generation), search.style())

    @classmethod
    def usual(cls, config: Config, generation: int) -> PlayConditions:
        """Those in games with people and other programs: as it evolved, with all tablebases unless it is faithful."""
        how = cls.of(config.search, generation)
        if config.preset in FAITHFUL:
            return how
        return how._replace(style=replace(how.style, tablebase=MOST_PIECES))


KEPT = "population.mean", "optimiser.kind", "learning.method"
"""What decides how the rows of a generation are read, so that the next one comes from them."""


class SameBytesError(RunError):
    """A branch that would be what its run is already."""


def check_branch(before: Config, config: Config, name: str, generation: int) -> None:
    """Refuse values that a branch cannot have.

    Args:
        before: the configuration of the run that it comes from.
        config: that of the branch.
        name: of the run.
        generation: the last that they have in common.

    Raises:
        SameBytesError: nothing would differ.
        RunError: values that do not fit the rows of the run, or no generation to come.
    """
    from evolve.config.begun import deciding_values

    old, new = deciding_values(before), deciding_values(config)
    for key in KEPT:
        if old.get(key) != new.get(key):
            raise RunError(f"{key}: a branch keeps that of {name}, {quote_value(old.get(key))}")
    if config.network != before.network:
        raise RunError(f"network: a branch keeps that of {name}, {before.network.name}")
    if old == new:
        raise SameBytesError(
            f"{name}@{generation}: with the same values and seed all generations would be the same bytes "
            "again: give another --seed, or a value by --set"
        )
    if config.generations <= generation:
        raise RunError(f"generations: expected more than the {generation} of the branch, got {config.generations}")
