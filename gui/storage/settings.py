"""Saved settings, and a typed view of them.

Several windows may change settings at once; each writes only the values that it has changed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Container
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from gui.storage.whole_files import in_words, read_bytes, set_aside, write_whole

T = TypeVar("T", bool, int, float, str)

NAME = "settings.json"
MOST_RECENT = 12


class Settings:
    """Values by name, in one JSON file."""

    def __init__(self, folder: Path) -> None:
        """Read the settings of a data folder; damaged ones are replaced by defaults."""
        self.trouble = ""
        self._path = folder / NAME
        self._values = self._read()
        self._changed: dict[str, Any] = {}

    def get(self, name: str, default: T, allowed: Container[T] | None = None) -> T:
        """Return a value, or the default if it is missing, of another type or not allowed."""
        value = self._values.get(name, default)
        if isinstance(default, float) and type(value) is int:
            value = float(value)
        if type(value) is not type(default) or (isinstance(value, float) and not math.isfinite(value)):
            return default
        return default if allowed is not None and value not in allowed else value

    def set(self, name: str, value: bool | int | float | str) -> None:
        if name not in self._values or self._values[name] != value or type(self._values[name]) is not type(value):
            self._values[name] = self._changed[name] = value

    def recent(self, name: str) -> list[str]:
        value = self._values.get(name)
        if not isinstance(value, list):
            return []
        return [item for item in value if isinstance(item, str)][:MOST_RECENT]

    def add_recent(self, name: str, item: str) -> None:
        before = self.recent(name)
        items = [item, *(known for known in before if known != item)][:MOST_RECENT]
        if items != before:
            self._values[name] = self._changed[name] = items

    def drop_recent(self, name: str, item: str) -> None:
        before = self.recent(name)
        if item in before:
            self._values[name] = self._changed[name] = [known for known in before if known != item]

    def save(self) -> bool:
        """Write changed values to the file, if there are any; if that fails, set `trouble` and return False."""
        if not self._changed:
            return True
        others = self._read()  # another window may have saved something in the meantime
        try:
            write_whole(self._path, json.dumps(others | self._changed, indent=1, ensure_ascii=True).encode() + b"\n")
        except OSError as error:
            self.trouble = f"Settings cannot be saved in {self._path.parent}: {in_words(error)}."
            return False
        self._values, self._changed, self.trouble = others | self._values | self._changed, {}, ""
        return True

    def _read(self) -> dict[str, Any]:
        try:
            data = read_bytes(self._path)
            values = {} if data is None else json.loads(data)
            if not isinstance(values, dict):
                raise ValueError("not a JSON object")
        except OSError as error:
            self.trouble = f"{self._path} cannot be read: {in_words(error)}."
            return {}
        except (ValueError, RecursionError) as error:
            self.trouble = f"{self._path} was damaged and set aside: {in_words(ValueError(error))}."
            set_aside(self._path)
            return {}
        return values


ANIMATIONS = {"off": 0.0, "fast": 0.12, "normal": 0.22, "slow": 0.45}
"""Seconds for one hop."""

COLOURS = ("black", "white", "random")
BOTTOMS = {"own": "Your side", "black": "Black", "white": "White"}
"""Sides that can be at the bottom of the board, with their titles."""

PANELS = ("moves", "analysis")
"""Parts of the panel beside a board; extras may add others."""

_ALLOWED: dict[str, Any] = {
    "theme": ("light", "dark", "contrast"),
    "board": ("theme", "brown", "blue", "grey"),
    "pieces": ("theme", "red", "blue"),
    "animation": tuple(ANIMATIONS),
    "colour": COLOURS,
    "bottom": tuple(BOTTOMS),
    "depth": range(13),
    "width": range(320, 20_000),
    "height": range(240, 20_000),
}
LEAST_SCALE, MOST_SCALE = 0.75, 2.0


@dataclass(frozen=True)
class Preferences:
    """The user's choices.

    Attributes:
        numbers, dots, must_marks, animation: numbers of squares, dots on legal targets, rings around pieces that must
            capture, and the speed of moves.
        bottom: one of `BOTTOMS`.
        worth: whether the worth of each piece is displayed.
        depth, seconds: its limits; depth 0 means the depth with which it evolved, 0 seconds no limit.
    """

    theme: str = "light"
    board: str = "theme"
    pieces: str = "theme"
    scale: float = 1.0
    fullscreen: bool = False
    width: int = 1280
    height: int = 800
    sounds: bool = True
    numbers: bool = True
    dots: bool = True
    must_marks: bool = True
    animation: str = "normal"
    bottom: str = "own"
    confirm: bool = False
    panel: str = "moves"
    evaluation_bar: bool = False
    worth: bool = False
    opponent: str = ""
    opponent_title: str = ""
    depth: int = 0
    seconds: float = 5.0
    colour: str = "black"

    @property
    def hop_seconds(self) -> float:
        return ANIMATIONS[self.animation]

    @property
    def still(self) -> bool:
        """True if nothing is to move by itself."""
        return not self.hop_seconds

    def flipped(self, black: bool) -> bool:
        """Return whether White's side is at the top; `black` says so if each person's own side is at the bottom."""
        return black if self.bottom == "own" else self.bottom == "black"

    @classmethod
    def of(cls, store: Settings) -> Preferences:
        values = {f.name: store.get(f.name, f.default, _ALLOWED.get(f.name)) for f in fields(cls)}
        values["scale"] = min(max(values["scale"], LEAST_SCALE), MOST_SCALE)
        values["seconds"] = min(max(values["seconds"], 0.0), 600.0)
        return cls(**values)

    def update(self, store: Settings, values: dict[str, Any]) -> Preferences:
        """Return a copy with other values, which are also set in the store."""
        for name, value in values.items():
            store.set(name, value)
        return replace(self, **values)


def hidden(chosen: Preferences) -> Preferences:
    """Return a copy without the displays that reveal which moves are good."""
    return replace(chosen, panel=PANELS[0], evaluation_bar=False, worth=False)
