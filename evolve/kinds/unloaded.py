"""Kinds whose code was not loaded: a name and values, for whoever only reads a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, make_dataclass
from typing import Any

from evolve.kinds.kind import Kind


class Unloaded:
    """Marks a kind of a plugin that was not loaded. It cannot play or breed."""


def unloaded(family: type[Kind], name: str, values: Mapping[str, Any]) -> type[Any]:
    """A kind that has these keys and values, and does nothing."""
    keys: list[Any] = [
        (key, Any, field(default=tuple(value) if isinstance(value, list) else value, metadata=_rule(value)))
        for key, value in values.items()
        if not isinstance(value, dict)
    ]
    namespace = {"kind": name, "__doc__": f"{name}, of a plugin that is not loaded."}
    made: Any = make_dataclass("Unloaded", keys, bases=(family, Unloaded), namespace=namespace, frozen=True)
    made.__abstractmethods__ = frozenset()
    return made  # type: ignore[no-any-return]


def _rule(value: Any) -> dict[str, Any]:
    rule = {"type": tuple if isinstance(value, list) else type(value), "text": "of a plugin that is not loaded"}
    return rule | ({"low": -math.inf, "high": math.inf} if rule["type"] in (int, float) else {})
