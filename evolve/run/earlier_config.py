"""Configurations of a branch before it was one: ``config_0020.toml`` holds what generations up to 20 were played with.

A run that was begun from a generation of another has copies of that one's generations, which other values made.
"""

from __future__ import annotations

from pathlib import Path

from evolve.run.append_only import whole_number


def earlier_name(last: int) -> str:
    """File name of what generations up to this one were played with."""
    return f"config_{last:04d}.toml"


def earlier_configs(folder: Path) -> list[tuple[int, Path]]:
    """The files of a run folder, each with the last generation that it is of, in this order."""
    found = []
    for path in folder.glob("config_*.toml"):
        last = whole_number(path.stem.removeprefix("config_").encode("utf-8", "replace"))
        if last >= 0 and path.name == earlier_name(last):
            found.append((last, path))
    return sorted(found)
