"""Runs compared with each other and with their origin, and the command that repeats a run.

The origin of a run is its preset, or the run off which it branched.
"""

from __future__ import annotations

import json
import math
import os
import shlex
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config import check, toml
from evolve.config.model import Config, flat_values, idle_values, to_values
from evolve.config.toml import ConfigError
from evolve.kinds import plugins
from evolve.run.append_only import whole_number
from evolve.run.conditions import earlier_name
from evolve.run.files import CONFIG, RunError
from evolve.run.folder import Run
from evolve.run.runs import Runs
from game.installation import COMMAND

if TYPE_CHECKING:
    from evolve.report.overview import RunOverview


UNCOMPARED = ("generation", "seconds")
"""Columns of the log that are no results."""

WHOLE = ("generations", "digest")
"""Results that are of the runs as a whole; all others are of the newest generation that both have."""


@dataclass(frozen=True)
class Difference:
    """A value that two runs do not share.

    Attributes:
        name: of a configuration with dots, as ``--set`` takes it, or of a column of the log.
        first: its value in the first run; None if that has none.
        second: its value in the second run.
    """

    name: str
    first: Any
    second: Any


def configurations(first: Config, second: Config) -> list[Difference]:
    """Return the differences of two configurations, in the order of `evolve.config.model.Config`.

    It leaves out workers, on which no result depends, and defaults that are active in one of them because of another
    value.
    """
    a, b = (flat_values(to_values(config) | {"network": config.network, "workers": {}}) for config in (first, second))
    names = [*a, *(name for name in b if name not in a)]
    full_a, full_b = idle_values(first) | a, idle_values(second) | b
    return [Difference(name, a.get(name), b.get(name)) for name in names if full_a.get(name) != full_b.get(name)]


def results(first: RunOverview, second: RunOverview) -> list[Difference]:
    """Return the differences of two results: generations, digest, and logs at the newest generation that both have."""
    found = [
        Difference("generations", first.newest, second.newest),
        Difference("digest", first.manifest.digest(), second.manifest.digest()),
    ]
    at = min(first.newest, second.newest)
    found.append(Difference("champion", first.history.champions[at], second.history.champions[at]))
    a, b = ({name: _plain(column[at]) for name, column in run.history.numbers.items()} for run in (first, second))
    names = [*a, *(name for name in b if name not in a)]
    found += [Difference(name, a.get(name), b.get(name)) for name in names if name not in UNCOMPARED]
    return [each for each in found if each.first != each.second]


def same_generations(first: RunOverview, second: RunOverview) -> int:
    """Count the generations from 0 on that are the same in both, by the checksums in their manifests."""
    pairs = zip(first.manifest.entries, second.manifest.entries, strict=False)
    return next(
        (number for number, (a, b) in enumerate(pairs) if a.first != b.first), min(first.newest, second.newest) + 1
    )


