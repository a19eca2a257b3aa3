"""The conditions of play in a run: configurations and searches of its generations, and values that a branch may change.

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
from game.search.interface import Limits, SearchOptions
from game.toml_file import quote_value

if TYPE_CHECKING:
    from evolve.config.model import Config
    from evolve.config.search import Search


def earlier_name(last: int) -> str:
    """Return the file name of the configuration of the generations up to this one."""
    return f"config_{last:04d}.toml"


def earlier_configs(folder: Path) -> list[tuple[int, Path]]:
    """Return the earlier configurations in a run folder, each with the last generation that was played with it, in
    order.
    """
    found = []
    for path in folder.glob("config_*.toml"):
        last = whole_number(path.stem.removeprefix("config_").encode("utf-8", "replace"))
        if last >= 0 and path.name == earlier_name(last):
            found.append((last, path))
    return sorted(found)


FAITHFUL = ("cowan", "cowan-ballots", "blondie24", "blondie24-1999", "league")
"""Presets that repeat published experiments, in which individuals had no tablebases."""


class PlayConditions(NamedTuple):
    """The settings, apart from the network, on which the moves of an individual depend.

    Attributes:
        limits: of its searches.
        style: options of its searches, including the transposition table.
    """

    limits: Limits
    style: SearchOptions

    @classmethod
    def of(cls, search: Search, generation: int) -> PlayConditions:
        """Return those of a generation; a run may search deeper in later ones."""
        return cls(search.limits(generation), search.style())

    @classmethod
    def usual(cls, config: Config, generation: int) -> PlayConditions:
        """Return the default ones against other players: as evolved, and with all tablebases unless the preset is
        faithful.
        """
        how = cls.of(config.search, generation)
        if config.preset in FAITHFUL:
            return how
        return how._replace(style=replace(how.style, tablebase=MOST_PIECES))


class SameBytesError(RunError):
    """A branch would repeat its run to the byte."""


def check_branch(before: Config, config: Config, name: str, generation: int) -> None:
    """Refuse values that a branch cannot have.

    Args:
        before: the configuration of the run that it comes from.
        config: that of the branch.
        name: of the run.
        generation: the last one that both have.

    Raises:
        SameBytesError: nothing would differ.
        RunError: values that do not fit the rows of the run, or no generation to come.
    """
    from evolve.config.begun import deciding_values

    old, new = deciding_values(before), deciding_values(config)
    for key in dict.fromkeys((*before.kind.kept, *config.kind.kept)):
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
