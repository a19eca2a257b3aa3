"""The copy of the values that decide a run's results, which reveals changes made by hand.

A run must keep its configuration: a changed file would no longer describe the run, nor could it repeat the run.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from evolve.config.check import lacks_code, parse
from evolve.config.model import Config
from evolve.config.values import flat_values, nested, to_values
from game.toml_file import quote_value

BEGUN = "begun"
"""Name of the table in the record that holds the copy."""
CHECKSUM = "sha256"
FREE = ("preset", "generations", "saving", "workers")
"""Keys that do not affect results and may be changed at any time."""
MOST_NAMED = 5


def deciding_values(config: Config) -> dict[str, Any]:
    free = config.kind.outside(config)
    values = flat_values({key: value for key, value in to_values(config).items() if key not in FREE})
    return {name: value for name, value in values.items() if name not in free}


def copy_deciding_values(config: Config) -> dict[str, Any]:
    """Return the copy for the record of a run: its deciding values and their checksum."""
    values = deciding_values(config)
    return {CHECKSUM: _checksum(values)} | values


def changes(copy: Any, config: Config) -> str:
    """Return the differences between such a copy and a configuration, in words; empty if there are none.

    Keys that a newer version of the program has added have their defaults on both sides.
    """
    if not isinstance(copy, dict):
        return f"record.{BEGUN} is not a table"
    before = dict(copy)
    if before.pop(CHECKSUM, None) != _checksum(before):
        return f"record.{BEGUN} was changed: its checksum does not match"
    errors: list[str] = []
    values = nested(before)
    free = {name: getattr(config, name) for name in FREE}
    begun = parse(values, errors, free, unknown=lacks_code(values))
    if begun is None:
        return f"record.{BEGUN}: {'; '.join(errors)}"
    old, new = deciding_values(begun), deciding_values(config)
    named = [
        f"{name} {_shown(old, name)} -> {_shown(new, name)}"
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    ]
    more = [f"and {len(named) - MOST_NAMED} more"] if len(named) > MOST_NAMED else []
    return ", ".join(named[:MOST_NAMED] + more)


def _shown(values: dict[str, Any], name: str) -> str:
    return quote_value(values[name]) if name in values else "none"


def _checksum(values: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()
