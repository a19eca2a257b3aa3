"""Every key that a configuration may have, in force or not: its meaning, what is allowed, and keys by a few letters."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evolve.config.check import STAGE_RULES, allowed_text, section_rules
from evolve.config.model import SECTIONS
from evolve.kinds.kind import Rules

CLOSE = 0.6
"""How like each other two names are at least that are near, from 0 to 1."""


@dataclass(frozen=True)
class Key:
    """A key.

    Attributes:
        name: as settings have it, such as ``variation.high``.
        text: what it means.
        allowed: its values, in words.
        kinds: those that take it, where not all do.
    """

    name: str
    text: str
    allowed: str
    kinds: tuple[str, ...] = ()


def known_keys(stages: int) -> list[Key]:
    """All keys that settings may have, section by section.

    Args:
        stages: how many there are.
    """
    found = [key for name in SECTIONS if name != "plugins" for key in _keys_of(name, section_rules(name))]
    return found + [key for number in range(stages) for key in _keys_of(f"stages.{number}", STAGE_RULES)]


def _keys_of(path: str, rules: Rules) -> Iterator[Key]:
    for name, rule in rules.items():
        family = rule.get("family")
        if family is None:
            yield Key(f"{path}.{name}", rule["text"], allowed_text(rule))
            continue
        yield Key(f"{path}.{name}", family.describe(), " or ".join(family.kinds))
        of_kinds: dict[str, list[str]] = {}
        for kind_name, kind in family.kinds.items():
            for key in kind.rules():
                of_kinds.setdefault(key, []).append(kind_name)
        for key, kinds in of_kinds.items():
            of_key = family.kinds[kinds[0]].rules()[key]
            yield Key(f"{path}.{key}", of_key["text"], allowed_text(of_key), tuple(kinds))


def matching_keys(written: str, keys: Sequence[Key]) -> list[Key]:
    """The keys that may be meant: those that begin as it is written, those that hold it, those that tell of it.

    Args:
        written: letters of a name, or of what a key means.
        keys: all that there are.
    """
    sought = written.strip().lower()

    def rank(key: Key) -> int | None:
        name = key.name.lower()
        parts = (name, name.partition(".")[2])
        tests = (any(part.startswith(sought) for part in parts), sought in name, sought in key.text.lower())
        return tests.index(True) if True in tests else None

    ranked = [(place, key) for key in keys if (place := rank(key)) is not None]
    return [key for _, key in sorted(ranked, key=lambda each: each[0])]


def nearest_key(written: str, keys: Sequence[Key]) -> Key | None:
    """The key whose name is most like one that is none; None if none is near."""
    sought = written.strip().lower()
    section, dot, last = sought.rpartition(".")
    # Within its section, which would make everything in it look near, names are compared without it.
    inside = {key.name.rpartition(".")[2]: key for key in keys if dot and key.name.startswith(f"{section}.")}
    whole = {key.name: key for key in keys}
    ends = {key.name.rpartition(".")[2]: key for key in reversed(keys)}
    for name, among in ((last, inside), (sought, whole), (last, ends)):
        near = difflib.get_close_matches(name, among, 1, CLOSE)
        if near:
            return among[near[0]]
    return None
