"""Configurations as TOML: presets, files, ``key=value`` settings, and the documented file of a run."""

from __future__ import annotations

import copy
import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from evolve.config import check
from evolve.config.begun import BEGUN
from evolve.config.check import STAGE_RULES, parse, section_rules
from evolve.config.model import SECTIONS, Config, flat_values, rows, to_values
from evolve.config.preset_files import PUBLISHED, preset_files
from evolve.kinds import plugins
from evolve.kinds.kind import Rules
from extras import missing
from game import toml_file
from game.errors import InputError, one_line
from game.installation import data_folder
from game.networks import named
from game.networks.named import NAMED
from game.removed import removed
from game.toml_file import TomlError, quote_value

OTHERS = ", and published systems (docs/published.md)"
"""The end of lists of presets."""
DEFAULT_PRESET = "first"
"""The preset of a new run if neither a preset nor a file is given."""
MOST_LINES = 20
"""Maximum number of mistakes that are listed; further ones are only counted."""


class ConfigError(InputError):
    """Wrong keys or values.

    Attributes:
        lines: one line for each mistake, with its dotted path and the allowed values.
    """

    def __init__(self, lines: list[str]) -> None:
        more = len(lines) - MOST_LINES
        lines = lines if more <= 0 else [*lines[:MOST_LINES], f"and {more:,} more"]
        self.lines = tuple(one_line(line) for line in lines)  # quoted values may contain line breaks
        super().__init__("; ".join(self.lines))


def preset_names(verb: str = "evolve") -> list[str]:
    """Return the names of the shipped presets of a verb, published systems last."""
    return list(preset_files(verb))


def listed_preset_names(*verbs: str) -> list[str]:
    """Return the names of the shipped presets of these verbs (by default of all) without published systems."""
    names = [name for verb in verbs for name in preset_names(verb)] or shipped_preset_names()
    return [name for name in names if _preset_files()[0][name].parent.name != PUBLISHED]


def shipped_preset_names() -> list[str]:
    """Return the names of the shipped presets of all verbs, those of ``evolve`` first."""
    return list(_preset_files()[0])


def own_presets() -> Path:
    """Return the folder of your own presets, which may not exist. A file ``mine.toml`` is the preset ``mine``."""
    return data_folder() / "presets"


def own_preset_names() -> list[str]:
    """Return the names of your own presets, except names of shipped presets."""
    return list(_preset_files()[1])


def _presets_in(folder: Path) -> dict[str, Path]:
    """Return the presets of a folder by name, sorted."""
    return {path.stem: path for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem)}


def _preset_files() -> tuple[dict[str, Path], dict[str, Path]]:
    """Return the files of the shipped presets and of your own presets, by name."""
    shipped = preset_files()
    return shipped, {name: path for name, path in _presets_in(own_presets()).items() if name not in shipped}


def load(
    preset: str | None = None,
    path: Path | None = None,
    settings: Sequence[str] = (),
    instead: Mapping[str, Any] | None = None,
    own: Sequence[Path] | None = (),
    notes: list[str] | None = None,
) -> Config:
    """Return the configuration from a preset (default ``cowan``), a TOML file, and ``key=value`` settings.

    Later values take precedence. Unless `preset` is given, the file may name a preset with ``preset = "..."``. It may
    be the ``config.toml`` of a run; its ``[record]`` table is ignored.

    Args:
        preset: its name.
        path: path of the file.
        settings: such as ``population.parents=8``.
        instead: fields of `Config` that override all other values; contradictions with those are reported.
        own: plugins to load, as named on the command line; they must include the plugins that the file lists. None to
            load no plugins, and read their kinds without code.
        notes: receives a line for each kind that differs from the preset's while other keys of its table are kept.

    Raises:
        ConfigError: the values are wrong; it lists all mistakes.
    """
    errors: list[str] = []
    from_file = read_toml(path) if path is not None else {}
    in_file = from_file.pop("preset", "cowan")
    name = in_file if preset is None else preset
    shipped, personal = _preset_files()
    if isinstance(name, str) and name in shipped and (hidden := _presets_in(own_presets()).get(name)):
        raise ConfigError([f"preset {name}: {hidden} has the name of a preset of the program: rename the file"])
    file = _preset_file(name, shipped | personal)
    values = read_toml(file)
    if name in personal and "plugins" not in from_file:
        of_plugins = _take_plugins(file, values, own)
    else:
        of_plugins = _take_plugins(path, from_file, own)
    if name in personal:
        values = _own_values(file, values, shipped)
    values["preset"] = name
    from_file = _without_record(from_file)
    if of_plugins:
        values["plugins"] = of_plugins
    before = copy.deepcopy(values)
    values = _over(values, from_file)
    config = _parse_with(values, settings, errors, instead)
    if notes is not None:
        notes += _kept(before, config, {*flat_values(from_file), *_paths(settings)}, f"the preset {name}")
    return config


