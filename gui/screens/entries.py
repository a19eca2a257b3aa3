"""Additions of extras to screens: commands with their buttons, and parts of the first screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from extras import added
from game.installation import imported
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.screens.screen import Screen
from gui.widgets.base import Command, Widget


class Entry:
    """An addition to a screen; the classes named in `extras.Extra.entries` are derived from it."""

    def __init__(self, screen: Screen) -> None:
        self.screen, self.app = screen, screen.app

    def step(self) -> bool:
        """Work a little at each tick of the screen; return whether something changed."""
        return False

    def commands(self) -> Sequence[Command]:
        """Return commands of the screen.

        The first one has a button, unless it belongs to a group of a menu; the others are in its menus by their ids.
        """
        return ()

    def panel(self, rect: Rect, look: Look) -> list[Widget]:
        """Return widgets in place of the rating on the first screen; none to leave it there."""
        return []


def entries(name: str, screen: Screen) -> list[Entry]:
    """Return what the installed extras add to a screen, such as ``home``."""
    return [imported(named)(screen) for other, named in added("entries") if other == name]


def with_added(commands: Sequence[Command], entries: Iterable[Entry]) -> list[Command]:
    """Return the commands of a screen with those of extras, which replace commands with the same id."""
    more = {command.id: command for entry in entries for command in entry.commands()}
    return [*(more.pop(command.id, command) for command in commands), *more.values()]


def first_commands(entries: Iterable[Entry]) -> list[Command]:
    """Return the commands of extras that have buttons."""
    return [commands[0] for entry in entries if (commands := entry.commands()) and not commands[0].group]
