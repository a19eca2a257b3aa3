"""Input events as plain values, and names of keys; only this module handles the events of pygame."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gui.geometry import Point, Size
from gui.toolkit import pygame

LEFT, MIDDLE, RIGHT = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Press:
    """A mouse button was pressed; `clicks` is 2 for the second press of a double click."""

    at: Point
    button: int = LEFT
    clicks: int = 1


@dataclass(frozen=True, slots=True)
class Release:
    """A mouse button was released."""

    at: Point
    button: int = LEFT


@dataclass(frozen=True, slots=True)
class Motion:
    """The mouse moved; `held` is True while the left button is down."""

    at: Point
    held: bool = False


@dataclass(frozen=True, slots=True)
class Leave:
    """The mouse left the window, or the window lost the keyboard."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """The wheel was turned with the mouse at `at`; `up` is the number of notches, positive away from the user."""

    at: Point
    up: float


@dataclass(frozen=True, slots=True)
class Key:
    """A key was pressed. It is named as in `Command.keys`: ``ctrl+z``, ``shift+tab``, ``left``, ``a``, ``?``.

    `repeat` is True if the key is held down. Only keys that move or delete repeat; letters repeat as `Text`.
    """

    name: str
    repeat: bool = False

    @property
    def edits(self) -> bool:
        """True if the key deletes text, so that only fields may react to its repetitions."""
        return self.name.rpartition("+")[2] in _DELETING


@dataclass(frozen=True, slots=True)
class Text:
    """Characters were typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Drop:
    """A file was dropped on the window."""

    path: str


@dataclass(frozen=True, slots=True)
class Resize:
    """The window has another size."""

    size: Size


@dataclass(frozen=True, slots=True)
class Hide:
    """The window was minimised or hidden."""


@dataclass(frozen=True, slots=True)
class Redraw:
    """The window was uncovered or restored, so it has to be drawn again."""


@dataclass(frozen=True, slots=True)
class Quit:
    """The window is to be closed."""


Event = Press | Release | Motion | Leave | Wheel | Key | Text | Drop | Resize | Hide | Redraw | Quit

# Keys for which SDL has unusual names.
_NAMES = {"enter": "return", "page up": "pageup", "page down": "pagedown"}
_PAD = {"0": "insert", "1": "end", "2": "down", "3": "pagedown", "4": "left", "6": "right"} | {
    "7": "home", "8": "up", "9": "pageup", ".": "delete"
}  # fmt: skip
_DELETING = ("backspace", "delete")
_REPEATING = ("left", "right", "up", "down", "pageup", "pagedown", *_DELETING)


