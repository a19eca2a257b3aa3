"""The command that opens the family of a player; opponents, games and the climb have it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from gui.individuals.individual import ListedPlayer
from gui.screens.entries import RUN_GROUP, ask_which
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.app import App


def family_command(app: App, players: Sequence[ListedPlayer], why: str) -> Command:
    """Return the command that opens the family of a player; of several, it asks which."""
    return Command(id="family", name="Family", keys=(), icon="family", enabled=bool(players), why=why, group=RUN_GROUP,
                   run=lambda: ask_which(app, "Whose family", players, partial(_open, app), "family"),
                   about="Show its ancestors and their games, and play against them")  # fmt: skip


def _open(app: App, player: ListedPlayer) -> None:
    from extras.family.screen import FamilyScreen

    app.open(FamilyScreen(app, player))
