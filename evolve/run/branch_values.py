"""What values a branch may have: a run that begins with generations of another, and goes on otherwise."""

from __future__ import annotations

from evolve.config.begun import deciding_values
from evolve.config.model import Config
from evolve.run.errors import RunError
from game.toml_file import quote_value

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
