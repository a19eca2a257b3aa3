"""A configuration as plain values: what is in force, as a TOML file has it, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from evolve.config.model import EVOLVING, SECTIONS, Config
from evolve.kinds.kind import Kind
from game import toml_file
from game.networks import network_file
from game.networks.shipped import NAMED


def to_values(config: Config) -> dict[str, Any]:
    """Values by key, tables in tables."""
    found: dict[str, Any] = {}
    for item in fields(Config):
        value = getattr(config, item.name)
        if item.name in SECTIONS:
            value = {key: each for key, each, _ in rows(value, config)}
        elif item.name == "stages":
            if config.learns:
                continue
            value = [{key: each for key, each, _ in rows(stage, config)} for stage in value]
        elif item.name == "network":
            name = config.network.name
            value = name if name in NAMED else toml_file.parse_toml(network_file.to_toml(config.network))
        found[item.name] = value
    return found


def only_in_force(config: Config) -> Config:
    """The same configuration, with the default of each value that is not in force: equal to all that play alike."""
    parts = {name: _only_in_force(getattr(config, name), config) for name in SECTIONS}
    stages = Config().stages if config.learns else tuple(_only_in_force(stage, stage) for stage in config.stages)
    return replace(config, stages=stages, **parts)


def _only_in_force(part: Any, whole: Any) -> Any:
    if isinstance(part, EVOLVING) and isinstance(whole, Config) and whole.learns:
        return type(part)()
    changes: dict[str, Any] = {}
    for item in fields(part):
        value = getattr(part, item.name)
        if not _in_force(item.metadata, whole):
            changes[item.name] = item.default
        elif isinstance(value, Kind):
            changes[item.name] = _only_in_force(value, value)
    return replace(part, **changes)


def _in_force(rule: Any, whole: Any) -> bool:
    """Whether the value of a field is in force, in the configuration or kind that has it."""
    when = rule.get("when")
    return when is None or when(whole)


def rows(part: Any, config: Config) -> Iterator[tuple[str, Any, str]]:
    """Keys of a table that are in force, with values and what they mean; those of a kind stand behind the key that
    chooses it.
    """
    if config.learns and isinstance(part, EVOLVING):
        return
    if isinstance(part, Kind):
        yield from _rows_of_kind("kind", part)
        return
    for item in fields(part):
        value = getattr(part, item.name)
        if not _in_force(item.metadata, config):
            continue
        if isinstance(value, Kind):
            yield from _rows_of_kind(item.name, value)
        else:
            yield item.name, value, item.metadata["text"]


def idle_values(config: Config) -> dict[str, Any]:
    """Values by dotted name that are not in force, so that they are defaults: nothing asks for them."""
    parts = [(name, getattr(config, name)) for name in SECTIONS]
    parts += [(f"stages.{number}", stage) for number, stage in enumerate(config.stages)]
    found: dict[str, Any] = {}
    for name, part in parts:
        kinds = [part] if isinstance(part, Kind) else [getattr(part, item.name) for item in fields(part)]
        rules = {} if isinstance(part, Kind) else {item.name: item.metadata for item in fields(part)}
        found |= {f"{name}.{key}": getattr(part, key) for key, rule in rules.items() if not _in_force(rule, config)}
        for kind in (each for each in kinds if isinstance(each, Kind)):
            idle = (key for key, rule in kind.rules().items() if not _in_force(rule, kind))
            found |= {f"{name}.{key}": getattr(kind, key) for key in idle}
    return found


def dotted_rows(config: Config) -> Iterator[tuple[str, Any, str]]:
    """`rows` of all sections and stages, by the names that settings have, such as ``stages.0.rounds``."""
    parts = [(name, getattr(config, name)) for name in SECTIONS]
    parts += [(f"stages.{number}", stage) for number, stage in enumerate(config.stages)]
    for name, part in parts:
        yield from ((f"{name}.{key}", value, text) for key, value, text in rows(part, config))


def _rows_of_kind(key: str, kind: Kind) -> Iterator[tuple[str, Any, str]]:
    yield key, kind.kind, kind.describe()
    for name, rule in kind.rules().items():
        if _in_force(rule, kind):
            yield name, getattr(kind, name), rule["text"]


def flat_values(value: Any, name: str = "") -> dict[str, Any]:
    """Values by dotted name; networks and stages are taken apart like everything else."""
    parts: dict[str, Any] | None = None
    if isinstance(value, dict):
        parts = value
    elif isinstance(value, list | tuple):
        parts = {str(index): part for index, part in enumerate(value)}
    elif is_dataclass(value):
        parts = {item.name: getattr(value, item.name) for item in fields(value) if item.init}
    if parts is None:
        return {name: value}
    dot = f"{name}." if name else ""
    return {key: each for part in parts for key, each in flat_values(parts[part], f"{dot}{part}").items()}
