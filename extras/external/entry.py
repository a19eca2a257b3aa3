"""The command that adds a program to the list of players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from game.players.names import PlayerName
from gui.individuals.individual import ListedPlayer
from gui.screens import entries
from gui.screens.dialogs.dialog import Prompt
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.screens.individuals.chooser import Chooser

RECENT = "external programs"
"""Name of the list of added programs in the settings."""


class ProgramsEntry(entries.Entry):
    """The command that adds a program to the list; those that were added before are listed at once."""

    screen: Chooser

    def __init__(self, screen: Chooser) -> None:
        super().__init__(screen)
        self.store = self.app.services.store
        for command in self.store.recent(RECENT):
            screen.shelves.add_program(PlayerName.of("external", command))

    def commands(self) -> Sequence[Command]:
        return [Command(id="add-program", name="Add a program", keys=(), run=self._ask, group="Shelves",
                        about="Play against another checkers program", icon="plus")]  # fmt: skip

    def _ask(self) -> None:
        text = "Enter the command that starts the engine."
        self.app.open(Prompt(self.app, "Another program", text, self._add, take="Add"))

    def _add(self, command: str) -> str:
        if not command.strip():
            return "Enter a command."
        name = PlayerName.of("external", command.strip())
        self.screen.shelves.add_program(name)
        self.screen.take_player(ListedPlayer.of_player(name.text))
        self.store.add_recent(RECENT, command.strip())
        return ""
