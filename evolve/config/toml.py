"""Configurations as TOML: presets, files and ``key=value`` settings; and everything that is wrong with them at once."""

from __future__ import annotations

import dataclasses
import difflib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from evolve.config import anchors
from evolve.config.model import SECTIONS, Config, Stage
from game import toml_file
from game.errors import InputError, one_line
from game.networks import network_file
from game.networks.shipped import SHIPPED
from game.networks.spec import NetworkError
from game.openings import PLIES
from game.toml_file import TomlError, shown_key, shown_value

PRESETS = Path(__file__).parent / "presets"
MAX_GIGABYTES = 4


class ConfigError(InputError):
    """Wrong keys or values.

    Attributes:
        lines: one line for each of them, with its dotted path and what is allowed.
    """

    def __init__(self, lines: list[str]) -> None:
        self.lines = tuple(one_line(line) for line in lines)  # what was given may hold line breaks, and more
        super().__init__("; ".join(self.lines))


def preset_names() -> list[str]:
    """Names of the presets that come with the program."""
    return sorted(path.stem for path in PRESETS.glob("*.toml"))


def load(
    preset: str | None = None,
    path: Path | None = None,
    settings: tuple[str, ...] | list[str] = (),
    instead: Mapping[str, Any] | None = None,
) -> Config:
    """The configuration from a preset (default ``cowan``), a TOML file and ``key=value`` settings, in this order.

    A file may name its own preset with ``preset = "..."``; an explicit `preset` goes before that. The file may be the
    ``config.toml`` of a run: its ``[record]`` table is left aside.

    Args:
        preset: its name.
        path: of the file.
        settings: such as ``population.parents=8``.
        instead: fields of `Config` that go before all of these, each right alone; what contradicts them is told.

    Raises:
        ConfigError: whatever is wrong, all of it.
    """
    errors: list[str] = []
    from_file = read_toml(path) if path is not None else {}
    from_file.pop("record", None)
    in_file = from_file.pop("preset", "cowan")
    name = in_file if preset is None else preset
    values = _preset_values(name)
    values["preset"] = name
    _merge(values, from_file)
    for setting in settings:
        _set(values, setting, errors)
    config = parse(values, errors, instead)
    if errors or config is None:
        raise ConfigError(errors)
    return config


def changed(config: Config, settings: list[str]) -> Config:
    """A configuration after ``key=value`` settings.

    Raises:
        ConfigError: whatever is wrong, all of it.
    """
    values = tomllib.loads(to_toml(config, {}))
    values.pop("record")
    errors: list[str] = []
    for setting in settings:
        _set(values, setting, errors)
    after = parse(values, errors)
    if errors or after is None:
        raise ConfigError(errors)
    return after


