"""Marks for tests that need extras: in a tree without one of them, such a test is skipped with the reason."""

from __future__ import annotations

import pytest

import extras


def reason_to_skip(item: pytest.Item) -> str:
    """Return why a test cannot run in this tree, by its marks ``needs``; empty if it can.

    Without names, a test is about the program with all of its extras.
    """
    for mark in item.iter_markers("needs"):
        absent = [name for name in mark.args or extras.HOMES if name not in extras.installed()]
        if absent:
            return f"needs the extra {absent[0]}"
    return ""


def marks_of(*names: str) -> list[pytest.MarkDecorator]:
    """Return the marks of a test that uses names which `extras.HOMES` lists, such as ``train`` or ``presets.zero``."""
    homes = (home for home, added in extras.HOMES.items() if not set(names).isdisjoint(added.split()))
    return [pytest.mark.needs(home) for home in homes]