def preset_plugins(name: str) -> list[tuple[Path, plugins.Plugin]]:
    """Return the paths and plugins that your own preset lists; shipped presets have none.

    Raises:
        ConfigError: the preset or a plugin cannot be read.
    """
    path = _preset_files()[1].get(name)
    return [] if path is None else _listed(path, read_toml(path))


def _listed(path: Path, values: Mapping[str, Any]) -> list[tuple[Path, plugins.Plugin]]:
    """Read the plugins that a file lists; a run keeps them in a folder next to its ``config.toml``."""
    table = values.get("plugins", {})
    files = table.get("files", []) if isinstance(table, dict) else None
    if not isinstance(files, list) or not all(isinstance(each, str) for each in files):
        raise ConfigError([f"plugins: expected files, a list of names, got {quote_value(table)}"])
    more = [key for key in table if key not in ("files", "sha256")]
    if more:
        raise ConfigError([f"plugins.{more[0]}: unknown key, allowed: plugins.files, plugins.sha256"])
    folder = path.parent / (plugins.FOLDER if "record" in values else "")
    listed = [(folder / each, plugins.read_plugin(folder / each)) for each in files]
    known = table.get("sha256", [])
    if not isinstance(known, list):
        raise ConfigError([f"plugins.sha256: expected a list, got {quote_value(known)}"])
    for (_, plugin), sha in zip(listed, known, strict=False):
        if plugin.sha256 != sha:
            raise ConfigError([f"plugins.sha256: {plugin.name} has {plugin.sha256}, expected {quote_value(sha)}"])
    return listed


def _take_plugins(path: Path | None, values: dict[str, Any], own: Sequence[Path] | None) -> dict[str, Any]:
    """Remove the table ``[plugins]`` from values and load the plugins `own`; return the table for the configuration.

    The file may come from a stranger, so a plugin that it lists is loaded only if it is in `own`. Nothing else in the
    file can allow that.
    """
    try:
        listed = [] if path is None else _listed(path, values)
        taken = [plugin for _, plugin in listed]
        if own is not None:
            asked = [plugins.read_plugin(each) for each in own]
            check_asked(str(path), [(each, plugin.sha256) for each, plugin in listed], asked)
            known = {plugin.sha256 for plugin in taken}
            taken += [plugin for plugin in asked if plugin.sha256 not in known]
            plugins.load(taken)
    except plugins.PluginError as error:
        raise ConfigError([str(error)]) from error
    values.pop("plugins", None)
    names = {"files": [plugin.name for plugin in taken], "sha256": [plugin.sha256 for plugin in taken]}
    return names if taken else {}


def check_asked(lister: str, needed: Sequence[tuple[Path, str]], asked: Sequence[plugins.Plugin]) -> None:
    """Check that the command line names all plugins that a run or file lists.

    Args:
        lister: the run or file, for error messages.
        needed: the files that it lists, with their SHA-256.
        asked: the plugins named on the command line.

    Raises:
        ConfigError: a plugin is not named, or is a different file with the same name.
    """
    lines = []
    for path, sha in needed:
        if sha in [plugin.sha256 for plugin in asked]:
            continue
        name = path.name
        others = [plugin for plugin in asked if plugin.name == name]
        if others:
            lines.append(
                f"plugin {name}: not the file that {lister} lists: its SHA-256 is {others[0].sha256[:16]}..., expected "
                f"{sha[:16]}...; a copy is in {path.parent}"
            )
        else:
            lines.append(
                f"{lister}: contains code, {name} (SHA-256 {sha[:16]}...), which runs only if you name it: "
                f"read it, then add {plugins.options_of([path])}"
            )
    if lines:
        raise ConfigError(lines)


