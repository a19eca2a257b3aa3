"""Kinds that a configuration chooses from: each is a class, and its fields are the keys that it takes in TOML.

A class that says its kind takes its place in the family (`Stage`, `Mutation`, `Recombination`) by being written:
nothing else has to be edited, and nothing else knows it (docs/presets.md has examples).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, ClassVar

Rules = dict[str, Any]
"""What is allowed for each key (type, low and high, choices), and the text that documents it; of a key that chooses a
kind its family, and the default; ``when`` of one that is not always in force."""

When = Callable[[Any], bool]
"""Tells whether a value is in force: of the configuration, or, for a key of a kind, of that kind. Where it is not, it
decides nothing, and files leave it out."""


def whole(default: int, low: int, high: int, text: str, when: When | None = None) -> Any:
    """A field for a whole number."""
    return field(default=default, metadata={"type": int, "low": low, "high": high, "text": text, "when": when})


def number(default: float, low: float, high: float, text: str, when: When | None = None) -> Any:
    """A field for a number."""
    return field(default=default, metadata={"type": float, "low": low, "high": high, "text": text, "when": when})


def switch(default: bool, text: str, when: When | None = None) -> Any:
    """A field for true or false."""
    return field(default=default, metadata={"type": bool, "text": text, "when": when})


def texts(text: str, when: When | None = None) -> Any:
    """A field for a list of texts, empty by default."""
    return field(default=(), metadata={"type": tuple, "text": text, "when": when})


def choice(default: str, choices: tuple[str, ...], text: str, when: When | None = None) -> Any:
    """A field for one of some words."""
    return field(default=default, metadata={"type": str, "choices": choices, "text": text, "when": when})


class Kind:
    """One of a family.

    Attributes:
        families: all that there are.
        kinds: all of the family by name, in the order in which they were written.
        kind: its name in TOML.
    """

    families: ClassVar[list[type[Kind]]] = []
    kinds: ClassVar[dict[str, type[Any]]]
    kind: ClassVar[str]

    def __init_subclass__(cls, kind: str = "") -> None:
        super().__init_subclass__()
        if "kinds" in cls.__dict__:
            Kind.families.append(cls)
        if kind:
            if kind in cls.kinds:
                raise TypeError(f"{cls.__name__}: there is a kind {kind!r} already, {cls.kinds[kind].__name__}")
            cls.kind, cls.kinds[kind] = kind, cls

    @classmethod
    def describe(cls) -> str:
        """What it is, in a sentence: how its docstring begins."""
        return " ".join((cls.__doc__ or cls.kind).split("\n\n", 1)[0].split())

    @classmethod
    def rules(cls) -> Rules:
        """What is allowed for each of its keys."""
        return {item.name: item.metadata for item in fields(cls)}  # type: ignore[arg-type]


def load_kinds(package: str) -> None:
    """Import every module of a package, so that the kinds in them take their places in their families."""
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{module.name}")
