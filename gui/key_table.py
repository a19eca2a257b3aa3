"""The meaning of each key, on every screen: the table of the help and of `docs/window.md`.

The user's choice of keys (`gui.storage.settings.read_keys`) names the same commands; every text that names a key gets
it here, so that it follows this choice.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from extras import added


class Meaning(NamedTuple):
    """Keys with one meaning.

    Attributes:
        commands: ids of the commands that have the first of these keys or all of them, separated by spaces.
    """

    keys: str
    text: str
    commands: str


def _with_added(rows: tuple[Meaning, ...]) -> tuple[Meaning, ...]:
    """Return rows with the commands of extras: in the row of their keys, or in further rows."""
    table = {row.keys: row for row in rows}
    for keys, text, commands in (row for row in added("keys") if row[0]):
        row = table.get(keys, Meaning(keys, text, ""))
        table[keys] = row._replace(commands=f"{row.commands} {commands}".lstrip())
    return tuple(table.values())


CORE = (
    Meaning("a", "All games, or all players", "all-games"),
    Meaning("b", "Chances as a bar beside the board", "evaluation-bar"),
    Meaning("c", "Continue a game or a session", "continue resume"),
    Meaning("f", "Flip the board", "flip"),
    Meaning("g", "New session", "evolve"),
    Meaning("h", "Hint, or the answer in a review", "hint answer"),
    Meaning("i", "Worth of pieces", "worth why"),
    Meaning("l", "The next opponent to beat", "other"),
    Meaning("m", "Sounds on or off", "sounds"),
    Meaning("n", "Choose an opponent", "choose new-game opponent"),
    Meaning("o ctrl+o", "Open a file or game", "open show-game choose-games"),
    Meaning("p", "Play, or play on from here", "play play-on take-over"),
    Meaning("r x", "Once more, or with sides swapped", "rematch again swap"),
    Meaning("s ctrl+s", "Save", "save"),
    Meaning("t", "Type a move or a position", "type"),
    Meaning("u ctrl+z ctrl+y", "Undo, redo", "undo redo"),
    Meaning("v", "Analysis", "analysis"),
    Meaning("w", "Review", "review review-all"),
    Meaning("y", "Evolve as you play, and the evolution beside the board", "play-evolving evolution"),
    Meaning("=", "An opponent as strong as you", "equal"),
    Meaning("+ -", "More, less: deeper, faster, larger", "deeper faster larger shallower slower smaller"),
    Meaning(".", "One move now", "move-now step"),
    Meaning("] [", "Next variation or game, and back", "next-variation leave-variation another-game next previous"),
    Meaning("/ ctrl+f", "Search", "search top"),
    Meaning("0 1 2 3 4 5 6 7 8", "A choice by its number; in a game, the first digit of a typed move",
            "level shelf-1 shelf-2 shelf-3 two-players as-evolved numbers dots must-marks animation board pieces "
            "bottom confirm beside all-cores"),
    Meaning("space", "Go on: play or pause, the next mistake", "play next-mistake move"),
    Meaning("return ctrl+return", "Take what is chosen", "play take open run begin again close"),
    Meaning("escape", "Go back, or cancel", "back cancel home close"),
    Meaning("backspace", "The previous mistake or folder", "previous-mistake above"),
    Meaning("delete", "Delete, remove or clear", "delete remove clear"),
    Meaning("left right home end ctrl+left ctrl+right ctrl+home ctrl+end", "Through moves or generations",
            "previous next first last newest"),
    Meaning("up down pageup pagedown", "Through the rows of a list, or the games of a file",
            "previous next previous-game next-game next-mistake page-up page-down"),
    Meaning("ctrl+c ctrl+v e", "Copy, paste; a picture of the board", "copy paste copy-picture"),
    Meaning("ctrl++ ctrl+= ctrl+shift+= ctrl+-", "Everything larger, smaller", "larger smaller"),
    Meaning("ctrl+p ? f1", "All commands by name, with their keys", "commands"),
    Meaning("f2 ctrl+,", "Settings", "settings"),
    Meaning("f10", "Menu", "menu"),
    Meaning("f11 ctrl+q", "Full screen, or close the window", "fullscreen quit"),
)  # fmt: skip
MEANINGS = _with_added(CORE)
"""One row for each meaning, with those of extras; no key is in two rows."""

_KEYLESS = """
all all-runs ballot black colour copy-position draw evening everything evolve-group
first-last games home keep-run less-time minute more-time moves pace path pause play-champion
play-group preset published refresh resign run run-group save-all session
start stop stop-after study-group tab theme values watch white whose
"""
KEYLESS = frozenset(_KEYLESS.split()).union(*(ids.split() for keys, _, ids in added("keys") if not keys))
"""Commands without a usual key: buttons, menus and the palette reach them, and users can give them keys."""

_GONE = """
analyst analyst-other branch browse column columns columns-left columns-right compare compare-runs curve-before
earlier filter follow generations group hide hide-all individuals insight intervals judge-again keys later like-this
liked mark mark-all mark-run only order presets return reverse runs save-preset see-thinking show-all sort-by toggle
usual whole
"""
GONE = frozenset(_GONE.split())
"""Commands of earlier versions, whose keys are ignored."""

STAY = ("escape", "return")
"""Keys that their commands never lose: without them some questions could only be answered with a mouse."""

_KEY_NAMES = {
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
    "-": "−",
}


_MODIFIERS = ("ctrl", "alt", "shift")
_WRITTEN = {name.lower(): key for key, name in _KEY_NAMES.items()}
_NAMED = frozenset(_KEY_NAMES) - {*_MODIFIERS, "tab"} | {"insert"} | {f"f{number}" for number in range(1, 13)}
"""Keys with names of more than one character. Tab is missing: it leads from control to control."""


def _parts(key: str) -> list[str]:
    return [*key[:-2].split("+"), "+"] if key.endswith("++") else ["+"] if key == "+" else key.split("+")


def parse_key(text: str) -> str:
    """Return the name of a key that a person wrote, as `key_text` displays it or as the table names it.

    The result is empty if no key has this name: ``backspce``, ``ctrl`` alone, or ``shift+1``, which types another
    character.
    """
    *mods, last = [_WRITTEN.get(part, part) for part in _parts(text.lower())]
    character = len(last) == 1 and last.isprintable() and not last.isspace()
    if (not character and last not in _NAMED) or len({*mods}) < len(mods) or not {*mods} <= {*_MODIFIERS}:
        return ""
    if character and not last.isalpha() and mods == ["shift"]:
        return ""
    return "+".join([*(mod for mod in _MODIFIERS if mod in mods), last])


@lru_cache(maxsize=512)
def key_text(key: str) -> str:
    """Return the name of a key as printed on a keyboard: ``ctrl+z`` becomes Ctrl+Z."""
    *mods, last = _parts(key)
    name = _KEY_NAMES.get(last, last.upper() if len(last) == 1 or last[1:].isdigit() else last)
    return "+".join([*(_KEY_NAMES[mod] for mod in mods), name])


_CHOSEN: dict[str, tuple[str, ...]] = {}
_TAKEN: set[str] = set()


def remap(keys: Mapping[str, tuple[str, ...]]) -> None:
    """Give commands other keys from now on, by their ids; replaces an earlier choice."""
    _CHOSEN.clear()
    _CHOSEN.update(keys)
    _TAKEN.clear()
    _TAKEN.update(key for chosen in keys.values() for key in chosen)


def keys_of(command: str, usual: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of a command: those that the user has chosen, else its usual ones that no other command has."""
    if not _CHOSEN:
        return usual
    if command in _CHOSEN:
        return _CHOSEN[command] + tuple(key for key in usual if key in STAY)
    return tuple(key for key in usual if key not in _TAKEN)


def key_for(usual: str, command: str, name: str = "") -> str:
    """Return the displayed key of a command for a text.

    Args:
        name: the name of its button, which stands in quotation marks if it has no key.
    """
    keys = keys_of(command, (usual,) if usual else ())
    return key_text(keys[0]) if keys else f"“{name}”" if name else ""


_MARK = re.compile(r"\{([^{}| ]*)\|([a-z-]+)\|([^{}|]+)\}")


def with_keys(text: str) -> str:
    """Return a sentence with keys in place of its marks, such as ``Press {shift+r|resign|Resign} to resign.``

    A mark has the arguments of `key_for`.
    """
    return _MARK.sub(lambda mark: key_for(*mark.groups()), text)


def with_key(text: str, key: str) -> str:
    """Return the text of a tooltip with a displayed key, which may be empty, after it."""
    return f"{text}  ({key})" if key else text