def apply_settings(config: Config, settings: Sequence[str], notes: list[str] | None = None, of: str = "") -> Config:
    """Apply ``key=value`` settings to a configuration; kinds of plugins that are not loaded stay as they are.

    Args:
        config: the configuration to change.
        settings: such as ``population.parents=8``.
        notes: receives a line for each kind that changes while other keys of its table are kept.
        of: the source of the old values, for these lines.
    """
    values = to_values(config)
    changed = _parse_with(values, settings, [])
    if notes is not None:
        notes += _kept(to_values(config), changed, set(_paths(settings)), of)
    return changed


def _parse_with(
    values: dict[str, Any],
    settings: Sequence[str],
    errors: list[str],
    instead: Mapping[str, Any] | None = None,
) -> Config:
    """Apply settings, starting with the choices of kinds, since choosing a kind removes the keys of the old one."""
    unknown = not plugins.are_loaded(values)
    for setting in dict(zip(_paths(settings), settings, strict=True)).values():
        _choose_by(values, setting)
    for setting in settings:
        _set(values, setting, errors)
    config = parse(values, errors, instead, unknown=unknown)
    if config is not None:
        errors += _idle(settings, config)
    if errors or config is None:
        raise ConfigError(errors)
    return config


def _idle(settings: Sequence[str], config: Config) -> list[str]:
    """Return an error for each setting of an inactive key, since it would have no effect."""
    active = flat_values(to_values(config))
    errors = []
    for setting in settings:
        path = setting.partition("=")[0].strip()
        first, _, key = path.partition(".")
        if path.count(".") == (2 if first == "stages" else 1) and path not in active:
            texts = {item.name: item.metadata.get("text", "") for item in fields(SECTIONS.get(first, Config))}
            what = f" ({texts[key]})" if texts.get(key) else ""
            errors.append(f"{path}: has no effect with the other values{what}")
    return errors


def families_of_sections() -> list[tuple[str, str]]:
    """Return the section and name of each key in a section that chooses a kind."""
    return [(name, key) for name in SECTIONS for key, rule in section_rules(name).items() if "family" in rule]


def _choose_by(values: dict[str, Any], setting: str) -> None:
    path, _, text = setting.partition("=")
    first, _, rest = path.strip().partition(".")
    if (first, rest) in families_of_sections():
        _choose(values.get(first), section_rules(first), rest, _setting_value(text))
    index, _, key = rest.partition(".")
    stages = values.get("stages")
    if first == "stages" and key in STAGE_RULES and isinstance(stages, list):
        for number, stage in enumerate(stages):
            if str(number) == index:
                _choose(stage, STAGE_RULES, key, _setting_value(text))


def _choose(table: Any, rules: Rules, key: str, kind: Any) -> None:
    """Choose a kind in a table; if it is a new kind, all its keys get their defaults, even keys that both share."""
    if isinstance(table, dict):
        if kind != table.get(key, rules[key]["default"]):
            check.drop_kind(rules, table, key)
        table[key] = kind
        check.drop_other_kinds(rules, table)


def _paths(settings: Sequence[str]) -> list[str]:
    return [setting.partition("=")[0].strip() for setting in settings]


def _kept(before: dict[str, Any], config: Config, changed: set[str], of: str) -> list[str]:
    """Return a line for each table in which another kind was chosen while other keys were kept.

    Args:
        before: the values before the changes.
        config: the result.
        changed: paths of the changes.
        of: the source of the old values.
    """
    active, lines = to_values(config), []
    for name, key in families_of_sections():
        rules, table, now = section_rules(name), before.get(name), active[name]
        if not isinstance(table, dict) or key not in now or now[key] == table.get(key, rules[key]["default"]):
            continue
        check.drop_kind(rules, table, key)
        stay = [other for other in table if other in now and f"{name}.{other}" not in changed]
        if stay:
            kept = ", ".join(f"{name}.{other} = {_toml(now[other])}" for other in stay)
            lines.append(f"{name}.{key} = {_toml(now[key])} starts from its own defaults; {of} still gives {kept}")
    return lines


def _without_record(values: dict[str, Any]) -> dict[str, Any]:
    """Remove the ``[record]`` of a run from values, and the keys of unchosen kinds, which old runs contain."""
    record = values.pop("record", None)
    if isinstance(record, dict) and BEGUN not in record:
        stages = values.get("stages")
        tables = [(table, STAGE_RULES) for table in (stages if isinstance(stages, list) else [])]
        for table, rules in [*tables, *((values.get(name), section_rules(name)) for name in SECTIONS)]:
            if isinstance(table, dict):
                check.drop_other_kinds(rules, table)
    return values


