"""Checking the plain values of a configuration, with all mistakes at once; and a list of all keys."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from evolve.config.contradictions import contradictions
from evolve.config.model import Config
from evolve.config.sections import SECTIONS
from evolve.config.values import only_active
from evolve.kinds.deap_operators import PREFIX, problem
from evolve.kinds.kind import Kind, Rules, rules_of
from evolve.kinds.plugins import are_loaded, unloaded
from evolve.kinds.stages import Knockout, Stage
from extras import missing
from game.errors import did_you_mean, one_line
from game.networks import named
from game.networks.spec import NetworkError
from game.removed import REMOVED, SETTING, removed_settings
from game.toml_file import quote_key, quote_value

MAX_STAGES = 32
"""Maximum length of every list of tables."""
STAGE_RULES: Rules = {"kind": {"family": Stage, "default": Knockout.kind}}


def parse(
    values: dict[str, Any], errors: list[str], instead: Mapping[str, Any] | None = None, *, unknown: bool = False
) -> Config | None:
    """Check plain values and return the configuration, or None after adding a line to `errors` for each mistake.

    The fields of `instead` replace values before contradictions are checked. With `unknown`, kinds that are not
    registered are accepted, to read a run without running its code, which may come from a stranger.
    """
    given: dict[str, Any] = {}
    plain = {item.name for item in fields(Config)} - set(SECTIONS) - {"stages", "network"}
    for key, value in values.items():
        if key in SECTIONS:
            given[key] = SECTIONS[key](**_table(section_rules(key), value, key, errors, unknown=unknown))
        elif key == "stages":
            given[key] = _stages(value, errors, unknown=unknown)
        elif key == "network":
            try:
                given[key] = named.from_values(value)
            except NetworkError as error:
                errors.append(f"network: {error}")
        elif key not in plain:
            errors.append(_unknown(key, [item.name for item in fields(Config)]))
    scalars = {key: value for key, value in values.items() if key in plain}
    given |= _values(rules_of(Config), scalars, "", errors)
    config = Config(**given | dict(instead or {}))
    if not unknown:
        errors.extend(_independent(contradictions(config), errors))
    return None if errors else only_active(config)


def lacks_code(values: Mapping[str, Any]) -> bool:
    """Return whether a saved run needs code that is not here: of plugins not loaded, of absent extras, or removed."""
    stages = values.get("stages")
    tables = [(section_rules(name), values.get(name), name) for name in SECTIONS]
    tables += [(STAGE_RULES, stage, "stages") for stage in (stages if isinstance(stages, list) else ())]
    return not are_loaded(values) or bool(removed_settings(values)) or any(missing_kinds(*each) for each in tables)


def missing_kinds(rules: Rules, table: Any, path: str) -> list[str]:
    """Return a line for each kind that a table chooses whose extra is not here."""
    chosen = [(key, table.get(key)) for key in _families(rules)] if isinstance(table, dict) else []
    return [
        f"{path}.{key}: {line}" for key, name in chosen if isinstance(name, str) and (line := missing(name, "kinds."))
    ]


def _independent(lines: list[str], errors: list[str]) -> list[str]:
    """Return the contradictions between tables without errors; elsewhere, defaults have replaced the wrong values."""
    wrong = {re.split(r"[.:]", error.removeprefix(SETTING), maxsplit=1)[0] for error in errors}
    sizes = {"population", "stages", "network"}  # stages and memory depend on all three, whichever the error names
    if wrong & sizes:
        wrong |= sizes
    return [line for line in lines if not wrong & set(re.findall(r"[a-z]+(?=[.:])", line))]


def section_rules(name: str) -> Rules:
    return rules_of(SECTIONS[name])


def _families(rules: Rules) -> dict[str, type[Kind]]:
    return {key: rule["family"] for key, rule in rules.items() if "family" in rule}


def _chosen(rules: Rules, values: Mapping[str, Any]) -> dict[str, type[Kind] | None]:
    chosen: dict[str, type[Kind] | None] = {}
    for key, family in _families(rules).items():
        name = values.get(key, rules[key]["default"])
        chosen[key] = family.kinds.get(name) if isinstance(name, str) else None
    return chosen


def _keys_of_kinds(rules: Rules) -> dict[str, list[str]]:
    kinds_of: dict[str, list[str]] = {}
    for family in _families(rules).values():
        for name, kind in family.kinds.items():
            for key in kind.rules():
                kinds_of.setdefault(key, []).append(name)
    return kinds_of


def drop_kind(rules: Rules, values: dict[str, Any], key: str) -> None:
    """Remove the keys of a kind from a table, except keys that another kind in the table shares."""
    chosen = _chosen(rules, values)
    kind = chosen.pop(key)
    shared = {name for other in chosen.values() if other for name in other.rules()}
    for name in kind.rules().keys() - shared - rules.keys() if kind else ():
        values.pop(name.partition(".")[0], None)  # the table of its options, if it has one


def drop_other_kinds(rules: Rules, values: dict[str, Any]) -> None:
    """Remove the keys of kinds that a table does not choose."""
    chosen = _chosen(rules, values)
    if None not in chosen.values():
        kept = {*rules, *(key for kind in chosen.values() if kind for key in kind.rules())}
        for key in _keys_of_kinds(rules).keys() - kept:
            values.pop(key, None)


def older_names(rules: Rules, values: Mapping[str, Any]) -> dict[str, str]:
    """Return the present name of each earlier name of a key, of the kinds that a table chooses."""
    return {old: new for kind in _chosen(rules, values).values() if kind for old, new in kind.older.items()}


def begin_tables(rules: Rules, values: dict[str, Any], key: str) -> None:
    """Put the default of a list of tables into a table that lacks it, so that one of them can be changed."""
    chosen = (kind.rules().get(key, {}) for kind in _chosen(rules, values).values() if kind)
    if key not in values and any("table" in rule for rule in chosen):
        values[key] = [{}]


def _in_present_names(rules: Rules, values: Mapping[str, Any]) -> dict[str, Any]:
    older = older_names(rules, values)
    named = {key: value for key, value in values.items() if key not in older}
    for old in filter(older.__contains__, values):
        key, index, part = older[old].split(".")
        entries = named.get(key, [{}])
        if isinstance(entries, list) and int(index) < len(entries) and isinstance(entries[int(index)], dict):
            entry = {part: values[old], **entries[int(index)]}
            named[key] = [*entries[: int(index)], entry, *entries[int(index) + 1 :]]
    return named


def _table(rules: Rules, value: Any, path: str, errors: list[str], *, unknown: bool = False) -> dict[str, Any]:
    if not isinstance(value, dict):
        errors.append(f"{path}: expected a table of values, got {quote_value(value)}")
        return {}
    value = _flat_options(rules, _in_present_names(rules, value))
    gone = {key for key in value if f"{SETTING}{path}.{key}" in REMOVED}
    value = {key: entry for key, entry in value.items() if entry or key not in gone}
    chosen = _chosen(rules, value)
    if unknown:
        if gone & value.keys():  # what chose the kind of this key is no longer here
            chosen |= {key: None for key in chosen if key in value}
        known = {*rules, *(key for kind in chosen.values() if kind for key in kind.rules())}
        theirs = {key: entry for key, entry in value.items() if key not in known}
        chosen |= {
            key: unloaded(family, value[key], theirs)
            for key, family in _families(rules).items()
            if chosen[key] is None and isinstance(value[key], str)
        }
    if not unknown and (lines := removed_settings({path: value}) or missing_kinds(rules, value, path)):
        errors += lines
        return {}
    of_kinds = _keys_of_kinds(rules)
    allowed = dict(rules)
    for key, family in _families(rules).items():
        kind = chosen[key]
        if kind is None:
            errors.append(f"{path}.{key}: {_unknown_kind(family, value[key])}")
        for member in [kind] if kind else family.kinds.values():  # an unknown kind may have the keys of any
            allowed |= member.rules()
    names = " and ".join(kind.kind for kind in chosen.values() if kind)
    for key in value:
        if key not in allowed and key in of_kinds:
            takes = ", ".join(f"{path}.{name}" for name in allowed)
            errors.append(f"{path}.{key}: a key of {', '.join(of_kinds[key])}, not of {names}; allowed: {takes}")
        elif key not in allowed:
            errors.append(_unknown(key, list(allowed), f"{path}."))
    plain = {key: rule for key, rule in allowed.items() if key not in chosen}
    given = {key: item for key, item in value.items() if key in plain}
    good = _values(plain, given, f"{path}.", errors, unknown=unknown)
    for key, kind in chosen.items():
        if kind is not None:
            good[key] = kind(**{name.rpartition(".")[2]: good[name] for name in kind.rules() if name in good})
    return {key: good[key] for key in rules if key in good}


def _flat_options(rules: Rules, values: dict[str, Any]) -> dict[str, Any]:
    of_options = {name.rpartition(".")[0] for name in _keys_of_kinds(rules)} - {""}
    flat: dict[str, Any] = {}
    for key, value in values.items():
        nested = key in of_options and isinstance(value, dict)
        flat |= {f"{key}.{name}": option for name, option in value.items()} if nested else {key: value}
    return flat


def _unknown_kind(family: type[Kind], name: Any) -> str:
    own = [each for each in family.kinds if not each.startswith(PREFIX)]
    if len(own) < len(family.kinds):
        if isinstance(name, str) and name.startswith(PREFIX):
            return problem(family, one_line(name))
        own.append(f"{PREFIX}NAME")
    return f"expected {' or '.join(own)}, got {quote_value(name)}{did_you_mean(str(name), family.kinds)}"


def _tables(rules: Rules, value: Any, path: str, errors: list[str], *, unknown: bool = False) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not value:
        errors.append(f"{path}: expected one or more [[{path}]] tables, got {quote_value(value)}")
        return []
    if len(value) > MAX_STAGES:
        errors.append(f"{path}: at most {MAX_STAGES}, got {len(value):,}")
        return []
    return [_table(rules, item, f"{path}.{index}", errors, unknown=unknown) for index, item in enumerate(value)]


def _stages(value: Any, errors: list[str], *, unknown: bool = False) -> tuple[Stage, ...]:
    tables = _tables(STAGE_RULES, value, "stages", errors, unknown=unknown)
    return tuple(table["kind"] for table in tables if "kind" in table)


def _unknown(key: str, allowed: list[str], prefix: str = "") -> str:
    near = difflib.get_close_matches(key, allowed, 1)  # without the prefix, which would make all keys look similar
    path = prefix + quote_key(key)
    hint = f"did you mean {prefix}{near[0]}?" if near else f"allowed: {', '.join(prefix + name for name in allowed)}"
    return f"{path}: unknown key, {hint}"


def _values(
    rules: Rules, values: dict[str, Any], prefix: str, errors: list[str], *, unknown: bool = False
) -> dict[str, Any]:
    good: dict[str, Any] = {}
    for key, value in values.items():
        rule = rules[key]
        if (table := rule.get("table")) is not None:
            mistakes = len(errors)
            given = [table(**each) for each in _tables(rules_of(table), value, f"{prefix}{key}", errors)]
            if len(errors) == mistakes:
                good[key] = tuple(given)
            continue
        if rule.get("unread") and isinstance(value, list):
            good[key] = tuple(value)
            continue
        kind_of_value = rule["type"]
        number = kind_of_value is float and isinstance(value, int | float) and not isinstance(value, bool)
        if kind_of_value is str and type(value) in (int, float) and "choices" not in rule:
            value = f"{value}"  # such as one weight of a fitness
        exact = type(value) is kind_of_value
        if kind_of_value is tuple and isinstance(value, list) and all(isinstance(item, str) for item in value):
            value, exact = tuple(value), True
        allowed = allowed_text(rule)
        was_allowed = unknown and exact and f"{SETTING}{prefix}{key}={value}" in REMOVED
        if not was_allowed and (not (number or exact) or not _inside(value, rule)):
            errors.append(f"{prefix}{key}: expected {allowed}, got {quote_value(value)}")
        else:
            good[key] = float(value) if number else value
    return good


def allowed_text(rule: Any) -> str:
    if "choices" in rule:
        return " or ".join(rule["choices"])
    if rule["type"] is bool:
        return "true or false"
    if rule["type"] in (str, tuple):
        return "text" if rule["type"] is str else "a list of texts"
    kind = "a whole number" if rule["type"] is int else "a number"
    return f"{kind} from {rule['low']} to {rule['high']}"


def _inside(value: Any, rule: Any) -> bool:
    if "choices" in rule:
        return value in rule["choices"]
    if "low" in rule:
        return bool(rule["low"] <= value <= rule["high"])  # false for NaN
    return True


@dataclass(frozen=True)
class ConfigKey:
    """A key of a configuration; `kinds` are those that have it, empty if it does not depend on a kind."""

    name: str
    text: str
    allowed: str
    kinds: tuple[str, ...] = ()


def known_keys(stages: int) -> list[ConfigKey]:
    """Return all keys that settings may have, section by section, for this number of stages."""
    results = [key for name in SECTIONS if name != "plugins" for key in _keys_of(name, section_rules(name))]
    return results + [key for number in range(stages) for key in _keys_of(f"stages.{number}", STAGE_RULES)]


def _keys_of(path: str, rules: Rules) -> Iterator[ConfigKey]:
    for name, rule in rules.items():
        family = rule.get("family")
        if family is None:
            yield ConfigKey(f"{path}.{name}", rule["text"], allowed_text(rule))
            continue
        yield ConfigKey(f"{path}.{name}", family.describe(), " or ".join(family.kinds))
        for key, kinds in _keys_of_kinds({name: rule}).items():
            of_key = family.kinds[kinds[0]].rules()[key]
            if (table := of_key.get("table")) is None:
                yield ConfigKey(f"{path}.{key}", of_key["text"], allowed_text(of_key), tuple(kinds))
                continue
            for entry, of_entry in rules_of(table).items():
                yield ConfigKey(f"{path}.{key}.0.{entry}", of_entry["text"], allowed_text(of_entry), tuple(kinds))


def matching_keys(written: str, keys: Sequence[ConfigKey]) -> list[ConfigKey]:
    """Return the keys that match a text: names that begin with it, then names that contain it, then meanings."""
    sought = written.strip().lower()

    def rank(key: ConfigKey) -> int | None:
        name = key.name.lower()
        parts = (name, name.partition(".")[2])
        tests = (any(part.startswith(sought) for part in parts), sought in name, sought in key.text.lower())
        return tests.index(True) if True in tests else None

    ranked = [(place, key) for key in keys if (place := rank(key)) is not None]
    return [key for _, key in sorted(ranked, key=lambda entry: entry[0])]
