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

from evolve.config import changes, check, toml
from evolve.config.model import Config
from evolve.config.preset_files import ConfigError
from evolve.config.values import flat_values, idle_values, to_values
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
    """Return the differences between two configurations, in the order of `evolve.config.model.Config`.

    The differences leave out workers, which affect no result, and defaults that are active in only one configuration
    because another value differs.
    """
    a, b = (flat_values(to_values(config) | {"network": config.network, "workers": {}}) for config in (first, second))
    names = [*a, *(name for name in b if name not in a)]
    full_a, full_b = idle_values(first) | a, idle_values(second) | b
    return [Difference(name, a.get(name), b.get(name)) for name in names if full_a.get(name) != full_b.get(name)]


GIVEN_APART = ("preset", "generations", "seed")
"""Values that commands set by separate options."""
MOST_SETTINGS = 40
"""Maximum number of settings in a command; if there are more, it refers to the configuration file of the run."""


def differences_from_origin(run: Run, config: Config, made_with: dict[str, Any]) -> list[Difference] | None:
    """Return the values in which a run differs from its origin, except generations and seed; None if unknown."""
    before = _before(run, config, made_with)
    if before is None:
        return None
    before, config = (values.kind.to_begin(values) for values in (before, config))
    return [value for value in configurations(before, config) if value.name not in GIVEN_APART]


def repeat_command(run: Run, config: Config, made_with: dict[str, Any], newest: int) -> str | None:
    """Return the command that repeats the generations of a run, with the same digest.

    It consists of the preset and the values that differ from it, if these are enough; otherwise it refers to the
    configuration file of the run. It is None for a run made by a user's own loop or with a removed setting, and for a
    branch that no single command can repeat, or whose source is now a different run.
    """
    if LOOP in made_with or check.removed_settings(to_values(config)):
        return None
    branched = _branched(made_with)
    last = max(newest, branched[1] + 1 if branched is not None else 0)
    before = _before(run, config, made_with)
    begins = config.kind.to_begin(config)
    settings = None if before is None else _settings(before.kind.to_begin(before), begins)
    words = [COMMAND, config.verb]
    if branched is not None:
        if settings is None:
            return None
        source = _source(run, *branched, made_with)
        if source is None:
            return None
        words += ["--branch", f"{source.cli_name}@{branched[1]}"]
    elif settings is None:
        words += ["--config", _path(run, CONFIG)]
    else:
        words += ["--preset", shlex.quote(config.preset)]
    words += ["--seed", str(config.seed)]
    words += [f"--set {shlex.quote(setting)}" for setting in settings or ()]
    words += filter(None, [plugins.options_of(plugins.copies(run.path, config.plugins.files))])
    return " ".join([*words, "--generations", str(last)])


def _path(run: Run, *parts: str) -> str:
    return shlex.quote(str(run.path.joinpath(*parts)))


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
            return (
                preset if preset.verb == config.verb else None
            )  # a preset of today may have the name of an earlier one
        return toml.from_toml(run.path / earlier_name(branched[1]))
    except (ConfigError, RunError, OSError):
        return None


def _settings(before: Config, config: Config) -> list[str] | None:
    if config.plugins.files != before.plugins.files:
        return None  # reading loads no plugins, so their kinds are unknown
    old, new = (to_values(values) | {"workers": {}} for values in (before, config))
    for name, key in changes.families_of_sections():
        if name in old and new[name].get(key) != old[name].get(key):  # a setting that chooses a kind drops its keys
            check.drop_kind(check.section_rules(name), old[name], key)
    settings: list[str] = []
    for key, value in new.items():
        if key not in (*GIVEN_APART, "plugins") and value != old.get(key):
            settings += _changes(key, old.get(key), value)
    try:
        made = toml.apply_settings(before, settings) if settings else before
    except ConfigError:
        return None
    same = {key: getattr(config, key) for key in (*GIVEN_APART, "workers", "plugins")}
    right = to_values(replace(made, **same)) == to_values(config)
    return settings if right and len(settings) <= MOST_SETTINGS else None


def _changes(name: str, old: Any, new: Any) -> list[str]:
    if isinstance(new, dict) and isinstance(old, dict):
        keys = [key for key in new if key not in old or new[key] != old[key]]
        return [setting for key in keys for setting in _changes(f"{name}.{key}", old.get(key), new[key])]
    tables = isinstance(new, list) and all(isinstance(table, dict) for table in new)
    if (
        tables
        and isinstance(old, list)
        and [table.get("kind") for table in old] == [table.get("kind") for table in new]
    ):
        pairs = enumerate(zip(old, new, strict=True))
        return [setting for at, (a, b) in pairs if a != b for setting in _changes(f"{name}.{at}", a, b)]
    return [f"{name}={_bare(new)}"]


def _bare(value: Any) -> str:
    """Format a value for a setting; simple words have no quotes."""
    simple = isinstance(value, str) and value[:1].isalpha() and value.replace("-", "").replace("_", "").isalnum()
    return value if simple and value not in ("true", "false", "inf", "nan") else toml_text(value)
