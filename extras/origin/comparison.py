"""Comparing a run with its origin, and the command that repeats it.

The origin of a run is its preset, or the run from which it branched.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from evolve.config import toml
from evolve.config.model import Config
from evolve.config.preset_files import ConfigError
from evolve.config.values import differing, flat_values, to_values
from evolve.kinds import plugins
from evolve.run.append_only import whole_number
from evolve.run.conditions import earlier_name
from evolve.run.files import CONFIG, RunError
from evolve.run.folder import LOOP, Run
from game.installation import COMMAND
from game.removed import removed_settings


@dataclass(frozen=True)
class Difference:
    """A value that differs between two runs; its name is a dotted key, as in ``--set``."""

    name: str
    first: Any
    second: Any


def configurations(first: Config, second: Config) -> list[Difference]:
    """Return the differences between two configurations, in the order of `Config`, without workers."""
    values = [flat_values(to_values(each) | {"network": each.network, "workers": {}}) for each in (first, second)]
    return [Difference(name, *both) for name, both in differing(values, [first, second]).items()]


GIVEN_APART = ("preset", "generations", "seed")
"""Values that commands set by separate options."""


def differences_from_origin(run: Run, config: Config, made_with: dict[str, Any]) -> list[Difference] | None:
    """Return the values in which a run differs from its origin, except generations and seed; None if unknown."""
    before = _before(run, config, made_with)
    if before is None:
        return None
    before, config = (values.kind.to_begin(values) for values in (before, config))
    return [value for value in configurations(before, config) if value.name not in GIVEN_APART]


def repeat_command(run: Run, config: Config, made_with: dict[str, Any], newest: int) -> str | None:
    """Return the command that repeats the generations of a run, with the same digest.

    It names the preset if no value differs from it, and otherwise the configuration file of the run. It is None for a
    branch, for a run made by a user's own loop, and with a removed setting.
    """
    if LOOP in made_with or _branched(made_with) is not None or removed_settings(to_values(config)):
        return None
    words = [COMMAND, config.verb]
    if differences_from_origin(run, config, made_with) == []:
        words += ["--preset", shlex.quote(config.preset)]
    else:
        words += ["--config", shlex.quote(str(run.path / CONFIG))]
    words += ["--seed", str(config.seed)]
    words += filter(None, [plugins.options_of(plugins.copies(run.path, config.plugins.files))])
    return " ".join([*words, "--generations", str(newest)])


def _branched(made_with: dict[str, Any]) -> tuple[str, int] | None:
    name, at, number = str(made_with.get("branched_from", "")).rpartition("@")
    generation = whole_number(number.encode())
    return (name, generation) if at and generation >= 0 else None


def _before(run: Run, config: Config, made_with: dict[str, Any]) -> Config | None:
    branched = _branched(made_with)
    if LOOP in made_with:
        return None
    try:
        if branched is None:
            preset = toml.load(config.preset, own=None)
            return preset if preset.verb == config.verb else None  # it may have the name of an earlier one
        return toml.from_toml(run.path / earlier_name(branched[1]))
    except (ConfigError, RunError, OSError):
        return None