def from_toml(path: Path) -> Config:
    """The configuration of a saved run: complete, no preset is read. Its ``[record]`` table is left aside.

    Raises:
        ConfigError: whatever is wrong, all of it, after the name of the file.
    """
    values = read_toml(path)
    values.pop("record", None)
    errors: list[str] = []
    config = parse(values, errors)
    if errors or config is None:
        raise ConfigError([f"{path}: {line}" for line in errors])
    return config


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file as plain values.

    Raises:
        ConfigError: it cannot be read, or is no TOML.
    """
    try:
        return toml_file.read_toml(path)
    except TomlError as error:
        raise ConfigError([str(error)]) from error


def _preset_values(name: Any) -> dict[str, Any]:
    names = preset_names()
    if name not in names:
        near = difflib.get_close_matches(shown_value(name).strip("'"), names, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ConfigError([f"preset: unknown preset {shown_value(name)}, there are {', '.join(names)}{hint}"])
    return read_toml(PRESETS / f"{name}.toml")


def _merge(values: dict[str, Any], other: dict[str, Any]) -> None:
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(values.get(key), dict):
            _merge(values[key], value)
        else:
            values[key] = value


def _set(values: dict[str, Any], setting: str, errors: list[str]) -> None:
    """Put one ``a.b=value`` into nested values; the value is TOML, or a bare word for a string."""
    path, equals, text = setting.partition("=")
    keys = path.strip().split(".")
    if not equals or not all(keys):
        errors.append(f"--set {setting}: expected key=value, such as population.parents=8")
        return
    if keys == ["preset"]:
        errors.append("preset: cannot be set, since other values come from it; choose one by --preset")
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
    return parsed["value"] if len(parsed) == 1 else text  # more than one line: no value


def parse(values: dict[str, Any], errors: list[str], instead: Mapping[str, Any] | None = None) -> Config | None:
    """Check plain values; add a line to `errors` for each thing wrong; None if there is any.

    The fields of `instead` take the places of those that were read, before it is asked what contradicts what.
    """
    given: dict[str, Any] = {}
    plain = {item.name for item in fields(Config)} - set(SECTIONS) - {"stages", "network"}
    for key, value in values.items():
        if key in SECTIONS:
            given[key] = _section(SECTIONS[key], value, key, errors)
        elif key == "stages":
            given[key] = _stages(value, errors)
        elif key == "network":
            try:
                given[key] = network_file.from_values(value)
            except NetworkError as error:
                errors.append(f"network: {error}")
        elif key not in plain:
            errors.append(_unknown(key, [item.name for item in fields(Config)]))
    scalars = {key: value for key, value in values.items() if key in plain}
    given |= _values(Config, scalars, "", errors)
    if errors:
        return None
    config = Config(**given | dict(instead or {}))
    errors.extend(_contradictions(config))
    return None if errors else config


def _section(kind: type[Any], value: Any, path: str, errors: list[str]) -> Any:
    if not isinstance(value, dict):
        errors.append(f"{path}: expected a table of values, got {shown_value(value)}")
        return None
    names = [item.name for item in fields(kind)]
    for key in value:
        if key not in names:
            errors.append(_unknown(key, names, f"{path}."))
    return kind(**_values(kind, {key: item for key, item in value.items() if key in names}, f"{path}.", errors))


def _stages(value: Any, errors: list[str]) -> tuple[Stage, ...]:
    if not isinstance(value, list) or not value:
        errors.append(f"stages: expected one or more [[stages]] tables, got {shown_value(value)}")
        return ()
    return tuple(_section(Stage, item, f"stages.{index}", errors) for index, item in enumerate(value))


def _unknown(key: str, allowed: list[str], prefix: str = "") -> str:
    near = difflib.get_close_matches(key, allowed, 1)  # without the prefix, which would make everything look near
    path = prefix + shown_key(key)
    hint = f"did you mean {prefix}{near[0]}?" if near else f"allowed: {', '.join(prefix + name for name in allowed)}"
    return f"{path}: unknown key, {hint}"


def _values(kind: type[Any], values: dict[str, Any], prefix: str, errors: list[str]) -> dict[str, Any]:
    """The values of one table that are right; those that are not go to `errors`."""
    good: dict[str, Any] = {}
    rules = {item.name: item.metadata for item in fields(kind)}
    for key, value in values.items():
        rule = rules[key]
        kind_of_value = rule["type"]
        number = kind_of_value is float and isinstance(value, int | float) and not isinstance(value, bool)
        exact = type(value) is kind_of_value
        allowed = _allowed(rule)
        if not (number or exact) or not _inside(value, rule):
            errors.append(f"{prefix}{key}: expected {allowed}, got {shown_value(value)}")
        else:
            good[key] = float(value) if number else value
    return good


def _allowed(rule: Any) -> str:
    if "choices" in rule:
        return " or ".join(rule["choices"])
    if rule["type"] is bool:
        return "true or false"
    if rule["type"] is str:
        return "text"
    kind = "a whole number" if rule["type"] is int else "a number"
    return f"{kind} from {rule['low']} to {rule['high']}"


def _inside(value: Any, rule: Any) -> bool:
    if "choices" in rule:
        return value in rule["choices"]
    if "low" in rule:
        return bool(rule["low"] <= value <= rule["high"])  # false for NaN too
    return True


def _contradictions(config: Config) -> list[str]:
    """What is wrong although each value alone is right."""
    found = []
    for name, low, high in (
        ("founders", config.founders.low, config.founders.high),
        ("variation", config.variation.low, config.variation.high),
    ):
        if low > high:
            found.append(f"{name}.low: expected at most {name}.high = {high}, got {low}")
    if config.games.repetition == 1:
        found.append("games.repetition: expected 0 (off) or 2 and more, got 1")
    if config.games.quiet_plies == 0 and config.games.max_plies == 0:
        found.append("games.quiet_plies: a game could last for ever, set it or games.max_plies above 0")
    plies = PLIES[config.games.openings]
    limits = {"max_plies": config.games.max_plies}
    if not config.games.men_reset:  # no ballot has a capture, and nothing but men move
        limits["quiet_plies"] = config.games.quiet_plies
    for name, limit in limits.items():
        if 0 < limit <= plies:
            kind = config.games.openings
            found.append(f"games.{name}: expected more than the {plies} plies of {kind} openings, or 0, got {limit}")
    found.extend(_contradictions_of_steps(config))
    found.extend(_contradictions_of_rating(config))
    found.extend(_contradictions_of_the_mean(config))
    size, weights = config.population.size, config.network.weights
    gigabytes = 8 * size * weights * (2 if config.self_adaptive else 1) / 2**30  # founders are drawn two for each place
    if gigabytes > MAX_GIGABYTES:
        found.append(
            f"network: {size:,} individuals of {weights:,} weights take {gigabytes:.1f} GB of memory, "
            f"at most {MAX_GIGABYTES}; choose a smaller network or population.parents"
        )
    return found + _contradictions_of_stages(config)


def _contradictions_of_steps(config: Config) -> list[str]:
    low, high, step = config.variation.step_low, config.variation.step_high, config.founders.step
    if not config.self_adaptive:
        return []
    if 0 < high < low:
        return [f"variation.step_low: expected at most variation.step_high = {high}, got {low}"]
    if step < low or 0 < high < step:
        allowed = f"{low} to {high}" if high else f"at least {low}"
        return [f"founders.step: expected {allowed} (variation.step_low, variation.step_high), got {step}"]
    return []


def _contradictions_of_rating(config: Config) -> list[str]:
    found = []
    if config.rating.games % 2:
        found.append(f"rating.games: expected an even number (both colours on each ballot), got {config.rating.games}")
    try:
        if not anchors.chosen(config.rating.anchors):
            found.append("rating.anchors: expected at least one; to rate nobody set rating.every to 0")
    except InputError as error:
        found.append(str(error).replace("--anchors", "rating.anchors"))
    return found


def _contradictions_of_the_mean(config: Config) -> list[str]:
    found: list[str] = []
    for index, stage in enumerate(config.stages):
        path = f"stages.{index}"
        if stage.kind == "mirror" and (index or not config.population.mean):
            found.append(f"{path}.kind: mirror is the first stage, with population.mean = true")
        if config.population.mean and stage.best and not stage.counts:
            found.append(f"{path}.counts: expected true, since those who leave are ranked by their points")
    if not config.population.mean:
        return found
    parents, mutants = config.population.parents, config.population.mutants
    if config.population.recombine:
        found.append("population.recombine: expected false with population.mean, which recombines all parents")
    if mutants < 2 or mutants % 2:
        found.append(f"population.mutants: expected pairs with population.mean, 2, 4, 6 ..., got {mutants}")
    if parents > config.population.size:
        found.append(f"population.parents: expected at most 1 + population.mutants = {1 + mutants}, got {parents}")
    if config.founders.method != "bred":
        found.append(f"founders.method: expected bred with population.mean, got {config.founders.method}")
    return found


def _contradictions_of_stages(config: Config) -> list[str]:
    """Whether the stages leave as many as there are parents, and rank them."""
    found: list[str] = []
    left, last = config.population.size, len(config.stages) - 1
    # Those who leave are ranked, too, behind the others: enough for a mean.
    parents = 2 if config.population.mean else config.population.parents
    ranked = False
    for index, stage in enumerate(config.stages):
        path = f"stages.{index}"
        if stage.ranks:
            ranked = True
            if stage.best and index == last:
                found.append(f"{path}.best: the last stage leaves population.parents = {parents}, set it to 0")
            elif stage.best and not parents <= stage.best <= left:
                found.append(
                    f"{path}.best: expected 0 (all) or {parents} (population.parents) to {left}, got {stage.best}"
                )
            else:
                left = stage.best or left
            continue
        if ranked or index == last:
            found.append(f"{path}.kind: the last stages rank (round-robin, opponents), and no other follows them")
            return found
        for _ in range(stage.rounds):
            step, out = (2, 1) if stage.kind == "elimination" else (stage.size, stage.advance)
            if out >= step:
                found.append(f"{path}.advance: expected less than {path}.size = {step}, got {out}")
                return found
            if left % step:
                parts = "pairs" if stage.kind == "elimination" else f"groups of {step}"
                found.append(f"{path}.rounds: {left} individuals cannot be divided into {parts}")
                return found
            left = left // step * out
    if left < parents:
        found.append(
            f"stages: {left} of {config.population.size} individuals are left at the end, "
            f"expected at least population.parents = {parents}"
        )
    if all(stage.from_hall for stage in config.stages if stage.ranks):
        found.append(
            "stages: the first generation has no hall of fame, let one stage that ranks be among the population"
        )
    return found


def to_toml(config: Config, record: dict[str, Any]) -> str:
    """The complete configuration as documented TOML; `record` becomes the table ``[record]`` (versions, format)."""
    lines = ["# The complete configuration of this run. Every value is in force.", ""]
    for item in fields(Config):
        if item.name == "network":
            shipped = config.network.name in SHIPPED
            lines += [f"# {item.metadata['text']}", f"network = {_toml(config.network.name)}"] if shipped else []
        elif item.name not in SECTIONS and item.name != "stages":
            lines += _line(item, getattr(config, item.name))
    for name in SECTIONS:
        section = getattr(config, name)
        lines += ["", f"[{name}]"]
        for item in fields(section):
            lines += _line(item, getattr(section, item.name))
    for stage in config.stages:
        lines += ["", "[[stages]]"]
        for item in fields(stage):
            lines += _line(item, getattr(stage, item.name))
    if config.network.name not in SHIPPED:
        lines += [
            "",
            "# The network that evolves.",
            "[network]",
            network_file.to_toml(config.network, "network.").rstrip(),
        ]
    lines += ["", "# What this run was made with.", "[record]"]
    lines += [f"{key} = {_toml(value)}" for key, value in record.items()]
    return "\n".join(lines) + "\n"


def _line(item: dataclasses.Field[Any], value: Any) -> list[str]:
    return [f"# {item.metadata['text']}", f"{item.name} = {_toml(value)}"]


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(cast(str, value), ensure_ascii=False).replace("\x7f", "\\u007f")  # legal in JSON, not in TOML
