"""The meaning of each key, on every screen; `docs/window.md` has the rows of the core."""

from __future__ import annotations

from typing import NamedTuple


class Meaning(NamedTuple):
    """Keys with one meaning.

    Attributes:
        commands: ids of the commands that have the first of these keys or all of them, separated by spaces.
    """

    keys: str
    text: str
    commands: str


CORE = (
    Meaning("a", "All games, or the table of individuals", "all-games table"),
    Meaning("b", "Chances as a bar beside the board", "evaluation-bar"),
    Meaning("c", "Continue a game or a session", "continue resume"),
    Meaning("f", "Flip the board", "flip"),
    Meaning("g", "New session", "evolve"),
    Meaning("h", "Hint, or the answer in a review", "hint answer"),
    Meaning("i", "Worth of pieces", "worth why"),
    Meaning("l", "The next opponent to beat", "other climb"),
    Meaning("m", "Sounds on or off", "sounds"),
    Meaning("n", "Choose an opponent", "choose new-game opponent"),
    Meaning("o ctrl+o", "Open a file or game", "open open-file show-game choose-games explored-file"),
    Meaning("p", "Play, or play from here", "play play-on"),
    Meaning("r x", "Once more, or with sides swapped", "rematch again swap"),
    Meaning("s ctrl+s", "Save", "save send"),
    Meaning("t", "Type a move or a position", "type fen"),
    Meaning("u ctrl+z ctrl+y", "Undo, redo", "undo redo"),
    Meaning("v", "Analysis", "analysis"),
    Meaning("w", "Review", "review review-all"),
    Meaning("y", "Evolve as you play, and the evolution beside the board", "play-evolving evolution"),
    Meaning("=", "An opponent as strong as you", "equal"),
    Meaning("+ -", "More, less: deeper, faster, larger", "deeper faster larger shallower slower smaller"),
    Meaning(".", "One move now", "move-now next"),
    Meaning("] [", "Next variation or game, and back", "next-variation leave-variation next previous"),
    Meaning("/ ctrl+f", "Search", "search top"),
    Meaning("0 1 2 3 4 5 6 7 8", "A choice by its number; in a game, the first digit of a typed move",
            "level shelf-1 shelf-2 shelf-3 by-time published everything two-players as-evolved numbers dots "
            "must-marks animation board pieces bottom confirm beside shelf-4 shelf-5 cycle black-man black-king "
            "white-man white-king empty"),
    Meaning("space", "Go on: play or pause, the next mistake", "play next-mistake move"),
    Meaning("return ctrl+return", "Take what is chosen", "play take open run begin again close its-family confirm"),
    Meaning("escape", "Go back, or cancel", "back cancel home close"),
    Meaning("backspace", "The previous mistake or folder", "previous-mistake above"),
    Meaning("delete", "Delete, remove or clear", "delete remove clear"),
    Meaning("left right home end ctrl+left ctrl+right ctrl+home ctrl+end", "Through moves or generations",
            "previous next first last newest"),
    Meaning("up down pageup pagedown", "Through the rows of a list, or the games of a file",
            "previous next previous-game next-game next-mistake page-up page-down"),
    Meaning("ctrl+c ctrl+v e", "Copy, paste; a picture of the board", "copy paste copy-picture"),
    Meaning("ctrl++ ctrl+= ctrl+shift+= ctrl+-", "Everything larger, smaller", "larger smaller"),
    Meaning("ctrl+p ? f1", "All commands by name, or the rules and the keys of the screen", "commands help"),
    Meaning("f2 ctrl+,", "Settings", "settings"),
    Meaning("f10", "Menu", "menu"),
    Meaning("f11 ctrl+q", "Full screen, or close the window", "fullscreen quit"),
)  # fmt: skip
EXTRAS = (Meaning("d", "Drills", "drills"), Meaning("k", "Explorer", "explorer explore"))
MEANINGS = CORE + EXTRAS
"""One row for each meaning; no key is in two rows."""
