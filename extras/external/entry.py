"""The command that adds a program to the list of players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from game.players.names import PlayerName
from gui.screens import entries
from gui.screens.dialogs.dialog import Prompt
from gui.screens.individuals.listing import RUNS
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
        self.library, self.store = screen.browser.library, self.app.services.store
        for command in self.store.recent(RECENT):
            self.library.add_player(PlayerName.of("external", command))

    def commands(self) -> Sequence[Command]:
        return [Command(id="add-program", name="Add a program", keys=(), run=self._ask,
                        about="Play against another program", icon="plus", group=RUNS)]  # fmt: skip

    def _ask(self) -> None:
        self.screen.show_all(True)
        text = "Enter the command that starts the engine."
        self.app.open(Prompt(self.app, "Another program", text, self._add, take="Add"))

    def _add(self, command: str) -> str:
        if not command.strip():
            return "Enter a command."
        self.library.add_player(PlayerName.of("external", command.strip()))
        self.store.add_recent(RECENT, command.strip())
        return ""
