"""Comparing a run with its origin, and the command that repeats it.

The origin of a run is its preset, or the run from which it branched.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path
from typing import Any

from evolve.config import check, toml
from evolve.config.model import Config
from evolve.config.preset_files import ConfigError
from evolve.config.values import differing, flat_values, to_values
from evolve.kinds import plugins
from evolve.run.append_only import whole_number
from evolve.run.conditions import earlier_name
from evolve.run.files import CONFIG, RunError
from evolve.run.folder import LOOP, Run
from evolve.run.runs import Runs
from game.installation import COMMAND
from game.toml_file import toml_text


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

    It names the preset if no value differs from it, and otherwise the configuration file of the run; a branch has its
    own values as settings. It is None for a run made by a user's own loop or with a removed setting, and for a branch
    that no single command can repeat, or whose source is now a different run.
    """
    if LOOP in made_with or check.removed_settings(to_values(config)):
        return None
    branched, differences = _branched(made_with), differences_from_origin(run, config, made_with)
    last = max(newest, branched[1] + 1 if branched is not None else 0)
    words, settings = [COMMAND, config.verb], list[str]()
    if branched is not None:
        source, own = _source(run, *branched, made_with), _settings(_before(run, config, made_with), config)
        if source is None or own is None:
            return None
        words += ["--branch", f"{source.cli_name}@{branched[1]}"]
        settings = own
    elif differences == []:
        words += ["--preset", shlex.quote(config.preset)]
    else:
        words += ["--config", shlex.quote(str(run.path / CONFIG))]
    words += ["--seed", str(config.seed), *(f"--set {shlex.quote(setting)}" for setting in settings)]
    words += filter(None, [plugins.options_of(plugins.copies(run.path, config.plugins.files))])
    return " ".join([*words, "--generations", str(last)])


def _branched(made_with: dict[str, Any]) -> tuple[str, int] | None:
    name, at, number = str(made_with.get("branched_from", "")).rpartition("@")
    generation = whole_number(number.encode())
    return (name, generation) if at and generation >= 0 else None


def _source(run: Run, name: str, generation: int, made_with: dict[str, Any]) -> Run | None:
    """Return the source of a branch: the run with its recorded name and digest.

    It is sought at the recorded path, beside the branch, in sweeps there, and in the default folder of runs. None if
    runs have the name but none the digest; without such a run, or a recorded digest, the path beside the branch.
    """
    digest, beside = str(made_with.get("branched_digest", "")), run.path.parent / name
    places = [Runs(run.path.parent).path(name), *sorted(run.path.parent.glob(f"*/{escape(name)}"))]
    places.append(Runs().path(name))
    recorded = Path(str(made_with.get("branched_folder", "")))
    if recorded.name == name and not recorded.anchor:  # a file from elsewhere must not cause contact with a server
        places.insert(0, Path(os.path.normpath(run.path.resolve() / recorded)))
    candidates = [Run(path) for path in places if (path / CONFIG).is_file()]
    if not candidates or not digest:
        return Run(beside)
    return next((source for source in candidates if source.manifest().up_to(generation).digest() == digest), None)


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


def _settings(before: Config | None, config: Config) -> list[str] | None:
    """Return settings that lead from one configuration to another; None if there are none."""
    # Reading loads no plugins, so their kinds are unknown.
    if before is None or config.plugins.files != before.plugins.files:
        return None
    before, config = (values.kind.to_begin(values) for values in (before, config))
    old, new = to_values(before), to_values(config)
    settings: list[str] = []
    for key, value in new.items():
        if key not in (*GIVEN_APART, "workers", "plugins") and value != old.get(key):
            # All of a section, since a setting that chooses a kind drops the other keys of the kind before.
            names = {f"{key}.{name}": each for name, each in value.items()} if isinstance(value, dict) else {key: value}
            settings += [f"{name}={_bare(each)}" for name, each in names.items()]
    try:
        made = toml.apply_settings(before, settings) if settings else before
    except ConfigError:
        return None
    same = {key: getattr(config, key) for key in (*GIVEN_APART, "workers", "plugins")}
    return settings if to_values(replace(made, **same)) == new else None


def _bare(value: Any) -> str:
    """Format a value for a setting; simple words have no quotes."""
    simple = isinstance(value, str) and value[:1].isalpha() and value.replace("-", "").replace("_", "").isalnum()
    return value if simple and value not in ("true", "false", "inf", "nan") else toml_text(value)
