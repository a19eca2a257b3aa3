"""The plain values of a configuration: its active keys with their values and texts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from evolve.config.model import Config
from evolve.config.sections import EVOLVING, SECTIONS
from evolve.kinds.kind import Kind
from game.networks import named


def to_values(config: Config) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for item in fields(Config):
        value = getattr(config, item.name)
        if item.name in SECTIONS:
            value = nested({key: entry for key, entry, _ in rows(value, config)})
        elif item.name == "stages":
            if not config.kind.breeds:
                continue
            value = [{key: entry for key, entry, _ in rows(stage, config)} for stage in value]
        elif item.name == "network":
            value = named.to_values(config.network)
        values[item.name] = value
    return values


def only_active(config: Config) -> Config:
    """Return the configuration with inactive values at their defaults, so that equivalent ones compare equal."""
    parts = {name: _only_active(getattr(config, name), config) for name in SECTIONS}
    stages = Config().stages if not config.kind.breeds else tuple(_only_active(stage, stage) for stage in config.stages)
    return replace(config, stages=stages, **parts)


def _only_active(part: Any, whole: Any) -> Any:
    if isinstance(part, EVOLVING) and isinstance(whole, Config) and not whole.kind.breeds:
        return type(part)()
    changes: dict[str, Any] = {}
    for item in fields(part):
        value = getattr(part, item.name)
        if not _is_active(item.metadata, whole):
            changes[item.name] = item.default
        elif isinstance(value, Kind):
            changes[item.name] = _only_active(value, value)
    return replace(part, **changes)


def _is_active(rule: Any, whole: Any) -> bool:
    when = rule.get("when")
    return when is None or when(whole)


def rows(part: Any, config: Config) -> Iterator[tuple[str, Any, str]]:
    """Yield the active keys of a table, with values and texts; keys of a kind follow the key that chooses it.

    Keys of tables in a list are dotted, such as ``stages.0.games``.
    """
    if isinstance(part, EVOLVING) and not config.kind.breeds:
        return
    if isinstance(part, Kind):
        yield from _rows_of_kind("kind", part)
        return
    section = next((name for name, each in SECTIONS.items() if isinstance(part, each)), "")
    for item in fields(part):
        value = getattr(part, item.name)
        if not _is_active(item.metadata, config):
            continue
        if isinstance(value, Kind):
            yield from _rows_of_kind(item.name, value)
        else:
            yield item.name, value, config.kind.texts.get(f"{section}.{item.name}", item.metadata["text"])


def _parts(config: Config) -> list[tuple[str, Any]]:
    stages = ((f"stages.{number}", stage) for number, stage in enumerate(config.stages))
    return [*((name, getattr(config, name)) for name in SECTIONS), *stages]


def idle_values(config: Config) -> dict[str, Any]:
    """Return the inactive values by dotted name; all are defaults, and none is used."""
    values: dict[str, Any] = {}
    for name, part in _parts(config):
        entries = [part] if isinstance(part, Kind) else [getattr(part, item.name) for item in fields(part)]
        rules = {} if isinstance(part, Kind) else {item.name: item.metadata for item in fields(part)}
        values |= {f"{name}.{key}": getattr(part, key) for key, rule in rules.items() if not _is_active(rule, config)}
        for kind in (entry for entry in entries if isinstance(entry, Kind)):
            idle = (key for key, rule in kind.rules().items() if not _is_active(rule, kind))
            values |= {f"{name}.{key}": getattr(kind, key.rpartition(".")[2]) for key in idle}
    return values


def differing(values: Sequence[dict[str, Any]], configs: Sequence[Config]) -> dict[str, list[Any]]:
    """Return the values that differ between configurations, by dotted name; None where one has none.

    A default that is inactive in one configuration does not differ from the same value that is active in another, since
    another difference makes it active.
    """
    idle = [idle_values(config) for config in configs]
    rows = {name: [each.get(name) for each in values] for name in itertools.chain.from_iterable(values)}
    full = {
        name: [default.get(name) if value is None else value for value, default in zip(row, idle, strict=True)]
        for name, row in rows.items()
    }
    return {name: row for name, row in rows.items() if any(value != full[name][0] for value in full[name])}


def dotted_rows(config: Config) -> Iterator[tuple[str, Any, str]]:
    """Yield `rows` of all sections and stages, with dotted names, such as ``stages.0.rounds``."""
    for name, part in _parts(config):
        yield from ((f"{name}.{key}", value, text) for key, value, text in rows(part, config))


def _rows_of_kind(key: str, kind: Kind) -> Iterator[tuple[str, Any, str]]:
    yield key, kind.kind, kind.describe()
    for name, rule in kind.rules().items():
        if _is_active(rule, kind):
            value = getattr(kind, name.rpartition(".")[2])
            if "table" not in rule:
                yield name, value, rule["text"]
                continue
            for number, table in enumerate(value):
                for item in fields(table):
                    yield f"{name}.{number}.{item.name}", getattr(table, item.name), item.metadata["text"]


def flat_values(value: Any, name: str = "") -> dict[str, Any]:
    """Return nested values by dotted name; networks and stages are flattened, too."""
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
    return {key: leaf for part in parts for key, leaf in flat_values(parts[part], f"{dot}{part}").items()}


def nested(values: dict[str, Any]) -> dict[str, Any]:
    """Return nested tables from dotted names; tables whose keys are numbers become lists."""
    tree: dict[str, Any] = {}
    for name, value in values.items():
        *tables, key = name.split(".")
        place = tree
        for table in tables:
            place = place.setdefault(table, {})
            if not isinstance(place, dict):
                return {name: value}  # not a configuration: parsing it reports that
        place[key] = value
    return {key: _with_lists(value) for key, value in tree.items()}


def _with_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    parts = {key: _with_lists(part) for key, part in value.items()}
    return list(parts.values()) if parts and all(key.isdigit() for key in parts) else parts