def _plain(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None
    return int(value) if float(value).is_integer() else float(value)


GIVEN_APART = ("preset", "generations", "seed")
"""Values that have options of their own."""
MOST_SETTINGS = 40
"""Settings of a command at most; beyond, the file of the run is named."""


def differences_from_origin(run: Run, config: Config, made_with: dict[str, Any]) -> list[Difference] | None:
    """Return the values in which a run differs from its preset, or a branch from the run that it comes from.

    Args:
        run: the run.
        config: its configuration.
        made_with: its record.

    Returns:
        Values of the origin and of the run, in the order of the configuration, without generations and seed; None
            if the values of the origin are unknown.
    """
    before = _before(run, config, made_with)
    if before is None:
        return None
    return [each for each in configurations(before, config) if each.name not in GIVEN_APART]


def repeat_command(run: Run, config: Config, made_with: dict[str, Any], newest: int) -> str | None:
    """Return the command that repeats the generations of a run, to the same digest.

    It begins with the preset and lists each value that differs, if that is sufficient; else it names the configuration
    file of the run.

    Args:
        run: the run.
        config: its configuration.
        made_with: its record.
        newest: its newest complete generation.

    Returns:
        None for a branch that no single command repeats, or whose source has become a different run.
    """
    branched = _branched(made_with)
    last = max(newest, branched[1] + 1 if branched is not None else 0)
    before = _before(run, config, made_with)
    settings = None if before is None else _settings(before, config)
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
    """Return the run and generation off which a run branched; None for no branch."""
    name, at, number = str(made_with.get("branched_from", "")).rpartition("@")
    generation = whole_number(number.encode())
    return (name, generation) if at and generation >= 0 else None


def _source(run: Run, name: str, generation: int, made_with: dict[str, Any]) -> Run | None:
    """Return the run off which a run branched: where it was then, beside it, in a sweep there, or among all runs.

    If there is none of this name, return the path beside it; if none of these has the recorded digest, None.
    """
    digest, beside = str(made_with.get("branched_digest", "")), run.path.parent / name
    there = [Runs(run.path.parent).path(name), *sorted(run.path.parent.glob(f"*/{escape(name)}"))]
    there.append(Runs().path(name))
    recorded = Path(str(made_with.get("branched_folder", "")))
    if recorded.name == name and not recorded.anchor:  # the file may be a stranger's; no other machine is asked
        there.insert(0, Path(os.path.normpath(run.path.resolve() / recorded)))
    found = [Run(path) for path in there if (path / CONFIG).is_file()]
    if not found or not digest:
        return Run(beside)
    return next((one for one in found if one.manifest().up_to(generation).digest() == digest), None)


def _before(run: Run, config: Config, made_with: dict[str, Any]) -> Config | None:
    """Return the configuration of the preset, or of the run off which this one branched; None if it is not there."""
    branched = _branched(made_with)
    try:
        if branched is None:
            return toml.load(config.preset, own=None)
        return toml.from_toml(run.path / earlier_name(branched[1]))
    except (ConfigError, RunError, OSError):
        return None


def _settings(before: Config, config: Config) -> list[str] | None:
    """Return settings that lead from one configuration to another; None if there are none, or too many."""
    if config.plugins.files != before.plugins.files:
        return None  # their kinds are unknown, since reading loads no plugins
    old, new = (to_values(each) | {"workers": {}} for each in (before, config))
    for name, key in toml.families_of_sections():
        if name in old and new[name].get(key) != old[name].get(key):  # a setting that chooses a kind drops its keys
            check.drop_kind(check.section_rules(name), old[name], key)
    found: list[str] = []
    for key, value in new.items():
        if key not in (*GIVEN_APART, "plugins") and value != old.get(key):
            found += _changes(key, old.get(key), value)
    try:
        made = toml.apply_settings(before, found) if found else before
    except ConfigError:
        return None
    same = {key: getattr(config, key) for key in (*GIVEN_APART, "workers", "plugins")}
    right = to_values(replace(made, **same)) == to_values(config)
    return found if right and len(found) <= MOST_SETTINGS else None


def _changes(name: str, old: Any, new: Any) -> list[str]:
    """Return settings for a value and its parts; a list whose parts are of other kinds is set as a whole."""
    if isinstance(new, dict) and isinstance(old, dict):
        keys = [key for key in new if key not in old or new[key] != old[key]]
        return [setting for key in keys for setting in _changes(f"{name}.{key}", old.get(key), new[key])]
    tables = isinstance(new, list) and all(isinstance(each, dict) for each in new)
    if tables and isinstance(old, list) and [each.get("kind") for each in old] == [each.get("kind") for each in new]:
        pairs = enumerate(zip(old, new, strict=True))
        return [setting for at, (a, b) in pairs if a != b for setting in _changes(f"{name}.{at}", a, b)]
    return [f"{name}={_bare(new)}"]


def _bare(value: Any) -> str:
    """Format a value for a setting; simple words have no quotes."""
    simple = isinstance(value, str) and value[:1].isalpha() and value.replace("-", "").replace("_", "").isalnum()
    return value if simple and value not in ("true", "false", "inf", "nan") else _inline(value)


def _inline(value: Any) -> str:
    """Format a value as TOML on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_bare_key(key)} = {_inline(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _bare_key(key: str) -> str:
    return key if key.isascii() and key.replace("_", "").replace("-", "").isalnum() else json.dumps(key)
