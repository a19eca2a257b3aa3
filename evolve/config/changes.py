"""Changes of a configuration's plain values: those of another file, and ``key=value`` settings.

A change may choose another kind (`evolve.kinds`). Then the keys of the old kind go, and the new one has its defaults.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from evolve.config import check
from evolve.config.begun import BEGUN
from evolve.config.check import STAGE_RULES, section_rules
from evolve.config.model import Config
from evolve.config.sections import SECTIONS
from evolve.config.values import flat_values, to_values
from evolve.kinds.kind import Rules
from game import toml_file
from game.toml_file import TomlError


def override(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Override values; where another kind is chosen, the keys of the old kind are removed."""
    for key, family in families_of_sections():
        table = changes.get(key)
        if isinstance(table, dict) and family in table:
            choose(values.get(key), section_rules(key), family, table[family])
    network = changes.get("network")
    if isinstance(network, dict) and "name" in network:
        values["network"] = {}  # a network with a name is complete, so no part of the old one stays
    _merge(values, changes)
    return values


def _merge(values: dict[str, Any], other: dict[str, Any]) -> None:
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(values.get(key), dict):
            _merge(values[key], value)
        else:
            values[key] = value


def families_of_sections() -> list[tuple[str, str]]:
    return [(name, key) for name in SECTIONS for key, rule in section_rules(name).items() if "family" in rule]


def choose(table: Any, rules: Rules, key: str, kind: Any) -> None:
    """Choose a kind in a table; if it is a new kind, all its keys get their defaults, even keys that both share."""
    if isinstance(table, dict):
        if kind != table.get(key, rules[key]["default"]):
            check.drop_kind(rules, table, key)
        table[key] = kind
        check.drop_other_kinds(rules, table)


def without_record(values: dict[str, Any]) -> dict[str, Any]:
    """Remove the ``[record]`` of a run from values, and the keys of unchosen kinds, which old runs contain."""
    record = values.pop("record", None)
    if isinstance(record, dict) and BEGUN not in record:
        stages = values.get("stages")
        tables = [(table, STAGE_RULES) for table in (stages if isinstance(stages, list) else [])]
        for table, rules in [*tables, *((values.get(name), section_rules(name)) for name in SECTIONS)]:
            if isinstance(table, dict):
                check.drop_other_kinds(rules, table)
    return values


def apply(values: dict[str, Any], settings: Sequence[str], errors: list[str]) -> list[str]:
    """Apply ``key=value`` settings to values, first the choices of kinds; return them with present names of keys."""
    for setting in dict(zip(paths(settings), settings, strict=True)).values():
        _choose_by(values, setting)
    settings = [_with_present_name(values, setting) for setting in settings]
    for setting in settings:
        _set(values, setting, errors)
    return settings


def _with_present_name(values: dict[str, Any], setting: str) -> str:
    path, equals, text = setting.partition("=")
    section, _, key = path.strip().partition(".")
    table = values.get(section, {})
    if not key or section not in SECTIONS or not isinstance(table, dict):
        return setting
    older = check.older_names(section_rules(section), table)
    return f"{section}.{older.get(key, key)}{equals}{text}"


def paths(settings: Sequence[str]) -> list[str]:
    return [setting.partition("=")[0].strip() for setting in settings]


def _choose_by(values: dict[str, Any], setting: str) -> None:
    path, _, text = setting.partition("=")
    first, _, rest = path.strip().partition(".")
    if (first, rest) in families_of_sections():
        choose(values.get(first), section_rules(first), rest, _value(text))
    index, _, key = rest.partition(".")
    stages = values.get("stages")
    if first == "stages" and key in STAGE_RULES and isinstance(stages, list):
        for number, stage in enumerate(stages):
            if str(number) == index:
                choose(stage, STAGE_RULES, key, _value(text))


def _set(values: dict[str, Any], setting: str, errors: list[str]) -> None:
    path, equals, text = setting.partition("=")
    keys = path.strip().split(".")
    if not equals or not all(keys):
        errors.append(f"--set {setting}: expected key=value, such as population.parents=8")
        return
    if keys[0] == "plugins":
        errors.append(f"{path}: cannot be set, since kinds are loaded before values are read; use --plugin FILE")
        return
    if keys == ["preset"]:
        errors.append("preset: cannot be set, since other values come from it; use --preset NAME")
        return
    value = _value(text)
    table = values.setdefault(keys[0], {}) if keys[0] in SECTIONS and len(keys) > 2 else None
    if isinstance(table, dict):
        check.begin_tables(section_rules(keys[0]), table, keys[1])
    place: Any = values
    for key in keys[:-1]:
        if isinstance(place, list):
            if key not in [str(index) for index in range(len(place))]:
                errors.append(f"{path}: there is no stage {key}, stages are numbered 0 to {len(place) - 1}")
                return
            place = place[int(key)]
        elif isinstance(place, dict):
            place = place.setdefault(key, {})
        else:
            errors.append(f"{path}: {key} is a value and has no parts")
            return
    if not isinstance(place, dict):
        *before, last = keys
        example = ["stages", "0", "rounds"]
        if isinstance(place, list) and len(before) > 1:
            example = [*before, last, "games"] if last.isdigit() else [*before, "0", last]
        errors.append(f"{path}: expected the name of a value, such as {'.'.join(example)}")
        return
    place[keys[-1]] = value


def _value(text: str) -> Any:
    try:
        parsed = toml_file.parse_toml(f"value = {text}")
    except TomlError:
        return text.strip()
    return parsed["value"] if len(parsed) == 1 else text  # text with line breaks can parse as several keys


def idle(settings: Sequence[str], config: Config) -> list[str]:
    """Return an error for each setting of an inactive key, since it would have no effect."""
    active = flat_values(to_values(config))
    errors = []
    for setting in settings:
        path = setting.partition("=")[0].strip()
        first, _, key = path.partition(".")
        if path.count(".") == (2 if first == "stages" else 1) and path not in active:
            texts = {item.name: item.metadata.get("text", "") for item in fields(SECTIONS.get(first, Config))}
            what = f" ({texts[key]})" if texts.get(key) else ""
            mean = path == "variation.mutation" and config.population.mean
            what += "; set optimiser.kind=mean, or use a preset such as deap" if mean else ""
            errors.append(f"{path}: has no effect with the other values{what}")
    return errors
