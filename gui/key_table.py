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
    for keys, text, commands in added("keys"):
        row = table.get(keys, Meaning(keys, text, ""))
        table[keys] = row._replace(commands=f"{row.commands} {commands}".lstrip())
    return tuple(table.values())


CORE = (
    Meaning("a", "All games, players or generations", "all all-games players whole"),
    Meaning("b", "Chances as a bar beside the board", "evaluation-bar"),
    Meaning("c", "Continue a game or a session", "continue resume"),
    Meaning("d", "Drills", "drills"),
    Meaning("e", "Set up a position", "set-up"),
    Meaning("f", "Flip the board", "flip"),
    Meaning("g", "Start a session", "evolve"),
    Meaning("h", "Hint, or the answer in a review", "hint answer"),
    Meaning("i", "Worth of pieces", "worth why"),
    Meaning("j", "Analyst: choose it, or let it review again", "analyst judge-again"),
    Meaning("k", "Explorer", "explorer explore"),
    Meaning("l", "The next opponent to beat", "other"),
    Meaning("n", "Choose an opponent", "choose new-game opponent"),
    Meaning("o", "Open a file, game or run", "open explored-file run show-game"),
    Meaning("p", "Play from here", "play play-on take-over"),
    Meaning("q", "Moves of the game", "moves"),
    Meaning("r", "Once more: the same game or mistake", "rematch again"),
    Meaning("s", "Save the game", "save"),
    Meaning("t", "Type a move or a position", "type fen"),
    Meaning("u", "Undo", "undo"),
    Meaning("v", "Analysis", "analysis"),
    Meaning("w", "Review", "review review-all"),
    Meaning("x", "Swap sides", "swap"),
    Meaning("y", "Evolve as you play, and the evolution beside the board", "play-evolving evolution"),
    Meaning("z", "Sort by the next column", "sort order"),
    Meaning("shift+b", "Where a game begins", "start"),
    Meaning("shift+c", "Your colour, or whose mistakes", "colour whose"),
    Meaning("shift+d", "Offer a draw", "draw"),
    Meaning("shift+e", "“Evolution” on the first screen", "evolve-group"),
    Meaning("shift+f", "Family", "family its-family"),
    Meaning("shift+g", "All runs, or the next one", "all-runs"),
    Meaning("shift+h", "Expected moves as arrows", "see-thinking"),
    Meaning("shift+k", "Games of the explorer", "explored"),
    Meaning("shift+l", "Next curve", "curve"),
    Meaning("shift+n", "Ballot or opening", "ballot"),
    Meaning("shift+p", "“Games” on the first screen", "play-group"),
    Meaning("shift+q", "Next page of a panel", "page tab"),
    Meaning("shift+r", "Resign", "resign"),
    Meaning("shift+s", "“Study” on the first screen", "study-group"),
    Meaning("shift+t", "Write a note", "note"),
    Meaning("shift+u", "Redo", "redo"),
    Meaning("shift+v", "Show games or the film of a run to others, as a page or an animation", "share"),
    Meaning("shift+w", "Watch two players", "watch"),
    Meaning("shift+y", "The session that works or waits", "session"),
    Meaning("=", "An opponent as strong as you, or as the chosen one", "equal"),
    Meaning("+", "More: deeper, faster, harder, larger", "deeper faster larger"),
    Meaning("-", "Less: shallower, slower, easier, smaller", "shallower slower smaller"),
    Meaning(">", "More time for an opponent", "more-time"),
    Meaning("<", "Less time for an opponent", "less-time"),
    Meaning(".", "One move now", "move-now step"),
    Meaning(",", "Play or pause the games on small boards", "games"),
    Meaning("]", "Next variation, another game", "next-variation next"),
    Meaning("[", "Back from a variation", "leave-variation previous"),
    Meaning("#", "Tags", "tags"),
    Meaning("*", "Star", "star"),
    Meaning("/", "Begin to type: a search or a path", "search top"),
    Meaning("0 1 2 3 4 5 6 7 8", "A choice by its number; in a game, the first digit of a typed move",
            "level two-players as-evolved cycle black-man black-king white-man "
            "white-king empty numbers dots must-marks animation board pieces bottom confirm analyst-other "
            "explored-file beside presets all-cores"),
    Meaning("space", "Go on: play or pause, the next mistake", "play next-mistake move"),
    Meaning("return", "Take what is chosen",
            "play take open run its-family begin again close"),
    Meaning("ctrl+return", "Do it", "begin play take"),
    Meaning("escape", "Go back, or cancel", "back cancel done home"),
    Meaning("backspace", "The previous mistake, family or folder", "previous-mistake return above"),
    Meaning("delete", "Delete, remove or clear", "delete remove clear"),
    Meaning("left ctrl+left", "One move or generation back, or further left",
            "previous earlier"),
    Meaning("right ctrl+right", "One move or generation on, or further right",
            "next later"),
    Meaning("home ctrl+home", "To the start", "first"),
    Meaning("end ctrl+end", "To the end", "last newest"),
    Meaning("up", "One row up", "previous"),
    Meaning("down", "One row down", "next"),
    Meaning("pageup", "The previous game of a file, or one page up", "previous-game page-up"),
    Meaning("pagedown", "The next game of a file, or one page down", "next-game next-mistake page-down"),
    Meaning("ctrl+a", "All files", "all"),
    Meaning("ctrl+b", "The chosen player plays Black", "black"),
    Meaning("ctrl+c", "Copy the game, the position or the command", "copy"),
    Meaning("ctrl+e", "Stop a session after its generation", "stop-after"),
    Meaning("ctrl+f", "Search", "search"),
    Meaning("ctrl+h", "Archive a run", "archive"),
    Meaning("ctrl+k", "All values of a session", "values"),
    Meaning("ctrl+l", "Path", "path"),
    Meaning("ctrl+m", "Sounds on or off", "sounds"),
    Meaning("ctrl+n", "New game", "new-game"),
    Meaning("ctrl+o", "Open a file", "open choose-games"),
    Meaning("ctrl+p", "Pause a session", "pause"),
    Meaning("ctrl+q", "Close the window", "quit"),
    Meaning("ctrl+r", "Back to the defaults", "preset"),
    Meaning("ctrl+s", "Save", "save save-preset send"),
    Meaning("ctrl+t", "Next theme", "theme"),
    Meaning("ctrl+v", "Paste", "paste"),
    Meaning("ctrl+w", "The chosen player plays White", "white"),
    Meaning("ctrl+x", "Let the other side move", "side"),
    Meaning("ctrl+y", "Redo", "redo"),
    Meaning("ctrl+z", "Undo", "undo"),
    Meaning("alt+up", "Folder above", "above"),
    Meaning("alt+home", "Home folder", "home"),
    Meaning("ctrl++ ctrl+= ctrl+shift+=", "Everything larger", "larger"),
    Meaning("ctrl+-", "Everything smaller", "smaller"),
    Meaning("? f1", "Keys of the screen", "keys close"),
    Meaning("f2 ctrl+,", "Settings", "settings"),
    Meaning("f5", "Read a folder again", "refresh"),
    Meaning("f10", "More commands", "menu"),
    Meaning("f11", "Full screen", "fullscreen"),
)  # fmt: skip
MEANINGS = _with_added(CORE)
"""One row for each meaning, with those of extras; no key is in two rows."""

KEYLESS = (
    *("add-program", "copy-picture", "copy-position", "filter", "first-last", "keep-run", "pace", "playable"),
    *("play-champion", "save-all", "stop"),
)
"""Commands without a usual key: their buttons and the menu reach them, and users can give them keys."""

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


_MARK = re.compile(r"\{([^{}| ]+)\|([a-z-]+)\|([^{}|]+)\}")


def with_keys(text: str) -> str:
    """Return a sentence with keys in place of its marks, such as ``Press {shift+r|resign|Resign} to resign.``

    A mark has the arguments of `key_for`.
    """
    return _MARK.sub(lambda mark: key_for(*mark.groups()), text)


def with_key(text: str, key: str) -> str:
    """Return the text of a tooltip with a displayed key, which may be empty, after it."""
    return f"{text}  ({key})" if key else text