class Translator:
    """Translates events of pygame.

    It remembers the position of the mouse, which wheel events lack, and which keys are down: while the window is busy,
    pygame repeats a key even if it has been released.
    """

    def __init__(self) -> None:
        self._at: Point = (-1, -1)
        self._down: set[int] = set()

    @property
    def holds(self) -> bool:
        return bool(self._down)

    def translate_all(self, events: Iterable[Any]) -> list[Event]:
        """Translate a batch of events; keep only the last repetition of a key, or none if the key was released."""
        translated: list[Event | None] = []
        repeats: dict[int, int] = {}
        for raw in events:
            event = self.translate(raw)
            if raw.type in (pygame.KEYDOWN, pygame.KEYUP) and raw.key in repeats:
                translated[repeats.pop(raw.key)] = None
            if isinstance(event, Key) and event.repeat:
                repeats[raw.key] = len(translated)
            translated.append(event)
        return [event for event in translated if event is not None]

    def translate(self, event: Any) -> Event | None:
        kind = event.type
        if kind == pygame.MOUSEMOTION:
            self._at = _point(event)
            return Motion(self._at, bool(event.buttons[0]))
        if kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
            self._at = _point(event)
            if event.button in (LEFT, MIDDLE, RIGHT):  # 4 to 7 are the wheel, which also has its own event
                return (Press if kind == pygame.MOUSEBUTTONDOWN else Release)(self._at, event.button)
            return None
        if kind == pygame.MOUSEWHEEL:
            notches = float(getattr(event, "precise_y", 0) or event.y)
            return Wheel(self._at, -notches if getattr(event, "flipped", False) else notches)
        if kind == pygame.KEYDOWN:
            name, repeat = key_name(event), event.key in self._down
            self._down.add(event.key)
            if not name or (repeat and name.rpartition("+")[2] not in _REPEATING):
                return None
            return Key(name, repeat)
        if kind == pygame.KEYUP:
            self._down.discard(event.key)
            return None
        if kind == pygame.TEXTINPUT:
            return Text(event.text) if event.text else None
        if kind == pygame.DROPFILE:
            return Drop(event.file)
        if kind == pygame.VIDEORESIZE:
            return Resize((int(event.w), int(event.h)))
        if kind in (pygame.WINDOWLEAVE, pygame.WINDOWFOCUSLOST):
            if kind == pygame.WINDOWFOCUSLOST:  # other windows get the events of keys that are released there
                self._down.clear()
            return Leave()
        if kind in (pygame.WINDOWMINIMIZED, pygame.WINDOWHIDDEN):
            return Hide()
        if kind in (pygame.WINDOWEXPOSED, pygame.WINDOWRESTORED, pygame.WINDOWSHOWN):
            return Redraw()
        if kind == pygame.QUIT:
            return Quit()
        return None


def _point(event: Any) -> Point:
    return int(event.pos[0]), int(event.pos[1])


def key_name(event: Any) -> str:
    """Return the name of the key of a KEYDOWN event; empty for a modifier alone.

    A printable character is its own name (``?``, wherever it is on the keyboard); letters are in lower case, with
    ``shift+`` if Shift was held.
    """
    mods, typed = event.mod, getattr(event, "unicode", "")
    ctrl = bool(mods & (pygame.KMOD_META if sys.platform == "darwin" else pygame.KMOD_CTRL))
    alt = bool(mods & pygame.KMOD_ALT)
    shift = bool(mods & pygame.KMOD_SHIFT)
    name = str(pygame.key.name(event.key)).lower()
    if name.startswith(("left ", "right ")) or name in ("caps lock", "numlock", "alt gr", "", "unknown key"):
        return ""
    if len(name) == 3 and name[0] == "[" and name[2] == "]":  # the number pad, which types digits or moves the cursor
        name = name[1] if typed else _PAD.get(name[1], name[1])
    name = _NAMES.get(name, name)
    if not ctrl and not alt and typed and typed.isprintable() and not typed.isspace():
        if not typed.isalpha():
            return str(typed)
        name = typed.lower()
    return ("ctrl+" if ctrl else "") + ("alt+" if alt else "") + ("shift+" if shift else "") + name


_KEY_TEXTS = {
    "ctrl": "Cmd" if sys.platform == "darwin" else "Ctrl", "alt": "Alt", "shift": "Shift", "left": "←", "right": "→",
    "up": "↑", "down": "↓", "escape": "Esc", "return": "Enter", "space": "Space", "pageup": "PgUp",
    "pagedown": "PgDn", "home": "Home", "end": "End", "backspace": "Backspace", "delete": "Del", "tab": "Tab",
    "-": "−",
}  # fmt: skip


def _parts(key: str) -> list[str]:
    return [*key[:-2].split("+"), "+"] if key.endswith("++") else ["+"] if key == "+" else key.split("+")


@lru_cache(maxsize=512)
def key_text(key: str) -> str:
    """Return the name of a key as printed on a keyboard: ``ctrl+z`` becomes Ctrl+Z."""
    *mods, last = _parts(key)
    name = _KEY_TEXTS.get(last, last.upper() if len(last) == 1 or last[1:].isdigit() else last)
    return "+".join([*(_KEY_TEXTS[mod] for mod in mods), name])
