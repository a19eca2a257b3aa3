"""The command that opens the family of a player; opponents, games and the climb have it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from gui.individuals.individual import ListedPlayer
from gui.screens.dialogs.dialog import Menu
from gui.screens.entries import RUN_GROUP
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.app import App


def family_command(app: App, players: Sequence[ListedPlayer], why: str) -> Command:
    """Return the command that opens the family of a player; of several, it asks which."""

    def choose() -> None:
        if len(players) == 1:
            _open(app, players[0])
        else:
            app.open(Menu(app, "Whose family", lambda: [_of(app, *each) for each in enumerate(players, 1)]))

    return Command(id="family", name="Family", keys=(), run=choose, icon="family", enabled=bool(players), why=why,
                   group=RUN_GROUP, about="Show its ancestors and their games, and play against them")  # fmt: skip


def _of(app: App, number: int, player: ListedPlayer) -> Command:
    return Command(id=f"answer{number}", name=player.brief, keys=(str(number),), icon="family",
                   run=partial(_open, app, player), about="Show its family")  # fmt: skip


def _open(app: App, player: ListedPlayer) -> None:
    from extras.family.screen import FamilyScreen

    app.open(FamilyScreen(app, player))
