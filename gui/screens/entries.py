"""Additions of extras to screens: commands with their buttons, and parts of the first screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from extras import added
from game.installation import imported
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import GAP
from gui.screens.dialogs.dialog import Menu
from gui.screens.screen import IDLE, Screen
from gui.widgets.base import Command, Widget
from gui.widgets.button import button

if TYPE_CHECKING:
    from gui.app import App
    from gui.events import Event
    from gui.individuals.individual import ListedPlayer
    from gui.individuals.shelves import Offer
    from gui.widgets.plot import Plot

NO_PLAYER = "There is no program to look at."
RUN_GROUP = "Actions"
"""The menu with what extras can do with the chosen run."""

BUTTON = 30
"""Maximum size of a button beside a player's name."""


class Entry:
    """An addition to a screen; the classes named in `extras.Extra.entries` are derived from it."""

    def __init__(self, screen: Screen) -> None:
        self.screen, self.app = screen, screen.app

    @property
    def busy(self) -> bool:
        """True while `step` has work left, so that it is called often."""
        return False

    def step(self) -> bool:
        """Work a little at each tick of the screen; return whether something changed."""
        return False

    def commands(self) -> Sequence[Command]:
        """Return commands of the screen.

        The first one has a button. Those with the title of a menu as their group are listed in it, without buttons.
        """
        return ()

    @property
    def replaced(self) -> Sequence[Path]:
        """The runs that its first command stands for among the exhibits."""
        return ()

    def offers(self) -> Sequence[Offer]:
        """Return further opponents that the search in the list of opponents finds."""
        return ()

    def panel(self, rect: Rect, look: Look) -> list[Widget]:
        """Return widgets in place of the picture of an offer of a new session."""
        return []


class PanelEntry(Entry):
    """A further part of the panel beside a board, with a tab.

    Attributes:
        id, keys, about, icon: of the command that shows it; ``id`` is also the value of the setting `panel`.
    """

    id: ClassVar[str]
    keys: ClassVar[tuple[str, ...]]
    about: ClassVar[str]
    icon: ClassVar[str]

    def begin(self) -> None:
        """React to becoming visible."""

    def view(self, rect: Rect, look: Look) -> list[Widget]:
        return []


class CurvesEntry(Entry):
    """Curves of runs that do not breed, on the page of a run."""

    def view(self, places: Sequence[Rect], above: Plot | None = None) -> list[Widget]:
        """Return the first curve and the chosen one in a large and a small place, or the chosen one below a plot."""
        raise NotImplementedError

    def numbers(self, rect: Rect) -> list[Widget]:
        """Return the tab with all numbers of the generation on display."""
        raise NotImplementedError


class TabEntry(Entry):
    """A further tab of the page of a run; the first one has the place of the curves of a run without any.

    Attributes:
        name: the title of the tab.
    """

    name: ClassVar[str]

    def view(self, rect: Rect, look: Look) -> list[Widget]:
        """Return what belongs to the generation on display."""
        raise NotImplementedError


class SectionEntry(Entry):
    """A further section of the screen for new sessions.

    Attributes:
        id, name: of the command that shows it; ``name`` is also the title of its tab.
    """

    id: ClassVar[str]
    name: ClassVar[str]

    def begin(self) -> None:
        """React to becoming visible."""

    @property
    def pace(self) -> float:
        return IDLE

    def tick(self, now: float) -> bool:
        """Let time pass while it is visible; return whether something changed."""
        return False

    def handle(self, event: Event) -> bool:
        return False

    def escape(self) -> bool:
        return False

    def view(self, area: Rect, look: Look) -> list[Widget]:
        raise NotImplementedError


def entries(name: str, screen: Screen) -> list[Any]:
    """Return what the installed extras add to a screen, such as ``home``."""
    return [imported(named)(screen) for other, named in added("entries") if other == name]


def with_added(commands: Sequence[Command], entries: Iterable[Entry]) -> list[Command]:
    """Return the commands of a screen with those of extras, which replace commands with the same id."""
    more = {command.id: command for entry in entries for command in entry.commands()}
    return [*(more.pop(command.id, command) for command in commands), *more.values()]


def first_commands(entries: Iterable[Entry]) -> list[Command]:
    """Return the commands of extras that have buttons."""
    return [commands[0] for entry in entries if (commands := entry.commands()) and not commands[0].group]


def player_commands(app: App, players: Sequence[ListedPlayer], why: str = NO_PLAYER) -> list[Command]:
    """Return what the installed extras offer for players.

    Args:
        players: the players; if there are several, a command asks which is meant.
        why: why there are none.
    """
    return [imported(named)(app, players, why) for other, named in added("entries") if other == "player"]


def ask_which(
    app: App, title: str, players: Sequence[ListedPlayer], do: Callable[[ListedPlayer], object], icon: str
) -> None:
    """Do something with a player; of several, ask first which is meant."""
    if len(players) == 1:
        do(players[0])
        return
    choices = [
        Command(id=f"answer{number}", name=player.brief, keys=(str(number),), icon=icon, run=partial(do, player))
        for number, player in enumerate(players, 1)
    ]
    app.open(Menu(app, title, lambda: choices))


def beside_name(commands: Iterable[Command], rect: Rect, look: Look) -> tuple[Rect, list[Widget]]:
    """Divide the area of a player's name: return the area without the buttons of commands, and the buttons."""
    widgets: list[Widget] = []
    side = min(look.px(BUTTON), rect.h)
    for command in commands:
        rect, end = rect.columns(None, side, gap=look.px(GAP))
        place = end.centre_within(side, side)
        widgets.append(button(command, f"do.{command.id}", place, kind="quiet", icon_only=True))
    return rect, widgets
