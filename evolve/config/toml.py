"""Configurations as TOML: presets, files, ``key=value`` settings, and the documented file of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from evolve.config import changes
from evolve.config.begun import BEGUN
from evolve.config.check import lacks_code, parse
from evolve.config.model import Config
from evolve.config.plugin_gate import take_plugins
from evolve.config.preset_files import ConfigError, preset_file, preset_files, read_toml
from evolve.config.sections import SECTIONS
from evolve.config.values import rows, to_values
from evolve.kinds import plugins
from game.networks import named
from game.networks.named import NAMED
from game.removed import removed
from game.toml_file import quote_value, toml_text

DEFAULT_PRESET = "first"
"""The preset of a new run if neither a preset nor a file is given."""
BASE = "cowan"
"""The preset under the values of a file that names none."""
COPIED = "# The values that decide results, as they were when the run began: it cannot be resumed with others."


def load(
    preset: str | None = None,
    path: Path | None = None,
    settings: Sequence[str] = (),
    instead: Mapping[str, Any] | None = None,
    own: Sequence[Path] | None = (),
) -> Config:
    """Return the configuration from a preset (default `BASE`), a TOML file, and ``key=value`` settings.

    Later values take precedence. Unless `preset` is given, the file may name a preset with ``preset = "..."``. It may
    be the ``config.toml`` of a run; its ``[record]`` table is ignored.

    Args:
        instead: fields of `Config` that override all other values; contradictions with those are reported.
        own: plugins to load, as named on the command line; they must include the plugins that the file lists. None to
            load no plugins, and read their kinds without code.

    Raises:
        ConfigError: the values are wrong; it lists all mistakes.
    """
    from_file = read_toml(path) if path is not None else {}
    in_file = from_file.pop("preset", BASE)
    name = in_file if preset is None else preset
    file, own_preset = preset_file(name)
    values = read_toml(file)
    if own_preset and "plugins" not in from_file:
        of_plugins = take_plugins(file, values, own)
    else:
        of_plugins = take_plugins(path, from_file, own)
    if own_preset or "preset" in values:
        values = _own_values(file, values)
    values["preset"] = name
    from_file = changes.without_record(from_file)
    if of_plugins:
        values["plugins"] = of_plugins
    return _parse_with(changes.override(values, from_file), settings, instead)


def apply_settings(config: Config, settings: Sequence[str]) -> Config:
    """Apply ``key=value`` settings to a configuration; kinds of plugins that are not loaded stay as they are."""
    return _parse_with(to_values(config), settings)


def _parse_with(values: dict[str, Any], settings: Sequence[str], instead: Mapping[str, Any] | None = None) -> Config:
    errors: list[str] = []
    unknown = not plugins.are_loaded(values)
    settings = changes.apply(values, settings, errors)
    config = parse(values, errors, instead, unknown=unknown)
    if config is not None:
        errors += changes.idle(settings, config)
    if errors or config is None:
        raise ConfigError(errors)
    return config


def from_toml(path: Path, values: dict[str, Any] | None = None) -> Config:
    """Read the configuration of a saved run, which is complete without a preset. Its ``[record]`` table is ignored.

    Raises:
        ConfigError: the values are wrong; it lists all mistakes, each after the name of the file.
    """
    values = changes.without_record(read_toml(path) if values is None else values)
    errors: list[str] = []
    config = parse(values, errors, unknown=lacks_code(values))
    if errors or config is None:
        raise ConfigError([f"{path}: {line}" for line in errors])
    return config


def _own_values(path: Path, own: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a preset, merged over the shipped preset that it names."""
    own = changes.without_record(own)
    own.pop("plugins", None)
    base, shipped = own.pop("preset", BASE), preset_files()
    if not isinstance(base, str) or base not in shipped:
        gone = removed("preset", base) if isinstance(base, str) else None
        expected = f"preset: expected one that comes with the program, got {quote_value(base)}"
        raise ConfigError([f"{path}: {gone or expected}"])
    return changes.override(read_toml(shipped[base]), own)


def to_toml(config: Config, record: dict[str, Any]) -> str:
    """Return the complete configuration as documented TOML, with the table ``[record]`` (versions, format)."""
    lines = ["# The complete configuration of this run. Every value is active.", ""]
    for item in fields(Config):
        if item.name == "network":
            shipped = config.network.name in NAMED
            lines += _line(item.name, config.network.name, item.metadata["text"]) if shipped else []
        elif item.name not in SECTIONS and item.name != "stages":
            lines += _line(item.name, getattr(config, item.name), item.metadata["text"])
    tables = [(f"[{name}]", getattr(config, name)) for name in SECTIONS]
    tables += [] if not config.kind.breeds else [("[[stages]]", stage) for stage in config.stages]
    for name, part in tables:
        # Options come before tables, since in TOML a table ends only where the next one begins.
        active, table = sorted(rows(part, config), key=lambda row: row[0].rpartition(".")[0][-1:].isdigit()), ""
        lines += ["", name] if active else []
        for key, value, text in active:
            place, _, last = key.rpartition(".")
            if not place[-1:].isdigit():  # an option, which is not in a list of tables
                place, last = "", key
            if place != table:
                lines += ["", f"[[{name.strip('[]')}.{place.partition('.')[0]}]]"]
            table = place
            lines += _line(last, value, text)
    if config.network.name not in NAMED:
        lines += ["", "# The network that evolves.", "[network]", named.to_toml(config.network, "network.").rstrip()]
    lines += ["", "# What this run was made with.", "[record]"]
    lines += [f"{key} = {toml_text(value)}" for key, value in record.items() if key != BEGUN]
    if BEGUN in record:
        lines += ["", COPIED]
        lines += [f"[record.{BEGUN}]", *(f"{toml_text(key)} = {toml_text(it)}" for key, it in record[BEGUN].items())]
    return "\n".join(lines) + "\n"


def _line(key: str, value: Any, text: str) -> list[str]:
    return [f"# {text}", f"{key} = {toml_text(value)}"]