def from_toml(path: Path, values: dict[str, Any] | None = None) -> Config:
    """Read the configuration of a saved run, which is complete without a preset. Its ``[record]`` table is ignored.

    Args:
        path: path of the file.
        values: its values, if they have already been read.

    Raises:
        ConfigError: the values are wrong; it lists all mistakes, each after the name of the file.
    """
    values = _without_record(read_toml(path) if values is None else values)
    errors: list[str] = []
    config = parse(values, errors, unknown=check.lacks_code(values))
    if errors or config is None:
        raise ConfigError([f"{path}: {line}" for line in errors])
    return config


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file as plain values.

    Raises:
        ConfigError: it cannot be read, or is not TOML.
    """
    try:
        return toml_file.read_toml(path)
    except TomlError as error:
        raise ConfigError([str(error)]) from error


def _preset_file(name: Any, files: dict[str, Path]) -> Path:
    """Return the file of a preset.

    Raises:
        ConfigError: there is no preset of this name.
    """
    if isinstance(name, str) and name in files:
        return files[name]
    if isinstance(name, str) and (line := removed("preset", name) or missing(name)):
        raise ConfigError([line])
    near = difflib.get_close_matches(quote_value(name).strip("'"), files, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    there = ", ".join([*listed_preset_names(), *own_preset_names()])
    raise ConfigError([f"preset: unknown preset {quote_value(name)}, there are {there}{OTHERS}{hint}"])


def _own_values(path: Path, own: dict[str, Any], shipped: dict[str, Path]) -> dict[str, Any]:
    """Return the values of your own preset, merged over the shipped preset that it names.

    Args:
        path: path of the file.
        own: values in the file.
        shipped: files of presets that it may name.

    Raises:
        ConfigError: it names no shipped preset.
    """
    own = _without_record(own)
    own.pop("plugins", None)
    base = own.pop("preset", "cowan")
    if not isinstance(base, str) or base not in shipped:
        gone = removed("preset", base) if isinstance(base, str) else None
        expected = f"preset: expected one that comes with the program, got {quote_value(base)}"
        raise ConfigError([f"{path}: {gone or expected}"])
    return _over(read_toml(shipped[base]), own)


def _over(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Override values; where another kind is chosen, the keys of the old kind are removed."""
    for key, family in families_of_sections():
        table = changes.get(key)
        if isinstance(table, dict) and family in table:
            _choose(values.get(key), section_rules(key), family, table[family])
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


def _set(values: dict[str, Any], setting: str, errors: list[str]) -> None:
    """Put one ``a.b=value`` into nested values; the value is TOML, or text without quotes."""
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
    value = _setting_value(text)
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
        errors.append(f"{path}: expected the name of a value, such as stages.0.rounds")
        return
    place[keys[-1]] = value


def _setting_value(text: str) -> Any:
    try:
        parsed = toml_file.parse_toml(f"value = {text}")
    except TomlError:
        return text.strip()
    return parsed["value"] if len(parsed) == 1 else text  # text with line breaks can parse as several keys


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
        active = [*rows(part, config)]
        lines += ["", name] if active else []
        for row in active:
            lines += _line(*row)
    if config.network.name not in NAMED:
        lines += [
            "",
            "# The network that evolves.",
            "[network]",
            named.to_toml(config.network, "network.").rstrip(),
        ]
    lines += ["", "# What this run was made with.", "[record]"]
    lines += [f"{key} = {_toml(value)}" for key, value in record.items() if key != BEGUN]
    if BEGUN in record:
        lines += [
            "",
            "# The values that decide results, as they were when the run began: it cannot be resumed with others.",
        ]
        lines += [f"[record.{BEGUN}]", *(f"{_toml(key)} = {_toml(value)}" for key, value in record[BEGUN].items())]
    return "\n".join(lines) + "\n"


def _line(key: str, value: Any, text: str) -> list[str]:
    return [f"# {text}", f"{key} = {_toml(value)}"]


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(cast(str, value), ensure_ascii=False).replace("\x7f", "\\u007f")  # legal in JSON, not in TOML
