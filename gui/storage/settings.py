"""What a person has chosen, kept between starts. Several windows may do that: each writes only what it changed."""

from __future__ import annotations

import json
import math
from collections.abc import Container
from pathlib import Path
from typing import Any, TypeVar

from gui.storage.places import in_words, read_bytes, set_aside, write_whole

T = TypeVar("T", bool, int, float, str)

NAME = "settings.json"
MOST_RECENT = 12


class Settings:
    """Values by name, in one JSON file.

    Attributes:
        trouble: why they could not be read or kept, in one sentence; empty if all is well.
    """

    def __init__(self, folder: Path) -> None:
        """Read the settings of a data folder; whatever is wrong with them, the defaults hold."""
        self.trouble = ""
        self._path = folder / NAME
        self._values = self._read()
        self._changed: dict[str, Any] = {}

    def get(self, name: str, default: T, allowed: Container[T] | None = None) -> T:
        """A value; the default if it is not there, of another type, or not allowed."""
        value = self._values.get(name, default)
        if isinstance(default, float) and type(value) is int:
            value = float(value)
        if type(value) is not type(default) or (isinstance(value, float) and not math.isfinite(value)):
            return default
        return default if allowed is not None and value not in allowed else value

    def set(self, name: str, value: bool | int | float | str) -> None:
        """Choose a value; `save` keeps it."""
        if name not in self._values or self._values[name] != value or type(self._values[name]) is not type(value):
            self._values[name] = self._changed[name] = value

    def recent(self, name: str) -> list[str]:
        """A list of things used last, newest first."""
        value = self._values.get(name)
        if not isinstance(value, list):
            return []
        return [item for item in value if isinstance(item, str)][:MOST_RECENT]

    def add_recent(self, name: str, item: str) -> None:
        """Put something first in a list of things used last."""
        before = self.recent(name)
        items = [item, *(known for known in before if known != item)][:MOST_RECENT]
        if items != before:
            self._values[name] = self._changed[name] = items

    def drop_recent(self, name: str, item: str) -> None:
        """Take something out of a list of things used last."""
        before = self.recent(name)
        if item in before:
            self._values[name] = self._changed[name] = [known for known in before if known != item]

    def save(self) -> bool:
        """Write changed values to the file; False, with `trouble` set, if that fails. Does nothing without changes."""
        if not self._changed:
            return True
        others = self._read()  # another window may have kept something since
        try:
            write_whole(self._path, json.dumps(others | self._changed, indent=1, ensure_ascii=True).encode() + b"\n")
        except OSError as error:
            self.trouble = f"Settings cannot be kept in {self._path.parent}: {in_words(error)}."
            return False
        self._values, self._changed, self.trouble = others | self._values | self._changed, {}, ""
        return True

    def _read(self) -> dict[str, Any]:
        try:
            data = read_bytes(self._path)
            values = {} if data is None else json.loads(data)
            if not isinstance(values, dict):
                raise ValueError("no JSON object")
        except OSError as error:
            self.trouble = f"{self._path} cannot be read: {in_words(error)}."
            return {}
        except (ValueError, RecursionError) as error:
            self.trouble = f"{self._path} was damaged and set aside: {in_words(ValueError(error))}."
            set_aside(self._path)
            return {}
        return values
