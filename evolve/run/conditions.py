"""Play conditions in a run: the configurations and searches of its generations, and the values a branch may change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evolve.run.append_only import whole_number
from evolve.run.files import RunError
from game.endgame.slices import MOST_PIECES
from game.search.interface import FITTED, Limits, SearchOptions
from game.toml_file import quote_value

if TYPE_CHECKING:
    from evolve.config.model import Config
    from evolve.config.search import Search


def earlier_name(last: int) -> str:
    """Return the file name of the configuration for generations up to this one."""
    return f"config_{last:04d}.toml"


def earlier_configs(folder: Path) -> list[tuple[int, Path]]:
    """Return the earlier configurations in a run folder in order, each as its last generation and path."""
    configs = []
    for path in folder.glob("config_*.toml"):
        last = whole_number(path.stem.removeprefix("config_").encode("utf-8", "replace"))
        if last >= 0 and path.name == earlier_name(last):
            configs.append((last, path))
    return sorted(configs)


FAITHFUL = ("cowan", "cowan-ballots", "blondie24", "blondie24-1999", "league")
"""Presets that reproduce published experiments, in which individuals had no tablebases."""


class PlayConditions(NamedTuple):
    """The settings, apart from the network, on which the moves of an individual depend."""

    limits: Limits
    style: SearchOptions

    @classmethod
    def of(cls, search: Search, generation: int) -> PlayConditions:
        """Return the conditions under which a generation evolved; later generations of a run may search deeper."""
        return cls(search.limits(generation), search.style())

    @classmethod
    def played(cls, search: Search, generation: int) -> PlayConditions:
        """Return the conditions under which the champion of a generation is rated."""
        return cls(search.played_limits(generation), search.style())

    @classmethod
    def default(cls, config: Config, generation: int) -> PlayConditions:
        """Return the defaults for games against other players.

        They are as rated, but unless the preset is in `FAITHFUL`, with tablebases, and with what long searches need: a
        table that fits the limits, and, if anything is pruned, corrections.
        """
        rated = cls.played(config.search, generation)
        if config.preset in FAITHFUL:
            return rated
        corrections = rated.style.pruning
        return rated._replace(style=replace(rated.style, tablebase=MOST_PIECES, table=FITTED, corrections=corrections))


class SameBytesError(RunError):
    """A branch would produce the same bytes as its run."""


def check_branch(before: Config, config: Config, name: str, generation: int) -> None:
    """Check that a run can be branched with this configuration.

    Raises:
        SameBytesError: nothing would differ.
        RunError: values do not fit the copied generations, or the branch has no further generations.
    """
    from evolve.config.begun import deciding_values

    old, new = deciding_values(before), deciding_values(config)
    for key in dict.fromkeys((*before.kind.kept, *config.kind.kept)):
        if old.get(key) != new.get(key) and not config.kind.extends(before.kind):
            raise RunError(f"{key}: a branch keeps the value of {name}, {quote_value(old.get(key))}")
    if config.network != before.network:
        raise RunError(f"network: a branch keeps the network of {name}, {before.network.name}")
    if old == new:
        raise SameBytesError(
            f"{name}@{generation}: the same values and seed would give the same bytes again: "
            "use another --seed, or change a value with --set"
        )
    if config.generations <= generation:
        raise RunError(
            f"generations: expected more than {generation}, where the branch begins, got {config.generations}"
        )
