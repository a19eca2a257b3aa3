"""The commands that open the table of individuals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gui.individuals.individual import ListedPlayer
from gui.screens import entries
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.screens.individuals.chooser import Chooser
    from gui.screens.sessions.session import SessionScreen


class TableEntry(entries.Entry):
    """The button of the opponents' screen that opens the table, at the chosen run or file."""

    screen: Chooser

    def commands(self) -> Sequence[Command]:
        return [Command(id="table", name="Table", keys=("a",), run=self._open, icon="list",
                        about="The individuals of a run or file in a table")]  # fmt: skip

    def _open(self) -> None:
        from extras.individuals.screen import IndividualsScreen

        offer = self.screen.offer
        first = None if offer is None or offer.level >= 0 or offer.source is None else offer.source.path
        self.app.open(IndividualsScreen(self.app, first, self.screen.take_player))


class PlayersEntry(entries.Entry):
    """The command of a run's page that opens the table of its individuals."""

    screen: SessionScreen

    def commands(self) -> Sequence[Command]:
        return [Command(id="players", name="Players", keys=("a",), run=self._open, icon="list", group="The champion",
                        about="List all players of this run")]  # fmt: skip

    def _open(self) -> None:
        from extras.individuals.screen import IndividualsScreen

        path: Path = self.screen.run.path
        self.app.open(IndividualsScreen(self.app, path, self._take))

    def _take(self, player: ListedPlayer) -> None:
        self.app.open(self.app.screens.chooser(player=player))
