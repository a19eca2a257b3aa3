"""Commands: whatever a person can do on a screen, by a key and mostly by a button too."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_SHOWN = {
    "ctrl": "Cmd" if sys.platform == "darwin" else "Ctrl",
    "alt": "Alt",
    "shift": "Shift",
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "escape": "Esc",
    "return": "Enter",
    "space": "Space",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "backspace": "Backspace",
    "delete": "Del",
    "tab": "Tab",
}


def key_text(key: str) -> str:
    """A key as people see it on theirs: ``ctrl+z`` is Ctrl+Z."""
    *mods, last = [*key[:-2].split("+"), "+"] if key.endswith("++") else ["+"] if key == "+" else key.split("+")
    name = _SHOWN.get(last, last.upper() if len(last) == 1 or last[1:].isdigit() else last)
    return "+".join([*(_SHOWN[mod] for mod in mods), name])


@dataclass(frozen=True, kw_only=True)
class Command:
    """One thing that can be done.

    Attributes:
        id: what buttons and tests look it up by: a stable word, unique on its screen, whatever its label says now.
        name: the label of its button, a few words.
        keys: the first one is shown; a command has at least one.
        run: what it does.
        about: a sentence for tooltips and the list of keys; the name if empty.
        icon: name of its icon, if it has one.
        enabled: whether it is possible now.
        chosen: of a switch, whether it is on.
        group: heading in the list of keys.
        why: why it is not possible now, in one sentence.
    """

    id: str
    name: str
    keys: tuple[str, ...]
    run: Callable[[], object]
    about: str = ""
    icon: str = ""
    enabled: bool = True
    chosen: bool | None = None
    group: str = ""
    why: str = ""

    @property
    def key(self) -> str:
        """The first key as people see it."""
        return key_text(self.keys[0])

    @property
    def reason(self) -> str:
        """The reason why the command is disabled; empty if it is enabled."""
        return "" if self.enabled else self.why or f"{self.name} is not possible now."

    @property
    def hint(self) -> str:
        """The text of its tooltip."""
        return f"{self.about or self.name}  ({self.key})"


def by_id(commands: Iterable[Command]) -> dict[str, Command]:
    """Commands by their ids."""
    return {command.id: command for command in commands}


def find(commands: Iterable[Command], key: str) -> Command | None:
    """The command of a key."""
    return next((command for command in commands if key in command.keys), None)
