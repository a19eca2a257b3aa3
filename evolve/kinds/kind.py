"""Kinds that a configuration chooses from: each is a class whose fields are its keys in TOML."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import field, fields
from typing import Any, ClassVar

from extras import modules

Rules = dict[str, Any]
"""Metadata of each key: its type, limits (``low``, ``high``) or ``choices``, and the text that documents it. A key that
chooses a kind has the family and the default instead. A list of tables has the class of a ``table``. A key that is not
always active has ``when``."""

When = Callable[[Any], bool]
"""Returns whether a key is active; its argument is the configuration, or the kind that the key belongs to. The value of
an inactive key has no effect, and files omit it."""


def whole(default: int, low: int, high: int, text: str, when: When | None = None) -> Any:
    """Return a field for a whole number."""
    return field(default=default, metadata={"type": int, "low": low, "high": high, "text": text, "when": when})


def number(default: float, low: float, high: float, text: str, when: When | None = None) -> Any:
    """Return a field for a number."""
    return field(default=default, metadata={"type": float, "low": low, "high": high, "text": text, "when": when})


def switch(default: bool, text: str, when: When | None = None) -> Any:
    """Return a field for true or false."""
    return field(default=default, metadata={"type": bool, "text": text, "when": when})


def string(default: str, text: str, when: When | None = None) -> Any:
    """Return a field for a string."""
    return field(default=default, metadata={"type": str, "text": text, "when": when})


def texts(text: str, when: When | None = None) -> Any:
    """Return a field for a list of strings, empty by default."""
    return field(default=(), metadata={"type": tuple, "text": text, "when": when})


def tables(table: type[Any], text: str) -> Any:
    """Return a field for a list of tables, by default one with the defaults of its class; it is the last field."""
    return field(default=(table(),), metadata={"type": tuple, "table": table, "text": text})


def choice(default: str, choices: tuple[str, ...], text: str, when: When | None = None) -> Any:
    """Return a field for one of several words."""
    return field(default=default, metadata={"type": str, "choices": choices, "text": text, "when": when})


class Kind:
    """A member of a family of kinds.

    Attributes:
        kinds: the members of the family by name, in the order of their definition.
        gone: removed members by name, each with the attributes that its runs still need.
        older: earlier names of its keys, each with the present name, such as ``stages.0.games``.
    """

    families: ClassVar[list[type[Kind]]] = []
    kinds: ClassVar[dict[str, type[Any]]]
    gone: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    older: ClassVar[Mapping[str, str]] = {}
    kind: ClassVar[str]

    def __init_subclass__(cls, kind: str = "") -> None:
        super().__init_subclass__()
        # A class with its own table begins a family; classes derived from it join that table.
        if "kinds" in cls.__dict__:
            Kind.families.append(cls)
        if kind:
            if kind in cls.kinds:
                raise TypeError(f"{cls.__name__}: kind {kind!r} is already defined by {cls.kinds[kind].__name__}")
            cls.kind, cls.kinds[kind] = kind, cls

    @classmethod
    def describe(cls) -> str:
        """Return its description for files and help: the first paragraph of its docstring."""
        return " ".join((cls.__doc__ or cls.kind).split("\n\n", 1)[0].split())

    @classmethod
    def rules(cls) -> Rules:
        """Return the metadata of each of its keys, by name."""
        return rules_of(cls)


def rules_of(table: type[Any]) -> Rules:
    """Return the metadata of each field of a class, by name."""
    return {item.name: item.metadata for item in fields(table)}


def load_added(*what: str) -> None:
    """Import the kinds that extras add, so that they join their families: by default `methods` and `kinds`."""
    for each in what or ("methods", "kinds"):
        modules(each)


def load_kinds(package: str) -> None:
    """Import every module of a package, so that the kinds defined there join their families."""
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{module.name}")
